"""Stochastic segmentation: samples of lattice paths, and BPE-dropout.

Each unit of a text has random numbers of its own (``philox``), by its place, and the draws say in which order they take
them; so this draws the same paths as the kernel. ``docs/algorithms/sampling.md`` says which distribution each has, and why.
"""

from __future__ import annotations

import heapq
import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ..spec import SPACE_MARK
from . import cuts
from .bpe import Bpe
from .byte_bpe import ByteBpe
from .lattice import Edge, Lattice, Path, log_sum, score_of
from .merge_bpe import MergeBpe
from .normalize import Normalized
from .philox import Numbers, limit
from .tokens import Tokens
from .unigram import Segment
from .watch import Merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..spec import Spec
    from .watch import Watch

__all__ = ["Drawn", "Dropout", "sample", "sample_bytes", "sample_nbest", "without_replacement"]

_SHORT, _FEW = 63, 16
"""Maximum bytes and paths of a unit that is sampled with one random number."""
_OWN = 2**64 - 1
"""The fragment of numbers that belong to no place of the text."""


def sample(
    lattice: Lattice,
    method: str,
    alpha: float,
    *,
    seed: int,
    epoch: int = 0,
    index: int = 0,
    fragment: int = 0,
    watch: Watch | None = None,
) -> Path:
    """A path, drawn unit by unit: by ``lattice``, ``viterbi`` or ``reservoir``.

    >>> lattice = Lattice([Edge(0, 1, 1, -1.0), Edge(0, 2, 3, -3.0), Edge(1, 2, 2, -1.0)], 2, [0, 2])
    >>> draws = [len(sample(lattice, "lattice", 1.0, seed=seed)) for seed in range(1000)]
    >>> draws.count(1) / 1000  # exp(-3) / (exp(-3) + exp(-2)) is 0.269
    0.286
    """
    path: list[Edge] = []
    for place, unit in lattice.units():
        numbers = Numbers(seed, epoch, index, place, fragment)
        if watch is not None:
            watch.unit(place, unit)
        drawn = {"lattice": _exactly, "viterbi": _sigmoid, "reservoir": _reservoir}[method](unit, alpha, numbers, watch)
        path += [edge._replace(start=edge.start + place, end=edge.end + place) for edge in drawn]
    return tuple(path)


def sample_bytes(
    lattice: Lattice,
    alpha: float,
    *,
    seed: int,
    epoch: int = 0,
    index: int = 0,
    fragment: int = 0,
    watch: Watch | None = None,
) -> Path:
    """A path where pieces are bytes: from the end on, an edge by its share of the weight of all ways to where it ends.

    Units do not matter, since it is drawn by a number of that place.
    """
    forward, path, place = lattice.forward(alpha), list[Edge](), lattice.length
    if watch is not None:
        watch.unit(0, lattice)
        watch.sums(forward, backward=False)
    while place > 0:
        edges, numbers = lattice.ending(place), Numbers(seed, epoch, index, place, fragment)
        weights = [math.exp(forward[edge.start] + alpha * edge.score - forward[place]) for edge in edges]
        path.append(edges[_taken(weights, numbers, place, [(edge,) for edge in edges], watch)])
        place = path[-1].start
    return tuple(path[::-1])


def _exactly(unit: Lattice, alpha: float, numbers: Numbers, watch: Watch | None = None) -> list[Edge]:
    """Of a short unit with few paths, one by its share of all weight; otherwise, from the beginning on, an edge by its share
    of the weight of all ways from where it begins to the end, the next one by the number of the next place."""
    if unit.length <= _SHORT and unit.count() <= _FEW:
        paths = unit.paths()
        scores = [alpha * score_of(path) for path in paths]
        return list(paths[_taken([math.exp(score - max(scores)) for score in scores], numbers, 0, paths, watch)])
    backward = unit.backward(alpha)
    if watch is not None:
        watch.sums(backward, backward=True)
    path: list[Edge] = []
    place = 0
    while place < unit.length:
        edges = unit.starting(place)
        weights = [backward[edge.end] + alpha * edge.score for edge in edges]
        shares = [math.exp(weight - max(weights)) for weight in weights]
        path.append(edges[_taken(shares, numbers.behind(len(path)), place, [(edge,) for edge in edges], watch)])
        place = path[-1].end
    return path


def _taken(weights: list[float], numbers: Numbers, place: int, choices: Sequence[Path], watch: Watch | None) -> int:
    """Which of some choices is taken, by its share of all weight, and a number of 64 bits of which the first 16 are known.

    The others are drawn only where those are the first of a limit.
    """
    limits = [limit(sum(weights[:count]) / sum(weights)) for count in range(1, len(weights))]
    first = numbers.first()
    number = first << 48
    if any(first == bound >> 48 for bound in limits):
        number |= numbers.draw64() >> 16
    taken = sum(number >= bound for bound in limits)
    if watch is not None:
        watch.draw(place, choices, weights, number / 2.0**64, taken)
    return taken


def _sigmoid(unit: Lattice, alpha: float, numbers: Numbers, watch: Watch | None = None) -> list[Edge]:
    """Viterbi, where an edge replaces the one before it by a coin: the sigmoid of the difference of the scores. Biased."""
    kept: list[tuple[float, Edge | None]] = [(0.0, None)]
    for place in range(1, unit.length + 1):
        now: tuple[float, Edge | None] = (-math.inf, None)
        for edge in unit.ending(place):
            score = kept[edge.start][0] + edge.score
            chance = 1.0 if now[1] is None else _sigma(alpha * (score - now[0]))
            number: float | None = None if now[1] is None else numbers.uniform()
            if watch is not None:
                watch.coin(place, edge, score, chance, number)
            if number is None or number < chance:
                now = (score, edge)
        kept.append(now)
    return _walk_back(kept)


def _reservoir(unit: Lattice, alpha: float, numbers: Numbers, watch: Watch | None = None) -> list[Edge]:
    """One pass without the bias of Viterbi sampling: an edge is kept by its share of the weight of all that came so far."""
    kept: list[tuple[float, Edge | None]] = [(0.0, None)]
    for place in range(1, unit.length + 1):
        total, last = -math.inf, None
        for edge in unit.ending(place):
            weight = kept[edge.start][0] + alpha * edge.score
            total = weight if last is None else log_sum([weight, total])
            chance = math.exp(weight - total)
            number: float | None = None if last is None else numbers.uniform()
            if watch is not None:
                watch.coin(place, edge, total, chance, number)
            if number is None or number < chance:
                last = edge
        kept.append((total, last))
    return _walk_back(kept)


def _sigma(value: float) -> float:
    """1 / (1 + exp(-value)), where exp may be too large for a number."""
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0


def _walk_back(kept: list[tuple[float, Edge | None]]) -> list[Edge]:
    path: list[Edge] = []
    place = len(kept) - 1
    while place > 0:
        edge = kept[place][1]
        assert edge is not None  # every place on the way is the start of an edge that was kept
        path.append(edge)
        place = edge.start
    return path[::-1]


def sample_nbest(
    lattice: Lattice, n: int, alpha: float, *, seed: int, epoch: int = 0, index: int = 0, watch: Watch | None = None
) -> Path:
    """One of the ``n`` best paths by its weight among them: subword regularization as Kudo described it."""
    paths = lattice.nbest(n)
    weights = [math.exp(alpha * (score_of(path) - score_of(paths[0]))) for path in paths]
    drawn = Numbers(seed, epoch, index, 1, _OWN).uniform()
    taken, rest = len(paths) - 1, drawn * sum(weights)
    for place, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            taken = place
            break
    if watch is not None:
        watch.unit(0, lattice)
        watch.draw(0, paths, weights, drawn, taken)
    return paths[taken]


class Drawn(NamedTuple):
    """A path with the logarithms of its probability, and of the probability that it is among those drawn."""

    path: Path
    log_probability: float
    log_inclusion: float


def without_replacement(
    lattice: Lattice, k: int, alpha: float, *, seed: int, epoch: int = 0, index: int = 0
) -> list[Drawn]:
    """``k`` different paths: those with the largest sums of log-probability and Gumbel noise.

    The largest sum in a set of paths is Gumbel noise around the logarithm of the set's probability. So begin with the set of
    all paths, and part the one with the largest sum by its last edge, until sets are single paths: the noise of each part is
    drawn under the condition that the largest of them is that of the whole. The sum of path number k + 1 is the bar that the
    others passed.
    """
    numbers, forward = Numbers(seed, epoch, index, 0, _OWN), lattice.forward(alpha)
    count = 0
    queue: list[tuple[float, int, int, float, Path]] = [(-_gumbel(0.0, numbers), count, lattice.length, 0.0, ())]
    found: list[tuple[Path, float]] = []
    bar = -math.inf
    while queue:
        negative, _, place, log_probability, ending = heapq.heappop(queue)
        if place == 0 and len(found) == k:
            bar = -negative
            break
        if place == 0:
            found.append((ending, log_probability))
            continue
        edges = lattice.ending(place)
        shares = [log_probability + forward[edge.start] + alpha * edge.score - forward[place] for edge in edges]
        noises = [_gumbel(share, numbers) for share in shares]
        for edge, share, noise in zip(edges, shares, noises, strict=True):
            count += 1
            moved = _conditioned(-negative, noise, max(noises))
            heapq.heappush(queue, (-moved, count, edge.start, share, (edge, *ending)))
    return [Drawn(path, probability, _inclusion(probability - bar)) for path, probability in found]


def _gumbel(value: float, numbers: Numbers) -> float:
    return value - math.log(-math.log(numbers.uniform()))


def _conditioned(wanted: float, noise: float, most: float) -> float:
    """-log(exp(-wanted) - exp(-most) + exp(-noise)): ``noise``, moved so that the largest of its set is as wanted."""
    if noise >= most:
        return wanted
    moved = wanted - noise + math.log1p(-math.exp(noise - most))
    return wanted - max(moved, 0.0) - math.log1p(math.exp(-abs(moved)))


def _inclusion(value: float) -> float:
    """The logarithm of 1 - exp(-exp(value)): the probability that noise takes a path over the bar."""
    return 0.0 if value > 700 else math.log(-math.expm1(-math.exp(value)))


# -- BPE-dropout


class Dropout:
    """BPE-dropout of a Spec. What no text changes is made once: for a large vocabulary that takes seconds.

    >>> from anypiece.spec import Kind, Pieces, Spec
    >>> rows = [("<unk>", 0, Kind.UNKNOWN), *[(name, 0, Kind.NORMAL) for name in ("a", "b", "ab")]]
    >>> dropout = Dropout(Spec(Pieces.of(rows), "bpe"))
    >>> [dropout.ids("ab", share, seed=1) for share in (0, 1)]
    [[3], [1, 2]]
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.by_chunk = MergeBpe(spec) if len(spec.merges) else ByteBpe(spec) if spec.symbols == "bytes" else None
        if self.by_chunk is None:
            self.segmenter, self.pairs, self.tokens = Bpe(spec), cuts.pairs(spec), Tokens(spec)

    def ids(
        self,
        normalized: str,
        share: float,
        *,
        seed: int,
        epoch: int = 0,
        index: int = 0,
        fragment: int = 0,
        watch: Watch | None = None,
    ) -> list[int]:
        """The ids of a normalized text, where each candidate merge is skipped with probability ``share``."""
        text = normalized.encode("utf-8", "surrogateescape")
        chance = partial(_Chance, share, seed, epoch, index, fragment, watch)
        if self.by_chunk is not None:
            return _by_chunk(self.by_chunk, text, chance, watch)
        path: list[Segment] = []
        at = place = 0
        for unit in cuts.units(normalized, self.pairs):
            if watch is not None:
                watch.chunk(at, at + len(unit.encode()), "")
            found = self.segmenter.segment(unit.encode(), watch, chance(place).passes)
            path += [Segment(start + at, end + at, id) for start, end, id in found]
            at += len(unit.encode())
            place += len((unit.replace(SPACE_MARK, " ") if self.spec.escape_whitespaces else unit).encode())
        return [token.id for token in self.tokens.tokens(Normalized(text, [*range(len(text) + 1)]), path)]


class _Chance:
    """Whether to pass over what comes up at a place of the text."""

    def __init__(
        self, share: float, seed: int, epoch: int, index: int, fragment: int, watch: Watch | None, place: int
    ) -> None:
        self.share, self.watch = share, watch
        self.numbers = Numbers(seed, epoch, index, place, fragment)

    def passes(self) -> bool:
        bound, number = limit(self.share), self.numbers.draw() if self.share > 0 else 2**32
        passes = number < bound >> 32 or (number == bound >> 32 and self.numbers.draw() < bound & 0xFFFFFFFF)
        if self.watch is not None:
            self.watch.number(number / 2.0**32, passes)
        return passes


def _by_chunk(bpe: MergeBpe | ByteBpe, text: bytes, chance: Callable[[int], _Chance], watch: Watch | None) -> list[int]:
    ids: list[int] = []
    place = 0
    for chunk in bpe.chunks(text):
        if watch is not None:
            watch.chunk(place, place + len(chunk), "")
        if isinstance(bpe, MergeBpe):
            first, find = [symbol.id for symbol in bpe.first(chunk)], partial(_by_rank, bpe)
        else:
            first, find = [bpe.ids[bytes([byte])] for byte in chunk], partial(_by_score, bpe)
        ids += _merged(first, find, chance(place).passes, watch)
        place += len(chunk)
    return ids


def _by_rank(bpe: MergeBpe, one: int, other: int) -> tuple[float, int] | None:
    rank = bpe.ranks.get((one, other))
    return None if rank is None else (rank, bpe.results[rank])


def _by_score(bpe: ByteBpe, one: int, other: int) -> tuple[float, int] | None:
    pieces = bpe.spec.pieces
    joined = bpe.ids.get(pieces.bytes(one) + pieces.bytes(other))
    return None if joined is None else (-bpe.scores[joined], joined)


def _merged(
    symbols: list[int],
    find: Callable[[int, int], tuple[float, int] | None],
    passes: Callable[[], bool],
    watch: Watch | None,
) -> list[int]:
    """Merging where skipped merges come back: after the next one that is not skipped, all of them are candidates again.

    A number is drawn for each candidate, also for one whose symbols are no longer there. A symbol that was merged into the
    one before it leaves an empty place.
    """
    row: list[int | None] = list(symbols)

    def proposed(place: int | None) -> list[tuple[float, int, int]]:
        """The merge of the symbol at a place with the next one, if there is one: rank, place, result."""
        following = None if place is None else _next(row, range(place + 1, len(row)))
        one, other = (None if at is None else row[at] for at in (place, following))
        found = None if one is None or other is None else find(one, other)
        return [] if found is None or place is None else [(found[0], place, found[1])]

    queue = [candidate for place in range(len(row)) for candidate in proposed(place)]
    passed: list[tuple[float, int, int]] = []
    while queue:
        queue.sort()
        _, place, id = candidate = queue.pop(0)
        if passes():
            passed.append(candidate)
            if watch is not None:
                watch.skipped(Merge(*candidate))
            continue
        queue, passed = queue + passed, []
        right = _next(row, range(place + 1, len(row)))
        if right is None or [result for _, _, result in proposed(place)] != [id]:
            if watch is not None:
                watch.stale(Merge(*candidate))
            continue
        row[place], row[right] = id, None
        if watch is not None:
            watch.choice([Merge(*candidate)])
            watch.symbols([(one, 0) for one in row if one is not None])
        queue += proposed(_next(row, reversed(range(place)))) + proposed(place)
    return [id for id in row if id is not None and id >= 0]


def _next(row: list[int | None], places: Iterable[int]) -> int | None:
    return next((place for place in places if row[place] is not None), None)
