"""Training BytePiece's way: cut lines where a chain over bytes most probably begins anew, count what lies between, prune.

Nothing here is fast; scores are dictionaries of strings, and every state of the chain is tried at every byte.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["train_bytepiece"]

_NEVER = -math.inf
_SPECIALS = 3


def train_bytepiece(
    lines: Mapping[bytes, int],
    sizes: Sequence[int],
    *,
    order: int = 6,
    max_piece_length: int = 36,
    min_count: int = 2,
    ensure_unicode: bool = True,
) -> list[dict[bytes, int]]:
    """For each size, the largest first, pieces with their counts; three special pieces count in sizes.

    >>> pieces = train_bytepiece({b"to be or not to be": 9}, [300])[0]
    >>> [piece for piece in pieces if len(piece) > 1]
    [b'to be or not to be']
    """
    scores = _scores(lines, order, min_count)
    counts: Counter[bytes] = Counter()
    for line, count in lines.items():
        for piece in cut(line, scores, order, ensure_unicode):
            counts[piece] += count
    for byte in range(256):
        counts.setdefault(bytes([byte]), 1)
    kept = {p: n for p, n in counts.items() if len(p) == 1 or (len(p) <= max_piece_length and n >= min_count)}
    kept = _settled(kept, {piece: count for piece, count in counts.items() if piece not in kept})
    made = []
    for size in sorted(sizes, reverse=True):
        if len(kept) > size - _SPECIALS:
            ranked = sorted(kept.items(), key=lambda item: (len(item[0]) > 1, -item[1], -len(item[0]), item[0]))
            kept = _settled(dict(ranked[: size - _SPECIALS]), dict(ranked[size - _SPECIALS :]))
        made.append(dict(sorted(kept.items(), key=lambda item: (len(item[0]), item[0]))))
    return made


def _scores(lines: Mapping[bytes, int], order: int, min_count: int) -> dict[bytes, float]:
    """The logarithm of the probability of the last byte of each string behind the others."""
    counts: Counter[bytes] = Counter()
    for line, count in lines.items():
        for at in range(len(line)):
            for length in range(min(order, len(line) - at) + 1):
                counts[line[at : at + length]] += count
    for byte in range(256):
        if bytes([byte]) not in counts:
            counts[bytes([byte])] = 1
            counts[b""] += 1
    return {
        string: math.log(count) - math.log(counts[string[:-1]])
        for string, count in counts.items()
        if len(string) == 1 or (len(string) > 1 and count >= min_count)
    }


def cut(line: bytes, scores: Mapping[bytes, float], order: int, ensure_unicode: bool) -> list[bytes]:
    """``line`` in pieces. In state ``j`` a byte has ``j`` bytes before it as its context; pieces begin in state 0."""
    best: list[list[tuple[float, int]]] = []
    for at, byte in enumerate(line):
        row = []
        for state in range(order):
            own = scores.get(line[at - state : at + 1], _NEVER) if state <= at else _NEVER
            if ensure_unicode and state == 0 and 0x80 <= byte < 0xC0:
                own = _NEVER
            if not at:
                row.append((own, 0))
                continue
            ways = range(order) if state == 0 else {state - 1, state} if state == order - 1 else {state - 1}
            found = [(best[-1][before][0] + own, -before) for before in ways]
            score, before = max(found)
            row.append((score, -before if score > _NEVER else 0))
        best.append(row)
    state = max(range(order), key=lambda state: best[-1][state][0])
    pieces: list[bytes] = []
    end = len(line)
    for at in reversed(range(len(line))):
        if state == 0:
            pieces.append(line[at:end])
            end = at
        state = best[at][state][1]
    return pieces[::-1]


def _settled(kept: dict[bytes, int], dropped: Mapping[bytes, int]) -> dict[bytes, int]:
    """``kept`` with the counts of what is dropped, without the pieces that are not their own best path."""
    gained = _parted(dropped, kept)
    kept = {piece: count + gained[piece] for piece, count in kept.items()}
    while True:
        left = dict(_parted(kept, kept))
        if len(left) == len(kept):
            return left
        kept = left


def _parted(pieces: Mapping[bytes, int], kept: Mapping[bytes, int]) -> Counter[bytes]:
    """How often each piece that is kept is in the best paths of ``pieces``."""
    total = math.log(sum(kept.values()))
    scores = {piece: math.log(count) - total for piece, count in kept.items()}
    counts: Counter[bytes] = Counter()
    for piece, count in pieces.items():
        best = [(0.0, 0)]
        for end in range(1, len(piece) + 1):
            ways = [(best[at][0] + scores[piece[at:end]], -at) for at in range(end) if piece[at:end] in scores]
            score, start = max(ways)
            best.append((score, -start))
        end = len(piece)
        while end:
            counts[piece[best[end][1] : end]] += count
            end = best[end][1]
    return counts
