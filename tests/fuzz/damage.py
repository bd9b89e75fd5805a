"""Damage to bytes whose meaning is not known: cuts, flips, splices, repetitions."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

__all__ = ["BYTES", "INTERESTING", "damaged"]

INTERESTING = (0, 1, 2, 7, 8, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def _length(rng: Random, most: int) -> int:
    """Mostly short."""
    return rng.randint(0, min(most, rng.choice((1, 4, 16, 64, 1024, most))))


def _place(rng: Random, data: bytes) -> tuple[int, int]:
    """A stretch, more often near the beginning."""
    start = rng.randint(0, rng.choice((min(64, len(data)), len(data), len(data))))
    return start, start + _length(rng, len(data) - start)


def cut(rng: Random, data: bytes) -> bytes:
    return data[: rng.randint(0, rng.choice((min(40, len(data)), len(data))))]


def flip(rng: Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64)) if data else 0):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def overwrite(rng: Random, data: bytes) -> bytes:
    start, _ = _place(rng, data)
    size = rng.choice((1, 2, 4, 8))
    number: int = rng.choice((*INTERESTING, rng.getrandbits(64), 2**64 - 1)) & (2 ** (8 * size) - 1)
    return data[:start] + number.to_bytes(size, "little") + data[start + size :]


def remove(rng: Random, data: bytes) -> bytes:
    start, end = _place(rng, data)
    return data[:start] + data[end:]


def insert(rng: Random, data: bytes) -> bytes:
    start, _ = _place(rng, data)
    return data[:start] + rng.randbytes(_length(rng, 64)) + data[start:]


def double(rng: Random, data: bytes) -> bytes:
    start, end = _place(rng, data)
    return data[:end] + data[start:end] + data[end:]


def move(rng: Random, data: bytes) -> bytes:
    start, end = _place(rng, data)
    rest = data[:start] + data[end:]
    at = rng.randint(0, len(rest))
    return rest[:at] + data[start:end] + rest[at:]


def fill(rng: Random, data: bytes) -> bytes:
    start, end = _place(rng, data)
    return data[:start] + bytes([rng.choice((0, 0xFF, 0x80, 0x0A))]) * (end - start) + data[end:]


def repeat(rng: Random, data: bytes) -> bytes:
    """A short stretch many times over: what makes a reader's lists long."""
    start = rng.randint(0, len(data))
    stretch = data[start : start + rng.randint(1, 40)] or b"\x0a\x00"
    times = rng.choice((2, 30, 1000, 20000)) // len(stretch) + 1
    return data[:start] + stretch * times + data[start:]


def append(rng: Random, data: bytes) -> bytes:
    return data + rng.choice((b"\0", b"\x0a", b"\xff" * 10, rng.randbytes(20)))


BYTES: tuple[Callable[[Random, bytes], bytes], ...] = (
    cut, flip, flip, flip, overwrite, overwrite, remove, insert, double, move, fill, repeat, append,
)  # fmt: skip


def damaged(rng: Random, data: bytes) -> bytes:
    """One or a few damages."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(BYTES)(rng, data)
    return data
