"""Tokens of many texts with their places, as columns: no Python object for a token.

The ids come from one call for the batch. Their places follow from the lengths of pieces where tokens cover the text
(``coverage``); the texts that are left are segmented again by the kernel, which gives columns too; and only those that need
more than that, such as texts with lone surrogates, are gone over token by token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from .. import _native
from .._core.calls import SPACES, call_batch, counts_characters, span_rows, text_length, trimmed
from .._core.checks import REFUSALS, checked_threads, listed_texts
from .._core.json_text import is_text
from ..results import SpanBatch
from .coverage import coverage_of
from .encoding import frame_ids
from .specials import batch_permit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from .._core.calls import Permit, Unit
    from ..tokenizer import Tokenizer
    from .specials import AddSpecial, Specials

    Numbers = NDArray[np.int64]

__all__ = ["encode_spans_batch"]


class _Columns(NamedTuple):
    """The tokens of some texts: those of text ``i`` are from ``bounds[i]`` to ``bounds[i + 1]``."""

    ids: NDArray[np.uint32]
    starts: Numbers
    ends: Numbers
    bounds: Numbers

    def of(self, first: int, last: int) -> _Columns:
        """A view of the tokens of some texts."""
        begin, end = self.bounds[first], self.bounds[last]
        bounds = self.bounds[first : last + 1] - begin
        return _Columns(self.ids[begin:end], self.starts[begin:end], self.ends[begin:end], bounds)


def encode_spans_batch(
    tokenizer: Tokenizer,
    texts: Iterable[str | bytes],
    unit: Unit | None,
    add_special: AddSpecial,
    specials: Specials,
    threads: int | None,
) -> SpanBatch:
    """See ``Tokenizer.encode_spans_batch``."""
    listed = listed_texts(texts)
    permit = batch_permit(tokenizer, listed, specials)
    before, after = frame_ids(tokenizer, add_special)
    ids, bounds = call_batch(tokenizer._kernel.encode_batch, listed, checked_threads(threads), permit)
    counts_characters("", unit)  # refuses another unit
    columns = _Columns(ids, np.empty(len(ids), np.int64), np.empty(len(ids), np.int64), bounds)
    _place(tokenizer, listed, unit, permit, columns)
    if not (before or after):
        return SpanBatch(columns.ids, columns.starts, columns.ends, columns.bounds)
    lengths = None
    if after and tokenizer.spec.single is None:
        kernel = tokenizer._kernel
        lengths = [text_length(kernel, text, counts_characters(text, unit)) for text in listed]
    return _framed(columns, before, after, lengths)


def _place(
    tokenizer: Tokenizer, texts: Sequence[str | bytes], unit: Unit | None, permit: Permit, columns: _Columns
) -> None:
    """Fill in the starts and ends of all tokens."""
    is_plain = _plain(tokenizer, columns)
    left: list[int] = np.flatnonzero(~is_plain).tolist()
    kinds = set(map(type, texts))
    if len(kinds) == 1 and kinds <= {str, bytes}:
        chars = counts_characters(texts[0], unit)
        rest = _covered(tokenizer, texts, chars, is_plain, columns)
        if kinds == {str} and chars:
            rest = _by_kernel(tokenizer, cast("Sequence[str]", texts), rest, permit, columns)
        done = np.ones(len(texts), bool)
        done[left], done[rest] = False, False
        left = np.flatnonzero(~done).tolist()
        _trim(tokenizer, chars, done, columns)
    else:
        left = list(range(len(texts)))
    for number in left:
        text, own = texts[number], columns.of(number, number + 1)
        chars = counts_characters(text, unit)
        rows, _ = span_rows(tokenizer._kernel, text, chars, permit)
        places = [(start, end) for _, _, start, end in trimmed(tokenizer.spec, rows, chars)]
        own.starts[:], own.ends[:] = np.array(places, np.int64).reshape(-1, 2).T


def _plain(tokenizer: Tokenizer, columns: _Columns) -> NDArray[np.bool_]:
    """Which texts have no token whose spaces have to be looked for in the text, where spans lose them."""
    spec = tokenizer.spec
    if spec.trim_spans == "none":
        return np.ones(len(columns.bounds) - 1, bool)
    marks = np.zeros(len(spec.pieces), bool)
    marks[spec.added.ids] = True
    if spec.unk_id >= 0:
        marks[spec.unk_id] = True
    return ~_any(marks[columns.ids], columns.bounds)


def _any(marks: NDArray[np.bool_], bounds: Numbers) -> NDArray[np.bool_]:
    """Whether a row has a mark, for each row."""
    if not marks.any():
        return np.zeros(len(bounds) - 1, bool)
    found: NDArray[np.bool_] = np.diff(np.concatenate([[0], np.cumsum(marks)])[bounds]) > 0
    return found


def _covered(
    tokenizer: Tokenizer, texts: Sequence[str | bytes], chars: bool, wanted: NDArray[np.bool_], columns: _Columns
) -> list[int]:
    """Fill in what follows from the lengths of pieces; the numbers of the wanted texts that are left."""
    coverage = coverage_of(tokenizer)
    if coverage is not None:
        lengths, classes, by_bytes = coverage
        readable = np.ones(len(texts), bool)
        try:
            found = _native.lay_tokens(texts, columns.ids, columns.bounds, lengths, classes, by_bytes, chars)
        except REFUSALS:
            readable = np.array([not isinstance(text, str) or is_text(text) for text in texts], bool)
            rest = [text if good else "" for text, good in zip(texts, readable, strict=True)]
            found = _native.lay_tokens(rest, columns.ids, columns.bounds, lengths, classes, by_bytes, chars)
        columns.starts[:], columns.ends[:], fits = found
        wanted = wanted & ~(fits & readable)
    return cast("list[int]", np.flatnonzero(wanted).tolist())


def _by_kernel(
    tokenizer: Tokenizer, texts: Sequence[str], numbers: list[int], permit: Permit, columns: _Columns
) -> list[int]:
    """Fill in what the kernel finds by segmenting some texts again; the numbers of those that it refuses."""
    if not numbers:
        return numbers
    try:
        _, bounds, starts, ends, _ = _native.encode_words(tokenizer._kernel, [texts[one] for one in numbers], permit)
    except REFUSALS:  # a lone surrogate, which may be in one text only
        half = len(numbers) // 2
        if not half:
            return numbers
        parts = (numbers[:half], numbers[half:])
        return [one for part in parts for one in _by_kernel(tokenizer, texts, part, permit, columns)]
    for place, number in enumerate(numbers):
        own, found = columns.of(number, number + 1), slice(bounds[place], bounds[place + 1])
        own.starts[:], own.ends[:] = starts[found], ends[found]
    return []


def _trim(tokenizer: Tokenizer, chars: bool, wanted: NDArray[np.bool_], columns: _Columns) -> None:
    """Take the spaces away that tokens begin and end with, as ``trimmed`` does, where the Spec asks for it."""
    spec = tokenizer.spec
    if spec.trim_spans == "none":
        return
    leading, trailing, single = _spaces(tokenizer, chars)
    ids, starts, ends, bounds = columns
    front, back = leading[ids], trailing[ids]
    if spec.trim_spans == "inner":
        is_first = starts == 0
        is_first[bounds[:-1][np.diff(bounds) > 0]] = True
        front[is_first & single[ids]] = 0
    first = np.minimum(starts + front, ends)
    last = np.where(ends >= back, np.maximum(ends - back, first), ends)
    marks = np.repeat(wanted, np.diff(bounds))
    starts[marks], ends[marks] = first[marks], last[marks]


def _spaces(tokenizer: Tokenizer, chars: bool) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """How many spaces the piece of each id begins and ends with, in characters or bytes, and whether it begins with one."""
    name = f"edge spaces {chars}"
    if name not in tokenizer._lazy:
        spec = tokenizer.spec
        spaces = " " if spec.symbols == "bytes" else SPACES
        pieces = [raw.decode("utf-8", "replace") for raw, _, _ in spec.pieces]
        sides = [(text[: len(text) - len(text.lstrip(spaces))], text[len(text.rstrip(spaces)) :]) for text in pieces]
        sizes = np.array([[len(one if chars else one.encode()) for one in both] for both in sides], np.int64)
        single = np.array([len(left) == 1 for left, _ in sides])
        tokenizer._lazy[name] = (sizes[:, 0].copy(), sizes[:, 1].copy(), single)
    return cast("tuple[Numbers, Numbers, NDArray[np.bool_]]", tokenizer._lazy[name])


def _framed(columns: _Columns, before: list[int], after: list[int], lengths: list[int] | None) -> SpanBatch:
    """Each row between ``before`` and ``after``, which stand at 0, or behind texts of these lengths at their ends."""
    ids, starts, ends, bounds = columns
    rows = np.arange(len(bounds), dtype=np.int64)
    offsets = bounds + rows * (len(before) + len(after))
    place = np.arange(len(ids), dtype=np.int64) + np.repeat(offsets[:-1] - bounds[:-1] + len(before), np.diff(bounds))
    places = np.zeros((2, offsets[-1]), np.int64)
    made = SpanBatch(np.empty(offsets[-1], np.uint32), places[0], places[1], offsets)
    made.ids[place], made.starts[place], made.ends[place] = ids, starts, ends
    for number, special in enumerate(before):
        made.ids[offsets[:-1] + number] = special
    for number, special in enumerate(reversed(after), 1):
        made.ids[offsets[1:] - number] = special
        if lengths is not None:
            made.starts[offsets[1:] - number] = made.ends[offsets[1:] - number] = lengths
    return made
