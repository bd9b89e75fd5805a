"""Unigram over bytes: of all ways to cut a chunk into pieces, the one whose scores add up to the most.

Pieces are bytes, and every byte is one, so there is a way to every place and nothing is unknown. Sums are doubles, and
begin anew in every chunk. A way must be *better* to replace the one found before it. Starts are visited from left to right,
so on a tie the path whose last piece is the longest stays.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .byte_bpe import ByteBpe
from .unigram import Segment

if TYPE_CHECKING:
    from ..spec import Spec
    from .watch import Watch

__all__ = ["ByteUnigram"]


class ByteUnigram(ByteBpe):
    """The unigram segmenter of a Spec whose pieces are bytes.

    >>> from anypiece.spec import Kind, Pieces, Spec
    >>> rows = [(bytes([byte]), -3, Kind.NORMAL) for byte in range(256)] + [("ab", -4, Kind.NORMAL), ("ba", -5, Kind.NORMAL)]
    >>> spec = Spec(Pieces.of(rows), "unigram", "bytes", arithmetic="f64", add_dummy_prefix=False,
    ...             remove_extra_whitespaces=False, escape_whitespaces=False)
    >>> [token.id for token in ByteUnigram(spec).tokens(b"abba")]
    [256, 257]
    """

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self.longest = max(map(len, self.ids))

    def merged(self, chunk: bytes, watch: Watch | None = None) -> list[bytes]:
        """The pieces of a chunk."""
        scores = [0.0] + [-math.inf] * len(chunk)
        starts = [0] * (len(chunk) + 1)
        for start in range(len(chunk)):
            for end in range(start + 1, min(start + self.longest, len(chunk)) + 1):
                piece = self.ids.get(chunk[start:end])
                if piece is None:
                    continue
                total = scores[start] + self.scores[piece]
                if watch is not None:
                    there = scores[end] if scores[end] > -math.inf else None
                    watch.candidate(Segment(start, end, piece), self.scores[piece], total, there)
                if total > scores[end]:
                    scores[end], starts[end] = total, start
        parts: list[bytes] = []
        end = len(chunk)
        while end:
            parts.append(chunk[starts[end] : end])
            end = starts[end]
        return parts[::-1]
