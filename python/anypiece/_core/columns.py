"""Columns of Arrow by the PyCapsule protocol: texts and ids that come in as buffers, and results that go out as such.

Any object with ``__arrow_c_array__`` or ``__arrow_c_stream__`` is a column, and so is a table of one column. A row that is
null stays null in a column that is handed out; where the result is none, nulls are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, TypeVar

from .. import _native
from ..errors import AnyPieceError, InputError
from .checks import listed, listed_texts, raise_native, raise_range

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Column", "Out", "Texts", "count_column", "id_column", "ids_of", "is_column", "text_at", "texts_of"]

Out = Literal["arrow"] | None
"""``"arrow"`` for a column of Arrow; ``None`` for what Python and NumPy have."""
Texts = Sequence[str | bytes] | _native.TextColumn
"""The texts of a batch, as the kernel takes them."""

Found = TypeVar("Found")


class _Array(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Column = _Array | _Stream | _native.TextColumn
"""What exports Arrow: an Array or ChunkedArray of pyarrow, a Series of polars or pandas, a result of duckdb; or one read."""


def is_column(object: object) -> bool:
    """Whether an object exports Arrow."""
    return hasattr(object, "__arrow_c_stream__") or hasattr(object, "__arrow_c_array__")


def _checked_out(out: object) -> Out:
    """``out`` as one of its values."""
    if out is None or (isinstance(out, str) and out == "arrow"):
        return out  # type: ignore[return-value]
    raise InputError("argument-value", f'out must be None or "arrow", not {out!r}.', argument="out", value=repr(out))


def texts_of(texts: object, out: object) -> Texts:
    """The texts of a batch: a column is read from its buffers, anything else is listed."""
    is_arrow = _checked_out(out) is not None
    if isinstance(texts, _native.TextColumn):
        column: _native.TextColumn | None = texts
    elif isinstance(texts, (list, tuple)) or not is_column(texts):
        return listed_texts(texts)
    else:
        column = _exported(_native.TextColumn, texts)
    if column is None:
        return listed_texts(texts)
    if not is_arrow and column.null_count:
        _refuse_nulls(column.null_count)
    return column


def text_at(texts: Texts, number: int) -> str | bytes:
    """One text of a batch, which is not null."""
    return texts.to_list()[number] or "" if isinstance(texts, _native.TextColumn) else texts[number]


def ids_of(batch: object, out: object, vocab_size: int, errors: object) -> tuple[list[Any], list[bool] | None]:
    """Many sequences of ids, and which of them are not null, unless all are. Those of a column are views of one array."""
    is_arrow = _checked_out(out) is not None
    found = _exported(_native.arrow_lists, batch) if is_column(batch) else None
    if found is None:
        return listed(batch, "batch"), None
    ids, offsets, valid, odd = found
    if valid is not None and not is_arrow:
        _refuse_nulls(valid.count(False))
    if odd is not None and errors != "lenient":
        raise_range(odd, vocab_size)
    return [ids[start:end] for start, end in pairwise(offsets.tolist())], valid


def id_column(ids: NDArray[np.uint32], offsets: NDArray[np.int64], texts: Texts) -> _native.ArrowColumn:
    """Lists of ids as a column without a copy, null where a text is."""
    return _native.ArrowColumn.lists(ids, offsets, _column(texts))


def count_column(counts: NDArray[np.int64], texts: Texts) -> _native.ArrowColumn:
    """Numbers as a column without a copy, null where a text is."""
    return _native.ArrowColumn.numbers(counts, _column(texts))


def _column(texts: Texts) -> _native.TextColumn | None:
    return texts if isinstance(texts, _native.TextColumn) else None


def _exported(read: Callable[[object], Found], column: object) -> Found | None:
    """What ``read`` finds in a column; ``None`` where the object itself fails to export it but can be gone over.

    pandas exports by pyarrow, which need not be there and does not take every object that a list may hold.
    """
    try:
        return read(column)
    except _native.NativeError as error:
        raise_native(error)
    except AnyPieceError:
        raise
    except Exception:
        if isinstance(column, Iterable):
            return None
        raise


def _refuse_nulls(count: int) -> NoReturn:
    message = f'The column has nulls ({count}), which this result cannot have. Pass out="arrow", or fill or drop them.'
    raise InputError("arrow-null", message, nulls=count)
