"""The documents of a part of a file, in blocks of bounded size, with the place of each.

A place is the byte at which a line begins (in a compressed file, of what is in it), or the number of a row of a table.
What cannot be used is counted and left out, or stops the work, as the options say.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ...errors import FormatError
from ...io.paths import file_error
from ..readers import BROKEN, unpacked
from . import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from .inputs import File
    from .options import Options

__all__ = ["Block", "Tally", "blocks"]

_PART = 1 << 20
_MAX_REJECTS = 20
_SURROGATES = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")


class Block(NamedTuple):
    """Some documents of a file, and the place of each."""

    texts: list[str | bytes]
    places: NDArray[np.int64]


@dataclass
class Tally:
    """What happened to the input of a task."""

    options: Options
    left_out: dict[str, int] = field(default_factory=dict)
    """How many documents were left out, by reason."""
    repaired: int = 0
    """How many documents were not UTF-8 and have U+FFFD in its place."""
    with_specials: int = 0
    """How many documents contained the spelling of a special token."""
    rejects: list[dict[str, Any]] = field(default_factory=list)
    """The first that were left out because they could not be used."""

    def leave_out(self, file: File, place: int, reason: str, detail: str, policy: str) -> None:
        """Count something that cannot be used; or stop, if that is the policy."""
        if policy == "error":
            option = {"bad_utf8": "on_bad_utf8", "bad_file": "on_bad_file"}.get(reason, "on_bad_line")
            message = f'{shown_place(file, place)}: {detail}. Mend it, or leave such out with {option}="skip".'
            raise FormatError("shards-document", message, path=file.path, place=place, reason=reason)
        self.left_out[reason] = self.left_out.get(reason, 0) + 1
        if len(self.rejects) < _MAX_REJECTS:
            self.rejects.append({"file": file.path, "at": place, "reason": detail})

    def text(self, file: File, place: int, raw: bytes) -> str | None:
        """Bytes as a text, by the policy for what is not UTF-8."""
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            if self.options.on_bad_utf8 != "replace":
                self.leave_out(file, place, "bad_utf8", f"no UTF-8 ({error.reason})", self.options.on_bad_utf8)
                return None
            self.repaired += 1
            return raw.decode("utf-8", "replace")

    def without_surrogates(self, file: File, place: int, text: str) -> str | None:
        """A text in which lone surrogates are treated as what is not UTF-8."""
        if _SURROGATES.search(text) is None:
            return text
        if self.options.on_bad_utf8 != "replace":
            self.leave_out(file, place, "bad_utf8", "half of a surrogate pair", self.options.on_bad_utf8)
            return None
        self.repaired += 1
        return _SURROGATES.sub("\ufffd", text)


def shown_place(file: File, place: int) -> str:
    """Where something is, for people."""
    return f"{file.path} {'byte' if file.kind in ('text', 'jsonl') else 'row'} {place}"


def blocks(file: File, start: int, end: int, tally: Tally, advance: Callable[[int], None]) -> Iterator[Block]:
    """The documents of a part of a file. ``advance`` is told how many of its bytes were read."""
    if file.kind in ("parquet", "arrow"):
        yield from _rows(file, start, end, tally)
        return
    try:
        with _reading(file), open(file.path, "rb") as raw:
            source = _Stretch(raw, start, end, advance)
            opened = unpacked(cast("IO[bytes]", source)) if file.codec else cast("IO[bytes]", source)
            yield from _KINDS[file.kind](file, opened, start, tally)
    except FormatError as error:
        if error.code != "file-truncated" or tally.options.on_bad_file == "error":
            raise
        tally.leave_out(file, 0, "bad_file", str(error), "skip")


@contextmanager
def _reading(file: File) -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        message = f"{file.path} is damaged or was cut short: {error}. Copy it again and make a new plan."
        raise FormatError("file-truncated", message, path=file.path) from None
    except FormatError:
        raise
    except OSError as error:
        raise file_error("file-unreadable", Path(file.path), error) from None


class _Unbuffered(io.RawIOBase):
    """What only has ``read``, for buffers that want more."""

    def __init__(self, raw: IO[bytes]) -> None:
        self.raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def read(self, size: int = -1) -> bytes:
        return self.raw.read(size)


class _Stretch(_Unbuffered):
    """The bytes of a file from one place to another, and who is told of them."""

    def __init__(self, raw: IO[bytes], start: int, end: int, advance: Callable[[int], None]) -> None:
        super().__init__(raw)
        self.start, self.end, self.advance = start, end, advance
        self.place = raw.seek(start)

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self.place = self.raw.seek({io.SEEK_SET: self.start, io.SEEK_CUR: self.place}.get(whence, self.end) + place)
        return self.place - self.start

    def tell(self) -> int:
        return self.place - self.start

    def read(self, size: int = -1) -> bytes:
        left = self.end - self.place
        part = self.raw.read(left if size < 0 else min(size, left))
        self.place += len(part)
        self.advance(len(part))
        return part


def _whole_lines(opened: IO[bytes]) -> Iterator[bytes]:
    """Whole lines, about a megabyte at a time; the last one may have no end."""
    rest: list[bytes] = []
    while part := opened.read(_PART):
        if cut := part.rfind(b"\n") + 1:
            yield b"".join([*rest, part[:cut]])
            rest, part = [], part[cut:]
        rest.append(part)
    if last := b"".join(rest):
        yield last


def _lines(opened: IO[bytes], start: int) -> Iterator[tuple[list[bytes], NDArray[np.int64]]]:
    """Lines without their ends, and where each begins. A mark of the byte order before the first is no part of it."""
    place = start
    for data in _whole_lines(opened):
        mark = len(codecs.BOM_UTF8) if place == 0 and data.startswith(codecs.BOM_UTF8) else 0
        lines = data[mark:].split(b"\n")
        if not lines[-1]:
            lines.pop()
        lengths = np.fromiter(map(len, lines), np.int64, len(lines)) + 1
        places = np.cumsum(lengths) - lengths + (place + mark)
        place += len(data)
        yield lines, places


def _text(file: File, opened: IO[bytes], start: int, tally: Tally) -> Iterator[Block]:
    if tally.options.whole:
        data = opened.read().removeprefix(codecs.BOM_UTF8)
        text = tally.text(file, 0, data)
        if text is not None:
            yield Block([text], np.zeros(1, np.int64))
        return
    for lines, places in _lines(opened, start):
        yield _valid(file, lines, places, tally)


def _valid(file: File, values: list[bytes], places: NDArray[np.int64], tally: Tally) -> Block:
    """Texts as they are where all are UTF-8, which is checked at once."""
    try:
        b"\n".join(values).decode()
        return Block(cast("list[str | bytes]", values), places)
    except UnicodeDecodeError:
        texts = [tally.text(file, place, raw) for raw, place in zip(values, places.tolist(), strict=True)]
        return _kept(texts, places)


def _kept(texts: list[str | None], places: NDArray[np.int64]) -> Block:
    """Without those that are left out."""
    kept = [number for number, text in enumerate(texts) if text is not None]
    return Block([text for text in texts if text is not None], places[kept])


def _jsonl(file: File, opened: IO[bytes], start: int, tally: Tally) -> Iterator[Block]:
    path = tally.options.field.split(".")
    for lines, places in _lines(opened, start):
        texts = [
            _field(file, line, place, path, tally) if line and not line.isspace() else None
            for line, place in zip(lines, places.tolist(), strict=True)
        ]
        yield _kept(texts, places)


def _field(file: File, raw: bytes, place: int, path: list[str], tally: Tally) -> str | None:
    """The text of a line of JSON."""
    line = tally.text(file, place, raw)
    if line is None:
        return None
    policy = tally.options.on_bad_line
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.args[0] if isinstance(error, RecursionError) else str(error)
        tally.leave_out(file, place, "bad_line", f"no JSON: {reason}", policy)
        return None
    for name in path:
        if not isinstance(value, dict) or name not in value:
            tally.leave_out(file, place, "no_field", f"no field {'.'.join(path)!r}", policy)
            return None
        value = value[name]
    if not isinstance(value, str):
        tally.leave_out(file, place, "no_text", f"the field {'.'.join(path)!r} is no string", policy)
        return None
    return value if "\\u" not in line or _ESCAPED.search(line) is None else tally.without_surrogates(file, place, value)


def _csv(file: File, opened: IO[bytes], start: int, tally: Tally) -> Iterator[Block]:
    buffered = io.BufferedReader(_Unbuffered(opened), _PART)
    text = io.TextIOWrapper(buffered, "utf-8-sig", "surrogateescape", newline="")
    before = csv.field_size_limit(2**31 - 1)  # the usual limit refuses long documents; it is global
    try:
        rows = csv.reader(text, strict=True)
        head = next(rows, [])
        if tally.options.field not in head:
            names = ", ".join(head[:8])
            message = f"{file.path} has no column {tally.options.field!r}; it has {names}. Name one with field."
            raise FormatError("file-corrupt", message, path=file.path)
        yield from _cells(file, rows, head.index(tally.options.field), tally)
    finally:
        csv.field_size_limit(before)
        text.detach()


def _cells(file: File, rows: Any, column: int, tally: Tally) -> Iterator[Block]:
    texts: list[str | None] = []
    first, number, size = 0, 0, 0
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            tally.leave_out(file, number, "bad_line", f"no CSV: {error}", tally.options.on_bad_line)
            row = []
            texts.append(None)
        else:
            if row is None:
                break
            texts.append(_cell(file, number, row, column, tally))
        number += 1
        size += len(texts[-1] or "") + 1
        if size >= _PART:
            yield _kept(texts, np.arange(first, number, dtype=np.int64))
            texts, first, size = [], number, 0
    yield _kept(texts, np.arange(first, number, dtype=np.int64))


def _cell(file: File, number: int, row: list[str], column: int, tally: Tally) -> str | None:
    if column >= len(row):
        if row:
            tally.leave_out(file, number, "no_field", f"only {len(row)} cells", tally.options.on_bad_line)
        return None
    value = row[column]
    return (
        value
        if _SURROGATES.search(value) is None
        else tally.text(file, number, value.encode("utf-8", "surrogateescape"))
    )


def _rows(file: File, start: int, end: int, tally: Tally) -> Iterator[Block]:
    place = tables.first_row(file.path, file.kind, start)
    for values in tables.columns(file.path, file.kind, tally.options.field, start, end):
        places = np.arange(place, place + len(values), dtype=np.int64)
        place += len(values)
        missing = [number for number, value in enumerate(values) if value is None]
        for number in missing:
            tally.leave_out(file, int(places[number]), "no_text", "no text", tally.options.on_bad_line)
        texts = [value for value in values if value is not None]
        yield _valid(file, texts, np.delete(places, missing) if missing else places, tally)


_KINDS = {"text": _text, "jsonl": _jsonl, "csv": _csv}
