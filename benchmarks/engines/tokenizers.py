"""Hugging Face tokenizers, from ``tokenizer.json``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokenizers

from benchmarks import engines


class Engine(engines.Engine):
    """``encode_batch_fast`` (no offsets) also for one text: on these files it is never slower than ``encode``."""

    package = "tokenizers"
    note = "encode_batch_fast(...).ids, no offsets"

    def __init__(self, path: Path, threads: int) -> None:
        self.tokenizer: Any = tokenizers.Tokenizer.from_file(str(path))

    def listed(self) -> Callable[[str], Any]:
        encode = self.tokenizer.encode_batch_fast
        return lambda text: encode([text], add_special_tokens=False)[0].ids

    def batch(self) -> Callable[[list[str]], Any]:
        encode = self.tokenizer.encode_batch_fast
        return lambda texts: [one.ids for one in encode(texts, add_special_tokens=False)]

    def spans(self) -> Callable[[str], Any]:
        encode = self.tokenizer.encode

        def call(text: str) -> tuple[list[int], list[tuple[int, int]]]:
            one = encode(text, add_special_tokens=False)
            return one.ids, one.offsets

        return call

    def spans_batch(self) -> Callable[[list[str]], Any]:
        encode = self.tokenizer.encode_batch
        return lambda texts: [(one.ids, one.offsets) for one in encode(texts, add_special_tokens=False)]

    def unpack_spans(self, result: Any) -> list[tuple[int, int, int]]:
        return [(id, start, end) for id, (start, end) in zip(*result, strict=True)]

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.tokenizer.decode
        return call
