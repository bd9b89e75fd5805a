"""Lines of base64 and rank: bytes to columns and back.

It owns the shape of a line and says which line is wrong. What the ranks mean, and that all bytes are there, is for
``tiktoken``. A file without fault is scanned by the kernel; the way in Python, which works on whole columns at once,
explains the faults of others and is what the scanner is compared with.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ... import _native
from ...errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["RankLines", "explained_lines", "join_lines", "rank_limit", "scan_lines"]

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NEWLINE, _CR, _SPACE, _PAD, _ZERO = b"\n\r =0"
_DIGITS = 8
_MOST = 1 << 24


class RankLines(NamedTuple):
    """The lines of a file in their order: piece ``i`` is ``blob[offsets[i]:offsets[i + 1]]`` and has rank ``ranks[i]``."""

    blob: bytes
    offsets: NDArray[np.int64]
    ranks: NDArray[np.int64]


def rank_limit(lines: int) -> int:
    """The highest id that a file of this many lines may use: memory is bounded by the file, and scores stay exact."""
    return min(4 * lines + 4096, _MOST)


def scan_lines(text: bytes) -> RankLines:
    """The columns of a file with LF line ends. Raises ``FormatError`` with the fact ``line``, counted from 1.

    >>> lines = scan_lines(b"IQ== 0\\nISE= 1\\n")
    >>> lines.blob, lines.offsets.tolist(), lines.ranks.tolist()
    (b'!!!', [0, 1, 3], [0, 1])
    """
    found = _native.scan_lines(text)
    if found is None:
        return explained_lines(text)
    blob, offsets, numbers = found
    ranks = np.frombuffer(numbers, "<u4").astype(np.int64)
    if not len(ranks) or ranks.max() > rank_limit(len(ranks)) or np.bincount(ranks).max() > 1:
        return explained_lines(text)
    return RankLines(blob, np.frombuffer(offsets, "<u4").astype(np.int64), ranks)


def explained_lines(text: bytes) -> RankLines:
    """Read in Python what the scanner does not take, and say which line is wrong and why."""
    data = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(data == _NEWLINE)
    if not text.endswith(b"\n"):
        line = len(ends) + 1
        message = f"line {line}, the last, has no line end: the file is cut off; copy it again, or end the line"
        raise FormatError("file-truncated", message, line=line)
    starts = np.concatenate([[0], ends[:-1] + 1])
    spaces = _spaces(data, ends)
    blob, offsets = _decoded(data, starts, spaces)
    ranks = _ranks(data, spaces, ends)
    _refuse_same_ranks(ranks)
    _refuse_same_pieces(blob, offsets)
    return RankLines(blob, offsets, ranks)


def _spaces(data: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the one space of each line is."""
    spaces = np.flatnonzero(data == _SPACE)
    counts = np.bincount(np.searchsorted(ends, spaces), minlength=len(ends))
    _refuse(counts != 1, "is not base64, one space and a rank")
    return spaces


def _decoded(
    data: NDArray[np.uint8], starts: NDArray[np.int64], spaces: NDArray[np.int64]
) -> tuple[bytes, NDArray[np.int64]]:
    """All pieces and where each begins. Fields are whole groups of four characters, so all are decoded as one."""
    widths = spaces - starts
    _refuse(widths == 0, "has an empty piece, which no text could match")
    _refuse(widths % 4 != 0, "does not begin with base64: its length is not a multiple of four")
    last = data[spaces - 1] == _PAD
    both = last & (data[spaces - 2] == _PAD)
    pads = last.astype(np.int64) + both
    fields = _cut(data, starts, spaces).tobytes()
    if fields.translate(None, _ALPHABET) != b"=" * int(pads.sum()):
        _refuse_strange(fields, widths, pads)
    raw = np.frombuffer(a2b_base64(fields.replace(b"=", b"A")), np.uint8)
    tails = np.cumsum(widths // 4 * 3)
    kept = np.ones(len(raw), np.bool_)
    kept[tails[last] - 1] = False
    kept[tails[both] - 2] = False
    if raw[~kept].any():
        unused = np.where(last, raw[tails - 1], 0) | np.where(both, raw[tails - 2], 0)
        _refuse(unused != 0, "does not begin with base64 as it is written: bits of its last character go unused")
    return raw[kept].tobytes(), np.concatenate([[0], tails - np.cumsum(pads)])


def _refuse_strange(fields: bytes, widths: NDArray[np.int64], pads: NDArray[np.int64]) -> None:
    """Refuse the first line whose field has other characters than its alphabet and the signs that fill its end."""
    strange = ~np.isin(np.frombuffer(fields, np.uint8), list(_ALPHABET))
    counts = np.add.reduceat(strange, np.cumsum(widths) - widths, dtype=np.int64)
    _refuse(counts != pads, "does not begin with base64: it has a character that does not belong there")


def _cut(data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The bytes from each start to its end, joined."""
    changes = np.zeros(len(data), np.bool_)
    changes[starts] = True
    changes[ends] = True
    kept: NDArray[np.uint8] = data[np.logical_xor.accumulate(changes)]
    return kept


def _ranks(data: NDArray[np.uint8], spaces: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of each line, read a column of digits at a time."""
    digits = ends - spaces - 1
    _refuse(data[ends - 1] == _CR, "ends in CR LF, as in Windows, but not all lines do: give all of them the same end")
    _refuse(digits == 0, "has no rank")
    ranks = np.zeros(len(ends), np.int64)
    strange = (digits > 1) & (data[spaces + 1] == _ZERO)
    for place in range(min(int(digits.max()), _DIGITS)):
        there = digits > place
        values = data[np.where(there, ends - 1 - place, spaces)].astype(np.int64) - _ZERO
        strange |= there & ((values < 0) | (values > 9))
        ranks += np.where(there, values * 10**place, 0)
    _refuse(strange, "has a rank that is not a plain number: digits only, no sign, no zeros in front")
    limit = rank_limit(len(ends))
    _refuse((digits > _DIGITS) | (ranks > limit), f"has a rank above {limit}, too high for {len(ends)} lines")
    return ranks


def _refuse_same_ranks(ranks: NDArray[np.int64]) -> None:
    if np.bincount(ranks).max() > 1:
        order = np.argsort(ranks, kind="stable")
        again = np.zeros(len(ranks), np.bool_)
        again[order[1:]] = ranks[order[1:]] == ranks[order[:-1]]
        _refuse(again, "has a rank that an earlier line has")


def _refuse_same_pieces(blob: bytes, offsets: NDArray[np.int64]) -> None:
    """Compare hashes (a weight for each place in a piece, times the byte there), and pieces only if two are the same."""
    starts, sizes = offsets[:-1], np.diff(offsets)
    weights = np.random.default_rng(0).integers(1, 1 << 64, int(sizes.max()), np.uint64)
    terms = weights[np.arange(len(blob)) - np.repeat(starts, sizes)]
    terms *= np.frombuffer(blob, np.uint8) + np.uint64(1)
    hashes = np.sort(np.add.reduceat(terms, starts))
    if (hashes[1:] == hashes[:-1]).any():
        first: dict[bytes, int] = {}
        places = offsets.tolist()
        pieces = [blob[start:end] for start, end in pairwise(places)]
        again = np.array([first.setdefault(piece, line) != line for line, piece in enumerate(pieces)])
        _refuse(again, "has a piece that an earlier line has")


def _refuse(wrong: NDArray[np.bool_], what: str) -> None:
    """Refuse the first line that is wrong."""
    if wrong.any():
        line = int(wrong.argmax()) + 1
        message = f"line {line} {what}; copy the file again, or correct the line"
        raise FormatError("file-corrupt", message, line=line)


def join_lines(rows: Iterable[tuple[bytes, int]], line_end: bytes = b"\n") -> bytes:
    """The file of ``(piece, rank)`` rows.

    >>> join_lines([(b"!", 0), (b"!!", 1)])
    b'IQ== 0\\nISE= 1\\n'
    """
    return b"".join([b"%b %d%b" % (b2a_base64(piece, newline=False), rank, line_end) for piece, rank in rows])
