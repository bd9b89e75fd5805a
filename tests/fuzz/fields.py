"""Damage that knows protobuf's wire format and the fields of a ``.model`` file: most of it still parses.

Owns a reader and writer of its own, which can also write what is wrong: lengths that lie, numbers spelled too long.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from tests.fuzz.damage import damaged
from tests.support.wire import varint

__all__ = ["Field", "mutated_fields", "parse", "written"]

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
PIECE, TRAINER, NORMALIZER, SAMPLES, DENORMALIZER = 1, 2, 3, 4, 5
_MAX_FIELDS = 40_000


@dataclass(frozen=True)
class Field:
    """One field. ``stated`` is the length that is written if it is not that of the value; ``long`` spells numbers so."""

    number: int
    wire: int
    value: int | bytes
    stated: int | None = None
    long: int = 0

    def write(self) -> bytes:
        """The field as bytes, right or wrong."""
        head = _number(self.number << 3 | self.wire, self.long)
        if isinstance(self.value, int):
            return head + _number(self.value, self.long)
        if self.wire != _LENGTH:
            return head + self.value
        return head + _number(len(self.value) if self.stated is None else self.stated, self.long) + self.value


def _number(value: int, long: int = 0) -> bytes:
    value &= 2**64 - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    if long:
        out[-1] |= 0x80
        out += b"\x80" * (long - 1) + b"\0"
    return bytes(out)


def parse(data: bytes) -> list[Field] | None:
    """The fields of a message; None if it is none."""
    out, at = [], 0
    try:
        while at < len(data):
            tag, at = varint(data, at)
            number, wire = tag >> 3, tag & 7
            if wire == _VARINT:
                value, at = varint(data, at)
                out.append(Field(number, wire, value))
                continue
            size = {_FIXED64: 8, _FIXED32: 4}.get(wire)
            if size is None:
                size, at = varint(data, at)
            if wire not in (_FIXED64, _LENGTH, _FIXED32) or at + size > len(data):
                return None
            out.append(Field(number, wire, data[at : at + size]))
            at += size
    except IndexError:
        return None
    return out


def written(fields: list[Field]) -> bytes:
    """The message of these fields."""
    return b"".join(field.write() for field in fields)


Fields = list[Field]
Change = Callable[[Random, Fields], Fields]


def _some(rng: Random, fields: Fields, number: int | None = None) -> int | None:
    """The index of some field; the last ones, which are settings, as often as all others."""
    found = [index for index, field in enumerate(fields) if number is None or field.number == number]
    return rng.choice(found[-4:] if rng.random() < 0.5 else found) if found else None


def _with(fields: Fields, index: int, *fresh: Field) -> Fields:
    return [*fields[:index], *fresh, *fields[index + 1 :]]


def lie(rng: Random, fields: Fields) -> Fields:
    """A length that is not the value's."""
    index = _some(rng, fields)
    if index is None or fields[index].wire != _LENGTH:
        return fields
    size = len(fields[index].value)  # type: ignore[arg-type]
    lies = (size - 1, size + 1, 0, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, rng.getrandbits(40))
    return _with(fields, index, replace(fields[index], stated=rng.choice(lies)))


def spell_long(rng: Random, fields: Fields) -> Fields:
    index = _some(rng, fields)
    return (
        fields if index is None else _with(fields, index, replace(fields[index], long=rng.choice((1, 2, 5, 8, 9, 10))))
    )


def take_out(rng: Random, fields: Fields) -> Fields:
    index = _some(rng, fields)
    return fields if index is None else _with(fields, index)


def put_twice(rng: Random, fields: Fields) -> Fields:
    index = _some(rng, fields)
    if index is None:
        return fields
    at = rng.randint(0, len(fields))
    times = rng.choice((1, 1, 2, 300 if len(fields[index].write()) < 1000 else 3))
    return [*fields[:at], *[fields[index]] * times, *fields[at:]]


def swap(rng: Random, fields: Fields) -> Fields:
    if len(fields) < 2:
        return fields
    out = list(fields)
    first, second = rng.randrange(len(out)), rng.randrange(len(out))
    out[first], out[second] = out[second], out[first]
    return out


def retag(rng: Random, fields: Fields) -> Fields:
    index = _some(rng, fields)
    if index is None:
        return fields
    number = rng.choice((0, 1, 2, 3, 4, 5, 6, 40, 199, 200, 2**29 - 1, 2**29, 2**60, fields[index].number))
    wire = rng.choice((0, 1, 2, 3, 4, 5, 6, 7, *[fields[index].wire] * 8))
    value = fields[index].value
    return _with(
        fields, index, Field(number, wire, value if isinstance(value, int) == (wire == 0) else _other(rng, wire))
    )


def _other(rng: Random, wire: int) -> int | bytes:
    if wire == _VARINT:
        return rng.choice((0, 1, 2, 2**31, 2**32 - 1, 2**63, 2**64 - 1))
    return rng.randbytes({_FIXED32: 4, _FIXED64: 8}.get(wire, rng.randint(0, 30)))


def many_small(rng: Random, fields: Fields) -> Fields:
    """Very many fields of two bytes: small in the file, large in lists."""
    small = rng.choice(
        (Field(6, _VARINT, 0), Field(PIECE, _LENGTH, b""), Field(SAMPLES, _LENGTH, b"\x0a\x00"), Field(3, _LENGTH, b""))
    )
    at = rng.randint(0, len(fields))
    return [*fields[:at], *[small] * rng.choice((10, 1000, 20_000)), *fields[at:]]


def inside(rng: Random, fields: Fields) -> Fields:
    """Damage within a field, its length put right."""
    index = _some(rng, fields)
    if index is None or not isinstance(fields[index].value, bytes):
        return fields
    value = fields[index].value
    assert isinstance(value, bytes)
    nested = parse(value)
    fresh = written(changed(rng, nested)) if nested and rng.random() < 0.6 else damaged(rng, value)
    return _with(fields, index, replace(fields[index], value=fresh))


_NAMES = (
    b"",
    b"\0",
    b"a\0b",
    b"\xff",
    b"\xe2\x96",
    "▁".encode(),
    b"<unk>",
    b"<s>",
    b"</s>",
    b"<0x41>",
    b"<0xZZ>",
    b" ",
    b"a" * 7999,
    b"a" * 8000,
)
_SCORES = (0.0, -0.0, float("nan"), float("inf"), float("-inf"), 3.4e38, -3.4e38, 1e-45, 1e5, -1e5, 1e9)
_KINDS = (0, 1, 2, 3, 4, 5, 6, 7, 255, 256, 2**31, 2**32 + 1, 2**64 - 1)


def odd_piece(rng: Random, fields: Fields) -> Fields:
    """A record with a name, score or kind that is hard to bear."""
    index = _some(rng, fields, PIECE)
    record = parse(fields[index].value) if index is not None and isinstance(fields[index].value, bytes) else None  # type: ignore[arg-type]
    if index is None or record is None:
        return fields
    fresh = rng.choice((
        Field(1, _LENGTH, rng.choice(_NAMES)),
        Field(2, _FIXED32, struct.pack("<f", rng.choice(_SCORES))),
        Field(3, _VARINT, rng.choice(_KINDS)),
    ))  # fmt: skip
    return _with(fields, index, Field(PIECE, _LENGTH, written([*record, fresh])))


def setting(rng: Random, fields: Fields) -> Fields:
    """Another value of a setting that matters, or of one next to it."""
    number = rng.choice((TRAINER, TRAINER, NORMALIZER, DENORMALIZER))
    inner = (
        rng.choice((3, 3, 24, 35, 35, 40, 41, 44, 45, 46, 47, 48)) if number == TRAINER else rng.choice((1, 2, 3, 4, 5))
    )
    numbers = (0, 1, 2, 3, 4, 5, 2**31, 2**32 + 2, 2**64 - 1)
    words = (b"", b"<s>", b"\xff", b"x" * 100, rng.randbytes(12))
    fresh = rng.choice((Field(inner, _VARINT, rng.choice(numbers)), Field(inner, _LENGTH, rng.choice(words))))
    return [*fields, Field(number, _LENGTH, fresh.write())]


def sample(rng: Random, fields: Fields) -> Fields:
    text, expected = rng.choice((b"", b"a", b"\xff", b"hello")), rng.choice((b"", "▁a".encode(), b"a b c", b"\xff"))
    row = Field(1, _LENGTH, Field(1, _LENGTH, text).write() + Field(2, _LENGTH, expected).write())
    return [*fields, Field(SAMPLES, _LENGTH, row.write() * rng.choice((1, 3, 11_000)))]


def charsmap(rng: Random, fields: Fields) -> Fields:
    """Damage to the character map: its size, its units, its targets; or the map in the denormalizer's place."""
    index = _some(rng, fields, NORMALIZER)
    message = parse(fields[index].value) if index is not None and isinstance(fields[index].value, bytes) else None  # type: ignore[arg-type]
    place = _some(rng, message, 2) if message else None
    if index is None or message is None or place is None or not isinstance(message[place].value, bytes):
        return fields
    fresh = replace(message[place], value=_damaged_map(rng, bytes(message[place].value)))
    if rng.random() < 0.2:
        flags = [Field(flag, _VARINT, 0) for flag in (3, 4, 5)]
        return [*fields, Field(DENORMALIZER, _LENGTH, written([*flags, fresh]))]
    return _with(fields, index, replace(fields[index], value=written(_with(message, place, fresh))))


def _damaged_map(rng: Random, blob: bytes) -> bytes:
    if len(blob) < 8 or rng.random() < 0.2:
        return damaged(rng, blob)
    size = int.from_bytes(blob[:4], "little")
    if rng.random() < 0.3:
        size = (
            rng.choice((0, 4, 1024, size + 1024, size - 1024, len(blob), 2**32 - 1, rng.getrandbits(20))) & 0xFFFFFFFF
        )
        return size.to_bytes(4, "little") + blob[4:]
    out = bytearray(blob)
    for _ in range(rng.choice((1, 1, 3, 30))):
        _damage_unit(rng, out, min(size, len(out) - 8))
    return bytes(out)


def _damage_unit(rng: Random, out: bytearray, size: int) -> None:
    """One unit of the double array: another offset, label or value; or a byte of the targets."""
    if rng.random() < 0.15:
        out[rng.randrange(len(out))] = rng.choice((0, 0x20, 0x80, 0xFF, rng.randrange(256)))
        return
    at = 4 + 4 * rng.randint(0, max(size // 4 - 1, 0))
    unit = int.from_bytes(out[at : at + 4], "little")
    choices = (
        unit ^ 1 << rng.randrange(32),
        unit ^ rng.getrandbits(20) << 10,
        unit ^ 0x100,
        0,
        2**32 - 1,
        rng.getrandbits(32),
    )
    out[at : at + 4] = rng.choice(choices).to_bytes(4, "little")


_CHANGES: tuple[Change, ...] = (
    lie, lie, spell_long, take_out, put_twice, swap, retag, retag, inside, inside, inside, many_small,
    odd_piece, odd_piece, odd_piece, setting, setting, setting, sample, charsmap, charsmap, charsmap,
)  # fmt: skip


def changed(rng: Random, fields: Fields) -> Fields:
    """One or a few changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if len(fields) < _MAX_FIELDS:
            fields = rng.choice(_CHANGES)(rng, fields)
    return fields


def mutated_fields(rng: Random, data: bytes) -> bytes:
    """A ``.model`` file with changed fields; what does not parse is damaged as plain bytes."""
    fields = parse(data)
    return damaged(rng, data) if fields is None else written(changed(rng, fields))
