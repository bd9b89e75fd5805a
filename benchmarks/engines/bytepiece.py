"""The reference for BytePiece files: the bytepiece package itself, with ahocorasick built for bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import bytepiece

from benchmarks import engines
from benchmarks.harness.definition import Sampling, TokenizerFiles
from benchmarks.harness.places import data_file


class Engine(engines.Engine):
    """``encode``, with ``alpha`` for draws; there are no arrays and no batches."""

    package = "bytepiece"
    note = "encode"

    def __init__(self, path: Path, threads: int) -> None:
        self.tokenizer: Any = bytepiece.Tokenizer(json.loads(path.read_bytes()))

    def listed(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.tokenizer.encode
        return call

    def sample(self, sampling: Sampling) -> Callable[[str], Any]:
        return partial(self.tokenizer.encode, alpha=sampling.alpha)

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.tokenizer.decode
        return call

    @classmethod
    def file(cls, files: TokenizerFiles, form: str) -> Path:
        return data_file(files.model)
