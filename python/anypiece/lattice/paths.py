"""Paths through a lattice: one by one, and many as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from ..results import Batch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..tokenizer import Tokenizer

__all__ = ["Path", "Paths"]


@dataclass(frozen=True)
class Path:
    """One way through a lattice."""

    ids: list[int]
    """What encoding by this path gives: bytes for unknown characters, neighbouring unknowns as one."""
    score: float
    """The sum of the edges' scores."""
    edges: tuple[int, ...]
    """Numbers of edges of the lattice."""
    log_probability: float | None = None
    """The logarithm of its share of all weight, at the ``alpha`` it was drawn with."""
    log_inclusion: float | None = None
    """The logarithm of the probability of being among those drawn without replacement."""


class Paths(Sequence[Path]):
    """The best paths of a text, the best first: a sequence of ``Path``, each made when it is asked for.

    What all of them are made of is there as arrays: ``batch`` are the ids, a row for each path, and ``scores`` the scores.

    >>> import anypiece
    >>> paths = anypiece.load().nbest("Hello", 3)
    >>> len(paths), paths[0].ids == paths.batch[0].tolist(), [path.score for path in paths] == paths.scores.tolist()
    (3, True, True)
    """

    __slots__ = ("_count", "_edges", "_words")

    def __init__(self, words: NDArray[np.uint32], count: int, edges: Batch | tuple[Tokenizer, str | bytes]) -> None:
        # One array for all: the scores and where the ids of each path begin, and the end, two words each; then the ids.
        self._words = words
        self._count = count
        # Or what they are found out from.
        self._edges = edges

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores of the paths."""
        scores: NDArray[np.float64] = self._words[: 2 * self._count].view("f8")
        return scores

    @property
    def batch(self) -> Batch:
        """The ids of the paths."""
        first, behind = 2 * self._count, 4 * self._count + 2
        return Batch(self._words[behind:], self._words[first:behind].view("i8"))

    @property
    def numbers(self) -> Batch:
        """The edges of the paths, by their numbers in the lattice."""
        if isinstance(self._edges, tuple):
            tokenizer, text = self._edges
            self._edges = tokenizer.lattice(text).nbest(len(self)).numbers
        return self._edges

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Path: ...
    @overload
    def __getitem__(self, index: slice) -> list[Path]: ...
    def __getitem__(self, index: int | slice) -> Path | list[Path]:
        rows = range(len(self))[index]  # raises IndexError and TypeError as any sequence does
        if isinstance(rows, range):
            return [self[row] for row in rows]
        return Path(self.batch[rows].tolist(), float(self.scores[rows]), tuple(self.numbers[rows].tolist()))

    def __repr__(self) -> str:
        return f"<Paths: {len(self)}>"
