"""Tables, notes and rows of pieces under headings, once for a terminal, for plain lines and for HTML.

A ``View`` says what is shown; the three ways to show it have the same words and figures, and none leaves anything out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..report import Block, Html, blocks, literal, paragraph, section, table
from ..report.page import visible
from . import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

__all__ = ["Cell", "Grid", "Note", "Part", "Piece", "Row", "View", "as_html", "as_rich", "as_text", "figure"]


class Piece(str):
    """Text of a text or of a vocabulary; other text is that of these views."""

    __slots__ = ()


Cell = str | tuple[Piece, ...]


class Note(NamedTuple):
    """A sentence."""

    text: str


class Grid(NamedTuple):
    """A table with its caption. Columns whose name starts with ``#`` hold numbers; ``won`` rows are those that count."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    won: frozenset[int] = frozenset()


class Row(NamedTuple):
    """Pieces side by side, each with what stands below it."""

    name: str
    pieces: tuple[tuple[str, str], ...]


class View(NamedTuple):
    """Parts under a heading."""

    title: str
    parts: Sequence[Part]


Part = Note | Grid | Row | View


def figure(value: float | None) -> str:
    """A number with all its digits where it is one of 32 bits, and with nine of them otherwise.

    >>> import numpy as np
    >>> figure(float(np.float32(-3.8))), figure(1 / 3), figure(7.0), figure(None)
    ('-3.8', '0.333333333', '7', '')
    """
    if value is None:
        return ""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    import numpy as np

    with np.errstate(over="ignore"):
        short = np.float32(value)
    return str(short) if float(short) == value else f"{value:.9g}"


def as_text(views: Sequence[View], width: int | None = None) -> str:
    """Plain lines. Tables that are wider than ``width`` are folded, and where that is not enough told as lists."""
    return "\n".join(line for view in views for line in _lines(view, width, 0))


def _lines(view: View, width: int | None, depth: int) -> Iterator[str]:
    yield ("" if depth else "\n") + f"{'#' * (depth + 1)} {visible(view.title)}"
    for number, part in enumerate(view.parts):
        if number and isinstance(part, (Grid, View)):
            yield ""
        if isinstance(part, View):
            yield from _lines(part, width, depth + 1)
        elif isinstance(part, Note):
            yield visible(part.text)
        elif isinstance(part, Row):
            yield f"{part.name}: {_joined(part)}"
        else:
            yield part.caption
            yield terminal.plain_table(part.columns, _cells(part), width)


def _joined(row: Row) -> str:
    return " ".join(f"{_spelled(piece)} ({below})" if below else _spelled(piece) for piece, below in row.pieces)


def _cells(grid: Grid) -> list[list[str]]:
    return [[_written(cell) for cell in row] for row in grid.rows]


def _written(cell: Cell) -> str:
    if isinstance(cell, tuple):
        return " ".join(map(_spelled, cell))
    return _spelled(cell) if isinstance(cell, Piece) else visible(cell)


def _spelled(piece: str) -> str:
    return visible(piece).replace(" ", terminal.BLANK)


def as_rich(views: Sequence[View], width: int | None = None) -> list[RenderableType]:
    """Views for a terminal, with bold headings and pieces as coloured blocks."""
    return [line for view in views for line in _rendered(view, width, 0)]


def _rendered(view: View, width: int | None, depth: int) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(f"\n{visible(view.title)}", "bold" if depth else "bold underline")
    for number, part in enumerate(view.parts):
        if number and isinstance(part, Grid):
            yield Text("")
        if isinstance(part, View):
            yield from _rendered(part, width, depth + 1)
        elif isinstance(part, Note):
            yield Text(visible(part.text))
        elif isinstance(part, Row):
            line = Text(f"{part.name}  ")
            line.append_text(terminal.blocks((_spelled(piece) for piece, _ in part.pieces), ""))
            yield line
        else:
            yield Text(part.caption, "dim")
            yield terminal.table(part.columns, _cells(part), width, part.won)


def as_html(views: Sequence[View], level: int = 2) -> Html:
    """Views as parts of a page."""
    return Html("\n".join(_section(view, level) for view in views))


def _section(view: View, level: int) -> str:
    parts: list[str] = []
    for part in view.parts:
        if isinstance(part, View):
            parts.append(_section(part, min(level + 1, 6)))
        elif isinstance(part, Note):
            parts.append(paragraph(part.text))
        elif isinstance(part, Row):
            shown = blocks((Block(piece, below) for piece, below in part.pieces), part.name)
            parts.append(Html(f"<figure><figcaption>{part.name}</figcaption>{shown}</figure>"))
        else:
            heads = [name.lstrip("#") for name in part.columns]
            words = [place for place, name in enumerate(part.columns) if not name.startswith("#")]
            rows = [[_marked(cell) for cell in row] for row in part.rows]
            parts.append(table(heads, rows, part.caption, words=words, won=part.won))
    return section(view.title, *parts, level=level)


def _marked(cell: Cell) -> str:
    if isinstance(cell, tuple):
        return Html(" ".join(map(literal, cell)))
    return literal(cell) if isinstance(cell, Piece) and cell else cell
