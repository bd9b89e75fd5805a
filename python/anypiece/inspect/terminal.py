"""How tokens look to a person: coloured blocks and tables on a terminal, the same facts as plain lines elsewhere.

Only the command line, ``explain`` and the demo print; nothing here computes anything. ``rich`` is imported when it is used.
"""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from itertools import zip_longest
from typing import TYPE_CHECKING

from ..spec import SPACE_MARK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from rich.text import Text

__all__ = [
    "blocks",
    "is_coloured",
    "plain_blocks",
    "plain_table",
    "quoted",
    "spelled",
    "table",
    "terminal_width",
    "visible",
]

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
    """Pieces without colour: pieces with a bar between them.

    >>> plain_blocks(["▁a", "b"])
    '▁a|b'
    """
    return "|".join(map(visible, pieces))


def terminal_width() -> int | None:
    """How many columns a line may have; None where stdout is no terminal, and lines may be as long as they are."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    width: int | None = None,
    won: Collection[int] = (),
) -> Text:
    """A table for a terminal, with its heads in bold, and the rows that ``won``."""
    from rich.text import Text

    heads, lines, numbers = _laid_out(columns, rows, width)
    styled = [Text(line, "bold" if number in won else "") for line, number in zip(lines, numbers, strict=True)]
    return Text("\n", overflow="fold").join([*(Text(head, "bold") for head in heads), *styled])


def plain_table(columns: Sequence[str], rows: Iterable[Sequence[object]], width: int | None = None) -> str:
    """Rows as aligned lines; columns whose name starts with ``#`` hold numbers.

    Nothing is left out of a table that is wider than ``width``: its widest column of words is folded, and where that is not
    enough, each row is told as a list.

    >>> print(plain_table(["piece", "#id"], [("▁a", 7), ("b", 12)]))
    piece  id
    ▁a      7
    b      12
    >>> print(plain_table(["piece", "#id"], [("▁a", 7), ("b", 12)], 6))
    piece  ▁a
    id     7
    <BLANKLINE>
    piece  b
    id     12
    """
    heads, lines, _ = _laid_out(columns, rows, width)
    return "\n".join([*heads, *lines])


def _laid_out(
    columns: Sequence[str], rows: Iterable[Sequence[object]], width: int | None
) -> tuple[list[str], list[str], list[int]]:
    """The line of heads, which a list does not have, the lines under it, and the number of the row of each."""
    heads = [name.lstrip("#") for name in columns]
    cells = [heads, *([str(value) for value in row] for row in rows)]
    widths = [max(_width(row[index]) for row in cells) for index in range(len(columns))]
    over = 0 if width is None else sum(widths) + len(_GAP) * (len(widths) - 1) - width
    if over > 0:
        words = [index for index, name in enumerate(columns) if not name.startswith("#") and name.strip()]
        widest = max(words, key=lambda index: widths[index], default=None)
        if widest is None or widths[widest] - over < max(_LEAST, _width(heads[widest])):
            told = [(line, number) for number, row in enumerate(cells[1:]) for line in _listed(heads, row)][:-1]
            return [], [line for line, _ in told], [number for _, number in told]
        widths[widest] -= over
    right = [name.startswith("#") for name in columns]
    laid = [(line, number) for number, row in enumerate(cells, -1) for line in _lines(row, widths, right)]
    return (
        [line for line, at in laid if at < 0],
        [line for line, at in laid if at >= 0],
        [at for _, at in laid if at >= 0],
    )


_GAP = "  "
_LEAST = 12
"""A column of words is not folded to less."""


def _lines(row: list[str], widths: list[int], right: list[bool]) -> Iterator[str]:
    """A row on one line, or on several where a cell is wider than its column."""
    folded = [_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*folded, fillvalue=""):
        padded = [_padded(part, width, r) for part, width, r in zip(parts, widths, right, strict=True)]
        yield _GAP.join(padded).rstrip()


def _folded(cell: str, width: int) -> list[str]:
    """A cell in parts of at most ``width`` columns, cut behind a space if there is one."""
    if _width(cell) <= width:
        return [cell]
    parts, part = [], ""
    for character in cell:
        if part and _width(part + character) > width:
            at = part.rfind(" ") + 1 or len(part)
            parts.append(part[:at])
            part = part[at:]
        part += character
    return [*parts, part]


def _listed(heads: list[str], row: list[str]) -> list[str]:
    """A row as a list of its cells and an empty line; a column without a name is a picture, and left out."""
    named = [(head, cell) for head, cell in zip(heads, row, strict=True) if head.strip()]
    wide = max(_width(head) for head, _ in named)
    return [*(f"{_padded(head, wide, False)}{_GAP}{cell}" for head, cell in named if cell), ""]


def _padded(cell: str, width: int, right: bool) -> str:
    gap = " " * (width - _width(cell))
    return gap + cell if right else cell + gap


def _width(text: str) -> int:
    """How many columns a terminal gives to a text: two for a wide character, none for a combining one."""
    marks = sum(unicodedata.combining(character) != 0 for character in text)
    return len(text) - marks + sum(unicodedata.east_asian_width(character) in "WF" for character in text)
