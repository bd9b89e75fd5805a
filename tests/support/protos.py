"""Serialized SentencePieceText messages, many at once, into columns.

A parity run reads hundreds of millions of tokens, so only the walk from record to record is a Python loop; the fields
inside the records are read for all of them together with numpy. A record is tag 0x12 and its length, then 0x0a piece,
0x10 id, maybe 0x1a surface, 0x20 begin, 0x28 end, always in this order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tests.support.wire import varint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["SEPARATOR", "ProtoColumns", "read_protos"]

SEPARATOR = 0xFF
"""Ends each piece in a column of pieces: a byte that UTF-8 never has."""

_RECORD = 0x12
_SURFACE = 0x1A
_FIXED32 = 5
_BLOCK = 2
_LONGEST_RECORD_HEAD = 64


class ProtoColumns(NamedTuple):
    """The tokens of several texts: how many each has, ids, pieces each ended by 0xFF, begin and end interleaved."""

    counts: NDArray[np.int64]
    ids: NDArray[np.uint32]
    pieces: bytes
    spans: NDArray[np.uint32]


def read_protos(protos: Sequence[bytes]) -> ProtoColumns:
    """Columns of the tokens of all ``protos``."""
    starts: list[int] = []
    counts = np.zeros(len(protos), np.int64)
    base = 0
    for index, proto in enumerate(protos):
        before = len(starts)
        _walk(proto, base, starts)
        counts[index] = len(starts) - before
        base += len(proto)
    data = np.frombuffer(b"".join(protos) + bytes(_LONGEST_RECORD_HEAD), np.uint8)
    return _columns(data, np.array(starts, np.int64), counts)


def _walk(data: bytes, base: int, starts: list[int]) -> None:
    """Append where the body of each record begins, counted from ``base``."""
    at, total = 0, len(data)
    while at < total:
        tag, size = data[at], data[at + 1]
        if tag & 7 == _FIXED32:
            at += 5
            continue
        if size < 0x80:
            at += 2
        else:
            size, at = varint(data, at + 1)
        if tag == _RECORD:
            starts.append(base + at)
        at += size if tag & 7 == _BLOCK else 0


def _columns(data: NDArray[np.uint8], starts: NDArray[np.int64], counts: NDArray[np.int64]) -> ProtoColumns:
    sizes, at = _varints(data, starts + 1)
    pieces = _pieces(data, at, sizes)
    ids, at = _varints(data, at + sizes + 1)
    has_surface = data[at] == _SURFACE
    surface, after = _varints(data, at + 1)
    at = np.where(has_surface, after + surface, at)
    begin, at = _varints(data, at + 1)
    end, at = _varints(data, at + 1)
    spans = np.stack([begin, end], axis=1).reshape(-1)
    return ProtoColumns(counts, ids.astype(np.uint32), pieces, spans.astype(np.uint32))


def _varints(data: NDArray[np.uint8], at: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The varint at each place, and the places after them."""
    byte = data[at].astype(np.int64)
    value, more, at, shift = byte & 0x7F, byte >= 0x80, at + 1, 7
    while more.any():
        byte = np.where(more, data[at], 0).astype(np.int64)
        value |= (byte & 0x7F) << shift
        at = at + more
        more = byte >= 0x80
        shift += 7
    return value, at


def _pieces(data: NDArray[np.uint8], at: NDArray[np.int64], sizes: NDArray[np.int64]) -> bytes:
    """The bytes of each piece, each ended by SEPARATOR."""
    ends = np.cumsum(sizes + 1)
    total = int(ends[-1]) if len(ends) else 0
    source = np.arange(total) + np.repeat(at - (ends - sizes - 1), sizes + 1)
    out = data[source]
    out[ends - 1] = SEPARATOR
    return bytes(out.tobytes())
