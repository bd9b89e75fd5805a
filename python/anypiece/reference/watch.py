"""Watching: what the algorithms tell of their steps while they run, so that each is written once and can be looked at.

Every algorithm here takes a ``Watch`` and calls it where something is decided; without one it only computes. ``Watch``
itself does not listen. ``anypiece.steps`` has one that writes down what it hears. Places are those of the text that the
algorithm was given, in bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .lattice import Edge, Lattice, Path
    from .normalize import Normalized
    from .steps import Character
    from .tokens import Token
    from .unigram import Segment

__all__ = ["Merge", "Watch"]


class Merge(NamedTuple):
    """A merge that can be made: those of lower ``rank`` go first, of equals the leftmost. ``place`` numbers the left symbol.

    A rank is a place in the list of merges, or a negated score.
    """

    rank: float
    place: int
    id: int


class Watch:
    """Does not listen. A subclass overrides what it wants to hear."""

    # -- the stages

    def part(self, start: int, end: int, id: int | None) -> None:
        """The text from ``start`` to ``end`` is an added token, or a fragment that goes on by itself."""

    def step(self, step: dict[str, Any], text: list[Character]) -> None:
        """The text after one step of the normalizer."""

    def normalized(self, text: Normalized | list[Character]) -> None:
        """The fragment is normalized."""

    def inner(self, start: int, end: int, id: int | None) -> None:
        """The normalized text from ``start`` to ``end`` is an added token, or goes on; characters where there are steps."""

    def rule(self, rule: dict[str, Any], chunks: list[list[Character]]) -> None:
        """The chunks after one rule that splits."""

    def text(self, text: Normalized) -> None:
        """A text goes to the segmenter: what follows is about it."""

    def chunk(self, start: int, end: int, rule: str) -> None:
        """The segmenter works on this chunk of its text, which a rule of the splitter made."""

    def path(self, path: Sequence[Segment]) -> None:
        """What the segmenter found."""

    def token(self, segment: Segment, how: str, tokens: Sequence[Token]) -> None:
        """What became of a segment: ``piece``, ``unknown``, ``fused`` with the unknown before it, or ``bytes``."""

    # -- best paths

    def candidate(self, segment: Segment, score: float, total: float, there: float | None) -> None:
        """A piece is tried as the last one up to its end (the first one, from right to left): what it adds, the sum with it,
        and the best sum before, if there was one. It is taken if its sum is greater."""

    def rebased(self, start: int, by: float) -> None:
        """From here on all sums lost this."""

    # -- merges

    def whole(self, id: int) -> None:
        """The chunk is a piece itself and is not merged."""

    def symbols(self, symbols: Sequence[tuple[int | None, int]]) -> None:
        """Ids and lengths of the symbols there are now: before the first merge and after each. No id: no piece."""

    def choice(self, merges: Sequence[Merge]) -> None:
        """The merges that can be made now. The first of them in order is."""

    # -- longest match

    def match(self, start: int, longest: int, end: int | None, id: int) -> None:
        """At ``start`` pieces up to ``longest`` were tried, down to the one that ends at ``end``; without one, none fits."""

    # -- draws

    def unit(self, place: int, unit: Lattice) -> None:
        """A unit of a lattice is drawn from, that begins at this place: what follows is about it."""

    def sums(self, sums: Sequence[float], *, backward: bool) -> None:
        """The logarithms of the weight of all ways to each place of the unit, or from it."""

    def draw(self, place: int, choices: Sequence[Path], weights: Sequence[float], number: float, taken: int) -> None:
        """At a place, one of some paths (of one edge, mostly) is taken by its share of the weights and a number below 1."""

    def coin(self, place: int, edge: Edge, score: float, chance: float, number: float | None) -> None:
        """An edge that ends at a place replaces the one kept so far if ``number`` is below ``chance``; the first needs none.
        ``score`` is what is compared: that of the path kept so far, or all weight so far."""

    def number(self, number: float, skipped: bool) -> None:
        """A merge is skipped, or not, by this number."""

    def skipped(self, merge: Merge) -> None:
        """A merge that can be made was skipped."""

    def stale(self, merge: Merge) -> None:
        """A merge was drawn whose symbols are no longer there."""
