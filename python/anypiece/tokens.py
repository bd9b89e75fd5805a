"""What calls give out besides lists of ids: tokens with their places, and two texts as one sequence."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Pair", "Token"]


class Token(NamedTuple):
    """One occurrence of a piece in a text. ``start`` and ``end`` are a half-open range of the text as it was given."""

    id: int
    piece: str
    start: int
    end: int


class Pair(NamedTuple):
    """Two texts as one sequence: ``type_ids[i]`` says what ``ids[i]`` belongs to."""

    ids: list[int]
    type_ids: list[int]
