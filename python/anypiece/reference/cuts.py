"""Cuts: places that no piece can cross, so that what lies between two of them can be segmented on its own.

Between two neighbouring characters is a cut when no piece of the vocabulary has them side by side. No edge of a lattice
and no merge crosses it: the best path goes through it, and merges on one side do not see those on the other. All that is
needed is the set of character pairs inside pieces. Pieces of every kind that text can be segmented into count, unused
ones too, since merges pass through them.

For the word segmenter the rule is another: a word is never cut inside, and always before "▁".
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..spec import SPACE_MARK, Kind
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["pairs", "units", "word_units"]


def pairs(spec: Spec) -> set[tuple[str, str]]:
    """The neighbouring characters inside pieces. The char segmenter joins characters only for user-defined pieces."""
    vocabulary = Vocabulary(spec)
    found: set[tuple[str, str]] = set()
    for name, piece in vocabulary.matched.items():
        if spec.segmenter != "char" or vocabulary.kinds[piece] == Kind.USER_DEFINED:
            found.update(pairwise(name.decode()))
    return found


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


def word_units(normalized: str) -> list[str]:
    """The text, cut before every space mark: the units of the word segmenter.

    >>> word_units("a▁b▁▁c")
    ['a', '▁b', '▁', '▁c']
    """
    words = normalized.split(SPACE_MARK)
    return [word for word in (words[0], *(SPACE_MARK + word for word in words[1:])) if word]
