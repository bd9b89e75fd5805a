"""Wire records from columns, the way back of ``_native.scan_wire_records``: a bytes, a float and a small-int subfield each.

Written column by column with numpy, never piece by piece. ``Style`` says which fields are spelled out although they hold
the default; that is not in the columns and must be kept to write the same bytes again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ...spec import Kind
from . import protobuf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ...spec import Pieces

__all__ = ["STYLES", "Style", "join_records", "odd_records", "style_of"]

_NAME_TAG, _SCORE_TAG, _KIND_TAG = 1 << 3 | protobuf.LENGTH, 2 << 3 | protobuf.FIXED32, 3 << 3 | protobuf.VARINT


class Style(NamedTuple):
    """Which of a piece's fields are written out although their value is the default."""

    scores: Literal["always", "unless special and 0", "unless 0"] = "always"
    kinds: Literal["unless normal", "always"] = "unless normal"


STYLES = (
    Style("always", "unless normal"),
    Style("always", "always"),
    Style("unless special and 0", "unless normal"),
    Style("unless special and 0", "always"),
    Style("unless 0", "unless normal"),
    Style("unless 0", "always"),
)
"""All styles, the usual one first."""


class _Layout(NamedTuple):
    """Where each record begins and ends, and where in it the body, the name, the score and the kind stand."""

    starts: NDArray[np.int64]
    bodies: NDArray[np.int64]
    lengths: NDArray[np.int64]
    name_tags: NDArray[np.int64]
    names: NDArray[np.int64]
    score_tags: NDArray[np.int64]
    kind_tags: NDArray[np.int64]
    ends: NDArray[np.int64]
    has_score: NDArray[np.bool_]
    has_kind: NDArray[np.bool_]


def _layout(pieces: Pieces, style: Style) -> _Layout:
    has_score, has_kind = _has_score(pieces, style), _has_kind(pieces, style)
    offsets = pieces.offsets.astype(np.int64)
    lengths = offsets[1:] - offsets[:-1]
    name_heads = 1 + _varint_sizes(lengths)
    bodies = name_heads + lengths + 5 * has_score + 2 * has_kind
    body_heads = 1 + _varint_sizes(bodies)
    ends = np.cumsum(body_heads + bodies)
    name_tags = ends - bodies
    names = name_tags + name_heads
    score_tags = names + lengths
    kind_tags = score_tags + 5 * has_score
    starts = name_tags - body_heads
    return _Layout(starts, bodies, lengths, name_tags, names, score_tags, kind_tags, ends, has_score, has_kind)


def _has_score(pieces: Pieces, style: Style) -> NDArray[np.bool_]:
    if style.scores == "always":
        return np.ones(len(pieces), np.bool_)
    nonzero: NDArray[np.bool_] = pieces.scores.view(np.uint32) != 0
    return nonzero if style.scores == "unless 0" else nonzero | (pieces.kinds == Kind.NORMAL)


def _has_kind(pieces: Pieces, style: Style) -> NDArray[np.bool_]:
    return np.ones(len(pieces), np.bool_) if style.kinds == "always" else pieces.kinds != Kind.NORMAL


def _varint_sizes(values: NDArray[np.int64]) -> NDArray[np.int64]:
    sizes = np.ones(len(values), np.int64)
    for bits in (7, 14, 21, 28):
        if values.max(initial=0) >> bits:
            sizes += values >> bits > 0
    return sizes


def _varints(values: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.bool_], int, NDArray[np.uint8]]]:
    """The bytes of many varints: for each byte index, which values have one there, and what it is."""
    sizes = _varint_sizes(values)
    for index in range(int(sizes.max(initial=0))):
        here = sizes > index
        more = np.where(sizes[here] > index + 1, 0x80, 0)
        yield here, index, ((values[here] >> 7 * index) & 0x7F | more).astype(np.uint8)


def _heads(at: _Layout, number: int, pieces: Pieces) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint8] | int]]:
    """Everything but the names and scores, as (places, bytes): tags, lengths, kinds."""
    yield at.starts, number << 3 | protobuf.LENGTH
    yield at.name_tags, _NAME_TAG
    for after, values in ((at.starts + 1, at.bodies), (at.name_tags + 1, at.lengths)):
        for here, index, bytes_ in _varints(values):
            yield after[here] + index, bytes_
    yield at.score_tags[at.has_score], _SCORE_TAG
    yield at.kind_tags[at.has_kind], _KIND_TAG
    yield at.kind_tags[at.has_kind] + 1, pieces.kinds[at.has_kind]


def join_records(number: int, pieces: Pieces, style: Style) -> tuple[bytes, NDArray[np.int64]]:
    """All pieces as records of field ``number``, and where each record ends.

    >>> from anypiece.spec import Pieces
    >>> join_records(1, Pieces.of([("ab", 1.0, 1)]), Style())[0].hex()
    '0a090a026162150000803f'
    """
    at = _layout(pieces, style)
    out = np.zeros(int(at.ends[-1]) if len(pieces) else 0, np.uint8)
    for places, values in _heads(at, number, pieces):
        out[places] = values
    name_bytes = np.frombuffer(pieces.blob, np.uint8)
    out[np.arange(len(name_bytes)) + np.repeat(at.names - pieces.offsets[:-1], at.lengths)] = name_bytes
    score_bytes = pieces.scores.astype("<f4").view(np.uint8).reshape(-1, 4)
    out[at.score_tags[at.has_score, None] + np.arange(1, 5)] = score_bytes[at.has_score]
    return out.tobytes(), at.ends


def style_of(number: int, pieces: Pieces, records: bytes) -> Style | None:
    """The style in which ``pieces``, scanned from ``records``, are written there to the byte; None if in no one style.

    Only tags, lengths and kinds are compared: where these agree, names and scores stand where the scan took them from.
    """
    data = np.frombuffer(records, np.uint8)
    for style in STYLES:
        at = _layout(pieces, style)
        if (int(at.ends[-1]) if len(pieces) else 0) != len(records):
            continue
        if all(bool(np.all(data[places] == values)) for places, values in _heads(at, number, pieces)):
            return style
    return None


def odd_records(number: int, pieces: Pieces, records: bytes) -> Iterator[tuple[int, bytes]]:
    """The records that differ from the usual style: (piece index, raw field). One by one: no trainer writes such a file."""
    plain, ends = join_records(number, pieces, STYLES[0])
    start = 0
    for index, field in enumerate(protobuf.fields(records)):
        end = int(ends[index])
        raw = records[field.start : field.end]
        if raw != plain[start:end]:
            yield index, raw
        start = end
