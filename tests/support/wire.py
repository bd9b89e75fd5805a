"""A tiny protobuf-wire reader and writer, independent of the package under test.

It owns just enough of the tokenizer file: its pieces, its segmenter, and a writer for the settings a Spec has. It
validates nothing: its inputs come from sentencepiece itself or from the hand-made vocabularies beside it. Answers of
``serialized_proto`` are read in bulk by ``protos.py``.
"""

from __future__ import annotations

import struct
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from anypiece.spec import Spec

__all__ = ["PieceRow", "fields", "file_bytes", "file_pieces", "file_segmenter", "varint"]

SEGMENTERS = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}


class PieceRow(NamedTuple):
    """One vocabulary entry of a file: its bytes, its score, its kind number."""

    piece: bytes
    score: float
    kind: int


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The varint at ``at`` and the offset after it."""
    value = data[at]
    if value < 0x80:
        return value, at + 1
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Every ``(field number, value)`` of a message; fixed-width values come as raw bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            number, at = varint(data, at)
            yield tag >> 3, number
            continue
        size = {1: 8, 5: 4}.get(wire)
        if size is None:
            size, at = varint(data, at)
        yield tag >> 3, data[at : at + size]
        at += size


def _row(record: bytes) -> PieceRow:
    piece, score, kind = b"", 0.0, 1
    for number, value in fields(record):
        if number == 1 and isinstance(value, bytes):
            piece = value
        elif number == 2 and isinstance(value, bytes):
            score = struct.unpack("<f", value)[0]
        elif number == 3 and isinstance(value, int):
            kind = value
    return PieceRow(piece, score, kind)


@lru_cache(maxsize=2)
def file_pieces(path: Path) -> tuple[PieceRow, ...]:
    """Every piece of a tokenizer file, in id order."""
    return tuple(_row(value) for number, value in fields(path.read_bytes()) if number == 1 and isinstance(value, bytes))


@cache
def file_segmenter(path: Path) -> str:
    """The segmenter kind that a tokenizer file names; unigram where it names none."""
    data, at = path.read_bytes(), 0
    while data[at] == 0x0A:  # the pieces, which come first in most files, are skipped by their lengths
        size, at = varint(data, at + 1)
        at += size
    for number, value in fields(data[at:]):
        if number == 2 and isinstance(value, bytes):
            kind = dict(fields(value)).get(3, 1)
            return SEGMENTERS[kind if isinstance(kind, int) else 1]
    return "unigram"


def _varint_bytes(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint_bytes(field << 3) + _varint_bytes(value)


def _block(field: int, value: bytes) -> bytes:
    return _varint_bytes(field << 3 | 2) + _varint_bytes(len(value)) + value


def _piece_record(piece: bytes, score: float, kind: int) -> bytes:
    return _block(1, _block(1, piece) + b"\x15" + struct.pack("<f", score) + _number(3, kind))


def _trainer(spec: Spec) -> bytes:
    kinds = {name: number for number, name in SEGMENTERS.items()}
    out = _number(3, kinds[spec.segmenter]) + _number(4, len(spec.pieces))
    out += _number(24, spec.whitespace_as_suffix) + _number(35, spec.byte_fallback)
    out += _block(44, spec.unk_surface.encode())
    special = {40: spec.unk_id, 41: spec.bos_id, 42: spec.eos_id, 43: spec.pad_id}
    for field, index in special.items():
        out += _number(field, -1 if index is None else index)
        if index is not None:
            out += _block(field + 5, spec.pieces.bytes(index))
    return out


def _normalizer(spec: Spec) -> bytes:
    out = _block(1, b"hand-made") + _block(2, spec.charsmap) + _number(3, spec.add_dummy_prefix)
    return out + _number(4, spec.remove_extra_whitespaces) + _number(5, spec.escape_whitespaces)


def file_bytes(spec: Spec) -> bytes:
    """A tokenizer file that says what ``spec`` says, for sentencepiece to read."""
    out = b"".join(_piece_record(piece, score, int(kind)) for piece, score, kind in spec.pieces)
    out += _block(2, _trainer(spec)) + _block(3, _normalizer(spec))
    if spec.denormalizer:
        out += _block(5, _block(2, spec.denormalizer))
    return out
