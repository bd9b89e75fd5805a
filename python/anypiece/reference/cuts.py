"""Cuts: places that no piece can cross, so that what lies between two of them can be segmented on its own.

Between two neighbouring characters is a cut when no piece of the vocabulary has them adjacent. No edge of a lattice
and no merge crosses it: the best path goes through it, and merges on one side do not see those on the other. All that is
needed is the set of character pairs inside pieces. Pieces of every kind that text can be segmented into count, unused
ones too, since merges pass through them.

Three adjacent characters tell more: a piece that crosses the place between two characters is just the two, or it has the one
before them or the one behind them as well.

For the word segmenter the rule is another: a word is never cut inside, and always before "▁".
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..spec import SPACE_MARK, Kind
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["finer_units", "joined", "pairs", "units", "word_units"]


def _joining(spec: Spec) -> list[str]:
    """The pieces that join characters: with the char segmenter only user-defined ones."""
    vocabulary = Vocabulary(spec)
    return [
        name.decode()
        for name, piece in vocabulary.matched.items()
        if spec.segmenter != "char" or vocabulary.kinds[piece] == Kind.USER_DEFINED
    ]


def pairs(spec: Spec) -> set[tuple[str, str]]:
    """The neighbouring characters inside pieces."""
    return {pair for name in _joining(spec) for pair in pairwise(name)}


def joined(spec: Spec) -> set[str]:
    """The pieces of two characters, and all trigrams of pieces."""
    names = _joining(spec)
    threes = {name[at : at + 3] for name in names for at in range(len(name) - 2)}
    return threes | {name for name in names if len(name) == 2}


def units(normalized: str, pairs: set[tuple[str, str]]) -> list[str]:
    """The text, cut wherever no pair forbids it.

    >>> units("abcab", {("a", "b")})
    ['ab', 'c', 'ab']
    """
    out = [normalized[:1]] if normalized else []
    for one, other in pairwise(normalized):
        if (one, other) in pairs:
            out[-1] += other
        else:
            out.append(other)
    return out


def finer_units(normalized: str, joined: set[str]) -> list[str]:
    """The text, cut wherever neither a bigram nor a trigram forbids it.

    >>> units("abcx", {("a", "b"), ("b", "c"), ("c", "d")})
    ['abc', 'x']
    >>> finer_units("abcx", {"ab", "bcd"})  # "abc" has the pairs of "ab" and "bcd", but no piece crosses "b" and "c"
    ['ab', 'c', 'x']
    """
    out = [normalized[:1]] if normalized else []
    for at in range(1, len(normalized)):
        two, left, right = normalized[at - 1 : at + 1], normalized[max(at - 2, 0) : at + 1], normalized[at - 1 : at + 2]
        if joined.isdisjoint((two, left, right)):
            out.append(normalized[at])
        else:
            out[-1] += normalized[at]
    return out


def word_units(normalized: str) -> list[str]:
    """The text, cut before every space mark: the units of the word segmenter.

    >>> word_units("a▁b▁▁c")
    ['a', '▁b', '▁', '▁c']
    """
    words = normalized.split(SPACE_MARK)
    return [word for word in (words[0], *(SPACE_MARK + word for word in words[1:])) if word]
