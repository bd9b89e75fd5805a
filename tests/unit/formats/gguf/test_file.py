"""The GGUF container: what is read, what is refused, and that a damaged file is never more than a typed error."""

from __future__ import annotations

import struct
import time
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

import anypiece as ap
from anypiece.errors import CODES
from anypiece.formats import gguf
from anypiece.formats.gguf.file import MAGIC, packed, parsed
from anypiece.io import read as loading
from anypiece.io.paths import read_bytes
from tests.support.gguf import spm_file

if TYPE_CHECKING:
    from pathlib import Path

FIELDS: dict[str, tuple[str, Any]] = {
    "a.u8": ("u8", 200),
    "a.i8": ("i8", -3),
    "a.u16": ("u16", 60000),
    "a.i16": ("i16", -300),
    "a.u32": ("u32", 1 << 31),
    "a.i32": ("i32", -70000),
    "a.f32": ("f32", 0.5),
    "a.bool": ("bool", True),
    "a.string": ("string", "é".encode()),
    "a.u64": ("u64", 1 << 60),
    "a.i64": ("i64", -(1 << 60)),
    "a.f64": ("f64", 0.1),
    "b.strings": ("string[]", [b"one", b"", b"\xff"]),
    "b.numbers": ("i16[]", np.array([1, -2, 300], np.int16)),
    "b.flags": ("bool[]", [True, False]),
}


def code_of(data: bytes) -> str:
    with pytest.raises(ap.AnyPieceError) as error:
        ap.Tokenizer(gguf.read(data)[0])
    return str(error.value.code)


def outcome(data: bytes) -> str:
    try:
        ap.Tokenizer(gguf.read(data)[0]).encode("ab a<s>")
    except ap.AnyPieceError as error:
        return error.code
    return "read"


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("order", ["<", ">"])
def test_every_type_in_both_orders(order: Literal["<", ">"], version: int) -> None:
    data = packed(FIELDS, order=order, version=version)
    file = parsed(data + b"what follows are tensors")
    assert (file.version, file.order, list(file.fields)) == (version, order, list(FIELDS))
    for name, (kind, value) in FIELDS.items():
        found = file.fields[name]
        assert found.type == kind
        if kind == "string[]":
            assert (found.value.blob, found.value.offsets.tolist()) == (b"one\xff", [0, 3, 3, 4])
        elif kind.endswith("[]"):
            assert found.value.tolist() == [int(item) for item in value]
        else:
            assert found.value == value
        assert data[found.start + 8 :].startswith(name.encode()) or order == ">"
    assert packed(file.raw, count=len(file.fields), version=version, order=order) == data


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_orders_are_the_same_tokenizer(order: Literal["<", ">"]) -> None:
    assert gguf.read(spm_file(order=order))[0] == gguf.read(spm_file())[0]


@pytest.mark.parametrize("version", [0, 1, 4, 99])
def test_other_versions(version: int) -> None:
    assert code_of(packed(FIELDS, version=version)) == "file-version"


def test_every_cut() -> None:
    data = packed(FIELDS)
    for size in range(4, len(data)):
        with pytest.raises(ap.FormatError) as error:
            parsed(data[:size])
        assert error.value.code == "file-truncated"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"GGUQ" + packed(FIELDS)[4:], "file-corrupt"),
        (MAGIC + struct.pack("<IQQ", 3, 0, 1 << 62), "file-corrupt"),
        (MAGIC + struct.pack("<IQQ", 3, 0, 1), "file-truncated"),
        (MAGIC + struct.pack("<IQQQ", 3, 0, 1, 1 << 63), "file-truncated"),
        (MAGIC + struct.pack("<IQQQ1sI", 3, 0, 1, 1, b"a", 77), "file-corrupt"),
        (MAGIC + struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"a", 9, 9, 1), "file-corrupt"),
        (MAGIC + struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"a", 9, 8, (1 << 64) - 1), "file-truncated"),
        (MAGIC + struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"a", 9, 12, 1 << 61), "file-truncated"),
        (MAGIC + struct.pack("<IQQQ1sI", 3, 0, 1, 1, b"\xff", 0) + b"\0", "file-corrupt"),
        (MAGIC + struct.pack("<IQQ", 3, 0, 2) + 2 * struct.pack("<Q1sIB", 1, b"a", 0, 7), "file-corrupt"),
    ],
)
def test_damaged_headers(data: bytes, code: str) -> None:
    assert code_of(data) == code


def test_mutants_are_typed_errors_in_bounded_time() -> None:
    good = spm_file()
    rng = Random("mutated gguf")
    begin, codes = time.monotonic(), set()
    for _ in range(600):
        data = bytearray(good)
        for _ in range(rng.choice([1, 1, 2, 8])):
            place = rng.randrange(200 if rng.random() < 0.5 else len(data))
            data[place] = rng.choice([0, 1, 0xFF, 0x80, rng.randrange(256)])
        cut = rng.randrange(len(data)) if rng.random() < 0.2 else len(data)
        codes.add(outcome(bytes(data[:cut])))
    assert codes - {"read"} <= set(CODES)
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["string", "numbers", "many strings", "a string of many"])
def test_lengths_past_the_end_of_a_large_file(
    kind: str, order: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing more of the file is read: what is asked for is not there."""
    huge = 1 << 60
    values = {
        "string": struct.pack(f"{order}IQ", 8, huge),
        "numbers": struct.pack(f"{order}IIQ", 9, 6, huge),
        "many strings": struct.pack(f"{order}IIQ", 9, 8, huge),
        "a string of many": struct.pack(f"{order}IIQQQ", 9, 8, 2, 0, huge),
    }
    head = b"GGUF" + struct.pack(f"{order}IQQ", 3, 0, 1) + struct.pack(f"{order}Q", 1) + b"a"
    path = tmp_path / "a.gguf"
    path.write_bytes(head + values[kind])
    with open(path, "r+b") as file:
        file.truncate(1 << 28)
    limits = []

    def counted(path: Path, limit: int = -1) -> bytes:
        limits.append(limit)
        return read_bytes(path, limit)

    monkeypatch.setattr(loading, "read_bytes", counted)
    with pytest.raises(ap.FormatError) as caught:
        ap.load(path)
    assert caught.value.code == "file-truncated"
    assert max(limits) == gguf.FIRST_READ


def test_metadata_that_have_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_MOST_READ", 1 << 25)
    path = tmp_path / "a.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"a" + struct.pack("<IQ", 8, 1 << 27))
    with open(path, "r+b") as file:
        file.truncate(1 << 28)
    with pytest.raises(ap.FormatError, match="gigabyte") as caught:
        ap.load(path)
    assert caught.value.code == "file-corrupt"
