"""The methods of Tokenizer for many texts at once. ``out`` says whether the result is Python's and NumPy's or Arrow's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast, overload

from .._core.lookups import Lookups
from . import decoding, encoding, sampling, spans
from .sampling import NBEST, Method

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from .._core.calls import Unit
    from .._core.columns import Column, Out
    from .._native import ArrowColumn
    from ..results import Batch, SpanBatch
    from ..tokenizer import Tokenizer
    from .decoding import Errors, Ids
    from .specials import AddSpecial, Specials

    Texts = Iterable[str | bytes] | Column

__all__ = ["Batches"]


class Batches(Lookups):
    """The part of ``Tokenizer`` that takes many texts, or many sequences of ids.

    They may be any iterable, or a column of Arrow: an object with ``__arrow_c_array__`` or ``__arrow_c_stream__``, such as
    an Array or ChunkedArray of pyarrow, a Series of polars or pandas, a result of duckdb, or a table of one column. Columns
    of strings, of bytes and of dictionaries of these are read from their buffers. ``out="arrow"`` gives an ``ArrowColumn``,
    which these libraries take without a copy, with a null for each null; see ``docs/guide/tables.md``.
    """

    __slots__ = ()

    @overload
    def encode_batch(self, texts: Texts, *, add_special: AddSpecial = False, specials: Specials = "text",
                     reverse: bool = False, threads: int | None = None, out: None = None) -> Batch: ...  # fmt: skip
    @overload
    def encode_batch(self, texts: Texts, *, add_special: AddSpecial = False, specials: Specials = "text",
                     reverse: bool = False, threads: int | None = None,
                     out: Literal["arrow"]) -> ArrowColumn: ...  # fmt: skip
    def encode_batch(self, texts: Texts, *, add_special: AddSpecial = False, specials: Specials = "text",
                     reverse: bool = False, threads: int | None = None, out: Out = None) -> Batch | ArrowColumn:  # fmt: skip
        """The ids of many texts: one flat array and one of offsets, by all processors unless ``threads`` says otherwise.

        ``texts`` may be a column of Arrow, and ``out="arrow"`` gives one of lists of ids, ``large_list<uint32>``.

        >>> tok.encode_batch(["Hello", "", "world"]).tolist() == [tok.encode("Hello"), [], tok.encode("world")]
        True
        >>> tok.encode_batch(["Hello", "", "world"], out="arrow")
        <ArrowColumn of 3 rows of LargeList(non-null UInt32), 0 null>
        """
        return encoding.encode_batch(_whole(self), texts, add_special, specials, reverse, threads, out)

    def encode_spans_batch(self, texts: Iterable[str | bytes], unit: Unit | None = None, *,
                           add_special: AddSpecial = False, specials: Specials = "text",
                           threads: int | None = None) -> SpanBatch:  # fmt: skip
        """The tokens of many texts as flat arrays: ids, starts and ends, and where each text begins among them.

        What ``encode_spans`` gives for each text, without an object for each token; the arguments are those of it.

        >>> batch = tok.encode_spans_batch(["Hello", "", "two words"])
        >>> [(token.id, token.start, token.end) for token in tok.encode_spans("two words")] == batch.tolist()[2]
        True
        """
        return spans.encode_spans_batch(_whole(self), texts, unit, add_special, specials, threads)

    @overload
    def count_batch(self, texts: Texts, *, add_special: AddSpecial = False, specials: Specials = "text",
                    threads: int | None = None, out: None = None) -> NDArray[np.int64]: ...  # fmt: skip
    @overload
    def count_batch(self, texts: Texts, *, add_special: AddSpecial = False, specials: Specials = "text",
                    threads: int | None = None, out: Literal["arrow"]) -> ArrowColumn: ...  # fmt: skip
    def count_batch(self, texts: Texts, *, add_special: AddSpecial = False, specials: Specials = "text",
                    threads: int | None = None, out: Out = None) -> NDArray[np.int64] | ArrowColumn:  # fmt: skip
        """How many tokens each of many texts has. ``texts`` may be a column of Arrow; ``out="arrow"`` gives one, ``int64``.

        >>> tok.count_batch(["", "Hello"])[0]
        np.int64(0)
        >>> tok.count_batch(["", "Hello"], out="arrow")
        <ArrowColumn of 2 rows of Int64, 0 null>
        """
        return encoding.count_batch(_whole(self), texts, add_special, specials, threads, out)

    @overload
    def decode_batch(self, batch: Iterable[Ids] | Column, *, skip_special: bool = False, errors: Errors = "replace",
                     stop_at_eos: bool = False, out: None = None) -> list[str]: ...  # fmt: skip
    @overload
    def decode_batch(self, batch: Iterable[Ids] | Column, *, skip_special: bool = False, errors: Errors = "replace",
                     stop_at_eos: bool = False, out: Literal["arrow"]) -> ArrowColumn: ...  # fmt: skip
    def decode_batch(self, batch: Iterable[Ids] | Column, *, skip_special: bool = False, errors: Errors = "replace",
                     stop_at_eos: bool = False, out: Out = None) -> list[str] | ArrowColumn:  # fmt: skip
        """The texts of many id sequences, such as a ``Batch``; the arguments are those of ``decode``.

        ``batch`` may be a column of Arrow, of lists of integers, and ``out="arrow"`` gives one of texts, ``large_string``.

        >>> tok.decode_batch(tok.encode_batch(["one", "two"]))
        ['one', 'two']
        >>> tok.decode_batch(tok.encode_batch(["one", "two"], out="arrow"))
        ['one', 'two']
        """
        return decoding.decode_batch(_whole(self), batch, skip_special, errors, stop_at_eos, out)

    @overload
    def sample_batch(self, texts: Texts, alpha: float = 0.1, *, seed: int, method: Method = "lattice",
                     nbest: int = NBEST, epoch: int = 0, index: int = 0, threads: int | None = None,
                     specials: Specials = "text", add_special: AddSpecial = False,
                     out: None = None) -> Batch: ...  # fmt: skip
    @overload
    def sample_batch(self, texts: Texts, alpha: float = 0.1, *, seed: int, method: Method = "lattice",
                     nbest: int = NBEST, epoch: int = 0, index: int = 0, threads: int | None = None,
                     specials: Specials = "text", add_special: AddSpecial = False,
                     out: Literal["arrow"]) -> ArrowColumn: ...  # fmt: skip
    def sample_batch(self, texts: Texts, alpha: float = 0.1, *, seed: int, method: Method = "lattice",
                     nbest: int = NBEST, epoch: int = 0, index: int = 0, threads: int | None = None,
                     specials: Specials = "text", add_special: AddSpecial = False,
                     out: Out = None) -> Batch | ArrowColumn:  # fmt: skip
        """The draws of many texts: that of the n-th is ``sample`` with the index ``index + n``.

        ``texts`` may be a column of Arrow, and ``out="arrow"`` gives one of lists of ids. A null counts as a text.

        >>> batch = tok.sample_batch(["Hello", "world"], 0.1, seed=7)
        >>> batch[1].tolist() == tok.sample("world", 0.1, seed=7, index=1)
        True
        """
        return sampling.sample_batch(
            _whole(self), texts, alpha, seed, method, nbest, epoch, index, threads, specials, add_special, out
        )


def _whole(part: Batches) -> Tokenizer:
    return cast("Tokenizer", part)
