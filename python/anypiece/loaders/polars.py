"""Expressions of polars that encode, count, decode and draw, in data frames, lazy frames and groups.

A column is read from its buffers and the result is handed over without a copy; a null stays null. polars is imported when
an expression is made.
"""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import InputError, extra_missing

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from ..text.sampling import Sampler
    from ..tokenizer import Tokenizer

__all__ = ["count", "decode", "encode", "sample"]


def encode(tokenizer: Tokenizer, texts: str | pl.Expr, **options: Any) -> pl.Expr:
    """The ids of a column of texts, as lists of UInt32. ``options`` are those of ``Tokenizer.encode_batch``.

    >>> import anypiece, polars
    >>> tok, frame = anypiece.load(), polars.LazyFrame({"text": ["Hello world", None]})
    >>> ids = frame.select(encode(tok, "text")).collect()["text"].to_list()
    >>> ids == [tok.encode("Hello world"), None]
    True
    """
    polars = _polars()
    tokenizer.encode_batch([], **options, out="arrow")
    return _mapped(
        texts, lambda series: tokenizer.encode_batch(series, **options, out="arrow"), polars.List(polars.UInt32)
    )


def count(tokenizer: Tokenizer, texts: str | pl.Expr, **options: Any) -> pl.Expr:
    """How many tokens each text of a column has, as Int64. ``options`` are those of ``Tokenizer.count_batch``.

    >>> import anypiece, polars
    >>> frame = polars.DataFrame({"by": ["a", "b", "a"], "text": ["Hello", "", "Hello world"]})
    >>> counts = count(anypiece.load(), "text")
    >>> frame.group_by("by").agg(counts.sum()).sort("by")["text"].to_list()
    [5, 0]
    """
    polars = _polars()
    tokenizer.count_batch([], **options, out="arrow")
    return _mapped(texts, lambda series: tokenizer.count_batch(series, **options, out="arrow"), polars.Int64)


def decode(tokenizer: Tokenizer, ids: str | pl.Expr, **options: Any) -> pl.Expr:
    """The texts of a column of lists of ids, as String. ``options`` are those of ``Tokenizer.decode_batch``.

    >>> import anypiece, polars
    >>> tok, frame = anypiece.load(), polars.DataFrame({"text": ["Hello world"]})
    >>> frame.with_columns(encode(tok, "text").alias("ids")).select(decode(tok, "ids"))["ids"].to_list()
    ['Hello world']
    """
    polars = _polars()
    tokenizer.decode_batch([], **options, out="arrow")
    return _mapped(ids, lambda series: tokenizer.decode_batch(series, **options, out="arrow"), polars.String)


def sample(sampler: Sampler, texts: str | pl.Expr, index: str | pl.Expr, *, epoch: int = 0) -> pl.Expr:
    """The ids of a draw for each text, as lists of UInt32. ``index`` is a column with the number of each text.

    A draw depends on the text, its number and the epoch, and not on where the row stands; ``DataFrame.with_row_index`` makes
    such a column.

    >>> import anypiece, polars
    >>> tok, frame = anypiece.load(), polars.DataFrame({"text": ["Hello world", "Hi"]}).with_row_index()
    >>> draws = sample(tok.sampler(0.1, seed=7), "text", "index", epoch=3)
    >>> frame.reverse().select(draws)["text"].to_list()[0] == tok.sample("Hi", 0.1, seed=7, index=1, epoch=3)
    True
    """
    polars = _polars()
    sampler.batch([], index=0, epoch=epoch)

    def drawn(rows: pl.Series) -> pl.Series:
        given, numbers = rows.struct.unnest().get_columns()
        draws = _drawn(sampler, given, _numbers(numbers), epoch)
        made: pl.Series = polars.Series(given.name, draws, dtype=polars.List(polars.UInt32))
        return made

    columns = [polars.col(one) if isinstance(one, str) else one for one in (texts, index)]
    columns = [columns[0].alias("text"), columns[1].alias("index")]
    both = polars.struct(columns[0], columns[1])
    made: pl.Expr = both.map_batches(drawn, return_dtype=polars.List(polars.UInt32), is_elementwise=True)
    return made.alias(texts) if isinstance(texts, str) else made


def _mapped(column: str | pl.Expr, call: Callable[[pl.Series], Any], kind: Any) -> pl.Expr:
    """An expression whose values are those of ``call``, under the name of the column."""
    polars = _polars()
    expression: pl.Expr = polars.col(column) if isinstance(column, str) else column
    made: pl.Expr = expression.map_batches(
        lambda series: polars.Series(series.name, call(series)), return_dtype=kind, is_elementwise=True
    )
    return made


def _numbers(column: pl.Series) -> list[int]:
    if not column.dtype.is_integer() or column.null_count():
        message = f"index must be a column of integers without nulls, not {column.dtype}. See DataFrame.with_row_index."
        raise InputError("argument-value", message, argument="index", value=str(column.dtype))
    numbers: list[int] = column.to_list()
    return numbers


def _drawn(sampler: Sampler, texts: pl.Series, numbers: list[int], epoch: int) -> list[list[int] | None]:
    """The draws of texts with their numbers; those that count up are drawn together."""
    starts = [place for place, number in enumerate(numbers) if place == 0 or number != numbers[place - 1] + 1]
    rows: list[list[int] | None] = []
    for start, end in pairwise([*starts, len(numbers)]):
        part = texts[start:end].to_list()
        found = sampler.batch([text or "" for text in part], index=numbers[start], epoch=epoch)
        rows += [None if text is None else ids for text, ids in zip(part, found.tolist(), strict=True)]
    return rows


def _polars() -> Any:
    try:
        return import_module("polars")
    except ImportError:
        raise extra_missing("An expression of polars", "polars") from None
