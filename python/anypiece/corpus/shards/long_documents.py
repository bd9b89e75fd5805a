"""Documents that are too long to be held: their lines go to a file without a name, and are read from there in parts.

The file lies in the folder of the shards and is gone with the process. JSON is read by the standard library: long strings
are taken out of a line part by part, ``json.loads`` unescapes each part, and reads the rest with short names in their place.
"""

from __future__ import annotations

import codecs
import json
import re
import secrets
import tempfile
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["LONG", "Long", "NoJson", "Record", "Scratch", "Spooled", "decoded", "spooled"]

LONG = 8 << 20
"""Lines of more bytes go to a file."""
PART = 1 << 20
STRING = 1 << 16
"""Strings of more characters are taken out of a line."""
_REST = 64 << 20
"""How many characters of a line may be no long strings."""
_TAIL = 12
_SURROGATES = re.compile("[\ud800-\udfff]")
_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")


class NoJson(Exception):
    """A line is no JSON; the text says why."""


@dataclass(frozen=True)
class Spooled:
    """Bytes in a file."""

    file: IO[bytes]
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many there are."""
        return self.end - self.start

    def parts(self, size: int = 0) -> Iterator[bytes]:
        """All of them in order."""
        place = self.start
        while place < self.end:
            part = self.read(place, min(place + (size or PART), self.end))
            place += len(part)
            yield part

    def read(self, start: int, end: int) -> bytes:
        """Those from one place of the file to another."""
        self.file.seek(start)
        part = self.file.read(end - start)
        if len(part) != end - start:
            raise OSError("a file of a long document was cut short")
        return part

    def read_within(self, start: int, end: int) -> bytes:
        """Those from one place within them to another."""
        return self.read(self.start + start, self.start + end)

    def within(self, start: int, end: int) -> Spooled:
        """Some of them, by places within them."""
        return Spooled(self.file, self.start + start, self.start + end)


@dataclass(frozen=True)
class Long:
    """A long document of a file: its text as UTF-8, and its place."""

    text: Spooled
    place: int


class Scratch:
    """Makes files without names in a folder, or in the system's own for such."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.files: list[IO[bytes]] = []

    def new(self) -> IO[bytes]:
        """A file, which lives until ``close``."""
        self.files.append(cast("IO[bytes]", tempfile.TemporaryFile(dir=self.folder)))  # noqa: SIM115 - see close
        return self.files[-1]

    def close(self) -> None:
        """Have done with all files."""
        for file in self.files:
            file.close()
        self.files.clear()


def spooled(parts: Iterable[bytes], scratch: Scratch) -> Spooled:
    """Bytes, put into a file."""
    file, size = scratch.new(), 0
    for part in parts:
        file.write(part)
        size += len(part)
    file.flush()
    return Spooled(file, 0, size)


def decoded(line: Spooled, errors: str) -> Iterator[str]:
    """The text of a line in parts; ``UnicodeDecodeError`` where it is not UTF-8 and ``errors`` is strict."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    for part in line.parts():
        if text := decoder.decode(part):
            yield text
    if text := decoder.decode(b"", True):
        yield text


@dataclass
class Record:
    """A long line of JSON, with its long strings in a file."""

    scratch: Scratch
    value: Any = None
    """The value of the line; long strings are names in it."""
    is_blank: bool = False
    strings: dict[str, Spooled] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    """Which long strings had halves of surrogate pairs, which are U+FFFD in the file."""

    @classmethod
    def read(cls, texts: Iterator[str], scratch: Scratch) -> Record:
        """Read a line, in parts."""
        found = cls(scratch)
        rest = "".join(_Strings(texts, found).rest())
        if not found.strings and not rest.strip(" \t\n\r\v\f"):
            found.is_blank = True
            return found
        try:
            found.value = json.loads(rest)
        except (ValueError, RecursionError) as error:
            raise NoJson(_reason(error)) from None
        return found

    def restored(self, value: Any) -> Any:
        """A value with its long strings."""
        if isinstance(value, str):
            text = self.strings.get(value)
            return value if text is None else text.read(text.start, text.end).decode()
        if isinstance(value, list):
            return [self.restored(item) for item in value]
        if isinstance(value, dict):
            return {self.restored(key): self.restored(item) for key, item in value.items()}
        return value


def _reason(error: Exception) -> str:
    return str(getattr(error, "msg", error))


class _Strings:
    """Takes long strings out of a line."""

    def __init__(self, texts: Iterator[str], record: Record) -> None:
        self.texts, self.record = texts, record
        self.held, self.place = "", 0
        self.file: IO[bytes] | None = None
        self.size = 0
        self.token = secrets.token_hex(16)

    def more(self) -> bool:
        """Take the next part behind what is held."""
        part = next(self.texts, None)
        if part is None:
            return False
        self.held, self.place = self.held[self.place :] + part, 0
        return True

    def rest(self) -> Iterator[str]:
        """The line, with a name for each long string."""
        size = 0
        while True:
            quote = self.held.find('"', self.place)
            end = len(self.held) if quote < 0 else quote
            part = self.held[self.place : end]
            self.place = end
            if quote >= 0:
                part += self.string()
            size += len(part)
            if size > _REST:
                raise NoJson(f"more than {_REST} characters besides long strings")
            yield part
            if quote < 0 and not self.more():
                return

    def string(self) -> str:
        """From a quote to the one that ends the string: as it is, or the name of a long one."""
        while True:
            end = self.end(self.place + 1)
            if (len(self.held) if end < 0 else end) - self.place > STRING:
                return self.long()
            if end >= 0:
                start, self.place = self.place, end + 1
                return self.held[start : self.place]
            if not self.more():
                raise NoJson("Unterminated string")

    def end(self, at: int) -> int:
        """Where the quote stands that ends a string, from a place on that no backslash before it escapes; -1 for nowhere."""
        while (quote := self.held.find('"', at)) >= 0:
            before = quote
            while before > at and self.held[before - 1] == "\\":
                before -= 1
            if (quote - before) % 2 == 0:
                return quote
            at = quote + 1
        return -1

    def long(self) -> str:
        """Put a long string into the file; its name."""
        if self.file is None:
            self.file = self.record.scratch.new()
        name, begin = f"{self.token}-{len(self.record.strings)}", self.size
        self.place += 1
        while True:
            end = self.end(self.place)
            cut = self.place + _whole(self.held[self.place :]) if end < 0 else end
            self.unescape(self.held[self.place : cut], name)
            self.place = cut
            if end >= 0:
                break
            if not self.more():
                raise NoJson("Unterminated string")
        self.place += 1
        self.file.flush()
        self.record.strings[name] = Spooled(self.file, begin, self.size)
        return f'"{name}"'

    def unescape(self, part: str, name: str) -> None:
        try:
            text = json.loads(f'"{part}"')
        except ValueError as error:
            raise NoJson(_reason(error)) from None
        if _SURROGATES.search(text) is not None:
            self.record.broken.add(name)
            text = _SURROGATES.sub("\ufffd", text)
        data = text.encode()
        if self.file is not None:
            self.file.write(data)
        self.size += len(data)


def _whole(part: str) -> int:
    r"""How much of the beginning of a string can be unescaped by itself, whatever comes behind.

    >>> [_whole(part) for part in (r"a\n", r"a\\", "a\\", r"a\u00e", r"a\u00e9", r"a\ud83e", r"a\ud83e\udd8", r"a\\\u1")]
    [3, 3, 1, 1, 7, 1, 1, 3]
    """
    last = part.rfind("\\", max(len(part) - _TAIL, 0))
    if last < 0:
        return len(part)
    run = last
    while run > 0 and part[run - 1] == "\\":
        run -= 1
    if (last - run) % 2:  # a backslash that is escaped
        return len(part)
    is_long = part[last + 1 : last + 2] == "u"
    if len(part) - last >= (6 if is_long else 2):
        is_open = len(part) - last == 6 and _HALF.fullmatch(part, last) is not None
        return last if is_open else len(part)
    half = last - 6
    if run < last or half < 0 or _HALF.fullmatch(part, half, last) is None:
        return last
    while half > 0 and part[half - 1] == "\\":
        half -= 1
    return last if (last - 6 - half) % 2 else last - 6
