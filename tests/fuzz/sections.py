"""Damage that knows the sections of an ``.anypiece`` file. The table's checksum stays wrong where the table is touched: what
lies behind that check is the business of ``crates/fuzz``, which can put it right.
"""

from __future__ import annotations

import json
import struct
from random import Random

from tests.fuzz.damage import INTERESTING, damaged

__all__ = ["mutated_sections", "patched"]

_HEADER, _ROW = 24, 32
_CONFIG, _EXTRA = 1, 21
_ODD_SAMPLES = (
    b"{}", b"[]", b"null", b'{"samples": 1}', b'{"samples": [[]]}', b'{"samples": [["a", "b"]]}',
    b'{"samples": [[1, [2]]]}', b"\xff",
)  # fmt: skip


def _sections(data: bytes) -> list[tuple[int, int, int]]:
    """Number, start and length of each."""
    count = int.from_bytes(data[12:16], "little")
    rows = (struct.unpack_from("<IIQQQ", data, _HEADER + _ROW * index) for index in range(count))
    return [(number, start, length) for number, _, start, length, _ in rows]


def _inside(rng: Random, data: bytes) -> bytes:
    """A few words or bits within one section."""
    _, start, length = rng.choice([row for row in _sections(data) if row[2]])
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 32))):
        at = start + rng.randrange(rng.choice((min(length, 64), length)))
        if rng.random() < 0.5:
            out[at] ^= 1 << rng.randrange(8)
            continue
        at = start + (at - start) // 4 * 4
        word = rng.choice((*INTERESTING, rng.getrandbits(32))).to_bytes(4, "little")[: start + length - at]
        out[at : at + len(word)] = word
    return bytes(out)


def _same_length(text: bytes, length: int) -> bytes:
    return text[:length].ljust(length)


def _settings(rng: Random, data: bytes) -> bytes:
    """Other settings in the same number of bytes: JSON may be padded with spaces."""
    start, length = next((row[1], row[2]) for row in _sections(data) if row[0] == _CONFIG)
    config = json.loads(data[start : start + length])
    for _ in range(rng.choice((1, 2))):
        name = rng.choice(sorted(config))
        config[name] = rng.choice((True, False, None, 0, 1, 2**32, -1, "", "bpe", "char", "word", "unigram"))
    if rng.random() < 0.1:
        del config[rng.choice(sorted(config))]
    text = json.dumps(config, separators=(",", ":"), ensure_ascii=False).encode()
    return data[:start] + _same_length(text, length) + data[start + length :]


def _samples(rng: Random, data: bytes) -> bytes:
    """Other self-test samples in the same number of bytes."""
    found = [(row[1], row[2]) for row in _sections(data) if row[0] == _EXTRA and row[2]]
    if not found:
        return damaged(rng, data)
    start, length = found[0]
    return data[:start] + _same_length(rng.choice(_ODD_SAMPLES), length) + data[start + length :]


def patched(data: bytes, patches: list[tuple[int, int, str]]) -> bytes:
    """``data`` with bytes (as hex) put at a place in a section: how rows of ``tests/cases`` say what is damaged."""
    out = bytearray(data)
    starts = {number: start for number, start, _ in _sections(data)}
    for section, at, fresh in patches:
        start = starts[section] + at
        out[start : start + len(fresh) // 2] = bytes.fromhex(fresh)
    return bytes(out)


def mutated_sections(rng: Random, data: bytes) -> bytes:
    """An ``.anypiece`` file with damage that most often gets past the header."""
    change = rng.choice((_inside, _inside, _inside, _inside, _settings, _samples, damaged))
    return change(rng, data)
