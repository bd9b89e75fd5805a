"""What a page is made of: sections, tables, lists of pieces. All text is escaped but ``Html``.

What comes from files is text to it: characters that would turn the text around them, or that have no shape, are spelled out,
and a piece is isolated (``<bdi>``), so that text from right to left leaves its neighbours in their places.
"""

from __future__ import annotations

import unicodedata
from html import escape
from typing import TYPE_CHECKING

from .style import STYLE, STYLE_SOURCE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = [
    "Html",
    "details",
    "facts",
    "fragment",
    "literal",
    "page",
    "paragraph",
    "pieces",
    "plain",
    "section",
    "table",
    "visible",
]

_POLICY = f"default-src 'none'; style-src {STYLE_SOURCE}; base-uri 'none'; form-action 'none'"


class Html(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def page(title: str, lead: str, *parts: str) -> str:
    """A whole page.

    >>> page("A & B", "two", section("Part", "<p>text</p>")).count("<h2>Part</h2>")
    1
    """
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{plain(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<style>{STYLE}</style></head>\n<body class="ap"><main>\n<h1>{plain(title)}</h1>\n'
        f'<p class="lead">{plain(lead)}</p>\n{body}\n</main></body></html>\n'
    )


def fragment(*parts: str) -> str:
    """A part of a page that stands by itself in another one: what a notebook shows.

    >>> fragment("<p>text</p>").startswith('<div class="ap"><style>')
    True
    """
    return f'<div class="ap"><style>{STYLE}</style>\n' + "\n".join(part for part in parts if part) + "</div>\n"


def section(title: str, *parts: str, level: int = 2) -> Html:
    """A part of a page with its heading; nothing where there is nothing to show."""
    shown = [part for part in parts if part]
    head = f"<section><h{level}>{plain(title)}</h{level}>\n"
    return Html(head + "\n".join(shown) + "</section>" if shown else "")


def paragraph(text: str, *, note: bool = False) -> Html:
    """A paragraph; a note is less prominent."""
    start = '<p class="note">' if note else "<p>"
    return Html(f"{start}{_cell(text)}</p>" if text else "")


def details(title: str, *parts: str) -> Html:
    """Parts that are shown when they are asked for."""
    shown = [part for part in parts if part]
    joined = "".join(shown)
    return Html(f"<details><summary>{plain(title)}</summary>\n{joined}</details>" if shown else "")


def facts(rows: Mapping[str, str]) -> Html:
    """A few figures with their names."""
    shown = "".join(f"<div><dt>{plain(name)}</dt><dd>{_cell(value)}</dd></div>" for name, value in rows.items())
    return Html(f'<dl class="facts">{shown}</dl>')


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    caption: str = "",
    best: Collection[tuple[int, int]] = (),
    *,
    words: Collection[int] = (),
    won: Collection[int] = (),
) -> Html:
    """A table; cells are text unless they are ``Html``, and the first of a row is its heading.

    ``best`` are cells, ``won`` rows that are bold. ``words`` are columns of text; the others hold figures, at the right.

    >>> table(["a", "b"], [["x", "1"]], "Title").count('scope="col"')
    2
    """
    marked, kinds = set(best), dict.fromkeys(words, ' class="w"')
    head = "".join(f'<th scope="col"{kinds.get(place, "")}>{plain(name)}</th>' for place, name in enumerate(heads))
    body = ""
    for number, row in enumerate(rows):
        cells = [f'<th scope="row">{_cell(row[0])}</th>']
        for place, cell in enumerate(row[1:], 1):
            kind = ' class="best"' if (number, place) in marked else kinds.get(place, "")
            cells.append(f"<td{kind}>{_cell(cell)}</td>")
        start = '<tr class="won">' if number in won else "<tr>"
        body += start + "".join(cells) + "</tr>\n"
    title = f"<caption>{plain(caption)}</caption>" if caption else ""
    name = plain(caption or "table")
    return Html(
        f'<div class="scroll" tabindex="0" role="group" aria-label="{name}"><table>{title}'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _cell(text: str) -> str:
    return text if isinstance(text, Html) else plain(text)


def literal(piece: bytes | str) -> Html:
    """A piece as it can be shown: bytes that are no text, and characters without a shape, are spelled out.

    >>> print(literal("a b"), literal(b"\\xff"), literal("\u202eabc"))
    <bdi class="piece">a b</bdi> <bdi class="piece">\\xff</bdi> <bdi class="piece">\\u202eabc</bdi>
    """
    text = piece.decode("utf-8", "backslashreplace") if isinstance(piece, bytes) else piece
    return Html(f'<bdi class="piece">{plain(text)}</bdi>')


def pieces(rows: Iterable[str | bytes | tuple[str | bytes, str]]) -> Html:
    """Pieces side by side, each with a figure behind it if it has one."""
    shown = ""
    for row in rows:
        piece, figure = row if isinstance(row, tuple) else (row, "")
        more = f"<small>{plain(figure)}</small>" if figure else ""
        shown += f"<li>{literal(piece)}{more}</li>"
    return Html(f'<ul class="pieces">{shown}</ul>' if shown else "")


def plain(text: str) -> str:
    """Text as HTML; names of files can be anything, too."""
    return escape(visible(text))


def visible(text: str) -> str:
    """Text with escapes for all that has no shape or would change that of its surroundings.

    >>> print(visible("a\\n\u202eb"))
    a\\n\\u202eb
    """
    return "".join(_shown(place, character) for place, character in enumerate(text))


def _shown(place: int, character: str) -> str:
    if character in "\n\t\r":
        return repr(character)[1:-1]
    kind = unicodedata.category(character)
    if kind in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in "\u200c\u200d":
        code = ord(character)
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return f"\u25cc{character}" if kind[0] == "M" and not place else character
