"""The reference for BytePiece files: the bytepiece package itself, with ahocorasick built for bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import bytepiece

from benchmarks import engines
from benchmarks.definition import Chance, TokenizerFiles
from benchmarks.places import data_file


class Engine(engines.Engine):
    """``encode``, with ``alpha`` for draws; there are no arrays and no batches."""

    package = "bytepiece"
    note = "encode"

    def __init__(self, path: Path, threads: int) -> None:
        self.tokenizer: Any = bytepiece.Tokenizer(json.loads(path.read_bytes()))

    def listed(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.tokenizer.encode
        return call

    def sample(self, chance: Chance) -> Callable[[str], Any]:
        return partial(self.tokenizer.encode, alpha=chance.alpha)

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.tokenizer.decode
        return call

    @classmethod
    def file(cls, files: TokenizerFiles, form: str) -> Path:
        return data_file(files.model)
