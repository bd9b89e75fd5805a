"""Tables with a row for each document: Parquet, and Arrow's file format, which can be mapped.

The column is ``input_ids``, a list of int32: Spark and others know no unsigned numbers. Rows are written in groups of
about a million tokens.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import FormatError, extra_missing
from .raw import Stored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from .output import Outputs

__all__ = ["ArrowWriter", "ParquetWriter", "dtype", "pyarrow", "read_arrow", "read_parquet"]

COLUMN, POSITIONS = "input_ids", "position_ids"
_GROUP = 1 << 20


def pyarrow(module: str = "pyarrow") -> Any:
    """The package, or one of its modules."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise extra_missing("A table", "pyarrow", "parquet") from None


def dtype(largest: int) -> np.dtype[Any]:
    """Always int32."""
    return np.dtype("<i4")


class _Writer(ABC):
    def __init__(self, outputs: Outputs, dtype: np.dtype[Any]) -> None:
        self.arrow = pyarrow()
        names = [(name, self.arrow.string()) for name in outputs.columns]
        numbers = self.arrow.list_(self.arrow.int32())
        more = [(POSITIONS, numbers)] if outputs.positions else []
        self.schema = self.arrow.schema([(COLUMN, numbers), *more, *names])
        self.columns: list[list[str | None]] = [[] for _ in names]
        self.positions: list[NDArray[Any]] | None = [] if outputs.positions else None
        self.ids: list[NDArray[Any]] = []
        self.lengths: list[NDArray[np.int64]] = []
        self.held = 0
        self.file = self.opened(outputs)

    @abstractmethod
    def opened(self, outputs: Outputs) -> Any:
        """The writer of a new file."""

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Sequence[Any]) -> None:
        """Take more documents."""
        if self.positions is not None:
            self.positions.append(np.asarray(columns[0], np.int32))
            columns = ()
        for held, values in zip(self.columns, columns, strict=True):
            held += values
        self.ids.append(ids)
        self.lengths.append(lengths)
        self.held += len(ids)
        if self.held >= _GROUP:
            self._write()

    def _write(self) -> None:
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(self.lengths))])
        if offsets[-1] >= 2**31:
            message = f"A group of rows has fewer than 2^31 ids, not {offsets[-1]}. Leave longer documents out."
            raise FormatError("format-unwritable", message, tokens=int(offsets[-1]))
        numbers = [self.ids] if self.positions is None else [self.ids, self.positions]
        ends = self.arrow.array(offsets.astype(np.int32))
        lists = [self.arrow.ListArray.from_arrays(ends, self.arrow.array(np.concatenate(parts))) for parts in numbers]
        others = [self.arrow.array(values, self.arrow.string()) for values in self.columns]
        self.file.write_batch(self.arrow.record_batch([*lists, *others], schema=self.schema))
        self.ids, self.lengths, self.held = [], [], 0
        self.positions = None if self.positions is None else []
        self.columns = [[] for _ in others]

    def finish(self) -> None:
        """Write what is left."""
        if self.lengths:
            self._write()
        self.file.close()


class ParquetWriter(_Writer):
    """Compressed by Zstandard."""

    def opened(self, outputs: Outputs) -> Any:
        """The writer of a new file."""
        return pyarrow("pyarrow.parquet").ParquetWriter(outputs.new(".parquet"), self.schema, compression="zstd")


class ArrowWriter(_Writer):
    """Not compressed."""

    def opened(self, outputs: Outputs) -> Any:
        """The writer of a new file."""
        return self.arrow.ipc.new_file(self.arrow.PythonFile(outputs.new(".arrow"), "w"), self.schema)


def read_parquet(folder: Path, stem: str, dtype: np.dtype[Any]) -> Stored:
    """A shard, read."""
    with pyarrow("pyarrow.parquet").ParquetFile(folder / f"{stem}.parquet") as file:
        return _stored(file.iter_batches(columns=[COLUMN]))


def read_arrow(folder: Path, stem: str, dtype: np.dtype[Any]) -> Stored:
    """A shard; one group of rows is mapped, more are joined."""
    arrow = pyarrow()
    file = arrow.ipc.open_file(arrow.memory_map(str(folder / f"{stem}.arrow")))
    return _stored(file.get_batch(number) for number in range(file.num_record_batches))


def _stored(batches: Any) -> Stored:
    columns = [batch.column(0) for batch in batches]
    ids = [column.flatten().to_numpy(zero_copy_only=False) for column in columns]
    lengths = [np.diff(column.offsets.to_numpy()) for column in columns]
    if not columns:
        return Stored(np.empty(0, np.int32), np.empty(0, np.int64))
    return Stored(ids[0] if len(ids) == 1 else np.concatenate(ids), np.cumsum(np.concatenate(lengths), dtype=np.int64))
