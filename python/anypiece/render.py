"""How tokens look to a person: coloured blocks and tables on a terminal, the same facts as plain lines elsewhere.

Only the command line, ``explain`` and the demo print; nothing here computes anything. ``rich`` is imported when it is used.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from typing import TYPE_CHECKING

from .spec import SPACE_MARK

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table
    from rich.text import Text

__all__ = ["blocks", "is_coloured", "plain_blocks", "plain_table", "quoted", "spelled", "table", "visible"]

_COLOURS = ("blue", "dark_green", "dark_magenta", "dark_orange3", "deep_sky_blue4", "deep_pink4")
BLANK = "␣"
"""U+2423, what a space of a vocabulary of bytes looks like between other pieces."""

_ESCAPES = {code: repr(chr(code))[1:-1] for code in (*range(0x20), 0x7F)}


def is_coloured() -> bool:
    """Whether stdout is a terminal that wants colour: not dumb, and NO_COLOR is not set."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")


def visible(piece: str, space: str = " ") -> str:
    """A piece on one line: control characters as escapes, and ``space`` for a space, where one must not be overlooked.

    So is a piece of which nothing would be seen: joiners and selectors that only say how their neighbours are to look.

    >>> visible("a\\n"), visible(" a", BLANK), visible("\\ufe0f")
    ('a\\\\n', '␣a', '\\\\ufe0f')
    """
    if piece and all(map(_is_unseen, piece)):
        return piece.encode("unicode_escape").decode()
    return piece.translate(_ESCAPES).replace(" ", space)


def quoted(text: str) -> str:
    """A text in quotes on one line, with escapes for all that would not be seen: control and format characters, odd
    spaces, and marks that would stand on their neighbour.

    >>> print(quoted("a\\n \\u200b"), quoted("e\\u0301"), quoted("it's"))
    'a\\n \\u200b' 'e\\u0301' "it's"
    """
    return "".join(_escaped(character) for character in repr(text))


def _escaped(character: str) -> str:
    code = ord(character)
    if unicodedata.category(character)[0] != "M" and not _is_unseen(character):
        return character
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_unseen(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or unicodedata.category(character) == "Cf"


def spelled(raw: bytes) -> str:
    r"""The bytes of a piece as text: what is no UTF-8 as ``\xNN``.

    >>> print(spelled(b" \xe6\x97"))
     \xe6\x97
    """
    return raw.decode("utf-8", "backslashreplace")


def blocks(pieces: Iterable[str], mark: str = SPACE_MARK) -> Text:
    """Pieces as coloured blocks, one after the other, with a space for ``mark``."""
    from rich.text import Text

    text = Text()
    for index, piece in enumerate(pieces):
        text.append(visible(piece).replace(mark, " "), f"white on {_COLOURS[index % len(_COLOURS)]}")
    return text


def plain_blocks(pieces: Iterable[str]) -> str:
    """The same without colour: pieces with a bar between them.

    >>> plain_blocks(["▁a", "b"])
    '▁a|b'
    """
    return "|".join(map(visible, pieces))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table for a terminal; columns whose name starts with ``#`` hold numbers."""
    from rich.table import Table

    made = Table(box=None, header_style="bold", pad_edge=False)
    for name in columns:
        made.add_column(name.lstrip("#"), justify="right" if name.startswith("#") else "left")
    for row in rows:
        made.add_row(*(_literal(value) for value in row))
    return made


def _literal(value: object) -> Text:
    """A cell as it is: square brackets in a piece are not markup."""
    from rich.text import Text

    return Text(str(value))


def plain_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The same as aligned lines.

    >>> print(plain_table(["piece", "#id"], [("▁a", 7), ("b", 12)]))
    piece  id
    ▁a      7
    b      12
    """
    cells = [[name.lstrip("#") for name in columns], *([str(value) for value in row] for row in rows)]
    widths = [max(_width(row[index]) for row in cells) for index in range(len(columns))]
    right = [name.startswith("#") for name in columns]
    lines = []
    for row in cells:
        parts = [_padded(cell, width, r) for cell, width, r in zip(row, widths, right, strict=True)]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def _padded(cell: str, width: int, right: bool) -> str:
    gap = " " * (width - _width(cell))
    return gap + cell if right else cell + gap


def _width(text: str) -> int:
    """How many columns a terminal gives to a text: two for a wide character, none for a combining one."""
    marks = sum(unicodedata.combining(character) != 0 for character in text)
    return len(text) - marks + sum(unicodedata.east_asian_width(character) in "WF" for character in text)
