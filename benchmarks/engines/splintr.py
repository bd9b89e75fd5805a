"""splintr-rs: unigram and BPE from ``tokenizer.json``, byte BPE from rank files; its flat calls return raw bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import splintr

from benchmarks import engines

PATTERNS = {"cl100k_base": splintr.CL100K_BASE_PATTERN, "o200k_base": splintr.O200K_BASE_PATTERN}


class Engine(engines.FlatEngine):
    """``encode_flat`` and ``encode_batch_flat`` (little-endian u32 bytes), ``encode_raw`` for lists."""

    package = "splintr-rs"
    note = "encode_flat: ids as bytes, cheaper than its lists"
    reads_ranks = True

    def __init__(self, path: Path, threads: int) -> None:
        self.tokenizer: Any = load(path)

    def array(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.tokenizer.encode_flat
        return call

    def listed(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.tokenizer.encode_raw
        return call


def load(path: Path) -> Any:
    """Load a file. A rank file gets splintr's own pattern and no special tokens.

    Its ``from_pretrained`` of the same vocabulary loads faster and encodes some 5 % faster, but finds special tokens in
    texts, and 54 that only splintr knows: other ids than asked for.
    """
    if path.suffix == ".tiktoken":
        return splintr.Tokenizer(str(path), PATTERNS[path.stem])
    return splintr.from_json(str(path))
