"""From a text that knows who wrote it to ids: special tokens only of what the template wrote, and where messages are."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.calls import span_rows
from .._core.checks import without_surrogates
from .provenance import GENERATED, MESSAGE, TRUSTED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from .. import _native
    from .provenance import Text

    Messages = Sequence[Mapping[str, Any]]

__all__ = ["ChatIds", "encoded", "marks_generation"]

_GENERATION = re.compile(r"\{%[-+]?\s*generation\s*[-+]?%\}")
Range = tuple[int, int]


class ChatIds(list[int]):
    """The ids of a conversation, as a list, and what is known of them.

    ``text`` is what was encoded, the text of ``render_chat``. ``spans`` has a pair for each message: the tokens from
    ``ids[start]`` to before ``ids[end]`` are the shortest run of ids that holds all that is written of what the message says
    (its role aside); both are equal where nothing of it is. ``assistant_mask`` is true for the tokens that the assistant
    wrote.
    """

    __slots__ = ("assistant_mask", "spans", "text")

    def __init__(self, ids: Sequence[int], text: str, spans: list[Range], assistant_mask: list[bool]) -> None:
        super().__init__(ids)
        self.text, self.spans, self.assistant_mask = text, spans, assistant_mask

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return ChatIds, (list(self), self.text, self.spans, self.assistant_mask)


def marks_generation(template: str) -> bool:
    """Whether a template says itself what the assistant writes.

    >>> marks_generation("{%- generation %}{{ x }}{% endgeneration %}"), marks_generation("{{ generation }}")
    (True, False)
    """
    return _GENERATION.search(template) is not None


class _Layout:
    """Where in the bytes of a text is what was written by whom."""

    def __init__(self, text: Text, stand_in: bytes, count: int) -> None:
        plain, at = str.__str__(text), 0
        raw, self.trusted, self.generated = bytearray(), list[Range](), list[Range]()
        self.messages: list[list[Range]] = [[] for _ in range(count)]
        for length, mark in text.runs:
            start = len(raw)
            raw += without_surrogates(plain[at : at + length], stand_in)
            at += length
            place = (start, len(raw))
            if mark & GENERATED:
                _extend(self.generated, place)
            own = mark & ~GENERATED
            if own == TRUSTED:
                _extend(self.trusted, place)
            elif own >= MESSAGE:
                _extend(self.messages[own - MESSAGE], place)
        self.raw = bytes(raw)


def _extend(ranges: list[Range], place: Range) -> None:
    """Add a range to those before it; ranges that touch are one."""
    if ranges and ranges[-1][1] == place[0]:
        ranges[-1] = (ranges[-1][0], place[1])
    else:
        ranges.append(place)


class _Tokens:
    """The tokens of a text by their places in its bytes."""

    def __init__(self, rows: Sequence[tuple[int, str, int, int]]) -> None:
        self.ids = [row[0] for row in rows]
        self.starts: NDArray[np.int64] = np.array([row[2] for row in rows], np.int64)
        self.ends: NDArray[np.int64] = np.maximum.accumulate(np.array([row[3] for row in rows], np.int64))

    def within(self, start: int, end: int) -> Range:
        """The tokens that hold any of the bytes from ``start`` to before ``end``."""
        first = int(np.searchsorted(self.ends, start, "right"))
        return first, max(first, int(np.searchsorted(self.starts, end, "left")))


def encoded(
    native: _native.Tokenizer,
    text: Text,
    roles: Sequence[object],
    specials: Collection[int],
    around: tuple[list[int], list[int]],
    by_template: bool,
) -> ChatIds:
    """The ids of a text, where ``roles`` are those of the messages and ``around`` is put before and after."""
    layout = _Layout(text, native.lone_surrogate, len(roles))
    permit = tuple(layout.trusted) if specials else None
    tokens = _Tokens(span_rows(native, layout.raw, False, permit)[0])
    spans = [tokens.within(rows[0][0], rows[-1][1]) if rows else (0, 0) for rows in layout.messages]
    ranges = [tokens.within(*place) for place in layout.generated]
    if not by_template:
        wrote = {number for number, role in enumerate(roles) if role in ("assistant", "model")}
        ranges = [_closed(layout, tokens, place, specials) for number, place in _said(layout) if number in wrote]
    mask = np.zeros(len(tokens.ids), bool)
    for start, end in ranges:
        mask[start:end] = True
    before, after = around
    shown = [False] * len(before) + mask.tolist() + [False] * len(after)
    moved = [(start + len(before), end + len(before)) for start, end in spans]
    return ChatIds(before + tokens.ids + after, str.__str__(text), moved, shown)


def _said(layout: _Layout) -> Iterator[tuple[int, Range]]:
    """What messages say, in the order of the text, each with the number of its message: what the template puts between two
    parts of one is of it too, unless another message has its say between."""
    places = sorted((place, number) for number, rows in enumerate(layout.messages) for place in rows)
    for number, group in groupby(places, key=lambda item: item[1]):
        rows = [place for place, _ in group]
        yield number, (rows[0][0], rows[-1][1])


def _closed(layout: _Layout, tokens: _Tokens, place: Range, specials: Collection[int]) -> Range:
    """The tokens of a place, and the special token after it, where at most white space stands between."""
    first, last = tokens.within(*place)
    for token in range(last, len(tokens.ids)):
        if tokens.ids[token] in specials:
            return first, token + 1
        if layout.raw[place[1] : int(tokens.ends[token])].strip():
            break
    return first, last
