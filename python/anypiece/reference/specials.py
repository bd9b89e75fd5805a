"""Specials: a text cut at its added tokens, before anything else is done with it.

Each part is an added token or a fragment of text. Fragments are normalized one by one; in their normalized form the tokens
with the NORMALIZED flag are looked for, by what the normalizer makes of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..spec import AddedFlag

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

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


def parts(
    text: str,
    added: Added,
    matching: str,
    permitted: Collection[int] | None = None,
    normalized: Callable[[str], str] | None = None,
) -> list[Part]:
    """The parts of ``text``, by the tokens that are not looked for in normalized text.

    ``permitted`` are the ids of the special ones that may be found. With ``normalized``, which says what the normalizer
    makes of a text, ``text`` is normalized text and the others are looked for.

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
    allowed = frozenset(permitted or ())
    if matching == "longest-first":
        return _longest_first(text, [token for token in tokens if _is_permitted(token, allowed)])
    return _leftmost(text, tokens, allowed)


def _is_permitted(token: _Token, permitted: Collection[int]) -> bool:
    return not token.flags & AddedFlag.SPECIAL or token.id in permitted


def _leftmost(text: str, tokens: list[_Token], permitted: Collection[int]) -> list[Part]:
    """The one that begins first, the longest of those; what is passed over hides whatever lies within it."""
    found: list[Part] = []
    at = done = 0
    while at < len(text):
        here = [token for token in tokens if text.startswith(token.text, at)]
        if not here:
            at += 1
            continue
        token = max(here, key=lambda token: len(token.text))
        start, end = at, at + len(token.text)
        at = end
        if not _is_permitted(token, permitted) or (
            token.flags & AddedFlag.SINGLE_WORD and _is_touched(text, start, end)
        ):
            continue
        if token.flags & AddedFlag.LSTRIP:
            start = max(len(text[:start].rstrip(_WHITE)), done)
        if token.flags & AddedFlag.RSTRIP:
            end += len(text[end:]) - len(text[end:].lstrip(_WHITE))
        if end <= start:
            continue  # white space that the last one took: nothing is left of it
        if done < start:
            found.append(Part(done, start, None))
        found.append(Part(start, end, token.id))
        done = end
    return [*found, Part(done, len(text), None)] if done < len(text) else found


# White_Space of Unicode: str.isspace also counts U+001C to U+001F.
_WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_C_WHITE = " \t\n\x0b\x0c\r"


def _is_touched(text: str, start: int, end: int) -> bool:
    return bool(re.search(r"\w\Z", text[:start]) or re.match(r"\w", text[end:]))


def _longest_first(text: str, tokens: list[_Token]) -> list[Part]:
    """Each token in turn, the longest first, takes what it finds in the fragments that the others left."""
    found = [Part(0, len(text), None)] if text else []
    for token in sorted(tokens, key=lambda token: -len(token.text.encode())):
        found = [new for part in found for new in (_cut(text, part, token) if part.id is None else [part])]
    return found


def _cut(text: str, part: Part, token: _Token) -> list[Part]:
    cut: list[Part] = []
    start, end = part.start, part.end
    while (at := text.find(token.text, start, end)) >= 0:
        behind = at + len(token.text)
        left, right = text[start:at], text[behind:end]
        kept = len(left.rstrip(_C_WHITE)) if token.flags & AddedFlag.LSTRIP else len(left)
        if kept:
            cut.append(Part(start, start + kept, None))
        if token.flags & AddedFlag.RSTRIP:
            behind += len(right) - len(right.lstrip(_C_WHITE))
        cut.append(Part(start + kept, behind, token.id))
        start = behind
    return [*cut, Part(start, end, None)] if start < end else cut
