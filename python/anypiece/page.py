"""A page of HTML that needs nothing beside itself: text, tables, and charts drawn as SVG. For light and dark, and for print.

What comes from files is text to it: pieces are escaped, and characters that would turn the text around them are spelled out.
"""

from __future__ import annotations

import unicodedata
from html import escape
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
.lead{color:var(--soft)}.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;
margin:.6rem 0;font-size:.92rem}caption{text-align:left;color:var(--soft);padding-bottom:.3rem}
th,td{padding:.28rem .8rem .28rem 0;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th:first-child,td:first-child,td.text,th.text{text-align:left}thead th{border-bottom:2px solid var(--line);font-weight:600}
tbody tr:hover{background:var(--band)}td.best{font-weight:700}
code,.piece{font-family:ui-monospace,'DejaVu Sans Mono',monospace;
font-size:.9em}.piece{background:var(--band);padding:.05em .35em;border-radius:.3em;unicode-bidi:isolate;
white-space:pre-wrap;overflow-wrap:anywhere}
.pieces{display:flex;flex-wrap:wrap;gap:.35rem;list-style:none;padding:0;margin:.4rem 0}
.pieces small{color:var(--soft);margin:0 .5rem 0 .3rem;font-variant-numeric:tabular-nums}
svg{max-width:100%;height:auto;display:block;margin:.4rem 0}
svg text{fill:var(--ink);font:13px system-ui,'Noto Sans',sans-serif}
svg .soft{fill:var(--soft);font-size:12px}svg .grid{stroke:var(--line)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;padding:0;margin:.3rem 0;font-size:.92rem}
.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:.2rem;margin-right:.4rem;vertical-align:-.08rem}
dl.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.6rem 1.2rem;margin:1rem 0}
dl.facts div{border-top:2px solid var(--line);padding-top:.3rem}dt{color:var(--soft);font-size:.85rem}
dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
"""
_COLOURS = 8


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
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<style>{_STYLE}</style></head>\n<body><main>\n<h1>{escape(title)}</h1>\n"
        f'<p class="lead">{escape(lead)}</p>\n{body}\n</main></body></html>\n'
    )


def section(title: str, *parts: str) -> str:
    """A part of a page with its heading; nothing where there is nothing to show."""
    shown = [part for part in parts if part]
    return f"<section><h2>{escape(title)}</h2>\n" + "\n".join(shown) + "</section>" if shown else ""


def facts(rows: Mapping[str, str]) -> str:
    """A few figures with their names."""
    shown = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in rows.items())
    return f'<dl class="facts">{shown}</dl>'


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", best: Sequence[tuple[int, int]] = ()
) -> str:
    """A table; cells are text unless they are ``Html``. ``best`` cells are bold."""
    marked = set(best)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
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
    return text if isinstance(text, Html) else escape(text)


def literal(piece: bytes | str) -> Html:
    """A piece as it can be shown: bytes that are no text, and characters without a shape, are spelled out.

    >>> literal("a b"), literal(b"\\xff"), literal("\u202eabc")
    ('<span class="piece">a b</span>', '<span class="piece">\\\\xff</span>', '<span class="piece">\\\\u202eabc</span>')
    """
    text = piece.decode("utf-8", "backslashreplace") if isinstance(piece, bytes) else piece
    shown = "".join(_shown(character) for character in text)
    return Html(f'<span class="piece">{escape(shown)}</span>')


def _shown(character: str) -> str:
    if character in "\n\t\r":
        return repr(character)[1:-1]
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in "\u200c\u200d":
        return f"\\u{ord(character):04x}"
    return character


def bars(groups: Mapping[str, Mapping[str, float]], unit: str, digits: int = 2) -> str:
    """Horizontal bars: for each group one for each of the same names, with a legend.

    >>> chart = bars({"English": {"ours": 4.5, "theirs": 4.0}}, "bytes per token")
    >>> chart.count("<rect"), "English" in chart
    (2, True)
    """
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    most = max((value for group in groups.values() for value in group.values()), default=0.0) or 1.0
    left, bar, gap, wide = 150.0, 17.0, 16.0, 860.0
    scale = (wide - left - 60) / most
    parts, y = [], 6.0
    for title, group in groups.items():
        if not group:
            continue
        middle = y + len(group) * bar / 2 + 4
        parts.append(f'<text x="{left - 12}" y="{middle:.0f}" text-anchor="end">{escape(_short(title))}</text>')
        for name, value in group.items():
            length, colour = max(value * scale, 1.0), names.index(name) % _COLOURS
            hint = f"<title>{escape(title)}, {escape(name)}: {value:.{digits}f} {escape(unit)}</title>"
            parts.append(
                f'<rect x="{left}" y="{y + 1:.0f}" width="{length:.1f}" height="{bar - 3}" rx="2" '
                f'fill="var(--c{colour})">{hint}</rect>'
                f'<text class="soft" x="{left + length + 6:.1f}" y="{y + 12:.0f}">{value:.{digits}f}</text>'
            )
            y += bar
        y += gap
    size = f'viewBox="0 0 {wide:.0f} {y:.0f}"'
    label = f'role="img" aria-label="{escape(unit)}"'
    legend = _legend(names) if len(names) > 1 else ""
    return f"{legend}<svg {size} {label}>{''.join(parts)}</svg>"


def _legend(names: Sequence[str]) -> str:
    rows = "".join(
        f'<li><i style="background:var(--c{number % _COLOURS})"></i>{escape(name)}</li>'
        for number, name in enumerate(names)
    )
    return f'<ul class="legend">{rows}</ul>'


def _short(text: str, most: int = 17) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def columns(values: Sequence[tuple[str, float]], unit: str, title: str) -> str:
    """A histogram: upright bars with their names below, every so many where they are too many to read."""
    if not values:
        return ""
    wide, high, left = 860.0, 220.0, 10.0
    step = (wide - 2 * left) / len(values)
    most = max(value for _, value in values) or 1.0
    parts = [f'<line class="grid" x1="{left}" x2="{wide - left}" y1="{high}" y2="{high}"/>']
    every = max(1, round(44 / step))
    for number, (name, value) in enumerate(values):
        x, tall = left + number * step, max(value / most * (high - 24), 0.5 if value else 0.0)
        hint = f"<title>{escape(name)}: {value:g} {escape(unit)}</title>"
        parts.append(
            f'<rect x="{x + 0.5:.1f}" y="{high - tall:.1f}" width="{max(step - 1.5, 0.6):.1f}" height="{tall:.1f}" '
            f'fill="var(--c0)">{hint}</rect>'
        )
        if number % every == 0:
            parts.append(
                f'<text class="soft" x="{x + step / 2:.1f}" y="{high + 17:.0f}" text-anchor="middle">{escape(name)}</text>'
            )
    parts.append(f'<text class="soft" x="{left}" y="14">{escape(title)} (highest: {most:g} {escape(unit)})</text>')
    return (
        f'<svg viewBox="0 0 {wide:.0f} {high + 26:.0f}" role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )
