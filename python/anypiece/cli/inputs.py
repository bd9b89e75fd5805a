"""What a verb reads: texts from arguments, from a file or from standard input. Always bytes from files, never guessed text.

Files are read as a corpus is: without their compression, and of a Parquet table the texts of a column. Lines end at
``\\n``; a ``\\r`` before it belongs to the text, as the tokenizer may have its own opinion of it.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import click

from ..corpus.readers import BROKEN, TABLE, Corpus, Texts, checked_pipe, unpacked
from ..errors import FormatError, InputError
from ..io.paths import file_error
from . import output

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "FIELD",
    "groups_of_texts",
    "is_table",
    "lines_of",
    "opened",
    "read_parts",
    "stdin_is_terminal",
    "texts_of_table",
]

_PART = 1 << 20


def groups_of_texts(
    texts: tuple[str, ...], input_file: str | None, whole: bool, *, tables: bool = True
) -> Iterator[list[str | bytes]]:
    """The texts a verb was given, in groups that are worth one batch call each.

    A group from a pipe is what has arrived, so a program that writes a line and waits for the answer gets it. Without
    ``tables`` a Parquet file is refused.
    """
    if texts and input_file is not None:
        raise click.UsageError("Give texts as arguments or with --input, not both.")
    if texts and texts != ("-",):
        _note_file_names(texts)
        yield list(texts)
        return
    name = input_file or "-"
    if is_table(name):
        if not tables:
            raise InputError("input-type", f"{name} is a Parquet table, where lines of text are needed.", path=name)
        if whole:
            raise click.UsageError(f"{name} is a table of texts: leave --whole out.")
        yield from texts_of_table(name)
        return
    with opened(name) as file:
        if whole:
            yield [b"".join(read_parts(file))]
        else:
            yield from _groups_of_lines(file)


def lines_of(path: str) -> list[str]:
    """The lines of a file as texts to compare, without their ends; what is no UTF-8 becomes U+FFFD."""
    if is_table(path):
        groups = list(texts_of_table(path))
    else:
        with opened(path) as file:
            groups = list(_groups_of_lines(file))
    return [_text(text) for group in groups for text in group]


def _text(text: str | bytes) -> str:
    return text.decode("utf-8", "replace").rstrip("\r") if isinstance(text, bytes) else text


def is_table(name: str) -> bool:
    """Whether a file is a Parquet table, by its first bytes; a pipe can be none."""
    if name == "-" or not os.path.isfile(name):
        return False
    try:
        with open(name, "rb") as file:
            return file.read(len(TABLE)) == TABLE
    except OSError:  # which the caller finds out when it reads the file
        return False


def texts_of_table(name: str) -> Iterator[list[str | bytes]]:
    """The texts of the column --field of a Parquet table."""
    corpus = Corpus(Path(name), "parquet", click.get_current_context().meta.get(FIELD, "text"))
    for part in corpus.parts():
        if isinstance(part, Texts):
            yield part.texts
    if corpus.rejected:
        output.note(f"{name}: {corpus.rejected} rows have no text and were skipped")


FIELD = "anypiece.field"
"""Where the context of a call keeps the name of the column."""


def _note_file_names(texts: tuple[str, ...]) -> None:
    for text in texts:
        if len(text) < 256 and "\n" not in text and "\0" not in text and Path(text).is_file():
            output.note(f"{text!r} is taken as the text itself; for the contents of that file use --input {text}")


def _groups_of_lines(file: BinaryIO) -> Iterator[list[str | bytes]]:
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


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file for reading bytes; ``-`` is standard input. Errors name the file."""
    if name == "-":
        if stdin_is_terminal():
            raise click.UsageError("There is no input: give it as an argument, or pipe it to standard input.")
        yield checked_pipe(sys.stdin.buffer)
        return
    try:
        raw = open(name, "rb")  # noqa: SIM115 - closed below; an error while the caller reads is the caller's
    except OSError as error:
        raise file_error("file-unreadable", Path(name), error) from None
    try:
        with raw, unpacked(raw) if raw.seekable() else raw as file:
            yield cast("BinaryIO", file)
    except BROKEN as error:
        message = f"{name} is damaged or was cut short: {error}. Copy it again."
        raise FormatError("file-truncated", message, path=name) from None
