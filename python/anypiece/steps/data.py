"""What steps are made of: frozen rows of plain values, ready for JSON.

A text is cut into ``Part``s at special tokens. Each other part is normalized into a ``Fragment``, and that is segmented
chunk by chunk: a ``Chunk`` has the table of its algorithm and the path that came out. ``Steps.tokens`` say what became of
the path, and ``Steps.around`` what was put around them.

Places are of three kinds. ``start`` and ``end`` of parts and tokens are places of the text as given: characters of a
``str``, bytes of ``bytes``. Those of a chunk are places of ``Fragment.normalized``. Everything inside a chunk counts the
chunk's ``symbols``: its characters, or its bytes where pieces are bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from math import isfinite
from typing import Any

__all__ = [
    "Around",
    "Candidate",
    "Chunk",
    "Fragment",
    "Lookup",
    "Match",
    "Matching",
    "Merge",
    "Merging",
    "Part",
    "Position",
    "Replacement",
    "Segment",
    "Special",
    "Split",
    "StepToken",
    "Steps",
    "TextStep",
    "Viterbi",
    "plain_values",
]


@dataclass(frozen=True)
class Segment:
    """A piece at a place of its chunk. Without an id it is no piece (a symbol that is only on its way to one)."""

    id: int | None
    piece: str
    start: int
    end: int


@dataclass(frozen=True)
class Candidate:
    """A piece tried as the last one up to its end: what it adds, and the sum with it.

    ``verdict`` is ``first`` (nothing was there), ``better``, ``worse``, or ``tie`` (equal to what was there, which stays).
    """

    id: int
    piece: str
    start: int
    end: int
    score: float
    total: float
    verdict: str


@dataclass(frozen=True)
class Position:
    """A row of the table: the pieces that end at ``at``, in the order in which they were tried, and the one that won.

    ``byte`` is the place in bytes. ``back`` is where the winner begins. From right to left (PLaMo) the pieces *begin* at
    ``at``, and ``back`` is where the winner ends. ``tied``: another has the same sum, and the first of them stays.
    """

    at: int
    byte: int
    candidates: tuple[Candidate, ...]
    winner: int | None
    total: float | None
    back: int | None
    tied: bool


@dataclass(frozen=True)
class Viterbi:
    """The table of a best path. ``trace`` are the places of the path in the order in which they are walked back.

    ``rebased`` are the places at which all sums were brought back to near zero.
    """

    positions: tuple[Position, ...]
    trace: tuple[int, ...]
    total: float | None
    direction: str = "left-to-right"
    rebased: tuple[int, ...] = ()
    kind: str = "viterbi"


@dataclass(frozen=True)
class Merge:
    """One merge: ``left`` and ``right`` became ``made``, at the number ``place`` of the symbols.

    ``rank`` is the place in the list of merges, or the score that was highest. ``lost`` are the other merges that were
    possible, the next in order first, each as ``(rank, place, piece)``. ``symbols`` are those after it.
    """

    rank: float
    place: int
    left: Segment
    right: Segment
    made: Segment
    lost: tuple[tuple[float, int, str], ...]
    more_lost: int
    symbols: tuple[Segment, ...]


@dataclass(frozen=True)
class Merging:
    """Merges, from the first symbols on. ``by`` says what orders them: ``rank`` (low first) or ``score`` (high first).

    ``whole``: the chunk is a piece itself, and nothing was merged. ``unmerged``: merges beyond those recorded.
    """

    first: tuple[Segment, ...]
    merges: tuple[Merge, ...]
    by: str
    whole: bool
    unmerged: int = 0
    kind: str = "merges"


@dataclass(frozen=True)
class Match:
    """A longest match: ``tried`` are the first strings that are no piece, longest first, ``tries`` counts all lookups."""

    start: int
    tried: tuple[str, ...]
    tries: int
    found: Segment | None


@dataclass(frozen=True)
class Matching:
    """Longest matches, from left to right. Where one finds nothing, the whole chunk is unknown.

    ``too_long``: the chunk has more characters than may be looked up.
    """

    matches: tuple[Match, ...]
    too_long: bool = False
    kind: str = "matches"


@dataclass(frozen=True)
class Lookup:
    """Every symbol, word or chunk is looked up as it is."""

    found: tuple[Segment, ...]
    kind: str = "lookup"


@dataclass(frozen=True)
class Chunk:
    """A stretch that is segmented by itself. ``rule`` is what made it; empty where nothing cuts the text.

    ``start`` and ``end`` are places of ``Fragment.normalized``; where rules put text in, of the text they made, and then
    ``source_start`` and ``source_end`` still say where in the text as given it is from. ``table`` is None where a limit was
    reached.
    """

    text: str
    start: int
    end: int
    source_start: int
    source_end: int
    rule: str
    symbols: tuple[str, ...]
    table: Viterbi | Merging | Matching | Lookup | None
    path: tuple[Segment, ...]


@dataclass(frozen=True)
class Replacement:
    """Text that was replaced. ``start`` and ``end`` are places of the text as given, ``at`` and ``to`` of the normalized.

    ``why``: ``map`` (the character map), ``space`` (a mark for spaces), ``prefix``, ``suffix``, ``removed``, ``not UTF-8``,
    or ``steps`` (the steps of the normalizer).
    """

    start: int
    end: int
    source: str
    at: int
    to: int
    result: str
    why: str


@dataclass(frozen=True)
class TextStep:
    """A step of a normalizer that is a list of steps, and the text after it."""

    name: str
    options: dict[str, Any]
    text: str
    changed: bool


@dataclass(frozen=True)
class Split:
    """A rule of a splitter that is a list of rules, and the chunks after it."""

    name: str
    options: dict[str, Any]
    chunks: tuple[str, ...]
    changed: bool


@dataclass(frozen=True)
class Special:
    """An added token that the text spells.

    ``found``: it became that token. ``by`` says who permitted it: ``vocabulary`` (it is no control token: always whole),
    or the caller, as ``specials="parse"``; if it is only text, what kept it from being found.
    """

    id: int
    piece: str
    text: str
    start: int
    end: int
    found: bool
    is_special: bool
    by: str
    where: str = "text"


@dataclass(frozen=True)
class Fragment:
    """Text between special tokens: how it was normalized, and how it was cut."""

    normalized: str
    replacements: tuple[Replacement, ...]
    steps: tuple[TextStep, ...]
    splits: tuple[Split, ...]
    specials: tuple[Special, ...]
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True)
class Part:
    """A stretch of the text as given: a special token, or a fragment."""

    start: int
    end: int
    text: str
    special: Special | None
    fragment: Fragment | None


@dataclass(frozen=True)
class StepToken:
    """A token, and how it came about: ``piece``, ``unknown``, ``fused`` (a run of unknowns), ``bytes`` (byte fallback),
    ``special`` (found in the text), ``bos``, ``eos`` or ``template`` (put around it)."""

    id: int
    piece: str
    start: int
    end: int
    how: str


@dataclass(frozen=True)
class Around:
    """What was put before and behind the text. ``by``: what asked for it."""

    before: tuple[StepToken, ...]
    after: tuple[StepToken, ...]
    by: str


@dataclass(frozen=True)
class Steps:
    """Every step of encoding a text, in order. ``ids`` are those of ``encode``: that is checked whenever steps are made.

    ``places`` says what places in the text count, ``"char"`` or ``"byte"``. ``limits`` are what was left out and why; empty
    if nothing was.
    """

    text: str
    places: str
    segmenter: str
    symbols: str
    spelled: tuple[Special, ...]
    parts: tuple[Part, ...]
    tokens: tuple[StepToken, ...]
    around: Around
    ids: tuple[int, ...]
    limits: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The data as dictionaries and lists.

        >>> import anypiece, json
        >>> found = anypiece.load().explain("Hi").steps.to_json()
        >>> json.loads(json.dumps(found)) == found
        True
        """
        found: dict[str, Any] = plain_values(self)
        return found

    def chunks(self) -> list[Chunk]:
        """The chunks of all fragments, in order."""
        return [chunk for part in self.parts if part.fragment for chunk in part.fragment.chunks]


def plain_values(value: Any) -> Any:
    """Dataclasses as dictionaries, tuples as lists, numbers that JSON does not have as None."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain_values(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {name: plain_values(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_values(one) for one in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
