"""PLaMo's best path: Viterbi over integer costs, from the end of the text to its beginning.

A score counts as ``round(score * 10000)``, halves away from zero. A character may also be taken as unknown, which costs
10,000,000 and is spelled in bytes afterwards; a piece of -20,000,000 or less never matches. Of ways that cost the same, the
one that begins with the longer piece counts, and any piece before an unknown.
"""

from __future__ import annotations

from math import copysign, floor
from typing import TYPE_CHECKING

from ..spec import Kind
from .unigram import Path, Segment
from .utf8 import lead_length

if TYPE_CHECKING:
    from ..spec import Spec
    from .watch import Watch

__all__ = ["Plamo"]

UNKNOWN = -10_000_000
NEVER = -20_000_000
_RANGE = (-(1 << 31), (1 << 31) - 1)


def _rounded(score: float) -> int:
    scaled = score * 1e4
    whole = floor(abs(scaled))
    away = whole + (abs(scaled) - whole >= 0.5)
    return max(_RANGE[0], min(_RANGE[1], int(copysign(away, scaled))))


class Plamo:
    """The segmenter of a Spec with ``segmenter="plamo"``."""

    def __init__(self, spec: Spec) -> None:
        self.unk_id = spec.unk_id
        self.scores: dict[bytes, tuple[int, int]] = {}
        for index, (name, score, kind) in enumerate(spec.pieces):
            literal = spec.escape_whitespaces and b" " in name
            if kind in (Kind.NORMAL, Kind.USER_DEFINED) and not literal and _rounded(score) > NEVER:
                self.scores[name] = (_rounded(score), index)
        self.longest = max(map(len, self.scores), default=0)

    def segment(self, text: bytes, watch: Watch | None = None) -> Path:
        """The pieces of normalized text."""
        totals = [0] * (len(text) + 1)
        ways: dict[int, Segment] = {}
        for start in reversed([at for at in range(len(text)) if text[at] & 0xC0 != 0x80]):
            end = start + lead_length(text[start])
            best = (totals[end] + UNKNOWN, 0)
            ways[start] = Segment(start, end, self.unk_id)
            if watch is not None:
                watch.candidate(ways[start], UNKNOWN, best[0], None)
            for end in range(start + 1, min(len(text), start + self.longest) + 1):
                score, piece = self.scores.get(text[start:end], (None, 0))
                if score is not None and watch is not None:
                    watch.candidate(Segment(start, end, piece), score, totals[end] + score, best[0])
                if score is not None and (totals[end] + score, end) > best:
                    best = (totals[end] + score, end)
                    ways[start] = Segment(start, end, piece)
            totals[start] = best[0]
        path: Path = []
        at = 0
        while at < len(text):
            path.append(ways[at])
            at = ways[at].end
        return path
