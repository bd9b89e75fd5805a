"""splintr-rs: unigram and BPE from ``tokenizer.json``; its flat calls return ids as raw bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import splintr

from benchmarks import engines


class Engine(engines.Engine):
    """``encode_flat`` and ``encode_batch_flat`` (little-endian u32 bytes), ``encode_raw`` for lists."""

    package = "splintr-rs"
    note = "encode_flat: ids as bytes, cheaper than its lists"

    def __init__(self, path: Path, threads: int) -> None:
        self.tokenizer: Any = splintr.from_json(str(path))

    def array(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.tokenizer.encode_flat
        return call

    def unpack(self, result: Any) -> engines.Ids:
        return np.frombuffer(result, dtype="<u4") if isinstance(result, bytes) else result

    def listed(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.tokenizer.encode_raw
        return call

    def batch(self) -> Callable[[list[str]], Any]:
        call: Callable[[list[str]], Any] = self.tokenizer.encode_batch_flat
        return call

    def unpack_batch(self, result: Any) -> Sequence[engines.Ids]:
        ids, offsets = np.frombuffer(result[0], dtype="<u4"), np.frombuffer(result[1], dtype="<u8")
        return np.split(ids, offsets[1:-1])

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.tokenizer.decode
        return call
