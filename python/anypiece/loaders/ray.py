"""Columns of ids in data sets of ``ray.data``, for pipelines that exist.

Batches are tables of Arrow, read from their buffers, in tasks of Ray. ``ray`` is not imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .datasets import Count, Encode

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

__all__ = ["count", "encode"]


def encode(dataset: Any, tokenizer: Tokenizer, column: str = "text", to: str = "input_ids", **options: Any) -> Any:
    """A ``ray.data.Dataset`` with the ids of a column of texts as a new column, of lists of uint32; a null has none.

    ``options`` are those of ``Tokenizer.encode_batch``; ``threads`` is 1 by default, as tasks run side by side.

    >>> import anypiece, pyarrow
    >>> class One:  # a data set of one batch
    ...     def map_batches(self, function, batch_format, zero_copy_batch):
    ...         return function(pyarrow.table({"text": ["Hello world", None]}))
    >>> encode(One(), anypiece.load())["input_ids"].to_pylist() == [anypiece.load().encode("Hello world"), None]
    True
    """
    return _mapped(dataset, Encode(tokenizer, column, to, **options))


def count(dataset: Any, tokenizer: Tokenizer, column: str = "text", to: str = "tokens", **options: Any) -> Any:
    """A ``ray.data.Dataset`` with the number of tokens of each text of a column as a new column."""
    return _mapped(dataset, Count(tokenizer, column, to, **options))


def _mapped(dataset: Any, function: Encode | Count) -> Any:
    """By a function and not by a class: actors would take the processors that reading waits for."""
    return dataset.map_batches(function.__call__, batch_format="pyarrow", zero_copy_batch=True)
