"""HTML reports in one file: text, tables, and charts. For light and dark, narrow and wide, and print.

What comes from files is text to it: pieces are escaped, and characters that would turn the text around them are spelled out.
"""

from __future__ import annotations

import unicodedata
from html import escape
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Html", "bars", "columns", "facts", "literal", "page", "section", "table"]

_STYLE = """
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--ground:#fff;--band:#f6f8fa;
--c0:#0969da;--c1:#bc4c00;--c2:#1a7f37;--c3:#8250df;--c4:#9a6700;--c5:#cf222e;--c6:#0a7d8c;--c7:#6e7781}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;--ground:#0d1117;--band:#151b23;
--c0:#4493f8;--c1:#f0883e;--c2:#3fb950;--c3:#ab7df8;--c4:#d29922;--c5:#f85149;--c6:#39c5cf;--c7:#9198a1}}
*{box-sizing:border-box}body{margin:0 auto;max-width:64rem;padding:2rem 1.25rem 4rem;background:var(--ground);
color:var(--ink);font:16px/1.55 system-ui,'Noto Sans','DejaVu Sans',sans-serif}
h1{font-size:1.7rem;margin:0 0 .25rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem}p{margin:.4rem 0;max-width:46rem}
h1,h2,p,dd,li{overflow-wrap:anywhere}
.lead{color:var(--soft)}.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;
margin:.6rem 0;font-size:.92rem}caption{text-align:left;color:var(--soft);padding-bottom:.3rem}
th,td{padding:.28rem .8rem .28rem 0;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
td{white-space:nowrap}th:first-child{text-align:left;min-width:8rem;max-width:22rem;overflow-wrap:anywhere}
tbody th{font-weight:400}
thead th{border-bottom:2px solid var(--line);font-weight:600;vertical-align:bottom;max-width:9rem}
tbody tr:hover{background:var(--band)}td.best{font-weight:700}
code,.piece{font-family:ui-monospace,'DejaVu Sans Mono',monospace;
font-size:.9em}.piece{background:var(--band);padding:.05em .35em;border-radius:.3em;unicode-bidi:isolate;
white-space:pre-wrap;overflow-wrap:anywhere}
.pieces{display:flex;flex-wrap:wrap;gap:.35rem;list-style:none;padding:0;margin:.4rem 0}
.pieces small{color:var(--soft);margin:0 .5rem 0 .3rem;font-variant-numeric:tabular-nums}
.bars,.columns{margin:.6rem 0}
.bars>div{display:grid;grid-template-columns:11rem 1fr;gap:0 .8rem;align-items:center;margin:0 0 .7rem}
.bars b{font-weight:400;font-size:.92rem;text-align:right;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;
unicode-bidi:isolate}
.bars span{display:flex;align-items:center;height:1.15rem}.bars i{height:.85rem;min-width:1px;border-radius:.15rem}
.bars small,.columns small{color:var(--soft);font-size:.8rem;line-height:1.15rem;font-variant-numeric:tabular-nums}
.bars small{padding-left:.4rem}.columns .plot{display:flex;align-items:flex-end;gap:1px;height:12rem;margin:.3rem 1rem 0;
border-bottom:1px solid var(--line)}.plot i{flex:1;background:var(--c0)}.axis{position:relative;height:1.4rem;margin:0 1rem}
.axis small{position:absolute;transform:translateX(-50%);white-space:nowrap}i{print-color-adjust:exact}
@media (max-width:40rem){body{padding:1.2rem 1rem 3rem}.bars>div{grid-template-columns:1fr}.bars b{text-align:left}
.columns .plot{height:9rem}.axis .more{display:none}}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;padding:0;margin:.3rem 0;font-size:.92rem}
.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:.2rem;margin-right:.4rem;vertical-align:-.08rem}
dl.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.6rem 1.2rem;margin:1rem 0}
dl.facts div{border-top:2px solid var(--line);padding-top:.3rem}dt{color:var(--soft);font-size:.85rem}
dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
"""
_COLOURS = 8
_ROOM = 3.2
"""What a bar leaves for its figure, in the size of the font."""
_WIDE, _NARROW, _LETTER, _BETWEEN = 800, 320, 7, 9
"""Pixels of an axis in a wide and in a narrow window, of a letter below it, and between names."""


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
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_plain(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<style>{_STYLE}</style></head>\n<body><main>\n<h1>{_plain(title)}</h1>\n"
        f'<p class="lead">{_plain(lead)}</p>\n{body}\n</main></body></html>\n'
    )


def section(title: str, *parts: str) -> str:
    """A part of a page with its heading; nothing where there is nothing to show."""
    shown = [part for part in parts if part]
    return f"<section><h2>{_plain(title)}</h2>\n" + "\n".join(shown) + "</section>" if shown else ""


def facts(rows: Mapping[str, str]) -> str:
    """A few figures with their names."""
    shown = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in rows.items())
    return f'<dl class="facts">{shown}</dl>'


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", best: Sequence[tuple[int, int]] = ()
) -> str:
    """A table; cells are text unless they are ``Html``. ``best`` cells are bold."""
    marked = set(best)
    head = "".join(f'<th scope="col">{_plain(name)}</th>' for name in heads)
    body = ""
    for number, row in enumerate(rows):
        cells = [f'<th scope="row">{_cell(row[0])}</th>']
        for place, cell in enumerate(row[1:], 1):
            kind = ' class="best"' if (number, place) in marked else ""
            cells.append(f"<td{kind}>{_cell(cell)}</td>")
        body += f"<tr>{''.join(cells)}</tr>\n"
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<div class="scroll"><table>{title}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _cell(text: str) -> str:
    return text if isinstance(text, Html) else _plain(text)


def literal(piece: bytes | str) -> Html:
    """A piece as it can be shown: bytes that are no text, and characters without a shape, are spelled out.

    >>> literal("a b"), literal(b"\\xff"), literal("\u202eabc")
    ('<span class="piece">a b</span>', '<span class="piece">\\\\xff</span>', '<span class="piece">\\\\u202eabc</span>')
    """
    text = piece.decode("utf-8", "backslashreplace") if isinstance(piece, bytes) else piece
    return Html(f'<span class="piece">{_plain(text)}</span>')


def _plain(text: str) -> str:
    """Text as HTML; names of files can be anything, too."""
    return escape("".join(_shown(character) for character in text))


def _shown(character: str) -> str:
    if character in "\n\t\r":
        return repr(character)[1:-1]
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in "\u200c\u200d":
        return f"\\u{ord(character):04x}"
    return character


def bars(groups: Mapping[str, Mapping[str, float]], unit: str, digits: int = 2) -> str:
    """Horizontal bars: for each group one for each of the same names, with a legend.

    >>> chart = bars({"English": {"ours": 4.5, "theirs": 4.0}}, "bytes per token")
    >>> chart.count('<i style="width'), "English" in chart
    (2, True)
    """
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    most = max((value for group in groups.values() for value in group.values()), default=0.0) or 1.0
    parts = []
    for title, group in groups.items():
        if not group:
            continue
        rows = []
        for name, value in group.items():
            colour, hint = names.index(name) % _COLOURS, f"{title}, {name}: {value:.{digits}f} {unit}"
            style = f"width:calc((100% - {_ROOM}rem)*{max(value, 0.0) / most:.4f});background:var(--c{colour})"
            rows.append(f'<span title="{_plain(hint)}"><i style="{style}"></i><small>{value:.{digits}f}</small></span>')
        parts.append(f'<div><b title="{_plain(title)}">{_plain(title)}</b><div>{"".join(rows)}</div></div>')
    legend = _legend(names) if len(names) > 1 else ""
    return f'{legend}<div class="bars" role="img" aria-label="{escape(unit)}">{"".join(parts)}</div>' if parts else ""


def _legend(names: Sequence[str]) -> str:
    rows = "".join(
        f'<li><i style="background:var(--c{number % _COLOURS})"></i>{_plain(name)}</li>'
        for number, name in enumerate(names)
    )
    return f'<ul class="legend">{rows}</ul>'


def columns(values: Sequence[tuple[str, float]], unit: str, title: str) -> str:
    """A histogram: upright bars with their names below, only some of them where they are too many to read.

    >>> columns([("1", 3.0), ("2", 6.0)], "pieces", "length").count('<i style="height')
    2
    """
    if not values:
        return ""
    most = max(value for _, value in values) or 1.0
    room = _LETTER * max(len(name) for name, _ in values) + _BETWEEN
    wide = max(1, ceil(room * len(values) / _WIDE))
    narrow = wide * max(1, ceil(room * len(values) / _NARROW / wide))
    parts, names = [], []
    for number, (name, value) in enumerate(values):
        tall = f"max(2px,{100 * value / most:.2f}%)" if value else "0"
        parts.append(f'<i style="height:{tall}" title="{escape(f"{name}: {value:g} {unit}")}"></i>')
        if number % wide == 0:
            kind = "" if number % narrow == 0 else ' class="more"'
            names.append(f'<small{kind} style="left:{100 * (number + 0.5) / len(values):.2f}%">{escape(name)}</small>')
    return (
        f'<div class="columns"><small>{escape(title)} (highest: {most:g} {escape(unit)})</small>'
        f'<div class="plot" role="img" aria-label="{escape(title)}">{"".join(parts)}</div>'
        f'<div class="axis">{"".join(names)}</div></div>'
    )
