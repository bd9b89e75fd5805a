"""Score-merge BPE: join neighbours into pieces, always the pair whose piece has the highest score, until none is left.

There is no list of merges: any two neighbours whose joined text is a piece may merge, however each of them came about.
Of equal scores the leftmost goes first. A user-defined piece in the text is one symbol from the start and never merges.

Unused pieces may be merged *through*, since a longer piece may need them. One that is left at the end is taken apart
again into the pair it came from, and these in turn.
"""

from __future__ import annotations

import heapq
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..spec import Kind
from .prefix import Prefixes
from .unigram import Path, Segment
from .utf8 import lead_length
from .vocabulary import Vocabulary
from .watch import Merge

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spec import Spec
    from .watch import Watch

__all__ = ["Bpe"]

_MAX_SPLIT_DEPTH = 100


@dataclass
class _Symbol:
    """A stretch of text that is one piece for now; empty when its left neighbour has swallowed it."""

    start: int
    end: int
    before: int
    after: int
    frozen: bool


class Bpe:
    """The score-merge segmenter of a Spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.vocabulary = Vocabulary(spec)
        self.prefixes = Prefixes(spec)
        self.order = [self._order(score) for score in spec.pieces.scores.tolist()]

    def segment(self, text: bytes, watch: Watch | None = None, passes: Callable[[], bool] = lambda: False) -> Path:
        """The merged symbols of normalized text; a merge that ``passes`` passes over is not made, and not tried again."""
        run = _Run(self, text, watch)
        run.merge(passes)
        return [segment for symbol in run.symbols if symbol.end > symbol.start for segment in run.pieces_of(symbol)]

    def _order(self, score: float) -> float:
        """What to compare scores by. Release 0.2.2 compares their bits, so that -0.0 is less than 0.0; before, numbers."""
        if self.spec.arithmetic != "f32-rebased":
            return score
        (bits,) = struct.unpack("<i", struct.pack("<f", score))
        return float(bits if bits >= 0 else -(bits & 0x7FFFFFFF) - 1)


class _Run:
    """One text on its way through the merges."""

    def __init__(self, bpe: Bpe, text: bytes, watch: Watch | None) -> None:
        self.bpe = bpe
        self.watch = watch
        self.text = text
        self.symbols = self._first_symbols()
        self.agenda: list[tuple[float, int, int, int]] = []
        self.halves: dict[bytes, int] = {}
        for left in range(len(self.symbols) - 1):
            self._look_up(left, left + 1)

    def _first_symbols(self) -> list[_Symbol]:
        symbols: list[_Symbol] = []
        start = 0
        while start < len(self.text):
            length = self.bpe.prefixes.longest(self.text, start)
            end = start + (length or lead_length(self.text[start]))
            symbols.append(_Symbol(start, end, len(symbols) - 1, len(symbols) + 1, length > 0))
            start = end
        if symbols:
            symbols[-1].after = -1
        return symbols

    def _look_up(self, left: int, right: int) -> None:
        """Put a pair on the agenda if it makes a piece. For an unused piece, remember where its halves meet."""
        if left < 0 or right < 0 or self.symbols[left].frozen or self.symbols[right].frozen:
            return
        name = self.text[self.symbols[left].start : self.symbols[right].end]
        piece = self.bpe.vocabulary.matched.get(name)
        if piece is None:
            return
        heapq.heappush(self.agenda, (-self.bpe.order[piece], left, right, len(name)))
        if self.bpe.spec.match_kinds == "text" and self.bpe.vocabulary.kinds[piece] == Kind.UNUSED:
            self.halves[name] = self.symbols[left].end - self.symbols[left].start

    def merge(self, passes: Callable[[], bool]) -> None:
        """Merge until the agenda is empty."""
        self._tell()
        while self.agenda:
            entry = heapq.heappop(self.agenda)
            if self._is_stale(entry):
                continue
            if passes():
                if self.watch is not None:
                    self.watch.skipped(self._merges(entry)[0])
                continue
            if self.watch is not None:
                self.watch.choice(self._merges(entry))
            _, left, right, _ = entry
            one, other = self.symbols[left], self.symbols[right]
            one.end, one.after = other.end, other.after
            other.end = other.start
            if one.after >= 0:
                self.symbols[one.after].before = left
            self._look_up(one.before, left)
            self._look_up(left, one.after)
            self._tell()

    def _is_stale(self, entry: tuple[float, int, int, int]) -> bool:
        """An entry is stale when either symbol is gone or has grown since."""
        _, left, right, size = entry
        one, other = self.symbols[left], self.symbols[right]
        gone = one.end == one.start or other.end == other.start
        return gone or one.end - one.start + other.end - other.start != size

    def _tell(self) -> None:
        """What a watcher hears of the symbols there are."""
        if self.watch is not None:
            there = [symbol for symbol in self.symbols if symbol.end > symbol.start]
            names = [self.text[symbol.start : symbol.end] for symbol in there]
            self.watch.symbols([(self.bpe.vocabulary.matched.get(name), len(name)) for name in names])

    def _merges(self, entry: tuple[float, int, int, int]) -> list[Merge]:
        """An entry and those that it goes before, for a watcher, by the numbers of the symbols that are left."""
        places = {
            at: place for place, at in enumerate(at for at, one in enumerate(self.symbols) if one.end > one.start)
        }
        found = []
        for score, left, right, _ in [entry, *sorted(other for other in self.agenda if not self._is_stale(other))]:
            name = self.text[self.symbols[left].start : self.symbols[right].end]
            found.append(Merge(score, places[left], self.bpe.vocabulary.matched[name]))
        return found

    def pieces_of(self, symbol: _Symbol) -> Path:
        """The symbol as a segment, or, if its piece is unused, as its halves."""
        return self._split(symbol.start, symbol.end, 0)

    def _split(self, start: int, end: int, depth: int) -> Path:
        name = self.text[start:end]
        vocabulary = self.bpe.vocabulary
        found = vocabulary.matched.get(name, -1) if vocabulary.hides else vocabulary.id_of(name)
        unused = found >= 0 and vocabulary.kinds[found] == Kind.UNUSED
        if depth > _MAX_SPLIT_DEPTH or not unused or name not in self.halves:
            return [Segment(start, end, vocabulary.symbol_id(name))]
        middle = start + self.halves[name]
        return self._split(start, middle, depth + 1) + self._split(middle, end, depth + 1)
