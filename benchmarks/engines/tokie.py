"""tokie: unigram and BPE from ``tokenizer.json``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokie

from benchmarks import engines


class Engine(engines.Engine):
    """``encode(...).ids``; it has no array output for strings."""

    package = "tokie"
    note = "encode(...).ids; no array output for strings"

    def __init__(self, path: Path, threads: int) -> None:
        self.tokenizer: Any = tokie.Tokenizer.from_json(str(path))

    def listed(self) -> Callable[[str], Any]:
        encode = self.tokenizer.encode
        return lambda text: encode(text, add_special_tokens=False).ids

    def batch(self) -> Callable[[list[str]], Any]:
        encode = self.tokenizer.encode_batch
        return lambda texts: [one.ids for one in encode(texts, add_special_tokens=False)]

    def count(self) -> Callable[[str], int]:
        call: Callable[[str], int] = self.tokenizer.count_tokens
        return call

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.tokenizer.decode
        return call
