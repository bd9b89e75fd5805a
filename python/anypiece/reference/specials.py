"""Specials: a text cut at its added tokens, before anything else is done with it.

Each part is an added token or a fragment of text. Fragments are normalized one by one; in their normalized form the tokens
with the NORMALIZED flag are looked for, by what the normalizer makes of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

from ..spec import AddedFlag

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ..spec import Added

__all__ = ["Part", "parts"]


class Part(NamedTuple):
    """``text[start:end]``, with the id of the added token that it is."""

    start: int
    end: int
    id: int | None


class _Token(NamedTuple):
    text: str
    id: int
    flags: AddedFlag


class _Hit(NamedTuple):
    """A match without the white space that it takes. One that does not count is skipped."""

    start: int
    end: int
    token: _Token
    counts: bool


def parts(
    text: str,
    added: Added,
    matching: str,
    permitted: Collection[int] | None = None,
    normalized: Callable[[str], str] | None = None,
    trusted: Sequence[tuple[int, int]] | None = None,
) -> list[Part]:
    """The parts of ``text``, by the tokens that are not looked for in normalized text.

    ``permitted`` are the ids of the special ones that may be found. With ``normalized``, which says what the normalizer
    makes of a text, ``text`` is normalized text and the others are looked for. With ``trusted``, the special tokens are
    those that these ranges of the text hold, each as a text of its own.

    >>> from anypiece.spec import Added
    >>> added = Added.of([("<s>", 1, AddedFlag.SPECIAL)])
    >>> [(part.start, part.id) for part in parts("a<s>b", added, "leftmost-longest", {1})]
    [(0, None), (1, 1), (4, None)]
    """
    if normalized is None:
        tokens = [_Token(*row) for row in added if not row[2] & AddedFlag.NORMALIZED]
    else:
        rows = [_Token(normalized(row[0]), *row[1:]) for row in added if row[2] & AddedFlag.NORMALIZED]
        tokens = [token for token in rows if token.text]
    search = _longest_first if matching == "longest-first" else _leftmost
    if trusted is None:
        return search(text, tokens, frozenset(permitted or ()), None)[0]
    everything = frozenset(token.id for token in tokens)
    kept = []
    for start, end in trusted:
        for hit in search(text[start:end], tokens, everything, None)[1]:
            if hit.token.flags & AddedFlag.SPECIAL:
                kept.append(hit._replace(start=hit.start + start, end=hit.end + start))
    return search(text, tokens, everything, kept)[0]


def _is_permitted(token: _Token, permitted: Collection[int]) -> bool:
    return not token.flags & AddedFlag.SPECIAL or token.id in permitted


def _is_seen(token: _Token, at: int, kept: list[_Hit] | None) -> bool:
    """Whether a match is looked at: where special ones are known, others give way to those that count."""
    if kept is None:
        return True
    if token.flags & AddedFlag.SPECIAL:
        return any(hit.start == at and hit.token == token for hit in kept)
    return not any(hit.counts and hit.start < at + len(token.text) and at < hit.end for hit in kept)


def _leftmost(
    text: str, tokens: list[_Token], permitted: Collection[int], kept: list[_Hit] | None
) -> tuple[list[Part], list[_Hit]]:
    """The one that begins first, the longest of those; a skipped match hides whatever lies within it."""
    found: list[Part] = []
    hits: list[_Hit] = []
    at = done = 0
    while at < len(text):
        here = [token for token in tokens if text.startswith(token.text, at) and _is_seen(token, at, kept)]
        if not here:
            at += 1
            continue
        token = max(here, key=lambda token: len(token.text))
        first = start = at
        at = end = at + len(token.text)
        if kept is not None and token.flags & AddedFlag.SPECIAL:
            counts = any(hit.start == first and hit.counts for hit in kept)
        else:
            touched = token.flags & AddedFlag.SINGLE_WORD and _is_touched(text, start, end)
            counts = _is_permitted(token, permitted) and not touched
        if token.flags & AddedFlag.LSTRIP:
            start = max(len(text[:start].rstrip(_WHITE)), done)
        if token.flags & AddedFlag.RSTRIP:
            taken = end + len(text[end:]) - len(text[end:].lstrip(_WHITE))
            end = min([taken, *(hit.start for hit in kept or () if hit.counts and hit.start >= end)])
        counts = counts and start < end  # of one in white space that the last one took, nothing is left
        hits.append(_Hit(first, at, token, counts))
        if not counts:
            continue
        if done < start:
            found.append(Part(done, start, None))
        found.append(Part(start, end, token.id))
        done = end
    return ([*found, Part(done, len(text), None)] if done < len(text) else found), hits


# White_Space of Unicode: str.isspace also counts U+001C to U+001F.
_WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_C_WHITE = " \t\n\x0b\x0c\r"


def _is_touched(text: str, start: int, end: int) -> bool:
    return any(map(_is_word, [*text[:start][-1:], *text[end : end + 1]]))


_CIRCLED = (range(0x24B6, 0x24EA), range(0x1F130, 0x1F14A), range(0x1F150, 0x1F16A), range(0x1F170, 0x1F18A))
"""Symbols that are alphabetic."""


def _is_word(character: str) -> bool:
    """Whether a character is one of words by Unicode: letters, marks, digits, what connects, and the two joiners.

    Python's own ``\\w`` has fractions in it, and no marks.
    """
    kind = category(character)
    is_letter = kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or any(ord(character) in part for part in _CIRCLED)
    return is_letter or character in "\u200c\u200d"


def _longest_first(
    text: str, tokens: list[_Token], permitted: Collection[int], kept: list[_Hit] | None
) -> tuple[list[Part], list[_Hit]]:
    """Each token in turn, the longest first, takes what it finds in the fragments that the others left."""
    found = [Part(0, len(text), None)] if text else []
    hits: list[_Hit] = []
    wanted = [token for token in tokens if _is_permitted(token, permitted)]
    for token in sorted(wanted, key=lambda token: -len(token.text.encode())):
        cut = [_cut(text, part, token, kept, hits) if part.id is None else [part] for part in found]
        found = [new for parts in cut for new in parts]
    return found, sorted(hits)


def _cut(text: str, part: Part, token: _Token, kept: list[_Hit] | None, hits: list[_Hit]) -> list[Part]:
    cut: list[Part] = []
    start, end = part.start, part.end
    at = start
    while (at := text.find(token.text, at, end)) >= 0:
        if not _is_seen(token, at, kept):
            at += 1
            continue
        behind = at + len(token.text)
        hits.append(_Hit(at, behind, token, True))
        left, right = text[start:at], text[behind:end]
        before = at
        if token.flags & AddedFlag.LSTRIP:
            before = max([start + len(left.rstrip(_C_WHITE)), *(hit.end for hit in kept or () if hit.end <= at)])
        if start < before:
            cut.append(Part(start, before, None))
        if token.flags & AddedFlag.RSTRIP:
            taken = behind + len(right) - len(right.lstrip(_C_WHITE))
            behind = min([taken, *(hit.start for hit in kept or () if hit.start >= behind)])
        cut.append(Part(before, behind, token.id))
        at = start = behind
    return [*cut, Part(start, end, None)] if start < end else cut
