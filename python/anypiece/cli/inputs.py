"""What a verb reads: texts from arguments, from a file or from standard input. Always bytes from files, never guessed text.

Files are those of ``anypiece shards``: without their compression, and of JSON lines, CSV and tables the texts of a field.
Lines of text end at ``\\n``; a ``\\r`` before it belongs to the text, as the tokenizer may have its own opinion of it, and
what is not UTF-8 is handed to it as it is.
"""

from __future__ import annotations

import itertools
import os
import sys
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple, cast

import click

from ..corpus.readers import BROKEN, TABLE, checked_pipe, unpacked
from ..errors import FileError, FormatError, InputError
from ..io.paths import file_error
from . import output

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..corpus.shards.documents import Block, Tally, Texts
    from ..corpus.shards.inputs import File, Kind
    from ..corpus.shards.long_documents import Long

__all__ = [
    "FIELD",
    "FORMAT",
    "Group",
    "Reading",
    "files_of",
    "groups_of_texts",
    "is_table",
    "is_text",
    "lines_of",
    "opened",
    "read_parts",
    "stdin_is_terminal",
]

_PART = 1 << 20


class Group(NamedTuple):
    """Some texts that are worth one batch call."""

    texts: Texts
    source: str = ""
    """The name of their file; empty for arguments and standard input."""
    places: Sequence[int] = ()
    """Where each begins in it: a byte, or the number of a row; empty where there is no file."""

    @property
    def listed(self) -> list[str | bytes]:
        """The texts as objects."""
        if isinstance(self.texts, list):
            return self.texts
        return cast("list[str | bytes]", self.texts.to_list())


class Reading:
    """The texts a verb was given, in order: arguments, or the documents of inputs, which are those of ``anypiece shards``.

    What cannot be used is counted, and said when all is read. The readers of files are imported when a file is named.
    """

    def __init__(self, whole: bool = False) -> None:
        settings = click.get_current_context().meta
        self.whole = whole
        self.field: str = settings.get(FIELD, "text")
        self.kind: Kind | None = settings.get(FORMAT)

    @cached_property
    def tally(self) -> Tally:
        """What happened to the input."""
        from ..corpus.shards.options import Options
        from ..corpus.shards.tally import Tally

        return Tally(Options("numpy", self.field, self.kind))

    def groups(self, texts: tuple[str, ...], names: Sequence[str]) -> Iterator[Group]:
        """All texts. A group from a pipe is what has arrived, so a program that writes a line and waits for the answer gets
        it."""
        if texts and names:
            raise click.UsageError("Give texts as arguments or with --input, not both.")
        if texts and texts != ("-",):
            _note_file_names(texts)
            yield Group(list(texts))
            return
        for name in files_of(names or ("-",)):
            yield from self.groups_of(name)
        self.tell()

    def groups_of(self, name: str) -> Iterator[Group]:
        """The texts of one file: lines of text, or with ``whole`` all of it; the documents of others."""
        if self.is_text(name):
            yield from self._groups_of_text(name)
            return
        if self.whole:
            raise click.UsageError(f"{name} has texts of its own: leave --whole out.")
        for block in self.documents(name):
            if not isinstance(block, tuple):
                yield Group([block.text.read_within(0, block.text.size)], name, [block.place])
            elif len(block.texts):
                yield Group(block.texts, name, cast("Sequence[int]", block.places))

    def _groups_of_text(self, name: str) -> Iterator[Group]:
        source = "" if name == "-" else name
        with opened(name) as file:
            if self.whole:
                yield Group([b"".join(read_parts(file))], source, [0])
                return
            place = 0
            for lines in _groups_of_lines(file):
                yield Group(cast("Texts", lines), source, _places(lines, place))
                place += sum(map(len, lines)) + len(lines)

    def is_text(self, name: str) -> bool:
        """Whether a file is text. One that can be read once only is what --format says, or text."""
        if _is_read_once(name):
            return self.kind in (None, "text")
        return self._described(name).kind == "text"

    def _described(self, name: str) -> File:
        from ..corpus.shards.inputs import File, described

        if not _is_read_once(name):
            return described(name, self.kind)._replace(path=name)
        if self.kind in ("parquet", "arrow"):
            raise InputError("input-type", f"A table cannot be read from {name}: name the file itself.", path=name)
        return File(name, 0, 0, self.kind or "text", "")

    def documents(self, name: str) -> Iterator[Block | Long]:
        """The documents of a file that is no text."""
        from ..corpus.shards.documents import parsed
        from ..corpus.shards.whole_files import check_field, documents_of

        file = self._described(name)
        if _is_read_once(name):
            with opened(name) as pipe:
                yield from parsed(file, read_parts(pipe), 0, self.tally)
            return
        check_field((file,), self.tally.options)
        yield from documents_of(file, self.tally)

    @property
    def is_partial(self) -> bool:
        """Whether something could not be used."""
        return "tally" in vars(self) and bool(self.tally.left_out)

    def tell(self) -> None:
        """Say what could not be used."""
        if self.is_partial:
            amount, first = sum(self.tally.left_out.values()), self.tally.rejects[0]
            output.note(
                f"left out: {amount} {'lines or rows' if amount > 1 else 'line or row'} without a text, the first of them "
                f"{first['file']} at {first['at']}: {first['reason']}"
            )
        if "tally" in vars(self) and self.tally.repaired:
            output.note(f"not UTF-8, and read with U+FFFD in place of what is not: {self.tally.repaired}")


def _is_read_once(name: str) -> bool:
    """Whether a name stands for standard input, a pipe or a device."""
    return name == "-" or (os.path.exists(name) and not os.path.isfile(name))


def _places(lines: list[bytes], start: int) -> Sequence[int]:
    """Where lines begin that follow each other."""
    return [*itertools.accumulate((len(line) + 1 for line in lines[:-1]), initial=start)]


def files_of(names: Sequence[str]) -> Iterator[str]:
    """The files that names, globs, folders and lists stand for. Names of files are told as they were given."""
    for name in names:
        if name == "-" or (os.path.exists(name) and not os.path.isdir(name)):
            yield name
        else:
            from ..corpus.shards.inputs import named_files

            yield from named_files(name)


def groups_of_texts(
    texts: tuple[str, ...], input_file: str | None, whole: bool, *, tables: bool = True
) -> Iterator[list[str | bytes]]:
    """The texts a verb was given, in groups. Without ``tables`` all files are lines of text; a Parquet file is refused."""
    if not tables and input_file is not None and is_table(input_file):
        message = f"{input_file} is a Parquet table, where lines of text are needed."
        raise InputError("input-type", message, path=input_file)
    reading = Reading(whole)
    if not tables:
        reading.kind = "text"
    for group in reading.groups(texts, () if input_file is None else (input_file,)):
        yield group.listed


def lines_of(path: str) -> list[str]:
    """The texts of files to compare; what is no UTF-8 becomes U+FFFD."""
    return [_text(text) for group in groups_of_texts((), path, False) for text in group]


def _text(text: str | bytes) -> str:
    return text.decode("utf-8", "replace").rstrip("\r") if isinstance(text, bytes) else text


def is_text(name: str) -> bool:
    """Whether a file is text, or standard input, and no documents."""
    return Reading().is_text(next(files_of((name,))))


def is_table(name: str) -> bool:
    """Whether a file is a Parquet table, by its first bytes; a pipe can be none."""
    if name == "-" or not os.path.isfile(name):
        return False
    try:
        with open(name, "rb") as file:
            return file.read(len(TABLE)) == TABLE
    except OSError:  # which the caller finds out when it reads the file
        return False


FIELD, FORMAT = "anypiece.field", "anypiece.format"
"""Where the context of a call keeps the name of the field, and what files hold."""


def _note_file_names(texts: tuple[str, ...]) -> None:
    for text in texts:
        if len(text) < 256 and "\n" not in text and "\0" not in text and os.path.isfile(text):
            output.note(f"{text!r} is taken as the text itself; for the contents of that file use --input {text}")


def _groups_of_lines(file: BinaryIO) -> Iterator[list[bytes]]:
    rest: list[bytes] = []  # parts of a line that has not ended; joined once, so that a long line costs linear time
    for part in read_parts(file):
        head, newline, tail = part.rpartition(b"\n")
        if newline:
            yield [*b"".join([*rest, head]).split(b"\n")]
            rest = []
        rest.append(tail)
    last = b"".join(rest)
    if last:
        yield [last]


def read_parts(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file as they arrive, at most a mebibyte at a time."""
    read = getattr(file, "read1", file.read)
    while part := read(_PART):
        yield part


def stdin_is_terminal() -> bool:
    """Whether nobody has given us any input."""
    return sys.stdin is None or sys.stdin.isatty()


def _raw(name: str) -> IO[bytes]:
    if "://" not in name:
        return open(name, "rb")
    from ..corpus.shards.remote import opened

    return opened(name)


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file for reading bytes; ``-`` is standard input. Errors name the file."""
    if name == "-":
        if stdin_is_terminal():
            raise click.UsageError("There is no input: give it as an argument, or pipe it to standard input.")
        yield checked_pipe(sys.stdin.buffer)
        return
    try:
        raw = _raw(name)
    except FileError:
        raise
    except OSError as error:
        raise file_error("file-unreadable", Path(name), error) from None
    try:
        with raw, unpacked(raw) if raw.seekable() else raw as file:  # an error while the caller reads is the caller's
            yield cast("BinaryIO", file)
    except BROKEN as error:
        message = f"{name} is damaged or was cut short: {error}. Copy it again."
        raise FormatError("file-truncated", message, path=name) from None
