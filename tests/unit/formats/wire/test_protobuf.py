"""The wire encoding: fields in and out, and every way a length can lie."""

from __future__ import annotations

import random
import struct

import pytest

from anypiece._native import NativeError, scan_wire_records
from anypiece.errors import FormatError
from anypiece.formats.wire import protobuf
from tests.support import wire_twin

PIECE = protobuf.bytes_field(1, b"ab") + protobuf.float_field(2, -1.5) + protobuf.varint_field(3, 4)


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 2**32, 2**63, 2**64 - 1])
def test_varint_round_trip(value: int) -> None:
    assert protobuf.read_varint(protobuf.varint(value), 0) == (value, len(protobuf.varint(value)))


def test_negative_varint_is_twos_complement() -> None:
    assert protobuf.read_varint(protobuf.varint(-1), 0) == (2**64 - 1, 10)


def test_bits_beyond_64_are_dropped() -> None:
    assert protobuf.read_varint(b"\xff" * 9 + b"\x7f", 0) == (2**64 - 1, 10)


def test_fields_of_every_type() -> None:
    data = PIECE + protobuf.varint(9 << 3 | protobuf.FIXED64) + bytes(range(8))
    found = [(field.number, field.wire, field.value) for field in protobuf.fields(data)]
    assert found == [
        (1, protobuf.LENGTH, b"ab"),
        (2, protobuf.FIXED32, struct.pack("<f", -1.5)),
        (3, protobuf.VARINT, 4),
        (9, protobuf.FIXED64, bytes(range(8))),
    ]


def test_fields_cover_the_data() -> None:
    found = list(protobuf.fields(PIECE))
    assert [found[0].start, *(field.end for field in found)] == [0, 4, 9, 11]
    assert b"".join(PIECE[field.start : field.end] for field in found) == PIECE


@pytest.mark.parametrize(
    ("data", "code", "offset"),
    [
        (b"\x0a", "file-truncated", 1),
        (b"\x0a\x05abcd", "file-truncated", 0),
        (b"\x08\x80", "file-truncated", 1),
        (b"\x15\0\0\0", "file-truncated", 0),
        (b"\x11" + bytes(7), "file-truncated", 0),
        (b"\x08\x01\x0a\xff\xff\xff\xff\x0f", "file-truncated", 2),
        (b"\x08" + b"\xff" * 11, "file-corrupt", 1),
        (b"\x0b", "file-corrupt", 0),
        (b"\x0c", "file-corrupt", 0),
        (b"\x0e\0", "file-corrupt", 0),
        (b"\0\0", "file-corrupt", 0),
        (b"\xf8\xff\xff\xff\x1f\0", "file-corrupt", 0),
    ],
    ids=[
        "no length",
        "length past the end",
        "number past the end",
        "fixed32 past the end",
        "fixed64 past the end",
        "4 GiB length",
        "eleven-byte number",
        "group start",
        "group end",
        "wire type 6",
        "field number 0",
        "field number of more than 29 bits",
    ],
)
def test_bad_data(data: bytes, code: str, offset: int) -> None:
    with pytest.raises(FormatError, match=f"byte {1000 + offset}") as caught:
        list(protobuf.fields(data, at=1000))
    assert caught.value.code == code
    assert caught.value.facts["offset"] == 1000 + offset
    assert "copy or download it again" in str(caught.value)


def test_replace_field() -> None:
    one, two, four = (protobuf.varint_field(number, number) for number in (1, 2, 4))
    new = protobuf.bytes_field(3, b"new")
    assert protobuf.replace_field(one + four, 3, new) == one + new + four
    assert protobuf.replace_field(one + two, 3, new) == one + two + new
    assert (
        protobuf.replace_field(protobuf.varint_field(3, 1) + one + protobuf.varint_field(3, 2) + two, 3, new)
        == new + one + two
    )
    assert protobuf.replace_field(one + two + one, 1, b"") == two
    assert protobuf.replace_field(b"", 3, new) == new


def records(rng: random.Random) -> bytes:
    """Wire data with records of field 1, some of them odd, among other fields."""
    makers = [
        lambda: protobuf.bytes_field(1, bytes(rng.randrange(256) for _ in range(rng.randrange(200)))),
        lambda: protobuf.float_field(2, rng.uniform(-9, 9)),
        lambda: protobuf.varint_field(3, rng.choice([0, 1, 6, 7, 300, 2**32 + 2, -1])),
        lambda: protobuf.varint_field(rng.choice([1, 2, 200, 5000]), 5),
        lambda: protobuf.bytes_field(rng.choice([2, 3, 201]), b"stray"),
        lambda: protobuf.varint(7 << 3 | protobuf.FIXED64) + bytes(8),
    ]
    out = b""
    for _ in range(rng.randrange(12)):
        if rng.random() < 0.7:
            out += protobuf.bytes_field(1, b"".join(rng.choice(makers)() for _ in range(rng.randrange(5))))
        else:
            out += rng.choice(
                [protobuf.bytes_field(3, b"x"), protobuf.varint_field(1, 9), protobuf.float_field(5, 1.0)]
            )
    return out


@pytest.mark.parametrize("seed", range(100))
def test_native_scan_equals_its_twin(seed: int) -> None:
    data = records(random.Random(seed))
    assert joined(scan_wire_records(data, 1)) == joined(wire_twin.scan_wire_records(data, 1))


def joined(scanned: wire_twin.Scanned) -> tuple[object, ...]:
    """The result with the strays of each record joined: whether they come one by one is not part of the contract."""
    strays: dict[int, bytes] = {}
    for index, raw in scanned[4]:
        strays[index] = strays.get(index, b"") + raw
    return (*scanned[:4], strays, scanned[5])


@pytest.mark.parametrize("seed", range(200))
def test_native_scan_of_damaged_data_equals_its_twin(seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(records(rng) + protobuf.bytes_field(1, PIECE))
    for _ in range(rng.randrange(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    damaged = bytes(data[: rng.randrange(len(data)) + 1])
    assert outcome(scan_wire_records, damaged) == outcome(wire_twin.scan_wire_records, damaged)


def outcome(scan: object, data: bytes) -> object:
    assert callable(scan)
    try:
        return joined(scan(data, 1))
    except NativeError as error:
        return error.args[0]
    except FormatError as error:
        return error.code
