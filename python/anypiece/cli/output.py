"""What a verb prints: data on stdout as UTF-8, everything else on stderr, colour only on a terminal."""

from __future__ import annotations

import json
import math
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..inspect.terminal import is_coloured, plain_table, table, terminal_width
from ..io.paths import file_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

__all__ = [
    "complain",
    "flush",
    "is_coloured",
    "note",
    "styled",
    "write",
    "write_bytes",
    "write_json",
    "write_rich",
    "write_table",
]


def write(text: str) -> None:
    """Data for stdout; a lone surrogate, which UTF-8 has no place for, as an escape."""
    write_bytes(text.encode("utf-8", "backslashreplace"))


def write_bytes(data: bytes) -> None:
    """Bytes for stdout. A reader that went away ends the program quietly; any other failure is ``file-unwritable``."""
    with _guarded():
        sys.stdout.buffer.write(data)


def write_json(value: Any) -> None:
    """One JSON object on a line of its own; a number that JSON has no word for is null."""
    try:
        line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        line = json.dumps(_finite(value), ensure_ascii=False)
    write(line + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_rich(*parts: RenderableType) -> None:
    """Tables and coloured text for a person at a terminal."""
    from rich.console import Console

    flush()
    terminal = Console(highlight=False, markup=False, emoji=False)
    with _guarded():
        for part in parts:
            terminal.print(part)


def write_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table for a person: on a terminal no wider than that, in a pipe as wide as it is. Nothing is left out of it."""
    if is_coloured():
        write_rich(table(columns, rows, terminal_width()))
    else:
        write(plain_table(columns, rows, terminal_width()) + "\n")


def flush() -> None:
    """Hand over what was written."""
    with _guarded():
        sys.stdout.buffer.flush()


@contextmanager
def _guarded() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        with suppress(OSError, ValueError):  # else the interpreter complains when it flushes stdout at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise click.exceptions.Exit(0) from None
        raise file_error("file-unwritable", Path("standard output"), error) from None


def styled(text: str, colour: str | None = None) -> str:
    """``text`` in bold, and in a colour, where stdout is a terminal that wants it."""
    return click.style(text, fg=colour, bold=True) if is_coloured() else text


def note(message: str) -> None:
    """Something worth knowing, on stderr."""
    click.echo(f"anypiece: note: {message}", err=True)


def complain(message: str, code: str) -> None:
    """An error, on stderr, with its stable code."""
    plain = False if os.environ.get("NO_COLOR") else None
    click.echo(f"{click.style('anypiece: error:', fg='red')} {message} [{code}]", err=True, color=plain)
