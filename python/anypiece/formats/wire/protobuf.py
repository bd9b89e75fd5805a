"""Protobuf's wire encoding: fields in, fields out, without a schema and without the protobuf package.

Owns varints, fixed widths and length-delimited fields, and checks every length against the data it came from. Groups
are refused: no tokenizer file has them. What a field *means* is the business of the format that calls this.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from ...errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "FIXED32",
    "FIXED64",
    "LENGTH",
    "VARINT",
    "Field",
    "bytes_field",
    "fields",
    "float_field",
    "read_varint",
    "replace_field",
    "varint",
    "varint_field",
]

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_MAX_VARINT_BYTES = 10
_MAX_TAG = 2**32 - 1
_COPY_AGAIN = "the file is damaged or incomplete: copy or download it again"


class Field(NamedTuple):
    """One field: ``value`` is an int for a varint and bytes for the others; ``start`` and ``end`` include the tag."""

    number: int
    wire: int
    value: int | bytes
    start: int
    end: int


def _truncated(offset: int, wanted: int, have: int) -> FormatError:
    message = f"the field at byte {offset} wants {wanted} bytes and {have} are left; {_COPY_AGAIN}"
    return FormatError("file-truncated", message, offset=offset, wanted=wanted, have=have)


def _corrupt(offset: int, what: str) -> FormatError:
    return FormatError("file-corrupt", f"{what} at byte {offset}; {_COPY_AGAIN}", offset=offset)


def read_varint(data: bytes, position: int, at: int = 0) -> tuple[int, int]:
    """The varint at ``position`` as an unsigned 64-bit number, and the position after it.

    >>> read_varint(bytes([0xAC, 0x02]), 0)
    (300, 2)
    """
    value = 0
    for count in range(_MAX_VARINT_BYTES):
        if position + count >= len(data):
            raise _truncated(at + position, count + 1, len(data) - position)
        byte = data[position + count]
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value & (2**64 - 1), position + count + 1
    raise _corrupt(at + position, f"a number of more than {_MAX_VARINT_BYTES} bytes")


def fields(data: bytes, at: int = 0) -> Iterator[Field]:
    """Every field of a message, in order. ``at`` is where ``data`` begins in its file; only error messages use it.

    >>> [(f.number, f.value) for f in fields(varint_field(3, 1) + bytes_field(1, b"ab"))]
    [(3, 1), (1, b'ab')]
    """
    position = 0
    while position < len(data):
        field = _field(data, position, at)
        yield field
        position = field.end


def _field(data: bytes, start: int, at: int) -> Field:
    tag, position = read_varint(data, start, at)
    number, wire = tag >> 3, tag & 7
    if number == 0 or tag > _MAX_TAG:
        raise _corrupt(at + start, "a field without a valid number")
    if wire == VARINT:
        value, end = read_varint(data, position, at)
        return Field(number, wire, value, start, end)
    position, size = _payload(data, position, wire, start, at)
    if position + size > len(data):
        raise _truncated(at + start, size, len(data) - position)
    return Field(number, wire, data[position : position + size], start, position + size)


def _payload(data: bytes, position: int, wire: int, start: int, at: int) -> tuple[int, int]:
    """Where the payload of a field that is not a varint begins, and its size."""
    if wire == LENGTH:
        size, position = read_varint(data, position, at)
        return position, size
    if wire == FIXED32:
        return position, 4
    if wire == FIXED64:
        return position, 8
    raise _corrupt(at + start, f"a field of wire type {wire}, which is not used in tokenizer files,")


def varint(value: int) -> bytes:
    """``value`` as a varint; a negative number becomes its 64-bit two's complement, ten bytes long.

    >>> varint(300).hex(), len(varint(-1))
    ('ac02', 10)
    """
    value &= 2**64 - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def varint_field(number: int, value: int) -> bytes:
    """A whole varint field."""
    return varint(number << 3 | VARINT) + varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    """A whole length-delimited field."""
    return varint(number << 3 | LENGTH) + varint(len(value)) + value


def float_field(number: int, value: float) -> bytes:
    """A whole fixed32 field that holds a float."""
    return varint(number << 3 | FIXED32) + struct.pack("<f", value)


def replace_field(message: bytes, number: int, field: bytes) -> bytes:
    """``message`` with every field ``number`` taken out and ``field`` put in, everything else untouched.

    The new field stands where the first old one stood, else before the first higher number. An empty ``field`` only
    takes out.

    >>> replace_field(varint_field(1, 5) + varint_field(9, 6), 4, varint_field(4, 7)).hex()
    '080520074806'
    """
    found = list(fields(message))
    place = next((f.start for f in found if f.number == number), None)
    if place is None:
        place = next((f.start for f in found if f.number > number), len(message))
    before = [message[f.start : f.end] for f in found if f.number != number and f.start < place]
    after = [message[f.start : f.end] for f in found if f.number != number and f.start >= place]
    return b"".join([*before, field, *after])
