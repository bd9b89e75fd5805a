"""The tables of chunks, from what was written down: one function for each family of algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .data import Candidate, Lookup, Match, Matching, Merge, Merging, Position, Segment, Viterbi
from .limits import LOST, SPELLED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..reference.unigram import Segment as Found
    from ..spec import Spec
    from .recorder import ChunkRecord

__all__ = ["Names", "spelled", "table_of"]


def spelled(raw: bytes) -> str:
    r"""Bytes as text: what is no UTF-8 as ``\xNN``."""
    return raw.decode("utf-8", "backslashreplace")


class Names:
    """One chunk: its symbols, and places and pieces in it by bytes."""

    def __init__(self, spec: Spec, raw: bytes) -> None:
        self.spec, self.raw = spec, raw
        self.bytewise = spec.symbols == "bytes"
        if self.bytewise:
            self.symbols = tuple(chr(byte) if byte < 0x80 else f"\\x{byte:02x}" for byte in raw)
            self.starts = [*range(len(raw) + 1)]
        else:
            text = raw.decode("utf-8", "replace")
            self.symbols = tuple(text)
            self.starts = [0]
            for character in text:
                self.starts.append(self.starts[-1] + len(character.encode()))
        self._numbers = [number for number, (one, other) in enumerate(zip(self.starts, self.starts[1:], strict=False))
                         for _ in range(other - one)]  # fmt: skip

    def place(self, byte: int) -> int:
        """The number of the symbol that a byte lies in; behind the last one, how many there are."""
        return self._numbers[byte] if byte < len(self._numbers) else len(self.symbols)

    def piece(self, id: int | None, start: int, end: int) -> str:
        """How a piece is shown: an unknown, and what is no piece, by its text."""
        if id is None or id == self.spec.unk_id or id < 0:
            return spelled(self.raw[start:end])
        return spelled(self.spec.pieces.bytes(id))

    def segment(self, id: int | None, start: int, end: int) -> Segment:
        """Bytes ``start`` to ``end`` as a piece at a place of the chunk."""
        shown = None if id is None or id < 0 else id
        return Segment(shown, self.piece(id, start, end), self.place(start), self.place(end))

    def found(self, path: Sequence[Found], before: int) -> tuple[Segment, ...]:
        """A path through a text in which the chunk begins at byte ``before``."""
        return tuple(self.segment(id, start - before, end - before) for start, end, id in path)


def table_of(
    spec: Spec, names: Names, record: ChunkRecord, path: tuple[Segment, ...]
) -> Viterbi | Merging | Matching | Lookup | None:
    """The table of a chunk; None where a limit was reached before it was complete."""
    if record.full:
        return None
    if spec.segmenter in ("unigram", "plamo"):
        return _viterbi(spec, names, record, path)
    if spec.segmenter == "bpe":
        return _merging(spec, names, record)
    if spec.segmenter in ("wordpiece", "greedy"):
        return _matching(spec, names, record)
    return Lookup(path)


# -- best paths


def _viterbi(spec: Spec, names: Names, record: ChunkRecord, path: tuple[Segment, ...]) -> Viterbi:
    backwards = spec.segmenter == "plamo"
    stored: Callable[[float], float] = _double if spec.arithmetic == "f64" or backwards else _single
    there: dict[int, list[Candidate]] = {place: [] for place in names.starts}
    for (start, end, id), score, total, best in record.tried:
        shown = None if id < 0 else id
        candidate = Candidate(
            spec.unk_id if shown is None else shown,
            names.piece(id, start, end),
            names.place(start),
            names.place(end),
            score,
            total,
            _verdict(total, best, backwards),
        )
        there.setdefault(start if backwards else end, []).append(candidate)
    last = names.starts[-1] if backwards else 0
    positions = tuple(
        _position(names, byte, there[byte], stored, byte == last, backwards)
        for byte in (sorted(there, reverse=True) if backwards else sorted(there))
    )
    marks = [0, *(segment.end for segment in path)]
    whole = None if record.rebased else positions[-1].total
    return Viterbi(
        positions,
        tuple(marks if backwards else marks[::-1]),
        whole,
        "right-to-left" if backwards else "left-to-right",
        tuple(map(names.place, record.rebased)),
    )


def _single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _double(value: float) -> float:
    return value


def _verdict(total: float, best: float | None, backwards: bool) -> str:
    if best is None:
        return "first"
    if total == best:
        return "longer" if backwards else "tie"
    return "better" if total > best else "worse"


def _position(
    names: Names, byte: int, tried: list[Candidate], stored: Callable[[float], float], first: bool, backwards: bool
) -> Position:
    taken = [number for number, one in enumerate(tried) if one.verdict in ("first", "better", "longer")]
    if not taken:
        return Position(names.place(byte), byte, tuple(tried), None, 0.0 if first else None, None, False)
    best = tried[taken[-1]]
    tied = sum(one.total == best.total for one in tried) > 1
    back = best.end if backwards else best.start
    return Position(names.place(byte), byte, tuple(tried), taken[-1], stored(best.total), back, tied)


# -- merges


def _merging(spec: Spec, names: Names, record: ChunkRecord) -> Merging:
    by = "rank" if len(spec.merges) else "score"
    if record.whole:
        return Merging((), (), by, True)
    scores = spec.pieces.scores

    def order(rank: float, id: int) -> float:
        return int(rank) if by == "rank" else float(scores[id])

    rows = [_placed(names, symbols) for symbols in record.symbols]
    merges = []
    for before, after, choice in zip(rows, rows[1:], record.choices, strict=False):
        (rank, place, id), *others = choice
        shown = tuple((order(one.rank, one.id), one.place, spelled(spec.pieces.bytes(one.id))) for one in others[:LOST])
        pair, made = (before[place], before[place + 1]), after[place]
        merges.append(Merge(order(rank, id), place, *pair, made, shown, max(len(others) - LOST, 0), after))
    return Merging(rows[0] if rows else (), tuple(merges), by, False, record.unrecorded)


def _placed(names: Names, symbols: Sequence[tuple[int | None, int]]) -> tuple[Segment, ...]:
    found: list[Segment] = []
    at = 0
    for id, length in symbols:
        end = min(at + length, len(names.raw))
        found.append(names.segment(id, min(at, end), end))
        at += length
    return tuple(found)


# -- longest match


def _matching(spec: Spec, names: Names, record: ChunkRecord) -> Matching:
    matches: list[Match] = []
    for start, longest, end, id in record.matches:
        prefix = ""
        if spec.segmenter == "wordpiece":
            prefix = spec.continuing_prefix if matches else spec.word_prefix
        shortest = start if end is None else end
        tried = [place for place in reversed(names.starts) if shortest < place <= longest]
        shown = tuple(prefix + spelled(names.raw[start:place][:SPELLED]) for place in tried[:LOST])
        found = None if end is None else names.segment(id, start, end)
        matches.append(Match(names.place(start), shown, len(tried) + (end is not None), found))
    limit = spec.max_word_chars if spec.segmenter == "wordpiece" else None
    return Matching(tuple(matches), limit is not None and len(names.symbols) > limit)
