"""fastokens: byte BPE, from ``tokenizer.json`` or a rank file; its flat call returns ids as raw bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastokens

from benchmarks import engines


class Engine(engines.FlatEngine):
    """``encode_batch_flat`` (little-endian u32 bytes) also for one text, ``encode_ordinary(...).ids`` for lists."""

    package = "fastokens"
    note = "encode_batch_flat: ids as bytes, cheaper than its lists also for one text"
    reads_ranks = True

    def __init__(self, path: Path, threads: int) -> None:
        self.tokenizer: Any = load(path)

    def array(self) -> Callable[[str], Any]:
        encode = self.tokenizer.encode_batch_flat
        return lambda text: encode([text])[0]

    def listed(self) -> Callable[[str], Any]:
        encode = self.tokenizer.encode_ordinary
        return lambda text: encode(text).ids


def load(path: Path) -> Any:
    """Load a file; of a rank file the name says how text is split. Special tokens in a text are text."""
    if path.suffix == ".tiktoken":
        return fastokens.Tokenizer.from_tiktoken(str(path), encoding=path.stem, special_tokens={})
    return fastokens.Tokenizer.from_file(str(path))
