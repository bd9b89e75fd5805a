"""Steps of a draw: the sums, the numbers drawn and what they decided, as data.

The ids are always those of ``Tokenizer.sample``. The numbers are those of the reference, which draws the same path from
the same key; where it does not follow (a text parted by special tokens, rules that split), ``reproduced`` is false,
``note`` says so, and the path is shown without them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import InternalError
from ..lattice.lattice import checked_alpha, checked_key
from ..reference import lattice as plain
from ..reference import sampling, utf8
from ..reference.watch import Merge, Watch
from ..spec import Kind
from ..text import sampling as kernel
from .data import Segment, plain_values
from .encoding import reference_of, shown_text
from .limits import CANDIDATES, LENGTH
from .tables import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..lattice.lattice import Lattice
    from ..text.sampling import Method
    from ..text.specials import Specials
    from ..tokenizer import Tokenizer

__all__ = ["Choice", "Coin", "Draw", "DrawnUnit", "SampleSteps", "Try", "sample_steps"]


@dataclass(frozen=True)
class Choice:
    """What could be taken: pieces that follow each other (mostly one), and their share of all weight at this place."""

    pieces: tuple[str, ...]
    start: int
    end: int
    score: float
    share: float


@dataclass(frozen=True)
class Draw:
    """One of some choices is taken by a number below 1: the first whose shares add up to more."""

    place: int
    choices: tuple[Choice, ...]
    number: float
    taken: int


@dataclass(frozen=True)
class Coin:
    """An edge that ends at ``place`` replaces the one kept so far, if ``number`` is below ``chance``. The first needs none.

    ``score`` is the best score so far with ``viterbi``, the logarithm of all weight so far with ``reservoir``.
    """

    place: int
    piece: str
    start: int
    score: float
    chance: float
    number: float | None
    kept: bool


@dataclass(frozen=True)
class Try:
    """A merge that came up: ``merged``, ``skipped`` by its number, or ``stale`` (its symbols are no longer there)."""

    place: int
    rank: float
    piece: str
    number: float
    outcome: str


@dataclass(frozen=True)
class DrawnUnit:
    """A unit and how its path was drawn. ``sums`` are logarithms of the weight of all ways to each place (``forward``) or
    from it (``backward``), as the method needs them. Places count from the beginning of the normalized text."""

    text: str
    start: int
    end: int
    direction: str
    sums: tuple[tuple[int, float], ...]
    draws: tuple[Draw, ...]
    coins: tuple[Coin, ...]
    tries: tuple[Try, ...]
    path: tuple[Segment, ...]


@dataclass(frozen=True)
class SampleSteps:
    """How a draw came about. ``ids`` are those of ``Tokenizer.sample``; ``log_probability`` is that of the path, where the
    method draws by the weight of paths."""

    text: str
    normalized: str
    method: str
    alpha: float
    seed: int
    epoch: int
    index: int
    units: tuple[DrawnUnit, ...]
    ids: tuple[int, ...]
    log_probability: float | None
    reproduced: bool
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The data as dictionaries and lists; what is no number in JSON is None."""
        found: dict[str, Any] = plain_values(self)
        return found


def sample_steps(
    tokenizer: Tokenizer,
    text: str | bytes,
    alpha: float = 0.1,
    *,
    seed: int,
    method: Method = "lattice",
    nbest: int = kernel.NBEST,
    epoch: int = 0,
    index: int = 0,
    specials: Specials = "text",
) -> SampleSteps:
    """How ``tokenizer.sample`` came to its ids with the same arguments.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> found = sample_steps(tok, "Hello world", 0.1, seed=3)
    >>> list(found.ids) == tok.sample("Hello world", 0.1, seed=3), found.reproduced, len(found.units[0].draws)
    (True, True, 4)
    """
    ids = kernel.sample(tokenizer, text, alpha, seed, method, nbest, epoch, index, specials, False)
    key = checked_key(seed, epoch, index)
    value = checked_alpha(alpha)
    asked = _Asked(tokenizer, text, value, key, method, nbest, specials, ids)
    units, probability, note = asked.dropout() if method == "dropout" else asked.paths()
    spec = tokenizer.spec
    parted = spec.split_rules or spec.normalizer or len(spec.added)
    unused = method == "dropout" and bool((spec.pieces.kinds == Kind.UNUSED).any())  # taken apart again in other ways
    if note == _OTHER and not parted and not unused:
        message = f"The reference draws another path of {text!r:.80} than sample. Please report the text and the file."
        raise InternalError("internal-error", message, seed=seed, epoch=epoch, index=index)
    return SampleSteps(
        shown_text(text), tokenizer.normalize(text), method, value, *key, units, tuple(ids), probability, not note, note
    )


_OTHER = (
    "special tokens or rules part the text, or unused pieces are taken apart, where the reference draws otherwise: "
    "the path without the numbers"
)
_SURE = "alpha is infinity: the path of encode, without numbers"


@dataclass(frozen=True)
class _Listed(plain.Lattice):
    """A lattice whose best paths are known."""

    best: list[plain.Path]

    def nbest(self, n: int) -> list[plain.Path]:
        """The first ``n`` of them."""
        return self.best[:n]


@dataclass
class _Asked:
    """One call, and the ids that the kernel drew."""

    tokenizer: Tokenizer
    text: str | bytes
    alpha: float
    key: tuple[int, int, int]
    method: Method
    nbest: int
    specials: Specials
    ids: list[int]

    @property
    def _key(self) -> dict[str, int]:
        return dict(zip(("seed", "epoch", "index"), self.key, strict=True))

    def paths(self) -> tuple[tuple[DrawnUnit, ...], float | None, str]:
        """A path of the lattice: the units, the logarithm of its probability, and what is not shown."""
        if len(self.text) > LENGTH:
            return (), None, f"the text is longer than {LENGTH}: no steps"
        lattice = kernel.lattice(self.tokenizer, self.text, self.specials)
        if len(lattice) > CANDIDATES:
            return (), None, f"the lattice has more than {CANDIDATES:,} edges: no steps"
        if math.isinf(self.alpha):
            return self._by_kernel(lattice, list(lattice.viterbi().edges)), 0.0, _SURE
        numbers = {(edge.start, edge.end, edge.id): number for number, edge in enumerate(lattice.edges)}
        edges = [plain.Edge(start, end, id, float(lattice.scores[at])) for (start, end, id), at in numbers.items()]
        twin = plain.Lattice(edges, len(lattice.normalized), lattice.bounds.tolist())
        recorder = _DrawRecorder()
        path = self._drawn(lattice, twin, recorder)
        taken = [numbers[edge.start, edge.end, edge.id] for edge in path]
        exact = self.method in ("lattice", "reservoir")
        score = self.alpha * plain.score_of(path) - twin.log_partition(self.alpha) if exact else None
        if lattice._native.ids(taken) == self.ids:
            shown = _Shown(lattice, self.tokenizer.spec.symbols == "bytes")
            return tuple(shown.unit(record, path) for record in recorder.units), score, ""
        if self.method == "nbest":
            return (), None, _OTHER
        drawn = lattice.sample(self.alpha, **self._key, method=self.method)
        return self._by_kernel(lattice, list(drawn.edges)), drawn.log_probability, _OTHER

    def _listed(self, lattice: Lattice) -> list[plain.Path]:
        """The best paths in the kernel's order: of equal scores the reference may have another first."""
        edges = lattice.edges
        return [
            tuple(plain.Edge(one.start, one.end, one.id, one.score) for one in (edges[at] for at in path.edges))
            for path in lattice.nbest(self.nbest)
        ]

    def _drawn(self, lattice: Lattice, twin: plain.Lattice, watch: Watch) -> plain.Path:
        if self.method == "nbest":
            listed = _Listed(twin.edges, twin.length, twin.bounds, self._listed(lattice))
            return sampling.sample_nbest(listed, self.nbest, self.alpha, **self._key, watch=watch)
        if self.tokenizer.spec.symbols == "bytes" and self.method == "lattice":
            return sampling.sample_bytes(twin, self.alpha, **self._key, watch=watch)
        return sampling.sample(twin, self.method, self.alpha, **self._key, watch=watch)

    def _by_kernel(self, lattice: Lattice, taken: list[int]) -> tuple[DrawnUnit, ...]:
        shown = _Shown(lattice, self.tokenizer.spec.symbols == "bytes")
        edges = [lattice.edges[number] for number in taken]
        path = tuple(plain.Edge(edge.start, edge.end, edge.id, edge.score) for edge in edges)
        bounds = lattice.bounds.tolist()
        return tuple(shown.unit(_UnitRecord(start, end), path) for start, end in pairwise(bounds))

    def dropout(self) -> tuple[tuple[DrawnUnit, ...], float | None, str]:
        """Merges that were skipped."""
        if len(self.text) > LENGTH:
            return (), None, f"the text is longer than {LENGTH}: no steps"
        reference, spec = reference_of(self.tokenizer), self.tokenizer.spec
        if spec.symbols == "bytes":
            normalized = utf8.of_text(self.text, reference.lone_surrogate).decode("utf-8", "surrogateescape")
        else:
            normalized = self.tokenizer.normalize(self.text)
        recorder = _DrawRecorder()
        ids = _dropout_of(self.tokenizer).ids(normalized, self.alpha, **self._key, watch=recorder)
        if ids != self.ids:
            return (), None, _OTHER
        raw = normalized.encode("utf-8", "surrogateescape")

        def place(byte: int) -> int:
            return byte if spec.symbols == "bytes" else len(raw[:byte].decode("utf-8", "replace"))

        units = []
        for record in recorder.units:
            tries = tuple(
                Try(merge.place, _order(self.tokenizer, merge), _name(self.tokenizer, merge.id), number, outcome)
                for merge, number, outcome in record.tries
            )
            text = spelled(raw[record.start : record.end])
            units.append(DrawnUnit(text, place(record.start), place(record.end), "", (), (), (), tries, ()))
        return tuple(units), None, ""


def _dropout_of(tokenizer: Tokenizer) -> sampling.Dropout:
    """Dropout by the reference, kept with the tokenizer."""
    if "dropout" not in tokenizer._lazy:
        tokenizer._lazy["dropout"] = sampling.Dropout(tokenizer.spec)
    return cast("sampling.Dropout", tokenizer._lazy["dropout"])


def _order(tokenizer: Tokenizer, merge: Merge) -> float:
    return merge.rank if len(tokenizer.spec.merges) else tokenizer.score(merge.id)


def _name(tokenizer: Tokenizer, id: int) -> str:
    return spelled(tokenizer.id_to_bytes(id))


@dataclass
class _UnitRecord:
    """What was heard of one unit; places count from its beginning, but for its own."""

    start: int
    end: int
    direction: str = ""
    sums: Sequence[float] = ()
    draws: list[tuple[int, Sequence[plain.Path], Sequence[float], float, int]] = field(default_factory=list)
    coins: list[tuple[int, plain.Edge, float, float, float | None]] = field(default_factory=list)
    tries: list[tuple[Merge, float, str]] = field(default_factory=list)


class _DrawRecorder(Watch):
    def __init__(self) -> None:
        self.units: list[_UnitRecord] = []
        self._number = 0.0

    def unit(self, place: int, unit: plain.Lattice) -> None:
        self.units.append(_UnitRecord(place, place + unit.length))

    def chunk(self, start: int, end: int, rule: str) -> None:
        self.units.append(_UnitRecord(start, end))

    def sums(self, sums: Sequence[float], *, backward: bool) -> None:
        self.units[-1].sums = sums
        self.units[-1].direction = "backward" if backward else "forward"

    def draw(
        self,
        place: int,
        choices: Sequence[plain.Path],
        weights: Sequence[float],
        number: float,
        taken: int,
    ) -> None:
        self.units[-1].draws.append((place, choices, weights, number, taken))

    def coin(self, place: int, edge: plain.Edge, score: float, chance: float, number: float | None) -> None:
        self.units[-1].coins.append((place, edge, score, chance, number))

    def number(self, number: float, skipped: bool) -> None:
        self._number = number

    def choice(self, merges: Sequence[Merge]) -> None:
        self.units[-1].tries.append((merges[0], self._number, "merged"))

    def skipped(self, merge: Merge) -> None:
        self.units[-1].tries.append((merge, self._number, "skipped"))

    def stale(self, merge: Merge) -> None:
        self.units[-1].tries.append((merge, self._number, "stale"))


class _Shown:
    """Records as rows, with places and pieces of a lattice."""

    def __init__(self, lattice: Lattice, bytewise: bool) -> None:
        self.lattice = lattice
        self.pieces = {(edge.start, edge.end, edge.id): spelled(edge.piece_bytes) for edge in lattice.edges}
        places = np.arange(len(lattice.normalized) + 1) if bytewise else lattice.places
        self.place: Callable[[int], int] = places.tolist().__getitem__
        self.bytewise = bytewise

    def unit(self, record: _UnitRecord, path: plain.Path) -> DrawnUnit:
        """One unit; ``path`` is that of the whole text."""
        at, place = record.start, self.place
        inside = [edge for edge in path if record.start <= edge.start and edge.end <= record.end]
        segments = tuple(Segment(one.id, self._piece(one), place(one.start), place(one.end)) for one in inside)
        sums = tuple((place(at + number), value) for number, value in enumerate(record.sums) if value > -math.inf)
        text = self.lattice.shown[place(record.start) : place(record.end)]
        if self.bytewise:
            text = spelled(self.lattice.normalized[record.start : record.end])
        return DrawnUnit(
            text,
            place(record.start),
            place(record.end),
            record.direction,
            sums,
            tuple(self._draw(at, *row) for row in record.draws),
            self._coins(at, record.coins),
            (),
            segments,
        )

    def _piece(self, edge: plain.Edge, at: int = 0) -> str:
        return self.pieces[edge.start + at, edge.end + at, edge.id]

    def _draw(
        self, at: int, start: int, choices: Sequence[plain.Path], weights: Sequence[float], number: float, taken: int
    ) -> Draw:
        whole = sum(weights)
        rows = [
            Choice(
                tuple(self._piece(edge, at) for edge in choice),
                self.place(at + choice[0].start) if choice else self.place(at),
                self.place(at + choice[-1].end) if choice else self.place(at),
                plain.score_of(choice),
                weight / whole,
            )
            for choice, weight in zip(choices, weights, strict=True)
        ]
        return Draw(self.place(at + start), tuple(rows), number, taken)

    def _coins(self, at: int, coins: Sequence[tuple[int, plain.Edge, float, float, float | None]]) -> tuple[Coin, ...]:
        return tuple(
            Coin(
                self.place(at + end),
                self._piece(edge, at),
                self.place(at + edge.start),
                score,
                chance,
                number,
                number is None or number < chance,
            )
            for end, edge, score, chance, number in coins
        )
