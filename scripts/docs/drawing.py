"""Pictures of steps as SVG: the table of a best path, pieces as blocks, fields of a file, shares as bars."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from anypiece.report.page import visible
from anypiece.report.style import BLOCKS, DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anypiece.steps.data import Position, Viterbi

__all__ = ["bars_figure", "blocks_figure", "fields_figure", "table_figure"]

_LETTER = 8.4
_MARGIN = 16


def _colours(colours: dict[str, str]) -> str:
    blocks = "".join(f".t{number}{{fill:{colours[f't{number}']}}}" for number in range(BLOCKS))
    bars = "".join(f".f{number}{{fill:{colours[f'c{number}']}}}" for number in range(4))
    return (
        f".bg{{fill:{colours['ground']}}}text{{fill:{colours['ink']}}}.soft{{fill:{colours['soft']}}}"
        f".box{{fill:{colours['band']};stroke:{colours['line']}}}.won{{stroke:{colours['c0']};stroke-width:2}}"
        f"path{{fill:none;stroke:{colours['line']};stroke-width:1.5}}.way{{stroke:{colours['c0']};stroke-width:3}}"
        f".axis{{stroke:{colours['line']}}}{blocks}{bars}"
    )


_STYLE = (
    "text{font:13px system-ui,'Noto Sans','DejaVu Sans',sans-serif;unicode-bidi:isolate}.mid{text-anchor:middle}"
    ".end{text-anchor:end}.mono{font-family:ui-monospace,'DejaVu Sans Mono','Noto Sans Mono CJK JP',monospace}"
    ".small{font-size:11px}.bold{font-weight:700}"
    f"{_colours(LIGHT)}@media (prefers-color-scheme:dark){{{_colours(DARK)}}}"
)


def _picture(width: float, height: float, title: str, said: str, parts: Sequence[str]) -> str:
    size = f'width="{width:g}" height="{height:g}"'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:g} {height:g}" {size}>',
        f"<title>{_text(title)}</title>",
        f"<desc>{_text(said)}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="bg" {size}/>',
        *parts,
        "</svg>\n",
    ])  # fmt: skip


def _text(text: str) -> str:
    return escape(visible(text))


def _label(x: float, y: float, text: str, kind: str = "mid") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{_text(text)}</text>'


def _box(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4"/>'


# -- the table of a best path


def table_figure(table: Viterbi, text: str, title: str, most: int = 3) -> str:
    """Under each place the pieces that end there, best first, and above the line an arc for each winner: the way back is
    bold."""
    step = max(_LETTER * max(len(one.piece) for at in table.positions for one in at.candidates) + 14, 54)
    ways = [at for at in table.positions if at.winner is not None]
    reach = max(at.at - (at.back or 0) for at in ways)
    base = 30 + 13 * reach
    places = {at.at: _MARGIN + 34 + step * at.at for at in table.positions}
    trace = set(zip(table.trace[1:], table.trace, strict=False))
    parts = [
        _arc(places, at, base, (at.back, at.at) in trace)
        for at in sorted(ways, key=lambda at: (at.back, at.at) in trace)
    ]
    first, last = min(places.values()), max(places.values())
    parts.append(f'<line class="axis" x1="{first:.1f}" x2="{last:.1f}" y1="{base}" y2="{base}"/>')
    rows = max(min(len(at.candidates), most) for at in table.positions)
    for at, x in places.items():
        parts.append(_label(x, base + 20, str(at), "mid bold"))
        if at < len(text):
            parts.append(_label(x + step / 2, base + 20, text[at], "mid mono soft"))
    for position in table.positions:
        parts += _stack(position, places[position.at], base + 34, step, most)
    parts.append(_label(places[0], base + 50, "start", "mid small soft"))
    parts.append(_label(places[0], base + 66, "0", "mid small"))
    said = f"Back from {table.trace[0]}: {', '.join(map(str, table.trace[1:]))}"
    return _picture(last + step / 2 + _MARGIN, base + 44 + 40 * rows, f"The table of {title}", said, parts)


def _arc(places: Mapping[int, float], at: Position, base: float, bold: bool) -> str:
    assert at.back is not None
    start, end = places[at.back], places[at.at]
    height = 26 * (at.at - at.back) * 0.66 + 8
    kind = ' class="way"' if bold else ""
    curve = f"C{start:.1f} {base - height:.1f} {end:.1f} {base - height:.1f} {end:.1f} {base}"
    return f'<path{kind} d="M{start:.1f} {base}{curve}"/>'


def _stack(position: Position, x: float, top: float, step: float, most: int) -> list[str]:
    rows = sorted(range(len(position.candidates)), key=lambda number: (number != position.winner, number))[:most]
    parts = []
    for row, number in enumerate(rows):
        one, y = position.candidates[number], top + 40 * row
        parts.append(_box(x - step / 2 + 3, y, step - 6, 36, "box won" if number == position.winner else "box"))
        parts.append(_label(x, y + 15, one.piece, "mid mono bold" if number == position.winner else "mid mono"))
        parts.append(
            _label(x, y + 30, f"{one.total:.2f}", "mid small" if number == position.winner else "mid small soft")
        )
    return parts


# -- pieces as blocks


def blocks_figure(rows: Sequence[tuple[str, Sequence[tuple[str, str]]]], title: str) -> str:
    """Rows of pieces, each with what stands below it, and a name in front of each row."""
    names = _LETTER * max(len(name) for name, _ in rows) + 2 * _MARGIN
    parts, widest = [], 0.0
    for number, (name, pieces) in enumerate(rows):
        x, y = names, 14.0 + 48 * number
        parts.append(_label(names - 14, y + 17, name, "end soft"))
        for place, (piece, below) in enumerate(pieces):
            shown = visible(piece).replace(" ", "␣")
            wide = _LETTER * max(sum(2 if ord(one) > 0x2E7F else 1 for one in shown), 0.8 * len(below)) + 10
            parts.append(_box(x, y, wide, 24, f"t{place % BLOCKS}"))
            parts.append(_label(x + wide / 2, y + 17, shown, "mid mono"))
            parts.append(_label(x + wide / 2, y + 37, below, "mid small soft"))
            x += wide + 3
        widest = max(widest, x)
    said = "; ".join(f"{name}: {' '.join(piece for piece, _ in pieces)}" for name, pieces in rows)
    return _picture(widest + _MARGIN, 14 + 48 * len(rows), title, said, parts)


# -- fields of a file


def fields_figure(rows: Sequence[tuple[int, bytes, str]], title: str, most: int = 12) -> str:
    """The bytes of a file in rows: the offset, the bytes, and what they mean."""
    parts = []
    for number, (offset, raw, meaning) in enumerate(rows):
        y = 14.0 + 30 * number
        shown = raw[:most].hex(" ") + (" …" if len(raw) > most else "")
        parts.append(_label(_MARGIN + 44, y + 17, str(offset), "end soft"))
        parts.append(_box(_MARGIN + 56, y, _LETTER * (3 * most + 2) + 8, 24, f"t{number % BLOCKS}"))
        parts.append(_label(_MARGIN + 64, y + 17, shown, "mono"))
        parts.append(_label(_MARGIN + 80 + _LETTER * (3 * most + 2), y + 17, meaning, ""))
    longest = max(len(meaning) for _, _, meaning in rows)
    width = _MARGIN * 2 + 80 + _LETTER * (3 * most + 2) + 7.4 * longest
    said = "; ".join(f"at {offset}: {meaning}" for offset, _, meaning in rows)
    return _picture(width, 14 + 30 * len(rows), title, said, parts)


# -- shares


def bars_figure(groups: Mapping[str, Mapping[str, float]], title: str, digits: int = 3) -> str:
    """Upright groups of bars from 0, with a legend: shares by the same names in each group."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    top, tall, wide = 46, 180, 46
    most = max(value for group in groups.values() for value in group.values())
    parts, x = [], float(_MARGIN)
    for number, name in enumerate(names):
        parts.append(_box(x, 12, 14, 14, f"f{number % 4}"))
        parts.append(_label(x + 20, 24, name, ""))
        x += 40 + 7.4 * len(name)
    right, x = x, float(_MARGIN)
    for title_of, group in groups.items():
        room = max(wide * len(group), 7.6 * len(title_of)) + 18
        left = x + (room - wide * len(group)) / 2
        for place, (name, value) in enumerate(group.items()):
            height = tall * value / most
            y = top + 14 + tall - height
            parts.append(_box(left + wide * place + 3, y, wide - 6, height, f"f{names.index(name) % 4}"))
            parts.append(_label(left + wide * (place + 0.5), y - 4, f"{value:.{digits}f}", "mid small"))
        parts.append(_label(x + room / 2, top + tall + 34, title_of, "mid mono"))
        x += room
    base = top + 14 + tall
    parts.append(f'<line class="axis" x1="{_MARGIN}" x2="{x:.1f}" y1="{base}" y2="{base}"/>')
    said = "; ".join(
        f"{name}: {', '.join(f'{one} {value:.{digits}f}' for one, value in group.items())}"
        for name, group in groups.items()
    )
    return _picture(max(x, right) + _MARGIN, top + tall + 46, title, said, parts)
