"""One shard as it is written: its files, and what its record will say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import InternalError
from .formats import FORMATS
from .formats.output import Outputs
from .overlap import Behind
from .packing import Packer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from .formats import Writer
    from .packing import Sequences
    from .plan import Plan

__all__ = ["Rows", "Shard"]


class Rows(NamedTuple):
    """Documents as they are written: flat ids, the length of each, where each came from, and other columns."""

    ids: NDArray[Any]
    lengths: NDArray[np.int64]
    file: str
    places: NDArray[np.int64]
    columns: list[list[str | None]]
    number: int | NDArray[np.int64] = 0
    """That of the file in the plan; or of each document's."""
    hashes: NDArray[np.uint64] | None = None
    """Both halves of a hash of each text, where duplicates are looked for."""

    def kept(self, marks: NDArray[np.bool_]) -> Rows:
        """Those that are marked."""
        columns = [
            [value for value, mark in zip(column, marks.tolist(), strict=True) if mark] for column in self.columns
        ]
        ids = self.ids[np.repeat(marks, self.lengths)]
        hashes = None if self.hashes is None else self.hashes[marks]
        return Rows(ids, self.lengths[marks], self.file, self.places[marks], columns, self.number, hashes)


class Shard:
    """Takes documents, and has files once there is one."""

    def __init__(self, plan: Plan, number: int, part: str, folder: Path, token: str, stem: str = "") -> None:
        self.plan, self.part = plan, part
        self.stem = stem or plan.stem(number, part)
        self.format = FORMATS[plan.options.format]
        self.dtype = self.format.dtype(plan.largest)
        self.outputs = Outputs(folder, self.stem, token)
        self.outputs.about["tokenizer"] = f"anypiece-{plan.fingerprint[:12]}"
        self.outputs.columns = plan.options.columns
        options = plan.options
        self.packer = Packer(options.pack, plan.pad, options.packing) if options.pack else None
        self.outputs.positions = options.packing == "fit"
        self.writer: Writer | None = None
        self.behind = Behind()
        self.parts: list[NDArray[np.uint32]] = []
        self.documents = self.tokens = self.sequences = self.packed = self.padding = 0
        self._inputs: dict[int, tuple[int, int]] = {}
        self.largest = -1
        self.first: dict[str, Any] | None = None
        self.last: dict[str, Any] | None = None

    def add(self, rows: Rows) -> None:
        """Take more documents."""
        if not len(rows.lengths):
            return
        self.noted(rows)
        self.behind.call(self._take, rows.ids, rows.lengths, rows.columns)

    def add_long(self, parts: Iterable[NDArray[np.uint32]], rows: Rows) -> None:
        """Take a document whose ids come in parts; ``rows`` has none and says the rest of it."""
        for part in parts:
            if len(part):
                self._check(part)
                self.take_part(part)
        self.noted(rows)
        self.take_last(rows)

    def take_part(self, ids: NDArray[np.uint32]) -> None:
        """Take ids of a document that goes on."""
        if self.format.takes_parts and self.packer is None:
            self.behind.call(self._take, ids, np.empty(0, np.int64), [])
        else:
            self.parts.append(ids)

    def take_last(self, rows: Rows) -> None:
        """Take the end of a document whose ids were taken."""
        ids = np.concatenate([rows.ids, *self.parts])
        self.parts.clear()
        self.behind.call(self._take, ids, rows.lengths, rows.columns)

    def _take(self, ids: NDArray[Any], lengths: NDArray[np.int64], columns: list[list[str | None]]) -> None:
        ids = ids.astype(self.dtype)
        if self.packer is None:
            self._write(ids, lengths, *columns)
        else:
            self._write_sequences(self.packer, self.packer.add(ids, lengths))

    def _write(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Any) -> None:
        if self.writer is None:
            self.writer = self.format.writer(self.outputs, self.dtype)
        self.writer.add(ids, lengths, *columns)

    def _write_sequences(self, packer: Packer, made: Sequences) -> None:
        lengths = np.full(len(made.ids) // packer.length, packer.length, np.int64)
        if len(lengths):
            self._write(made.ids, lengths, *([] if made.positions is None else [made.positions]))
            self.sequences += len(lengths)

    def noted(self, rows: Rows) -> None:
        """Check documents, and remember what the record will say of them."""
        if len(rows.ids):
            self._check(rows.ids)
        self.documents += len(rows.lengths)
        if isinstance(rows.number, int):
            self._count(rows.number, len(rows.lengths), int(rows.lengths.sum()))
        else:
            for file in np.unique(rows.number).tolist():
                lengths = rows.lengths[rows.number == file]
                self._count(file, len(lengths), int(lengths.sum()))
        self.tokens += int(rows.lengths.sum())
        self.first = self.first or {"file": rows.file, "at": int(rows.places[0])}
        self.last = {"file": rows.file, "at": int(rows.places[-1])}

    def _count(self, file: int, documents: int, tokens: int) -> None:
        before = self._inputs.get(file, (0, 0))
        self._inputs[file] = before[0] + documents, before[1] + tokens

    def inputs(self) -> list[list[int]]:
        """The files of the plan that documents came from, with how many, and their tokens."""
        return [[file, *amounts] for file, amounts in sorted(self._inputs.items())]

    def _check(self, ids: NDArray[Any]) -> None:
        """An id beyond the largest would be cut off by the cast."""
        self.largest = max(self.largest, int(ids.max()))
        if self.largest > self.plan.largest:
            message = f"The id {self.largest} is above {self.plan.largest}, the largest of the vocabulary."
            raise InternalError("internal-error", message, id=self.largest)

    def finish(self) -> list[dict[str, Any]]:
        """Write what is left, and give the files their names; what the record says of them."""
        self.behind.finish()
        if self.packer is not None:
            self._write_sequences(self.packer, self.packer.finish())
            self.documents, self.tokens = self.sequences, self.sequences * self.packer.length
            self.padding, self.packed = self.packer.padding, self.packer.documents
            if self.padding:
                self.largest = max(self.largest, self.packer.pad)
        if self.writer is not None:
            self.writer.finish()
        return self.outputs.place()

    def remove(self) -> None:
        """Leave nothing behind but files that have their names."""
        self.behind.stop()
        self.outputs.remove()
