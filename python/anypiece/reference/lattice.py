"""The lattice of a text: every way to cut it into pieces at once, and what follows from that.

An edge is a piece at a place, with its score; a path is a row of edges from the beginning to the end. At inverse
temperature ``alpha`` a path has the weight ``exp(alpha * score)``, and its probability is its weight over that of all paths.
There are too many paths to list, but every sum over them goes place by place:

    forward[end]    = log of the sum over edges (start, end) of exp(forward[start] + alpha * score)
    backward[start] = the same from the other side

All sums are kept as logarithms, since the weight of a long path is too small for a number. An example is worked through in
``docs/algorithms/lattice.md``; ``sampling`` draws from what is computed here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..spec import SPACE_MARK
from . import cuts
from .byte_unigram import ByteUnigram
from .normalize import Normalized
from .tokens import Tokens
from .unigram import Segment, Unigram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..spec import Spec

__all__ = ["Edge", "Lattice", "Path", "ids_of", "lattice_of", "lattice_of_bytes", "log_sum", "score_of"]


class Edge(NamedTuple):
    """A piece at a place; for a character that no piece covers, the unknown piece."""

    start: int
    end: int
    id: int
    score: float


Path = tuple[Edge, ...]


def log_sum(values: Iterable[float]) -> float:
    """The logarithm of the sum of weights that are given by their logarithms.

    The largest is taken out first, so that nothing is too large, and what is too small does not matter.

    >>> log_sum([-1000.0, -1000.0]) == -1000 + math.log(2)
    True
    """
    listed = list(values)
    most = max(listed, default=-math.inf)
    if len(listed) < 2 or most == -math.inf:
        return most
    return most + math.log(sum(math.exp(value - most) for value in listed))


@dataclass(frozen=True)
class Lattice:
    """Edges, sorted by their ends and then by their starts, over a text of some length.

    ``bounds`` are places that every path goes through, the beginning and the end among them.

    >>> lattice = Lattice([Edge(0, 1, 1, -1.0), Edge(0, 2, 3, -3.0), Edge(1, 2, 2, -1.0)], 2, [0, 2])
    >>> [[edge.id for edge in path] for path in lattice.nbest(5)], round(lattice.log_partition(), 4)
    ([[1, 2], [3]], -1.6867)
    """

    edges: list[Edge]
    length: int
    bounds: list[int]

    def ending(self, place: int) -> list[Edge]:
        """The edges that end at a place."""
        return [edge for edge in self.edges if edge.end == place]

    def starting(self, place: int) -> list[Edge]:
        """The edges that begin at a place, the shortest first."""
        return [edge for edge in self.edges if edge.start == place]

    def units(self) -> Iterator[tuple[int, Lattice]]:
        """The lattices between bounds, with their places: as no edge spans a bound, they are independent."""
        for start, end in zip(self.bounds, self.bounds[1:], strict=False):
            inside = [edge for edge in self.edges if start <= edge.start and edge.end <= end]
            moved = [edge._replace(start=edge.start - start, end=edge.end - start) for edge in inside]
            yield start, Lattice(moved, end - start, [0, end - start])

    # -- paths

    def paths(self) -> list[Path]:
        """All of them, by their first edge and then by the next one: what everything below must agree with, as long as they
        can be counted."""
        ways: list[list[Path]] = [[] for _ in range(self.length)] + [[()]]
        for place in reversed(range(self.length)):
            ways[place] = [(edge, *way) for edge in self.starting(place) for way in ways[edge.end]]
        return ways[0]

    def count(self) -> int:
        """How many paths there are."""
        ways = [1] + [0] * self.length
        for place in range(1, self.length + 1):
            ways[place] = sum(ways[edge.start] for edge in self.ending(place))
        return ways[-1]

    def viterbi(self) -> Path:
        """The path of highest score; of equals the one whose last edge begins first."""
        best: list[tuple[float, Path]] = [(0.0, ())]
        for place in range(1, self.length + 1):
            ways = [(best[edge.start][0] + edge.score, (*best[edge.start][1], edge)) for edge in self.ending(place)]
            best.append(max(ways, key=lambda way: way[0], default=(-math.inf, ())))
        return best[-1][1]

    def nbest(self, n: int) -> list[Path]:
        """The ``n`` paths of highest score: the best ways to a place go on from the best ways to the places before."""
        best: list[list[tuple[float, Path]]] = [[(0.0, ())]]
        for place in range(1, self.length + 1):
            ways = [
                (score + edge.score, (*way, edge)) for edge in self.ending(place) for score, way in best[edge.start]
            ]
            best.append(sorted(ways, key=lambda way: -way[0])[:n])
        return [path for _, path in best[-1]]

    # -- sums over all paths

    def forward(self, alpha: float = 1.0) -> list[float]:
        """For each place the logarithm of the weight of all ways there from the beginning."""
        sums = [0.0]
        for place in range(1, self.length + 1):
            sums.append(log_sum(sums[edge.start] + alpha * edge.score for edge in self.ending(place)))
        return sums

    def backward(self, alpha: float = 1.0) -> list[float]:
        """For each place the logarithm of the weight of all ways from there to the end."""
        sums = [0.0] * (self.length + 1)
        for place in reversed(range(self.length)):
            beginning = self.starting(place)
            sums[place] = log_sum(alpha * edge.score + sums[edge.end] for edge in beginning)
        return sums

    def log_partition(self, alpha: float = 1.0) -> float:
        """The logarithm of the weight of all paths."""
        return self.forward(alpha)[-1]

    def marginals(self, alpha: float = 1.0) -> list[float]:
        """For each edge the probability that a path goes through it: all ways to it, times it, times all ways from it."""
        before, behind = self.forward(alpha), self.backward(alpha)
        return [
            math.exp(before[edge.start] + alpha * edge.score + behind[edge.end] - before[-1]) for edge in self.edges
        ]

    def entropy(self, alpha: float = 1.0) -> float:
        """The uncertainty of the path in nats: the logarithm of all weight, less the mean of the paths' own."""
        mean = sum(p * edge.score for p, edge in zip(self.marginals(alpha), self.edges, strict=True))
        return self.log_partition(alpha) - alpha * mean

    def expected_edges(self, alpha: float = 1.0) -> float:
        """How many edges a path has on average."""
        return sum(self.marginals(alpha))


def score_of(path: Path) -> float:
    """The sum of the edges' scores."""
    return sum(edge.score for edge in path)


def lattice_of(spec: Spec, normalized: str) -> Lattice:
    """The lattice of a normalized text, for a unigram vocabulary. In its places a ``▁`` counts as one byte, as a space does.

    >>> from anypiece import load
    >>> lattice = lattice_of(load().spec, "▁Hello")
    >>> (lattice.length, lattice.bounds, [edge.id for edge in lattice.viterbi()] == load().encode("Hello"))
    (6, [0, 6], True)
    """
    unigram, text = Unigram(spec), normalized.encode()
    place, places = 0, {}
    for number, character in enumerate(normalized):
        places[len(normalized[:number].encode())] = place
        place += 1 if spec.escape_whitespaces and character == SPACE_MARK else len(character.encode())
    places[len(text)] = place
    edges = [
        Edge(places[start], places[end], id, float(unigram.score(segment)))
        for segment in (segment for start in list(places)[:-1] for segment in unigram.edges(text, start))
        for start, end, id in [segment]
    ]
    bounds, before = [0], 0
    for unit in cuts.units(normalized, cuts.pairs(spec)):
        before += len(unit.encode())
        bounds.append(places[before])
    return Lattice(sorted(edges, key=lambda edge: (edge.end, edge.start)), place, bounds)


def lattice_of_bytes(spec: Spec, text: bytes) -> Lattice:
    """The lattice of a text whose pieces are bytes; its bounds are those of chunks."""
    segmenter = ByteUnigram(spec)
    edges, bounds = [], [0]
    for chunk in segmenter.chunks(text):
        at = bounds[-1]
        for start in range(len(chunk)):
            for end in range(start + 1, min(start + segmenter.longest, len(chunk)) + 1):
                id = segmenter.ids.get(chunk[start:end])
                if id is not None:
                    edges.append(Edge(at + start, at + end, id, segmenter.scores[id]))
        bounds.append(at + len(chunk))
    return Lattice(sorted(edges, key=lambda edge: (edge.end, edge.start)), bounds[-1], bounds)


def ids_of(spec: Spec, normalized: str, path: Path) -> list[int]:
    """What encoding by a path gives: byte pieces for unknown characters, or neighbouring unknowns as one."""
    inner = normalized.replace(SPACE_MARK, " ") if spec.escape_whitespaces else normalized
    outer = inner.encode()

    def moved(place: int) -> int:
        return place + (2 * outer[:place].count(b" ") if spec.escape_whitespaces else 0)

    text = normalized.encode()
    segments = [Segment(moved(edge.start), moved(edge.end), edge.id) for edge in path]
    return [token.id for token in Tokens(spec).tokens(Normalized(text, [*range(len(text) + 1)]), segments)]
