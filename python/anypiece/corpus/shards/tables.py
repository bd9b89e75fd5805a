"""Columns of texts in Parquet files, and in Arrow's files and streams."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _native
from ...errors import AnyPieceError, FormatError, InputError
from ...io.paths import file_error
from . import remote
from .formats.rows import pyarrow

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ARROW", "PARQUET", "columns", "sizes"]

PARQUET, ARROW = b"PAR1", b"ARROW1"
_ROWS = 1024
_RANGE = 1 << 16


def sizes(path: str, kind: str, field: str, others: tuple[str, ...] = ()) -> list[int]:
    """About how many bytes of text each row group or batch holds; a stream is one group. Refuses a table without texts."""
    with _named(path):
        if kind == "parquet":
            with pyarrow("pyarrow.parquet").ParquetFile(_source(path)) as table:
                _check(table.schema_arrow, path, field, others)
                index = next(
                    number
                    for number in range(table.metadata.num_columns)
                    if table.metadata.schema.column(number).path == field
                )
                groups = (table.metadata.row_group(number) for number in range(table.metadata.num_row_groups))
                return [max(group.column(index).total_uncompressed_size, 1) for group in groups]
        size = remote.status(path).size if remote.is_url(path) else Path(path).stat().st_size
        with _opened(path) as (table, is_file):
            _check(table.schema, path, field, others)
            amount = table.num_record_batches if is_file else 1
            return [max(size // max(amount, 1), 1)] * amount


def _check(schema: Any, path: str, field: str, others: tuple[str, ...] = ()) -> None:
    for name in (field, *others):
        if name not in schema.names:
            names, option = ", ".join(schema.names[:8]), "field" if name == field else "columns"
            message = f"{path} has no column {name!r}; it has {names}. Name one with {option}."
            raise InputError("argument-value", message, path=path)
    kind = schema.field(field).type
    types = pyarrow().types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    tests = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    if not any(getattr(types, f"is_{name}")(kind) for name in tests if hasattr(types, f"is_{name}")):
        message = f"The column {field!r} of {path} has values of type {kind}, no texts. Name another with field."
        raise InputError("argument-value", message, path=path)


def columns(
    path: str, kind: str, field: str, start: int, end: int, others: tuple[str, ...] = ()
) -> Iterator[tuple[_native.TextColumn, list[tuple[Any, ...]]]]:
    """The texts of a column in row groups from ``start`` to ``end``, some rows at a time, and rows of other columns."""
    with _named(path):
        if kind == "parquet":
            parquet = pyarrow("pyarrow.parquet")
            with parquet.ParquetFile(_source(path), page_checksum_verification=True) as table:
                _check(table.schema_arrow, path, field, others)
                groups, names = list(range(start, end)), [field, *others]
                for batch in table.iter_batches(_ROWS, row_groups=groups, columns=names):
                    yield _values(batch.column(field)), _other_values(batch, others)
            return
        with _opened(path) as (table, is_file):
            _check(table.schema, path, field, others)
            batches = (table.get_batch(number) for number in range(start, end)) if is_file else iter(table)
            for batch in batches:
                for row in range(0, batch.num_rows, _ROWS):
                    some = batch.slice(row, _ROWS)
                    yield _values(some.column(field)), _other_values(some, others)


def first_row(path: str, kind: str, start: int) -> int:
    """The number of the first row of a row group."""
    with _named(path):
        if kind == "parquet":
            with pyarrow("pyarrow.parquet").ParquetFile(_source(path)) as table:
                return sum(int(table.metadata.row_group(number).num_rows) for number in range(start))
        with _opened(path) as (table, is_file):
            if not is_file:
                return sum(batch.num_rows for batch in table) if start else 0
            return sum(table.get_batch(number).num_rows for number in range(start))


def _other_values(batch: Any, names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Rows of columns that go with the texts."""
    return list(zip(*(batch.column(name).to_pylist() for name in names), strict=True)) if names else []


def _values(column: Any) -> _native.TextColumn:
    """As bytes, since nobody has looked whether strings are UTF-8."""
    arrow = pyarrow()
    if arrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return _native.TextColumn(column.cast(arrow.large_binary()))


def _source(path: str) -> Any:
    """What pyarrow opens: a path as it is, a URL by its ranges."""
    return pyarrow().PythonFile(remote.opened(path, ahead=_RANGE), "r") if remote.is_url(path) else path


@contextmanager
def _opened(path: str) -> Iterator[tuple[Any, bool]]:
    """An Arrow file, or a stream."""
    arrow = pyarrow()
    with _source(path) if remote.is_url(path) else arrow.memory_map(path) as source:
        is_file = source.read(len(ARROW)) == ARROW
        source.seek(0)
        yield (arrow.ipc.open_file(source) if is_file else arrow.ipc.open_stream(source)), is_file


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Errors of pyarrow as errors that name the file."""
    try:
        yield
    except AnyPieceError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise file_error("file-unreadable", Path(path), error) from None
        raise _corrupt(path, error) from None
    except pyarrow().ArrowException as error:
        raise _corrupt(path, error) from None


def _corrupt(path: str, error: Exception) -> FormatError:
    reason = str(error).splitlines()[0]
    return FormatError("file-corrupt", f"{path} is damaged, or no such table: {reason}. Copy it again.", path=path)
