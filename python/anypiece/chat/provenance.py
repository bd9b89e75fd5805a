"""Text that knows who wrote each part of it: the template, a message, or nobody that is known.

``Text`` is a ``str`` whose methods keep that knowledge through what templates do: joining, cutting, stripping, splitting,
replacing, case. Whatever gives a plain ``str`` instead has lost it, and then the whole is nobody's, which is never trusted.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, SupportsIndex

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "GENERATED",
    "MESSAGE",
    "NOBODY",
    "TRUSTED",
    "SafeText",
    "Text",
    "generated",
    "glued",
    "mark_of",
    "runs_of",
    "same_mark",
]

NOBODY, TRUSTED, MESSAGE = 0, 1, 2
"""Marks: of nobody, of the template, and from here on of the messages, by number."""
GENERATED = 1 << 48
"""Is added to the mark of what stands in ``{% generation %}``."""

Runs = tuple[tuple[int, int], ...]
"""How many characters have which mark, one after another."""


class Text(str):
    """A text with its marks. A plain ``str`` that it is combined with is nobody's.

    >>> text = Text.of("  <s>", TRUSTED) + Text.of("a b ", MESSAGE)
    >>> text.strip().runs, [part.runs for part in text.split("a")]
    (((3, 1), (3, 2)), [((5, 1),), ((3, 2),)])
    """

    __slots__ = ("runs",)
    runs: Runs

    @classmethod
    def of(cls, text: str, mark: int) -> Text:
        """A text that has one mark."""
        return cls.made(text, ((len(text), mark),) if text else ())

    @classmethod
    def made(cls, text: str, runs: Runs) -> Text:
        """A text of runs that have as many characters."""
        new = str.__new__(cls, text)
        new.runs = runs
        return new

    def part(self, start: int, end: int) -> Text:
        """The characters from ``start`` to before ``end``."""
        return self._cut([(start, max(start, end))])[0]

    def _cut(self, places: list[tuple[int, int]]) -> list[Text]:
        """The characters at some places, which follow one another. All runs are gone over once."""
        cut, number, at = list[Text](), 0, 0
        for start, end in places:
            found = []
            while number < len(self.runs) and at < end:
                length, mark = self.runs[number]
                size = min(end, at + length) - max(start, at)
                if size > 0:
                    found.append((size, mark))
                if at + length > end:
                    break
                number, at = number + 1, at + length
            cut.append(Text.made(str.__getitem__(self, slice(start, end)), tuple(found)))
        return cut

    def _parts(self, pieces: Iterable[str], gap: int | None) -> list[Text]:
        """``pieces``, which follow one another in this text, ``gap`` characters or only white space between two."""
        places, at = list[tuple[int, int]](), 0
        for piece in pieces:
            start = at if gap is not None else str.find(self, piece, at)
            places.append((start, start + len(piece)))
            at = start + len(piece) + (gap or 0)
        return self._cut(places)

    def _each(self, change: Callable[[str], str]) -> str:
        """What a change of characters makes, if it makes the same of each run by itself; else a plain text."""
        changed, at, parts = change(str(str.__str__(self))), 0, []
        for length, mark in self.runs:
            parts.append(Text.of(change(str.__getitem__(self, slice(at, at + length))), mark))
            at += length
        whole = glued(parts)
        return whole if whole == changed else changed

    # -- what Python asks

    def __str__(self) -> str:
        return self

    def __iter__(self) -> Iterator[str]:
        for length, mark, start in _placed(self.runs):
            for place in range(start, start + length):
                yield Text.of(str.__getitem__(self, place), mark)

    def __getitem__(self, index: SupportsIndex | slice) -> str:
        if not isinstance(index, slice):
            place = range(len(self))[index]
            return self.part(place, place + 1)
        places = range(len(self))[index]
        if places.step == 1:
            return self.part(places.start, places.stop)
        marks = [mark for length, mark in self.runs for _ in range(length)]
        return _of_marks(str.__getitem__(self, index), marks[index])

    def __add__(self, other: str) -> str:
        return glued([self, other]) if isinstance(other, str) and not hasattr(other, "__html__") else NotImplemented

    def __radd__(self, other: str) -> str:
        return glued([other, self]) if isinstance(other, str) and not hasattr(other, "__html__") else NotImplemented

    def __mul__(self, times: SupportsIndex) -> str:
        return glued([self] * max(times.__index__(), 0))

    __rmul__ = __mul__

    # -- what templates ask

    def strip(self, chars: str | None = None) -> str:
        end = len(str.rstrip(self, chars))
        return self.part(min(len(self) - len(str.lstrip(self, chars)), end), end)

    def lstrip(self, chars: str | None = None) -> str:
        return self.part(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None) -> str:
        return self.part(0, len(str.rstrip(self, chars)))

    def removeprefix(self, prefix: str) -> str:
        return self.part(len(self) - len(str.removeprefix(self, prefix)), len(self))

    def removesuffix(self, suffix: str) -> str:
        return self.part(0, len(str.removesuffix(self, suffix)))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return [*self._parts(str.split(self, sep, maxsplit), None if sep is None else len(sep))]

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return [*self._parts(str.rsplit(self, sep, maxsplit), None if sep is None else len(sep))]

    def splitlines(self, keepends: bool = False) -> list[str]:
        whole = self._parts(str.splitlines(self, True), 0)
        bare = str.splitlines(self, keepends)
        return [line.part(0, len(kept)) for line, kept in zip(whole, bare, strict=True)]

    def partition(self, sep: str) -> tuple[str, str, str]:
        first, middle, last = self._parts(str.partition(self, sep), 0)
        return first, middle, last

    def rpartition(self, sep: str) -> tuple[str, str, str]:
        first, middle, last = self._parts(str.rpartition(self, sep), 0)
        return first, middle, last

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        if not old:
            return str.replace(self, old, new, count)
        mark = same_mark(self, new)
        if mark is not None:
            return Text.of(str.replace(self, old, new, count), mark)
        return glued(self.split(old, count), new)

    def join(self, parts: Iterable[str], /) -> str:
        return glued(parts, self)

    def lower(self) -> str:
        return self._each(str.lower)

    def upper(self) -> str:
        return self._each(str.upper)

    def casefold(self) -> str:
        return self._each(str.casefold)

    def swapcase(self) -> str:
        return self._each(str.swapcase)

    def title(self) -> str:
        return self._aligned(str.title(self))

    def capitalize(self) -> str:
        return self._aligned(str.capitalize(self))

    def _aligned(self, changed: str) -> str:
        """What a change made that makes no text longer, for then each character is of the one at its place."""
        return Text.made(changed, self.runs) if len(changed) == len(self) else changed


class SafeText(Markup):
    """What ``safe`` makes of a text: written out it is the text, joined to others it is jinja2's, and nobody's."""

    __slots__ = ("own",)
    own: str

    @classmethod
    def of(cls, text: str) -> SafeText:
        """The text itself."""
        new = super().__new__(cls, str.__str__(text))
        new.own = text
        return new

    def __str__(self) -> str:
        try:
            return self.own
        except AttributeError:  # what jinja2 made of one
            return str.__str__(self)


def _placed(runs: Runs) -> Iterator[tuple[int, int, int]]:
    at = 0
    for length, mark in runs:
        yield length, mark, at
        at += length


def _of_marks(text: str, marks: list[int]) -> Text:
    return Text.made(text, tuple((len(list(group)), mark) for mark, group in groupby(marks)))


def runs_of(text: str) -> Runs:
    """The runs of a text; of one that has none, that it is nobody's.

    >>> runs_of("ab"), runs_of(Text.of("ab", TRUSTED))
    (((2, 0),), ((2, 1),))
    """
    if isinstance(text, Text):
        return text.runs
    return ((len(text), NOBODY),) if text else ()


def glued(parts: Iterable[str], between: str = "") -> Text:
    """Texts as one, each with its marks.

    >>> glued([Text.of("a", 2), "b", Text.of("c", 1)], Text.of("", 1)).runs
    ((1, 2), (1, 0), (1, 1))
    """
    listed, runs = list(parts), list[tuple[int, int]]()
    middle = runs_of(between)
    for number, part in enumerate(listed):
        for length, mark in (*middle, *runs_of(part)) if number else runs_of(part):
            if runs and runs[-1][1] == mark:
                runs[-1] = (runs[-1][0] + length, mark)
            else:
                runs.append((length, mark))
    return Text.made(str.join(between, listed), tuple(runs))


def same_mark(text: str, other: str) -> int | None:
    """The one mark of two texts, if they have one.

    >>> same_mark(Text.of("a", 3), Text.of("", 2)), same_mark(Text.of("a", 3), "b")
    (3, None)
    """
    runs = (*runs_of(text)[:2], *runs_of(other)[:2])
    return runs[0][1] if runs and all(mark == runs[0][1] for _, mark in runs) else None


def generated(text: str) -> Text:
    """A text that stands in ``{% generation %}``."""
    return Text.made(str.__str__(text), tuple((length, mark | GENERATED) for length, mark in runs_of(text)))


def mark_of(values: Any) -> int:
    """The mark that all texts in a value have, or nobody's.

    >>> mark_of({Text.of("a", 3): [Text.of("b", 3), 5]}), mark_of([Text.of("a", 3), "b"]), mark_of(5)
    (3, 0, 0)
    """
    marks, waiting = set[int](), [values]
    while waiting and len(marks) < 2:
        value = waiting.pop()
        if isinstance(value, str):
            marks |= {mark for _, mark in runs_of(value)}
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, (list, tuple)):
            waiting += value
    return marks.pop() if len(marks) == 1 else NOBODY
