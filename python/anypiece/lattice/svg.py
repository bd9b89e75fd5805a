"""A lattice as a picture: places along a base line, an arc for each edge, wide where it is probable.

The text runs from left to right in the order in which it is read, whatever its script; each label is a text of its own, so
that one that is written from right to left stays where it is. Pieces come from files of strangers: what is no text for XML,
or would turn the text around it, is spelled out.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

from ..errors import InputError

if TYPE_CHECKING:
    from .lattice import Edge, Lattice

__all__ = ["drawn"]

_CELL, _MARGIN, _ROW, _FIRST_ROW = 34.0, 28.0, 48.0, 30.0
_LETTER, _DIGIT = 8.6, 5.6
_JOINERS = "\u200c\u200d"
_STYLE = """
.lattice .bg{fill:#fff}
.lattice text{font-family:system-ui,'Noto Sans','DejaVu Sans','Noto Sans CJK JP','Noto Color Emoji',sans-serif;
text-anchor:middle;unicode-bidi:isolate;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round;fill:#1f2328}
.lattice .piece{font-size:14px}
.lattice .number{font-size:10px;fill:#59636e}
.lattice .place{font-size:9px;fill:#6e7781}
.lattice .text{font-size:17px}
.lattice .note{font-size:12px;text-anchor:start;fill:#59636e}
.lattice .best .piece{font-weight:700}
.lattice path,.lattice line{fill:none;stroke:#818b98;stroke-linecap:round}
.lattice .best path,.lattice .best line{stroke:#0969da}
.lattice .second path,.lattice .second line{stroke:#bc4c00;stroke-dasharray:6 5}
.lattice circle{fill:#fff;stroke:#818b98;stroke-width:1.5px}
.lattice circle.bound{fill:#818b98}
@media (prefers-color-scheme:dark){.lattice .bg{fill:#0d1117}
.lattice text{stroke:#0d1117;fill:#e6edf3}
.lattice .number,.lattice .note{fill:#9198a1}
.lattice .place{fill:#767e87}
.lattice path,.lattice line,.lattice circle{stroke:#767e87}
.lattice circle{fill:#0d1117}
.lattice circle.bound{fill:#767e87}
.lattice .best path,.lattice .best line{stroke:#4493f8}
.lattice .second path,.lattice .second line{stroke:#f0883e}
}
"""


class _Cell(NamedTuple):
    """A stretch that no edge begins or ends inside."""

    start: int
    shown: str


@dataclass
class _Arc:
    """An edge on the page: its cells, what is written on it, and how high it is."""

    edge: Edge
    first: int
    last: int
    marginal: float
    label: str
    numbers: str
    kind: str
    row: int = 0


def drawn(lattice: Lattice, alpha: float, most: int) -> str:
    """The picture of a lattice as an SVG file."""
    # A long text is refused by its characters, before all its edges are looked at.
    _refuse_wide(sum(byte & 0xC0 != 0x80 for byte in lattice.normalized), most)
    cells = _cells(lattice)
    _refuse_wide(len(cells), most)
    arcs = _arcs(lattice, cells, alpha)
    rows = _stack(arcs, len(cells))
    places = _columns(arcs, len(cells))
    base = _FIRST_ROW + rows * _ROW + 20
    width, height = max(places[-1] + _MARGIN, 560.0), base + 98
    if _reads_leftward(lattice.normalized.decode("utf-8", "replace")):
        places = [places[0] + places[-1] - place for place in places]
    size = f'width="{_n(width)}" height="{_n(height)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lattice" viewBox="0 0 {_n(width)} {_n(height)}" {size} role="img">',
        f"<title>{_xml(_title(lattice))}</title><style>{_STYLE}</style>",
        f'<rect class="bg" {size}/>',
        *_curves(arcs, places, base),
        *_base_line(lattice, cells, places, base),
        *_labels(arcs, places, base),
        *_legend(lattice, arcs, alpha, base + 66),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _refuse_wide(places: int, most: int) -> None:
    if places > most:
        message = f"A picture of {places:,} places would be too wide to read. Draw a part of the text, or raise most."
        raise InputError("lattice-too-large", message, most=most)


# -- what is on the page


def _cells(lattice: Lattice) -> list[_Cell]:
    """The text, cut where its characters or edges begin."""
    raw = lattice.normalized
    starts = {place for place, byte in enumerate(raw) if byte & 0xC0 != 0x80}
    cuts = sorted({0, len(raw), *starts, *lattice.starts.tolist(), *lattice.ends.tolist()})
    spaces = "▁" if lattice.has_space_marks else "␣"
    return [_Cell(start, _written(raw[start:end], spaces)) for start, end in pairwise(cuts)]


def _written(raw: bytes, space: str) -> str:
    try:
        return _shown(raw.decode().replace(" ", space))
    except UnicodeDecodeError:
        return raw.hex(" ").upper()


def _arcs(lattice: Lattice, cells: list[_Cell], alpha: float) -> list[_Arc]:
    number = {cell.start: index for index, cell in enumerate(cells)} | {len(lattice.normalized): len(cells)}
    raw, best = lattice.normalized, set(lattice.viterbi().edges)
    second = set(lattice.runner_up().edges) if lattice.is_scored and len(lattice) else set()
    arcs = []
    for index, (edge, marginal) in enumerate(zip(lattice.edges, lattice.marginals(alpha).tolist(), strict=True)):
        kind = "best" if index in best else "second" if index in second else "other"
        numbers = f"{edge.score:.2f} · {_percent(marginal)}" if lattice.is_scored else _percent(marginal)
        is_text = "\ufffd" not in edge.piece
        shown = _shown(edge.piece.replace(" ", "␣")) if is_text else _written(raw[edge.start : edge.end], "␣")
        arcs.append(_Arc(edge, number[edge.start], number[edge.end], marginal, shown, numbers.replace("-", "−"), kind))
    return arcs


def _percent(share: float) -> str:
    if 0 < share < 0.001:
        return "<0.1%"
    return f"{100 * share:.{0 if share > 0.0995 else 1}f}%"


def _shown(text: str) -> str:
    """Text in which everything can be seen and nothing turns its surroundings around."""
    out = []
    for place, character in enumerate(text):
        kind = unicodedata.category(character)
        if kind in ("Cc", "Cs", "Zl", "Zp") or (kind == "Cf" and (character not in _JOINERS or len(text) == 1)):
            out.append(f"U+{ord(character):04X}")
        elif ord(character) & 0xFFFE == 0xFFFE:
            out.append("\ufffd")
        elif kind.startswith("M") and place == 0:
            out.append(f"U+{ord(character):04X}" if _is_selector(character) else "◌" + character)
        else:
            out.append(character)
    return "".join(out)


def _is_selector(character: str) -> bool:
    """Whether a mark only says how the character before it is to look."""
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


# -- where it is


def _stack(arcs: list[_Arc], cells: int) -> int:
    """Give each arc the lowest row that is above all arcs inside it and free; returns how many rows there are."""
    taken: list[int] = []
    inside: dict[tuple[int, int], int] = {}
    longest = max((arc.last - arc.first for arc in arcs), default=0)
    by_size: dict[int, list[_Arc]] = {}
    for arc in arcs:
        by_size.setdefault(arc.last - arc.first, []).append(arc)
    for size in range(1, longest + 1):
        for first in range(cells - size + 1):
            within = (inside.get((first, first + size - 1), 0), inside.get((first + 1, first + size), 0))
            inside[first, first + size] = max(within)
        for arc in sorted(by_size.get(size, []), key=lambda arc: arc.first):
            mask = ((1 << size) - 1) << arc.first
            row = inside[arc.first, arc.last]
            while row < len(taken) and taken[row] & mask:
                row += 1
            taken += [0] * (row + 1 - len(taken))
            taken[row] |= mask
            arc.row = row
            inside[arc.first, arc.last] = row + 1
    return len(taken)


def _columns(arcs: list[_Arc], cells: int) -> list[float]:
    """Where each cell begins, wide enough for what is written over it, and where the last one ends."""
    widths = [_CELL] * cells
    for arc in sorted(arcs, key=lambda arc: arc.last - arc.first):
        wanted = _label_width(arc) + 12
        missing = wanted - sum(widths[arc.first : arc.last])
        if missing > 0:
            for cell in range(arc.first, arc.last):
                widths[cell] += missing / (arc.last - arc.first)
    places = [_MARGIN]
    for width in widths:
        places.append(places[-1] + width)
    return places


def _reads_leftward(text: str) -> bool:
    """Whether most letters are of scripts that are written from right to left: then the first place is on the right."""
    ways = [unicodedata.bidirectional(character) for character in text]
    return ways.count("R") + ways.count("AL") > ways.count("L")


def _label_width(arc: _Arc) -> float:
    return max(_LETTER * _width(arc.label), _DIGIT * len(arc.numbers))


def _label_places(arcs: list[_Arc], places: list[float]) -> list[float]:
    """For each arc the middle of its label: as near to its own middle as no leg of a higher arc goes through the label."""
    highest = [0] * len(places)
    for arc in arcs:
        for place in (arc.first, arc.last):
            highest[place] = max(highest[place], arc.row)
    found = []
    for arc in arcs:
        half, middle = _label_width(arc) / 2 + 3, (places[arc.first] + places[arc.last]) / 2
        width = abs(places[arc.last] - places[arc.first])
        legs = [places[place] for place in range(arc.first, arc.last + 1) if highest[place] > arc.row]
        room = max(width / 2 - half, 0.0)
        steps = [step for away in range(0, int(room) + 1, 2) for step in (middle + away, middle - away)]
        clear = [[step for step in steps if all(abs(leg - step) >= half + away for leg in legs)] for away in (7, 0)]
        found.append(next((steps[0] for steps in clear if steps), middle))
    return found


def _width(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)
    return len(text) - marks + 0.7 * wide


def _top(arc: _Arc, base: float) -> float:
    return base - _FIRST_ROW - arc.row * _ROW


# -- the drawing


def _curves(arcs: list[_Arc], places: list[float], base: float) -> list[str]:
    """The arcs; those of the best path last, so that they lie over the others."""
    order = {"other": 0, "second": 1, "best": 2}
    return [_curve(arc, places, base) for arc in sorted(arcs, key=lambda arc: order[arc.kind])]


def _curve(arc: _Arc, places: list[float], base: float) -> str:
    left, right = sorted((places[arc.first], places[arc.last]))
    top, round_by = _top(arc, base), min((right - left) / 2, 60.0)
    least = {"best": 3.0, "second": 1.8, "other": 0.8}[arc.kind]
    weight = max(least, 6 * arc.marginal)
    shade = 1.0 if arc.kind != "other" else 0.35 + 0.65 * math.sqrt(arc.marginal)
    curve = (
        f"M{_n(left)} {_n(base)}C{_n(left)} {_n(top)} {_n(left + round_by * 0.4)} {_n(top)} {_n(left + round_by)} {_n(top)}"
        f"H{_n(right - round_by)}"
        f"C{_n(right - round_by * 0.4)} {_n(top)} {_n(right)} {_n(top)} {_n(right)} {_n(base)}"
    )
    about = f"{arc.label} (id {arc.edge.id}): score {arc.edge.score:.6g}, probability {arc.marginal:.6g}"
    return (
        f'<g class="{arc.kind}"><title>{_xml(about)}</title>'
        f'<path d="{curve}" stroke-width="{_n(weight)}" stroke-opacity="{shade:.2f}"/></g>'
    )


def _labels(arcs: list[_Arc], places: list[float], base: float) -> list[str]:
    parts = []
    for arc, middle in zip(arcs, _label_places(arcs, places), strict=True):
        top = _top(arc, base)
        parts.append(
            f'<g class="{arc.kind}">{_text("piece", middle, top - 20, arc.label)}'
            f"{_text('number', middle, top - 6, arc.numbers)}</g>"
        )
    return parts


def _base_line(lattice: Lattice, cells: list[_Cell], places: list[float], base: float) -> list[str]:
    bounds = set(lattice.bounds.tolist())
    parts = [f'<line x1="{_n(places[0])}" y1="{_n(base)}" x2="{_n(places[-1])}" y2="{_n(base)}"/>']
    starts = [*(cell.start for cell in cells), len(lattice.normalized)]
    for place, start in zip(places, starts, strict=True):
        radius, kind = (4, ' class="bound"') if start in bounds else (3, "")
        parts.append(f'<circle{kind} cx="{_n(place)}" cy="{_n(base)}" r="{radius}"/>')
        parts.append(_text("place", place, base + 40, str(start)))
    for index, cell in enumerate(cells):
        size = "text" if len(cell.shown) < 3 else "number"
        parts.append(_text(size, (places[index] + places[index + 1]) / 2, base + 24, cell.shown))
    return parts


def _legend(lattice: Lattice, arcs: list[_Arc], alpha: float, top: float) -> list[str]:
    """What the lines mean, and the numbers of the whole."""
    parts, left = [], _MARGIN
    kinds = [("best", "best path", 3.0), ("second", "runner-up", 1.8)]
    for kind, name, weight in kinds:
        if any(arc.kind == kind for arc in arcs):
            line = f'<line x1="{_n(left)}" y1="{_n(top - 4)}" x2="{_n(left + 30)}" y2="{_n(top - 4)}"'
            parts.append(f'<g class="{kind}">{line} stroke-width="{weight}"/></g>')
            parts.append(_text("note", left + 38, top, name))
            left += 38 + 6.4 * len(name) + 28
    width = f"width: probability at alpha {alpha:g}" if lattice.is_scored else "width: share of all paths"
    parts.append(_text("note", left, top, width))
    return [*parts, _text("note", _MARGIN, top + 20, lattice.summary(alpha).replace("-", "−"))]


def _title(lattice: Lattice) -> str:
    text = lattice.normalized.decode("utf-8", "replace")
    return f"The lattice of {_shown(text[:80])}{'…' if len(text) > 80 else ''}"


def _text(kind: str, x: float, y: float, content: str) -> str:
    strong = next((way for way in map(unicodedata.bidirectional, content) if way in ("L", "R", "AL")), "L")
    direction = ' direction="rtl"' if strong != "L" else ""
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}"{direction}>{_xml(content)}</text>'


def _xml(text: str) -> str:
    return escape(text, {'"': "&quot;", "'": "&#39;"})


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
