"""What an Encoding is put together of: tokens of a text, tokens that are held as lists, and what fills up.

All three answer the same questions, each by a list as long as the part. Those of a text are looked up when they are asked
for: ids are there, while spans, words and names cost more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Filler", "Held", "Part", "Slice", "Source", "Trim", "held"]

Offsets = tuple[int, int]


class Source(Protocol):
    """The tokens of one or many texts."""

    @property
    def ids(self) -> NDArray[np.uint32]:
        """The ids of all texts on end."""
        ...

    def tokens(self, begin: int, end: int) -> list[str]:
        """The names of some tokens."""
        ...

    def words(self, begin: int, end: int) -> list[int | None]:
        """The numbers of the words that some tokens belong to."""
        ...

    def offsets(self, begin: int, end: int) -> list[Offsets]:
        """The places of some tokens in their text."""
        ...

    def trimmed(self, begin: int, end: int, trim: Trim) -> list[Offsets]:
        """Places of tokens without the spaces that they begin and end with."""
        ...


class Trim(NamedTuple):
    """How spans lose spaces: whether one in front of the text stays, and which token begins it."""

    keeps_first: bool
    first: int


class Slice(NamedTuple):
    """Tokens of a text."""

    source: Source
    begin: int
    end: int
    type_id: int = 0
    trim: Trim | None = None
    shift: int = 0

    @property
    def size(self) -> int:
        """How many tokens these are."""
        return self.end - self.begin

    def ids(self) -> list[int]:
        """The ids."""
        found: list[int] = self.source.ids[self.begin : self.end].tolist()
        return found

    def type_ids(self) -> list[int]:
        """The type id of each token."""
        return [self.type_id] * self.size

    def tokens(self) -> list[str]:
        """The names."""
        return self.source.tokens(self.begin, self.end)

    def words(self) -> list[int | None]:
        """The number of the word that each token belongs to."""
        return self.source.words(self.begin, self.end)

    def offsets(self) -> list[Offsets]:
        """The places in the text."""
        if self.trim is None:
            found = self.source.offsets(self.begin, self.end)
        else:
            found = self.source.trimmed(self.begin, self.end, self.trim)
        shift = self.shift
        return [(start + shift, end + shift) for start, end in found] if shift else found

    def special(self) -> list[int]:
        """1 for tokens that are not of a text."""
        return [0] * self.size

    def attention(self) -> list[int]:
        """0 for tokens that fill up."""
        return [1] * self.size

    def cut(self, begin: int, end: int) -> Slice:
        """Some of the tokens."""
        return self._replace(begin=self.begin + begin, end=self.begin + end)

    def shifted(self, by: int) -> Slice:
        """The part with its places moved to the right."""
        return self._replace(shift=self.shift + by)

    def typed(self, type_id: int) -> Slice:
        """The part with another type id."""
        return self._replace(type_id=type_id)


class Filler(NamedTuple):
    """Tokens that fill up."""

    size: int
    id: int
    type_id: int
    token: str

    def ids(self) -> list[int]:
        """The ids."""
        return [self.id] * self.size

    def type_ids(self) -> list[int]:
        """The type id of each token."""
        return [self.type_id] * self.size

    def tokens(self) -> list[str]:
        """The names."""
        return [self.token] * self.size

    def words(self) -> list[int | None]:
        """No word."""
        return [None] * self.size

    def offsets(self) -> list[Offsets]:
        """No place."""
        return [(0, 0)] * self.size

    def special(self) -> list[int]:
        """1 for each."""
        return [1] * self.size

    def attention(self) -> list[int]:
        """0 for each."""
        return [0] * self.size

    def cut(self, begin: int, end: int) -> Filler:
        """Some of the tokens."""
        return self._replace(size=end - begin)

    def shifted(self, by: int) -> Held:
        """The part with its places."""
        return held([self]).shifted(by)

    def typed(self, type_id: int) -> Filler:
        """The part with another type id."""
        return self._replace(type_id=type_id)


class Held(NamedTuple):
    """Tokens whose columns are lists."""

    columns: tuple[list[int], list[int], list[str], list[int | None], list[Offsets], list[int], list[int]]

    @property
    def size(self) -> int:
        """How many tokens these are."""
        return len(self.columns[0])

    def ids(self) -> list[int]:
        """The ids."""
        return list(self.columns[0])

    def type_ids(self) -> list[int]:
        """The type id of each token."""
        return list(self.columns[1])

    def tokens(self) -> list[str]:
        """The names."""
        return list(self.columns[2])

    def words(self) -> list[int | None]:
        """The number of the word that each token belongs to."""
        return list(self.columns[3])

    def offsets(self) -> list[Offsets]:
        """The places in the text."""
        return list(self.columns[4])

    def special(self) -> list[int]:
        """1 for tokens that are not of a text."""
        return list(self.columns[5])

    def attention(self) -> list[int]:
        """0 for tokens that fill up."""
        return list(self.columns[6])

    def cut(self, begin: int, end: int) -> Held:
        """Some of the tokens."""
        ids, types, tokens, words, offsets, special, attention = self.columns
        at = slice(begin, end)
        return Held((ids[at], types[at], tokens[at], words[at], offsets[at], special[at], attention[at]))

    def shifted(self, by: int) -> Held:
        """This part with later places."""
        ids, types, tokens, words, offsets, special, attention = self.columns
        return Held((ids, types, tokens, words, [(start + by, end + by) for start, end in offsets], special, attention))

    def typed(self, type_id: int) -> Held:
        """This part with another type id."""
        ids, types, tokens, words, offsets, special, attention = self.columns
        return Held((ids, [type_id] * len(types), tokens, words, offsets, special, attention))


Part = Slice | Filler | Held


def held(parts: Sequence[Part]) -> Held:
    """Some parts as one that is held as lists."""
    names = ("ids", "type_ids", "tokens", "words", "offsets", "special", "attention")
    columns = [[item for part in parts for item in getattr(part, name)()] for name in names]
    ids, types, tokens, words, offsets, special, attention = columns
    return Held((ids, types, tokens, words, offsets, special, attention))
