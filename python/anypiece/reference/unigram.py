"""Unigram: of all ways to cut the text into pieces, the one whose scores add up to the most.

Viterbi in four lines:

    for start in character starts:
        for every piece that begins here:
            if best[start] + score(piece) > best[end]:  best[end], came_from[end] = ...
    walk back from the end

The rest is what makes it *the same* path as the reference library's. Sums are rounded, and the rounding decides between
paths of nearly equal score; so the arithmetic is part of the specification, and there are three of them.

- ``f32-rebased``: everything is a float. When the best score at a character start has passed ±100000, it is subtracted
  from all cells that are still open, which rounds each of them anew.
- ``f64-compared``: a candidate is the sum in double, compared as a double with the float in the cell, and rounded to
  float only when it is stored. The unknown character is the exception: its candidate is a float sum. Nothing is rebased.
- ``f64``: everything is a double. Nothing is rebased.

A candidate must be *better* to replace what is there. Starts are visited from left to right, so on a tie the path whose
last piece is the longest stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..spec import Kind
from .utf8 import lead_length
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..spec import Spec
    from .watch import Watch

__all__ = ["Path", "Segment", "Unigram", "second_best"]

_UNKNOWN_PENALTY = np.float32(10)
_REBASE_AT = np.float32(100_000)
_FLT_MAX = np.finfo(np.float32).max
_FLT_MIN = np.finfo(np.float32).tiny


class Segment(NamedTuple):
    """A piece found in normalized text: bytes ``start`` to ``end`` are piece ``id``."""

    start: int
    end: int
    id: int


class Spelled(Segment):
    """A piece that stands for other text, found by its own spelling."""


Path = list[Segment]


class _Cell(NamedTuple):
    """The best path that ends here: its score, and its last piece."""

    score: np.floating
    start: int
    id: int


class Unigram:
    """The unigram segmenter of a Spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.vocabulary = Vocabulary(spec)
        self.scores = spec.pieces.scores
        normal = self.scores[spec.pieces.kinds == Kind.NORMAL]
        self.best_score = np.float32(normal.max(initial=_FLT_MIN))
        self.kind: type[np.floating] = np.float64 if spec.arithmetic == "f64" else np.float32
        self.skipped = set() if spec.match_kinds == "unused" else {Kind.UNUSED}
        penalty = np.float32 if spec.match_kinds == "unused" else self.kind
        with np.errstate(over="ignore"):
            self.unknown_score = self.kind(penalty(normal.min(initial=_FLT_MAX)) - penalty(_UNKNOWN_PENALTY))
        kinds = spec.pieces.kinds
        self._reserved = set(np.flatnonzero((kinds == Kind.UNKNOWN) | (kinds == Kind.BYTE)).tolist())
        self._longest: dict[bytes, int] = {}
        for name in self.vocabulary.matched:
            first = name[: lead_length(name[0])]
            self._longest[first] = max(self._longest.get(first, 0), len(name))

    def segment(self, text: bytes, watch: Watch | None = None) -> Path:
        """The best path through normalized text."""
        return self.best(text, self.kind(0), watch)[0]

    def best(self, text: bytes, score: np.floating, watch: Watch | None = None) -> tuple[Path, np.floating]:
        """The best path of a text that comes after others whose best score is ``score``, and the best score after it.

        With the score handed on from one to the next, the units of a text give the same path as the whole of it.
        """
        cells: list[_Cell | None] = [_Cell(score, -1, -1), *[None] * len(text)]
        with np.errstate(over="ignore", invalid="ignore"):
            for start in _character_starts(text):
                self._rebase(cells, start, watch)
                for segment in self.edges(text, start):
                    self._relax(cells, segment, watch)
        end_cell = cells[-1]
        assert end_cell is not None  # an unknown character is an edge: every character start is reached
        return _walk_back(cells), end_cell.score

    def edges(self, text: bytes, start: int) -> Iterator[Segment]:
        """Every piece that begins at ``start``, shortest first, and then, unless one is exactly a character, the unknown.

        Unused pieces are not there at all, unless the Spec has them like others.
        """
        character = text[start : start + lead_length(text[start])]
        found_character = False
        last = min(start + self._longest.get(character, 0), len(text))
        for end in range(start + 1, last + 1):
            piece = self.vocabulary.matched.get(text[start:end])
            if piece is None or self.vocabulary.kinds[piece] in self.skipped:
                continue
            found_character = found_character or end == start + len(character)
            yield (Spelled if piece in self._reserved else Segment)(start, end, piece)
        if not found_character:
            yield Segment(start, start + len(character), self.vocabulary.unk_id)

    def score(self, segment: Segment) -> np.floating:
        """What a piece adds. A user-defined piece gets a score that lets it win, of which there are two kinds as well."""
        if segment.id == self.vocabulary.unk_id and not isinstance(segment, Spelled):
            return self.unknown_score
        if self.vocabulary.kinds[segment.id] != Kind.USER_DEFINED:
            return self.kind(self.scores[segment.id])
        if self.spec.user_defined_score == "zero":
            return self.kind(0)
        length = segment.end - segment.start
        if self.spec.user_defined_score == "length-bonus":
            return np.float32(0.1 * (length - 1))
        return np.float64(np.float32(length) * self.best_score) - np.float64(0.1)

    def _relax(self, cells: list[_Cell | None], segment: Segment, watch: Watch | None) -> None:
        """Take the segment as the last piece up to its end, if that is better than what is there."""
        before = cells[segment.start]
        assert before is not None
        candidate = self._sum(before.score, segment)
        there = cells[segment.end]
        if watch is not None:
            watch.candidate(
                segment, float(self.score(segment)), float(candidate), None if there is None else float(there.score)
            )
        if there is None or candidate > there.score:
            cells[segment.end] = _Cell(self.kind(candidate), segment.start, segment.id)

    def _sum(self, score: np.floating, segment: Segment) -> np.floating:
        added = self.score(segment)
        if self.spec.arithmetic == "f64":
            return np.float64(added) + score
        if self.spec.arithmetic == "f64-compared" and segment.id != self.vocabulary.unk_id:
            return np.float64(added) + np.float64(score)
        return np.float32(added) + score

    def _rebase(self, cells: list[_Cell | None], start: int, watch: Watch | None) -> None:
        """Bring the scores back to near zero: all open cells, from this character start on, lose what this one has."""
        here = cells[start]
        assert here is not None
        if self.spec.arithmetic != "f32-rebased" or abs(here.score) <= _REBASE_AT:
            return
        if watch is not None:
            watch.rebased(start, float(here.score))
        for index in range(start, len(cells)):
            cell = cells[index]
            if cell is not None:
                cells[index] = cell._replace(score=cell.score - here.score)


def _character_starts(text: bytes) -> Iterator[int]:
    start = 0
    while start < len(text):
        yield start
        start += lead_length(text[start])


def _walk_back(cells: list[_Cell | None]) -> Path:
    path: Path = []
    end = len(cells) - 1
    while end > 0:
        cell = cells[end]
        assert cell is not None
        path.append(Segment(cell.start, end, cell.id))
        end = cell.start
    return path[::-1]


def second_best(unigram: Unigram, text: bytes) -> tuple[Path, float] | None:
    """The runner-up: the best path other than the best one, and its score in double; None when there is only one path.

    Each cell keeps the two best of all paths that end there, so the two best of the whole are among those that extend them.
    """
    ends: list[list[tuple[float, Path]]] = [[(0.0, [])], *[[] for _ in text]]
    for start in _character_starts(text):
        for segment in unigram.edges(text, start):
            added = float(unigram.score(segment))
            ends[segment.end] += [(score + added, [*path, segment]) for score, path in ends[start]]
            ends[segment.end] = sorted(ends[segment.end], key=lambda scored: -scored[0])[:2]
    best = unigram.segment(text)
    return next(((path, score) for score, path in ends[-1] if path != best), None)
