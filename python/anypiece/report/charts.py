"""Charts as SVG that is part of a page: bars, histograms, lines. Lengths are shares of the width, so that letters keep
their size in a window of any width.

Each picture says in words what it shows (``aria-label``), and figures that are not written in it are in a table below.
"""

from __future__ import annotations

from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING

from .page import Html, details, plain, table
from .style import SCALE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["bars", "columns", "lines"]

_WIDEST = 80.0
"""How far the longest bar reaches, in percent: the rest is for its figure."""
_BAR, _GAP = 14, 4
_TALL, _FOOT = 180, 24
"""Pixels of a histogram and of the names below it."""
_WIDE, _NARROW, _LETTER, _BETWEEN = 800, 320, 7, 9
"""Pixels of an axis in a wide and in a narrow window, of a letter below it, and between names."""
_TICKS = 5
_LEFT, _RIGHT = 13.0, 98.0
"""Where the plot of lines begins and ends, in percent of the width."""


def bars(
    groups: Mapping[str, Mapping[str, float]],
    unit: str,
    digits: int = 2,
    intervals: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
) -> Html:
    """Horizontal bars: for each group one for each of the same names, with a legend.

    ``intervals`` has a low and a high end for some of them, drawn as a line across the end of the bar.

    >>> chart = bars({"English": {"ours": 4.5, "theirs": 4.0}}, "bytes per token")
    >>> chart.count("<rect"), "English: ours 4.50, theirs 4.00 bytes per token" in chart
    (2, True)
    """
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    spans = intervals or {}
    highs = [high for group in spans.values() for _, high in group.values()]
    most = max([*(value for group in groups.values() for value in group.values()), *highs], default=0.0) or 1.0
    parts = []
    for title, group in groups.items():
        if not group:
            continue
        said = ", ".join(f"{name} {value:.{digits}f}".strip() for name, value in group.items())
        rows = [
            _bar(row, names.index(name), value / most, f"{value:.{digits}f}", _across(spans, title, name, most))
            for row, (name, value) in enumerate(group.items())
        ]
        height = len(rows) * (_BAR + _GAP)
        parts.append(
            f'<div><b>{plain(title)}</b><svg class="plot" width="100%" height="{height}" role="img" '
            f'aria-label="{plain(f"{title}: {said} {unit}")}">{"".join(rows)}</svg></div>'
        )
    if not parts:
        return Html("")
    legend = _legend(names) if len(names) > 1 else ""
    return Html(f'{legend}<div class="bars">{"".join(parts)}</div>')


def _across(
    spans: Mapping[str, Mapping[str, tuple[float, float]]], title: str, name: str, most: float
) -> tuple[float, float] | None:
    span = spans.get(title, {}).get(name)
    return None if span is None else (span[0] / most, span[1] / most)


def _bar(row: int, colour: int, share: float, figure: str, span: tuple[float, float] | None) -> str:
    top, wide = row * (_BAR + _GAP), max(share, 0.0) * _WIDEST
    drawn = f'<rect class="f{colour % SCALE}" y="{top}" width="{wide:.2f}%" height="{_BAR}" rx="2"/>'
    end = wide
    if span is not None:
        low, high = (one * _WIDEST for one in span)
        end, middle = max(wide, high), top + _BAR / 2
        drawn += f'<line class="whisker" x1="{low:.2f}%" x2="{high:.2f}%" y1="{middle:g}" y2="{middle:g}"/>'
        for place in (low, high):
            drawn += f'<line class="whisker" x1="{place:.2f}%" x2="{place:.2f}%" y1="{top + 3}" y2="{top + _BAR - 3}"/>'
    return f'{drawn}<text x="{end:.2f}%" dx="6" y="{top + _BAR - 3}">{plain(figure)}</text>'


def _legend(names: Sequence[str]) -> str:
    rows = "".join(f'<li><i class="k{place % SCALE}"></i>{plain(name)}</li>' for place, name in enumerate(names))
    return f'<ul class="legend">{rows}</ul>'


def columns(values: Sequence[tuple[str, float]], unit: str, title: str) -> Html:
    """A histogram: upright bars with their names below, only some of them where they are too many to read.

    >>> columns([("1", 3.0), ("2", 6.0)], "pieces", "length").count("<rect")
    2
    """
    if not values:
        return Html("")
    most = max(value for _, value in values) or 1.0
    room = _LETTER * max(len(name) for name, _ in values) + _BETWEEN
    wide = max(1, ceil(room * len(values) / _WIDE))
    narrow = wide * max(1, ceil(room * len(values) / _NARROW / wide))
    step, drawn = 94 / len(values), []
    for number, (name, value) in enumerate(values):
        tall = max(2.0, _TALL * value / most) if value else 0.0
        left, hint = 3 + number * step, plain(f"{name}: {value:g} {unit}")
        drawn.append(
            f'<rect class="f0" x="{left:.3f}%" y="{_TALL - tall:.1f}" width="{0.9 * step:.3f}%" height="{tall:.1f}">'
            f"<title>{hint}</title></rect>"
        )
        if number % wide == 0:
            kind = "mid" if number % narrow == 0 else "mid more"
            drawn.append(f'<text class="{kind}" x="{left + 0.45 * step:.3f}%" y="{_TALL + 16}">{plain(name)}</text>')
    first, last = values[0][0], values[-1][0]
    said = plain(f"{title}: {len(values)} columns from {first} to {last}, the highest of {most:g} {unit}")
    axis = f'<line class="axis" x1="3%" x2="97%" y1="{_TALL}" y2="{_TALL}"/>'
    caption = f"<figcaption>{plain(title)} (highest: {most:g} {plain(unit)})</figcaption>"
    rows = table([title, unit], [[name, f"{value:,g}"] for name, value in values], title)
    return Html(
        f'<figure class="columns">{caption}<svg class="plot" width="100%" height="{_TALL + _FOOT}" '
        f'role="img" aria-label="{said}">'
        f"{axis}{''.join(drawn)}</svg></figure>{details('The figures', rows)}"
    )


def lines(series: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str, title: str) -> Html:
    """Lines through points, with ticks at round figures. Both axes begin at 0 where nothing is below.

    >>> chart = lines({"a": [(0, 1), (10, 4)]}, "texts", "seconds", "Time")
    >>> chart.count("<path"), "Time: seconds by texts" in chart
    (1, True)
    """
    shown = {name: [(x, y) for x, y in points if isfinite(x) and isfinite(y)] for name, points in series.items()}
    points = [point for row in shown.values() for point in row]
    if not points:
        return Html("")
    left, right, steps = _axis([x for x, _ in points])
    low, high, rises = _axis([y for _, y in points])
    drawn = []
    for tick in rises:
        y = _TALL * (1 - (tick - low) / (high - low)) + 8
        drawn.append(f'<line class="axis" x1="{_LEFT}%" x2="{_RIGHT}%" y1="{y:.1f}" y2="{y:.1f}"/>')
        drawn.append(f'<text class="end" x="{_LEFT}%" dx="-6" y="{y + 4:.1f}">{tick:g}</text>')
    for number, tick in enumerate(steps):
        x = _LEFT + (_RIGHT - _LEFT) * (tick - left) / (right - left)
        kind = "end" if number == len(steps) - 1 else "mid"
        drawn.append(f'<text class="{kind}" x="{x:.2f}%" y="{_TALL + 26}">{tick:g}</text>')
    paths = "".join(
        f'<path class="s{place % SCALE}" d="{_path(row, (left, right), (low, high))}"/>'
        for place, row in enumerate(shown.values()) if row
    )  # fmt: skip
    plot = (
        f'<svg class="lines" x="{_LEFT}%" y="8" width="{_RIGHT - _LEFT}%" height="{_TALL}" viewBox="0 0 1000 1000" '
        f'preserveAspectRatio="none">{paths}</svg>'
    )
    ends = "; ".join(f"{name} from {row[0][1]:g} to {row[-1][1]:g}" for name, row in shown.items() if row)
    said = plain(f"{title}: {up} by {across}, {ends}")
    legend = _legend(list(series)) if len(series) > 1 else ""
    rows = [[name, f"{x:g}", f"{y:g}"] for name, row in shown.items() for x, y in row]
    return Html(
        f'{legend}<figure class="chart"><figcaption>{plain(f"{title}: {up} by {across}")}</figcaption>'
        f'<svg class="plot" width="100%" height="{_TALL + 34}" role="img" aria-label="{said}">'
        f"{''.join(drawn)}{plot}</svg></figure>" + details("The figures", table(["line", across, up], rows, title))
    )


def _path(row: Sequence[tuple[float, float]], xs: tuple[float, float], ys: tuple[float, float]) -> str:
    places = (
        (1000 * (x - xs[0]) / (xs[1] - xs[0]), 1000 * (1 - (y - ys[0]) / (ys[1] - ys[0]))) for x, y in sorted(row)
    )
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)


def _axis(values: Sequence[float]) -> tuple[float, float, list[float]]:
    """Where an axis begins and ends, and its ticks.

    >>> _axis([3, 42])
    (0.0, 50.0, [0.0, 10.0, 20.0, 30.0, 40.0, 50.0])
    """
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    if low == high:
        high = low + 1.0
    rough = (high - low) / _TICKS
    size = 10.0 ** floor(log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return first * step, last * step, [round(number * step, 12) for number in range(first, last + 1)]
