"""The GGUF container: its metadata, in both versions and byte orders. Tensors are never looked at.

A file is a header (magic, version, number of tensors, number of fields), the fields (name, type, value), and then the
tensors, which may be many gigabytes. Every length and count is held against what is there before anything is made of it.
This module knows nothing of tokenizers.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

import numpy as np

from ..._core.checks import translated
from ..._native import NativeError, scan_strings
from ...errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["MAGIC", "Field", "GgufFile", "Strings", "packed", "parsed"]

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_HEADER = 24
_LENGTH = 8
"""Bytes of the length of a string."""
_MAX_FIELDS = 1 << 16
_STRING, _ARRAY, _BOOL = 8, 9, 7
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Types of one number, by the letter that struct has for them."""
_NAMES = dict(
    enumerate(["u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64"])
)


class Strings(NamedTuple):
    """An array of strings as columns: string ``i`` is ``blob[offsets[i]:offsets[i + 1]]``."""

    blob: bytes
    offsets: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True)
class Field:
    """A field of the metadata. ``type`` is one of ``u8 i8 u16 i16 u32 i32 f32 bool string u64 i64 f64``, with ``[]``
    behind it for an array. The value of a string is ``bytes``, of an array of numbers a numpy array, and of one of
    strings ``Strings``."""

    type: str
    value: Any
    start: int
    end: int
    """Where the field stands in the file, its name included."""


@dataclass(frozen=True)
class GgufFile:
    """The metadata of a file."""

    version: int
    order: Literal["<", ">"]
    fields: dict[str, Field]
    data: bytes
    """The beginning of the file, its fields at least."""
    end: int
    """Where the fields end."""

    @property
    def raw(self) -> bytes:
        """The fields as they stand in the file."""
        return self.data[_HEADER : self.end]


def parsed(data: bytes) -> GgufFile:
    """The metadata of a file that begins with ``data``. Raises ``file-truncated`` where more of it is needed.

    >>> file = parsed(packed({"general.name": ("string", b"tiny")}))
    >>> file.version, file.fields["general.name"].value
    (3, b'tiny')
    """
    if data[:4] != MAGIC:
        raise FormatError("file-corrupt", "the file does not begin with GGUF; it is of another format or was damaged")
    version, order = _version(data)
    reader = _Reader(data, order, _HEADER)
    _, count = struct.unpack_from(f"{order}QQ", data, 8)
    if count > _MAX_FIELDS:
        message = f"the file says it has {count} fields, more than any real one; it is damaged"
        raise FormatError("file-corrupt", message, count=count)
    fields: dict[str, Field] = {}
    for _ in range(count):
        start = reader.at
        name = reader.name()
        if name in fields:
            raise FormatError("file-corrupt", f"the field {name} is there twice; the file is damaged", field=name)
        kind, value = reader.value(name)
        fields[name] = Field(kind, value, start, reader.at)
    # Metadata are copied only where much else would be kept with them.
    return GgufFile(version, order, fields, data if len(data) < 2 * reader.at else data[: reader.at], reader.at)


def _version(data: bytes) -> tuple[int, Literal["<", ">"]]:
    if len(data) < _HEADER:
        raise FormatError("file-truncated", "the file ends within its header; it was not copied whole")
    little, big = int.from_bytes(data[4:8], "little"), int.from_bytes(data[4:8], "big")
    if little in _VERSIONS:
        return little, "<"
    if big in _VERSIONS:
        return big, ">"
    version = min(little, big)
    message = (
        f"the file is of GGUF version {version}; versions 2 and 3 are read. Convert it again with a newer converter"
    )
    raise FormatError("file-version", message, version=version)


class _Reader:
    """A place in the fields."""

    def __init__(self, data: bytes, order: Literal["<", ">"], at: int) -> None:
        self.data = data
        self.order = order
        self.at = at

    def fail(self, code: str, what: str, **facts: int) -> NoReturn:
        message = f"{what} at byte {self.at}; the file is damaged or was not copied whole"
        raise FormatError(code, message, offset=self.at, **facts)

    def take(self, size: int) -> int:
        """Go on by ``size`` bytes; the place before."""
        if size > len(self.data) - self.at:
            self.fail("file-truncated", "a field runs past the end", needed=self.at + size)
        self.at += size
        return self.at - size

    def number(self, letter: str) -> Any:
        start = self.take(struct.calcsize(f"={letter}"))
        return struct.unpack_from(f"{self.order}{letter}", self.data, start)[0]

    def text(self) -> bytes:
        size = self.number("Q")
        start = self.take(size)
        return self.data[start : start + size]

    def name(self) -> str:
        try:
            return self.text().decode()
        except UnicodeDecodeError:
            self.fail("file-corrupt", "a field's name is not UTF-8")

    def value(self, name: str) -> tuple[str, Any]:
        kind = self.number("I")
        if kind == _STRING:
            return "string", self.text()
        if kind in _NUMBERS:
            return _NAMES[kind], self.number("B") != 0 if kind == _BOOL else self.number(_NUMBERS[kind])
        if kind != _ARRAY:
            self.fail("file-corrupt", f"the field {name} has the unknown type {kind}")
        inner, count = self.number("I"), self.number("Q")
        if inner == _STRING:
            return "string[]", self.strings(count)
        if inner not in _NUMBERS:
            self.fail("file-corrupt", f"the field {name} is an array of the unknown type {inner}")
        return f"{_NAMES[inner]}[]", self.numbers(_NUMBERS[inner], count)

    def strings(self, count: int) -> Strings:
        self.at = self.take(_LENGTH * count)  # a lower bound of their bytes
        try:
            blob, offsets, self.at = scan_strings(self.data, self.at, count, self.order == ">")
        except NativeError as error:
            found = translated(error)
            at = found.facts.get("offset", len(self.data))
            if found.code == "file-truncated" and at + _LENGTH <= len(self.data):  # its length stands before it
                length = int.from_bytes(self.data[at - _LENGTH : at], "little" if self.order == "<" else "big")
                found.facts["needed"] = at + length
            raise found from None
        return Strings(blob, np.frombuffer(offsets, "<u4"))

    def numbers(self, letter: str, count: int) -> NDArray[Any]:
        kind = np.dtype("u1" if letter == "?" else f"{self.order}{letter}")
        start = self.take(count * kind.itemsize)
        return np.frombuffer(self.data, kind, count, start)


def packed(
    fields: dict[str, tuple[str, Any]] | bytes, *, count: int = 0, version: int = 3, order: Literal["<", ">"] = "<"
) -> bytes:
    """A file of metadata alone. ``fields`` are types and values, or ``count`` of them as they stood in another file."""
    if isinstance(fields, bytes):
        raw = fields
    else:
        count = len(fields)
        raw = b"".join(_field(name.encode(), kind, value, order) for name, (kind, value) in fields.items())
    return MAGIC + struct.pack(f"{order}IQQ", version, 0, count) + raw


def _field(name: bytes, kind: str, value: Any, order: str) -> bytes:
    numbers = {text: number for number, text in _NAMES.items()}
    head = struct.pack(f"{order}Q", len(name)) + name
    if not kind.endswith("[]"):
        return head + struct.pack(f"{order}I", numbers[kind]) + _value(numbers[kind], value, order)
    inner = numbers[kind.removesuffix("[]")]
    head += struct.pack(f"{order}IIQ", _ARRAY, inner, len(value))
    if inner == _STRING:
        return head + _joined(value, order)
    letter = _NUMBERS[inner]
    return head + np.asarray(value).astype("u1" if letter == "?" else f"{order}{letter}").tobytes()


def _value(kind: int, value: Any, order: str) -> bytes:
    if kind == _STRING:
        return struct.pack(f"{order}Q", len(value)) + bytes(value)
    return struct.pack(f"{order}{_NUMBERS[kind]}", value)


def _joined(strings: Strings | Iterable[bytes], order: str) -> bytes:
    if isinstance(strings, Strings):
        ends = strings.offsets.tolist()
        strings = [strings.blob[start:end] for start, end in pairwise(ends)]
    return b"".join([part for text in strings for part in (struct.pack(f"{order}Q", len(text)), text)])
