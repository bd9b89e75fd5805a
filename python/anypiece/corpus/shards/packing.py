"""Documents of any length become sequences of one length.

Concatenated, the ids of all documents are one stream that is cut to sequences of one length. By best fit, a sequence holds
whole documents, each in the sequence that it fills best, and only what is longer than a sequence is cut; positions count
from 0 in each document, so that a 0 says where one begins. Either way only the last sequences of a shard, and what no
document fits into, are filled up.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Packer", "Packing", "Sequences"]

Packing = Literal["concat", "fit"]
_OPEN = 1024
"""How many sequences wait for documents that fit; when there are more, the fullest is done."""


class Sequences(NamedTuple):
    """Flat ids of whole sequences, and by best fit the positions of each in its document."""

    ids: NDArray[Any]
    positions: NDArray[np.int32] | None


class Packer:
    """Takes documents, gives sequences of ``length`` tokens; what is filled up has the id ``pad``.

    >>> packer = Packer(4, 0, "concat")
    >>> packer.add(np.array([1, 1, 2, 2, 2]), np.array([2, 3])).ids.tolist(), packer.finish().ids.tolist()
    ([1, 1, 2, 2], [2, 0, 0, 0])
    >>> packer = Packer(4, 0, "fit")
    >>> packer.add(np.array([1, 1, 1, 2, 2, 3]), np.array([3, 2, 1])).ids.tolist()
    []
    >>> packer.finish()
    Sequences(ids=array([1, 1, 1, 3, 2, 2, 0, 0]), positions=array([0, 1, 2, 0, 0, 1, 0, 1], dtype=int32))
    >>> packer.documents, packer.padding
    (3, 2)
    """

    def __init__(self, length: int, pad: int, packing: Packing) -> None:
        self.length, self.pad, self.packing = length, pad, packing
        self.documents = self.padding = 0
        self.rest: NDArray[Any] | None = None
        self.dtype: np.dtype[Any] = np.dtype(np.uint32)
        self.bins: dict[int, list[NDArray[Any]]] = {}
        self.free: list[tuple[int, int]] = []
        """The room in each open sequence and its number, sorted."""
        self.begun = 0

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64]) -> Sequences:
        """Take documents; the sequences that are done."""
        self.documents += len(lengths)
        self.dtype = ids.dtype
        if self.packing == "fit":
            return self._fitted(ids, lengths)
        flat = ids if self.rest is None else np.concatenate([self.rest, ids])
        whole = len(flat) - len(flat) % self.length
        self.rest = flat[whole:].copy()
        return Sequences(flat[:whole], None)

    def finish(self) -> Sequences:
        """The sequences that are left, filled up."""
        if self.packing == "fit":
            return self._made([self.bins.pop(number) for number in list(self.bins)])
        if self.rest is None or not len(self.rest):
            return Sequences(np.empty(0, self.dtype), None)
        missing = self.length - len(self.rest)
        self.padding += missing
        return Sequences(np.concatenate([self.rest, np.full(missing, self.pad, self.dtype)]), None)

    def _fitted(self, ids: NDArray[Any], lengths: NDArray[np.int64]) -> Sequences:
        done: list[list[NDArray[Any]]] = []
        start = 0
        for length in lengths.tolist():
            end = start + length
            while end - start >= self.length:
                done.append([ids[start : start + self.length]])
                start += self.length
            if end > start:
                self._place(ids[start:end].copy())
            start = end
            if len(self.free) > _OPEN:
                done.append(self.bins.pop(self.free.pop(0)[1]))
        return self._made(done)

    def _place(self, piece: NDArray[Any]) -> None:
        """Into the open sequence with the least room for it, or a new one."""
        at = bisect_left(self.free, (len(piece), -1))
        if at < len(self.free):
            room, number = self.free.pop(at)
            self.bins[number].append(piece)
        else:
            room, number = self.length, self.begun
            self.begun += 1
            self.bins[number] = [piece]
        insort(self.free, (room - len(piece), number))

    def _made(self, done: list[list[NDArray[Any]]]) -> Sequences:
        """Sequences of the pieces in them."""
        parts: list[NDArray[Any]] = []
        for pieces in done:
            parts += pieces
            missing = self.length - sum(map(len, pieces))
            if missing:
                parts.append(np.full(missing, self.pad, self.dtype))
                self.padding += missing
        if not parts:
            return Sequences(np.empty(0, self.dtype), np.empty(0, np.int32))
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        return Sequences(np.concatenate(parts), (np.arange(len(starts)) - starts).astype(np.int32))
