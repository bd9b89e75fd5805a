"""What the formats of flat ids share: the ends of documents as they grow, and how arrays are mapped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Ends", "Stored", "mapped", "narrowest"]


class Stored(NamedTuple):
    """The content of a shard: document ``i`` is ``ids[ends[i - 1]:ends[i]]``, the first one begins at 0."""

    ids: NDArray[Any]
    ends: NDArray[Any]


class Ends:
    """The ends of documents in tokens, as blocks of them come in."""

    def __init__(self) -> None:
        self.total = 0
        self._parts: list[NDArray[np.uint64]] = []

    def add(self, lengths: NDArray[np.int64]) -> None:
        """Take the lengths of more documents."""
        ends = np.cumsum(lengths).astype(np.uint64) + np.uint64(self.total)
        self._parts.append(ends)
        self.total = int(ends[-1]) if len(ends) else self.total

    def array(self) -> NDArray[np.uint64]:
        """All of them."""
        return np.concatenate(self._parts).astype("<u8", copy=False) if self._parts else np.empty(0, "<u8")


def mapped(path: Path, dtype: str | np.dtype[Any], start: int = 0, length: int | None = None) -> NDArray[Any]:
    """A file as an array, without reading it."""
    kind = np.dtype(dtype)
    amount = (path.stat().st_size - start) // kind.itemsize if length is None else length
    if not amount:
        return np.empty(0, kind)
    return np.memmap(path, kind, "r", start, (amount,))


def narrowest(largest: int) -> np.dtype[Any]:
    """uint16 where all ids fit, uint32 otherwise.

    >>> narrowest(65535), narrowest(65536)
    (dtype('uint16'), dtype('uint32'))
    """
    return np.dtype("<u2" if largest < 2**16 else "<u4")
