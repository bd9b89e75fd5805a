"""What normalization changed: the stretches of a text that were replaced, with their places before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..reference import utf8
from ..reference.normalize import Normalized
from ..spec import SPACE_MARK
from .data import Replacement
from .tables import spelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..reference.normalize import Normalizer
    from ..reference.steps import Character

__all__ = ["replacements"]


class _Group(NamedTuple):
    """Normalized characters that came from one stretch of the text."""

    text: str
    at: int
    start: int
    end: int


def replacements(
    raw: bytes,
    normalized: Normalized | list[Character],
    place: Callable[[int], int],
    normalizer: Normalizer | None,
) -> tuple[Replacement, ...]:
    """The replacements in a fragment. ``place`` makes a byte of it a place of the text; without a ``normalizer`` of
    SentencePiece's kind it was made by steps."""
    found = []
    for start, end, at, result in _changes(raw, _groups(normalized)):
        why = "steps" if normalizer is None else _why(normalizer, raw, start, end, result)
        source = spelled(raw[start:end])
        found.append(Replacement(place(start), place(end), source, at, at + len(result), result, why))
    return tuple(found)


def _groups(normalized: Normalized | list[Character]) -> list[_Group]:
    """Neighbours that are from the same stretch, as one."""
    groups: list[_Group] = []
    for at, (text, start, end) in enumerate(_characters(normalized)):
        if groups and groups[-1][2:] == (start, end):
            groups[-1] = groups[-1]._replace(text=groups[-1].text + text)
        else:
            groups.append(_Group(text, at, start, end))
    return groups


def _characters(normalized: Normalized | list[Character]) -> list[tuple[str, int, int]]:
    """Each normalized character with the bytes that it is from."""
    if isinstance(normalized, list):
        return [(character.text, character.start, character.end) for character in normalized]
    rows, at = [], 0
    for character in normalized.text.decode("utf-8", "replace"):
        start = normalized.offsets[at]
        at += len(character.encode())
        rows.append((character, start, normalized.offsets[at]))
    for number in reversed(
        range(len(rows) - 1)
    ):  # characters of one source begin alike, and end where the next one begins
        if rows[number][1] == rows[number + 1][1]:
            rows[number] = (*rows[number][:2], rows[number + 1][2])
    return rows


def _changes(raw: bytes, groups: list[_Group]) -> list[tuple[int, int, int, str]]:
    """``(start, end, at, result)`` of what is not the same: kept beginnings and ends are taken off."""
    out: list[tuple[int, int, int, str]] = []
    done = at = 0
    for text, at, start, end in groups:
        if start > done:
            out.append((done, start, at, ""))
        done = max(done, end)
        source = raw[start:end].decode("utf-8", "surrogateescape")
        if text == source:
            continue
        if source and text.endswith(source):
            out.append((start, start, at, text.removesuffix(source)))
        elif source and text.startswith(source):
            out.append((end, end, at + len(source), text.removeprefix(source)))
        elif source.startswith(text):
            out.append((start + len(text.encode("utf-8", "surrogateescape")), end, at + len(text), ""))
        else:
            out.append((start, end, at, text))
    if done < len(raw):
        last = groups[-1] if groups else _Group("", 0, 0, 0)
        out.append((done, len(raw), last.at + len(last.text), ""))
    return out


def _why(normalizer: Normalizer, raw: bytes, start: int, end: int, result: str) -> str:
    if start == end:
        return "suffix" if start == len(raw) and raw else "prefix"
    if not utf8.valid_length(raw, start):
        return "not UTF-8"
    if not result:
        return "removed"
    taken, length = normalizer.chunk(raw, start)
    if taken != raw[start : start + length]:
        return "map"
    return "space" if result.startswith(SPACE_MARK) else "map"
