"""Encoded documents on their way to shards that are arranged: deduplicated, drawn from, or shuffled.

A task stages its documents in ``_anypiece/staged``: flat ids; for each document 32 bytes of what is known of it; where
duplicates are looked for the hashes of the texts, sorted; and other columns. Where the plan shuffles, documents lie in the
order of their random numbers, so that a range of numbers is one stretch of each file. All of it goes away with the manifest.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..sampling import numbers
from .formats.output import CONTROL
from .formats.raw import mapped, narrowest
from .shard import Rows, Shard

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from .plan import Plan

__all__ = ["STAGED", "Stage", "Staged", "gathered", "staged_stem"]

STAGED = f"{CONTROL}/staged"
_ROW, _HASH = 32, 20
_AT_ONCE = 1 << 20
_TASK = 32
"""A document's number is drawn by its place in the task, with the number of the task from this bit on."""


def staged_stem(number: int, part: str) -> str:
    """What the names of the files of a task begin with."""
    return f"s{number:06d}{'-' * bool(part)}{part}"


def gathered(ids: NDArray[Any], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[Any]:
    """Stretches of flat ids, one after the other.

    >>> gathered(np.arange(10), np.array([7, 0]), np.array([2, 3])).tolist()
    [7, 8, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    found: NDArray[Any] = ids[np.repeat(starts - (ends - lengths), lengths) + np.arange(total)]
    return found


class Staged(Shard):
    """Takes the documents of a task as a shard does, and stages them."""

    def __init__(self, plan: Plan, number: int, part: str, folder: Path, token: str) -> None:
        super().__init__(plan, number, part, folder, token, staged_stem(number, part))
        self.packer = None
        self.number = number
        self.dtype = narrowest(plan.largest)
        self.held: list[Rows] = []
        self.flat = self.outputs.scratch(".flat")

    def add(self, rows: Rows) -> None:
        """Take more documents."""
        if not len(rows.lengths):
            return
        self.noted(rows)
        self.flat.write(rows.ids.astype(self.dtype))
        self.held.append(rows._replace(ids=rows.ids[:0]))

    def take_part(self, ids: NDArray[np.uint32]) -> None:
        """Take ids of a document that goes on."""
        self.flat.write(ids.astype(self.dtype))

    def take_last(self, rows: Rows) -> None:
        """Take the end of a document whose ids were taken."""
        self.held.append(rows)

    def finish(self) -> list[dict[str, Any]]:
        """Bring the documents into their order, and give the files their names."""
        self.flat.close()
        if self.held:
            lengths = np.concatenate([rows.lengths for rows in self.held])
            drawn = numbers(self.number << _TASK, len(lengths), self.plan.options.seed)
            order = np.argsort(drawn, kind="stable") if self.plan.options.shuffle else np.arange(len(drawn))
            self._write_rows(order, lengths, drawn)
            self._write_ids(order, lengths)
            if self.plan.options.dedupe:
                self._write_hashes()
            if self.plan.options.columns:
                self._write_columns(order)
            self.held = []
        self.flat.path.unlink()
        return self.outputs.place()

    def _write_rows(self, order: NDArray[np.int64], lengths: NDArray[np.int64], drawn: NDArray[np.uint64]) -> None:
        file = self.outputs.new(".rows", STAGED)
        files = np.concatenate([np.full(len(rows.lengths), rows.number, "<u4") for rows in self.held])
        file.write(drawn[order].astype("<u8"))
        file.write(np.cumsum(lengths[order]).astype("<i8"))
        file.write(np.concatenate([rows.places for rows in self.held])[order].astype("<i8"))
        file.write(files[order])
        file.write(order.astype("<u4"))

    def _write_ids(self, order: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        file = self.outputs.new(".ids", STAGED)
        flat = mapped(self.flat.path, self.dtype)
        starts = np.cumsum(lengths) - lengths
        for some in in_blocks(lengths[order]):
            chosen = order[some]
            file.write(gathered(flat, starts[chosen], lengths[chosen]))

    def _write_hashes(self) -> None:
        hashes = np.concatenate([rows.hashes for rows in self.held if rows.hashes is not None])
        order = np.lexsort((hashes[:, 1], hashes[:, 0]))
        file = self.outputs.new(".hashes", STAGED)
        file.write(np.ascontiguousarray(hashes[order, 0], "<u8"))
        file.write(np.ascontiguousarray(hashes[order, 1], "<u8"))
        file.write(order.astype("<u4"))

    def _write_columns(self, order: NDArray[np.int64]) -> None:
        """The ends of all values as int64, negative where there is none, and the values as UTF-8."""
        columns = [[value for rows in self.held for value in rows.columns[n]] for n in range(len(self.held[0].columns))]
        values, ends = self.outputs.new(".values", STAGED), []
        for row in order.tolist():
            for column in columns:
                value = column[row]
                values.write((value or "").encode())
                ends.append(values.size if value is not None else -1 - values.size)
        self.outputs.new(".value-ends", STAGED).write(np.array(ends, "<i8"))


def in_blocks(lengths: NDArray[np.int64], size: int = _AT_ONCE) -> list[slice]:
    """Stretches of documents of about ``size`` tokens, or one that is longer.

    >>> in_blocks(np.array([3, 3, 9, 1, 1]), 6)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 5, None)]
    """
    ends = np.cumsum(lengths)
    found, start = [], 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + size, side="right")))
        found.append(slice(start, end))
        start = end
    return found


class Stage(NamedTuple):
    """What a task staged for a part, mapped: nothing where there is no document."""

    folder: Path
    stem: str
    dtype: np.dtype[Any]
    columns: int
    numbers: NDArray[np.uint64]
    ends: NDArray[np.int64]
    places: NDArray[np.int64]
    files: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    """Which document of the task each one is."""

    @classmethod
    def opened(cls, plan: Plan, number: int, part: str) -> Stage:
        """Map it."""
        stem = staged_stem(number, part)
        path = plan.folder / STAGED / f"{stem}.rows"
        raw = mapped(path, "u1") if path.exists() else np.empty(0, np.uint8)
        amount = len(raw) // _ROW
        parts = [raw[start * amount : end * amount] for start, end in pairwise((0, 8, 16, 24, 28, 32))]
        kinds = ("<u8", "<i8", "<i8", "<u4", "<u4")
        fields = [field.view(kind) for field, kind in zip(parts, kinds, strict=True)]
        return cls(plan.folder / STAGED, stem, narrowest(plan.largest), len(plan.options.columns), *fields)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The tokens of each document."""
        return np.diff(self.ends, prepend=0)

    def lengths_of(self, some: slice) -> NDArray[np.int64]:
        """Those of a stretch."""
        before = int(self.ends[some.start - 1]) if some.start else 0
        found: NDArray[np.int64] = np.diff(self.ends[some], prepend=before)
        return found

    def live(self) -> NDArray[np.bool_]:
        """Which documents are no duplicates of earlier ones."""
        path = self.folder / f"{self.stem}.live"
        return mapped(path, "?") if path.exists() else np.ones(len(self.ends), bool)

    def hashes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]:
        """Both halves of the hashes, sorted, and the documents that have them."""
        path = self.folder / f"{self.stem}.hashes"
        raw = mapped(path, "u1") if path.exists() else np.empty(0, np.uint8)
        amount = len(raw) // _HASH
        both = raw[: 8 * amount].view("<u8"), raw[8 * amount : 16 * amount].view("<u8")
        return (*both, raw[16 * amount :].view("<u4"))

    def ids(self, some: slice) -> NDArray[Any]:
        """The ids of a stretch of documents."""
        if some.start >= some.stop:
            return np.empty(0, self.dtype)
        start = int(self.ends[some.start - 1]) if some.start else 0
        width = self.dtype.itemsize
        path = self.folder / f"{self.stem}.ids"
        return np.fromfile(path, self.dtype, int(self.ends[some.stop - 1]) - start, offset=start * width)

    def values(self, some: slice) -> list[list[str | None]]:
        """The values of other columns of a stretch of documents, column by column."""
        if not self.columns or some.start >= some.stop:
            return [[] for _ in range(self.columns)]
        found = mapped(self.folder / f"{self.stem}.value-ends", "<i8")
        first, last = some.start * self.columns, some.stop * self.columns
        wanted = np.array(found[max(first - 1, 0) : last])
        ends = np.where(wanted < 0, -1 - wanted, wanted).tolist()
        if not first:
            ends.insert(0, 0)
        with open(self.folder / f"{self.stem}.values", "rb") as file:
            file.seek(ends[0])
            data = file.read(ends[-1] - ends[0])
        missing = (wanted[len(wanted) - (last - first) :] < 0).tolist()
        texts = [
            None if is_none else data[start - ends[0] : end - ends[0]].decode()
            for start, end, is_none in zip(ends, ends[1:], missing, strict=False)
        ]
        return [texts[number :: self.columns] for number in range(self.columns)]
