"""transformers, from ``tokenizer.json``: a call with a list of texts, as programs that train or serve make it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerFast

from benchmarks import engines
from benchmarks.harness.definition import TokenizerFiles
from benchmarks.harness.places import data_file

PADS = ("[PAD]", "<|finetune_right_pad_id|>", "<|end_of_text|>")
"""Tokens that rows are filled up with; the first that a file has."""


class Engine(engines.Engine):
    """``tokenizer(texts, padding=True, return_tensors="np")``."""

    package = "transformers"
    note = 'tokenizer(texts, padding=True, return_tensors="np")'

    def __init__(self, path: Path, threads: int) -> None:
        self.tokenizer = opened(path)

    def padded(self) -> Callable[[list[str]], Any]:
        return partial(self.tokenizer, padding=True, return_tensors="np")

    @classmethod
    def file(cls, files: TokenizerFiles, form: str) -> Path:
        return data_file(files.model)


def opened(path: Path) -> Any:
    """Return the fast tokenizer of a file, with a token that fills up rows."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(path))
    known = tokenizer.get_vocab()
    tokenizer.pad_token = next(token for token in PADS if token in known)
    return tokenizer
