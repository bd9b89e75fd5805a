"""What a verb prints: data on stdout as UTF-8, everything else on stderr, colour only on a terminal."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..render import is_coloured

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["complain", "flush", "is_coloured", "note", "styled", "write", "write_json", "write_rich"]


def write(text: str) -> None:
    """Data for stdout. A reader that went away ends the program quietly."""
    try:
        sys.stdout.buffer.write(text.encode())
    except BrokenPipeError:
        _leave()


def write_json(value: Any) -> None:
    """One JSON object on a line of its own."""
    write(json.dumps(value, ensure_ascii=False) + "\n")


def write_rich(*parts: RenderableType) -> None:
    """Tables and coloured text for a person at a terminal."""
    from rich.console import Console

    flush()
    terminal = Console(highlight=False)
    for part in parts:
        terminal.print(part)


def flush() -> None:
    """Hand over what was written."""
    try:
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _leave()


def _leave() -> NoReturn:
    with suppress(OSError, ValueError):  # else the interpreter complains when it flushes stdout at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise click.exceptions.Exit(0)


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
