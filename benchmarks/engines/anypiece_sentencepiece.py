"""This project with a GGUF file by SentencePiece's rules: what llama.cpp's rules cost compared with them."""

from __future__ import annotations

from pathlib import Path

from anypiece import load
from benchmarks.engines import anypiece


class Engine(anypiece.Engine):
    """``load(..., dialect="sentencepiece")``."""

    note = 'encode_array with dialect="sentencepiece"; some texts have other ids'

    def __init__(self, path: Path, threads: int) -> None:
        self.threads = threads
        self.tokenizer = load(str(path), dialect="sentencepiece")
