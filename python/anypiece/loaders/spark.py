"""Columns of ids in data frames of Spark, by ``mapInArrow``: batches of Arrow are read from their buffers.

Executors need this package and pyarrow. ``pyspark`` is not imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..tokenizer import Tokenizer

__all__ = ["count", "encode"]


def encode(frame: Any, tokenizer: Tokenizer, column: str = "text", to: str = "input_ids", **options: Any) -> Any:
    """A data frame with the ids of a column of texts as a new column, ``array<int>``; a null has none.

    ``options`` are those of ``Tokenizer.encode_batch``; ``threads`` is 1 by default, as tasks run side by side.
    Spark has no unsigned numbers; ids are far below 2^31.
    """
    tokenizer.encode_batch([], **options)
    return _mapped(frame, tokenizer.encode_batch, column, to, "array<int>", options)


def count(frame: Any, tokenizer: Tokenizer, column: str = "text", to: str = "tokens", **options: Any) -> Any:
    """A data frame with the number of tokens of each text of a column as a new column, ``bigint``."""
    tokenizer.count_batch([], **options)
    return _mapped(frame, tokenizer.count_batch, column, to, "bigint", options)


def _mapped(frame: Any, call: Callable[..., Any], column: str, to: str, kind: str, options: dict[str, Any]) -> Any:
    if column not in frame.columns or to in frame.columns:
        names = ", ".join(frame.columns)
        message = f"The data frame has the columns {names}: it wants one named {column!r}, and none named {to!r}."
        raise InputError("argument-value", message, argument="column")
    given = {"threads": 1, **options}

    def mapped(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        types = {"array<int>": pyarrow.list_(pyarrow.int32()), "bigint": pyarrow.int64()}
        for batch in batches:
            made = pyarrow.array(call(batch.column(column), **given, out="arrow")).cast(types[kind])
            yield batch.append_column(to, made)

    fields = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema.fields)
    return frame.mapInArrow(mapped, f"{fields}, `{to}` {kind}")
