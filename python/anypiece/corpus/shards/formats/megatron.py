"""Megatron's ``.bin`` and ``.idx``: raw ids, and an index of one sequence for each document.

The index is little-endian and not aligned: ``MMIDIDX\\0\\0``, u64 version 1, u8 code of the dtype, u64 number of sequences,
u64 number of document bounds; then int32 lengths in tokens, int64 places in bytes, and int64 bounds of documents, which
begin with 0. Megatron knows no uint32, so that ids above 65535 are int32.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import FormatError
from .raw import Ends, Stored, mapped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from .output import Outputs

__all__ = ["Writer", "dtype", "read"]

MAGIC = b"MMIDIDX\0\0"
HEADER = struct.Struct("<9sQBQQ")
CODES = {"uint16": 8, "int32": 4}


def dtype(largest: int) -> np.dtype[Any]:
    """uint16 where all ids fit, int32 otherwise."""
    return np.dtype("<u2" if largest < 2**16 else "<i4")


class Writer:
    """Writes both files."""

    def __init__(self, outputs: Outputs, dtype: np.dtype[Any]) -> None:
        self.ids, self.index = outputs.new(".bin"), outputs.new(".idx")
        self.dtype = dtype
        self.ends = Ends()

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Sequence[str | None]) -> None:
        """Take more documents."""
        if len(lengths) and lengths.max() >= 2**31:
            message = (
                f"Megatron's documents have fewer than 2^31 ids, not {lengths.max()}. Cut them with max_document=."
            )
            raise FormatError("format-unwritable", message, tokens=int(lengths.max()))
        self.ids.write(ids)
        self.ends.add(lengths)

    def finish(self) -> None:
        """Write the index."""
        ends = self.ends.array().astype(np.int64)
        starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
        self.index.write(HEADER.pack(MAGIC, 1, CODES[self.dtype.name], len(ends), len(ends) + 1))
        self.index.write((ends - starts).astype("<i4"))
        self.index.write((starts * self.dtype.itemsize).astype("<i8"))
        self.index.write(np.arange(len(ends) + 1, dtype="<i8"))


def read(folder: Path, stem: str, dtype: np.dtype[Any]) -> Stored:
    """A shard, mapped; its dtype and size are those of the index."""
    index = folder / f"{stem}.idx"
    with open(index, "rb") as file:
        magic, version, code, amount, bounds = HEADER.unpack(file.read(HEADER.size))
    size = HEADER.size + 12 * amount + 8 * bounds
    if (magic, version, bounds) != (MAGIC, 1, amount + 1) or code != CODES[dtype.name] or index.stat().st_size != size:
        raise ValueError(f"{index} has another header or size")
    lengths = mapped(index, "<i4", HEADER.size, amount)
    return Stored(mapped(folder / f"{stem}.bin", dtype), np.cumsum(lengths, dtype=np.int64))
