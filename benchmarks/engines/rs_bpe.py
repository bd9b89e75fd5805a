"""rs-bpe: cl100k and o200k only, from the tables in its wheel; lists only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rs_bpe.bpe import openai

from benchmarks import engines


class Engine(engines.Engine):
    """``encode``; the rank file only says which of its two vocabularies is meant."""

    package = "rs-bpe"
    note = "encode: a list; it has no array output"
    reads_ranks = True

    def __init__(self, path: Path, threads: int) -> None:
        self.tokenizer: Any = {"cl100k_base": openai.cl100k_base, "o200k_base": openai.o200k_base}[path.stem]()

    def listed(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.tokenizer.encode
        return call

    def count(self) -> Callable[[str], int]:
        call: Callable[[str], int] = self.tokenizer.count
        return call

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.tokenizer.decode
        return call
