"""What a verb reads: texts from arguments, from a file or from standard input. Always bytes from files, never guessed text.

Lines end at ``\\n``; a ``\\r`` before it belongs to the text, as the tokenizer may have its own opinion of it.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from ..files import file_error
from . import output

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["groups_of_texts", "lines_of", "opened", "read_parts", "stdin_is_terminal"]

_PART = 1 << 20


def groups_of_texts(texts: tuple[str, ...], input_file: str | None, whole: bool) -> Iterator[list[str | bytes]]:
    """The texts a verb was given, in groups that are worth one batch call each.

    A group from a pipe is what has arrived, so a program that writes a line and waits for the answer gets it.
    """
    if texts and input_file is not None:
        raise click.UsageError("Give texts as arguments or with --input, not both.")
    if texts and texts != ("-",):
        _note_file_names(texts)
        yield list(texts)
        return
    with opened(input_file or "-") as file:
        if whole:
            yield [b"".join(read_parts(file))]
        else:
            yield from _groups_of_lines(file)


def lines_of(path: str) -> list[str]:
    """The lines of a file as texts to compare, without their ends; what is no UTF-8 becomes U+FFFD."""
    with opened(path) as file:
        return [line.decode("utf-8", "replace").rstrip("\r\n") for line in file]


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
        yield sys.stdin.buffer
        return
    try:
        file = open(name, "rb")  # noqa: SIM115 - closed below; an error while the caller reads is the caller's
    except OSError as error:
        raise file_error("file-unreadable", Path(name), error) from None
    with file:
        yield file
