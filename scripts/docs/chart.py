"""The chart of README: times faster than the reference, from the newest records, as SVG for light and dark pages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from benchmarks.reports import training
from benchmarks.reports.rows import OURS, by_definition, leaders, read_rows, summarize
from benchmarks.reports.table import figure, newest

from .pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.reports.rows import Row

__all__ = ["PLOT", "ROWS", "THEMES", "TRAINING", "Bar", "bar", "bars", "current", "draw", "path"]

ROWS = (
    ("T5, English", "t5-english/novels"),
    ("Llama 2, English", "llama2-english/2kb"),
    ("cl100k, English", "cl100k-english/novels"),
    ("o200k, Japanese", "o200k-japanese/large"),
    ("XLM-R, Chinese", "xlmr-chinese/large"),
    ("Load XLM-R's .model", "load/xlmr-model"),
    ("Sample, T5, English", "t5-sampling/novels"),
)
TRAINING = ("Train unigram, 32k", "unigram-32k-english")
THEMES = {
    "light": {"text": "#1f2328", "muted": "#59636e", "grid": "#d1d9e0", "ours": "#0969da", "peer": "#afb8c1"},
    "dark": {"text": "#f0f6fc", "muted": "#9198a1", "grid": "#3d444d", "ours": "#4493f8", "peer": "#656c76"},
}
LABELS, PLOT, VALUES = 170, 420, 170
TOP, ROW, BOTTOM = 34, 38, 26
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
THINNEST = 1.5


@dataclass(frozen=True)
class Bar:
    """One row: this project's ratio to the reference, and that of the fastest other engine that is right and beats it."""

    label: str
    reference: str
    ratio: float
    peer: str = ""
    peer_ratio: float = 0.0


def path(theme: str) -> Path:
    """Where the picture of a theme is kept."""
    return ROOT / "docs" / f"benchmarks-{theme}.svg"


def current(theme: str) -> str:
    """The picture of the newest records."""
    return draw(bars(), theme)


def bars() -> list[Bar]:
    """The rows that the newest records have."""
    groups = by_definition(read_rows(newest()))
    found = [bar(label, groups[name]) for label, name in ROWS if name in groups]
    trained = training.ratio(training.newest_cases().get(TRAINING[1], []))
    return [one for one in found if one] + ([Bar(TRAINING[0], *trained)] if trained else [])


def bar(label: str, rows: Sequence[Row]) -> Bar | None:
    """The cold pass of one definition; nothing where ids of this project were wrong, or it did not run."""
    reference, lines = rows[0].reference, summarize(rows)
    ours = next((line.ratios.get("cold") for line in lines if line.engine == OURS), None)
    if ours is None:
        return None
    for name in leaders([line for line in lines if line.engine not in (OURS, reference)], "cold"):
        peer = next(line.ratios["cold"].median for line in lines if line.engine == name)
        if peer > 1:
            return Bar(label, reference, ours.median, name, peer)
    return Bar(label, reference, ours.median)


def draw(rows: Sequence[Bar], theme: str) -> str:
    """The chart as SVG. The axis is logarithmic and begins at 1, the reference."""
    colors = THEMES[theme]
    last = next(tick for tick in TICKS if tick >= max(max(one.ratio, one.peer_ratio) for one in rows))
    width, height = LABELS + PLOT + VALUES, TOP + ROW * len(rows) + BOTTOM
    size = f'width="{width}" height="{height}"'
    summary = "; ".join(f"{one.label}: {figure(one.ratio, False)} times {one.reference}" for one in rows)
    ticks = [_tick(tick, last, height - BOTTOM) for tick in TICKS if tick <= last]
    drawn = [part for number, one in enumerate(rows) for part in _row(one, TOP + ROW * number, last)]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" {size}>',
        "<title>Times faster than the reference library</title>",
        f"<desc>{escape(summary)}</desc>",
        "<style>",
        "text { font: 13px system-ui, sans-serif; }",
        f".label, .value {{ fill: {colors['text']}; }}",
        f".note {{ font-size: 11px; fill: {colors['muted']}; }}",
        f".grid {{ stroke: {colors['grid']}; }}",
        f".ours {{ fill: {colors['ours']}; }}",
        f".peer {{ fill: {colors['peer']}; }}",
        "</style>",
        f'<text class="note" x="{LABELS}" y="16">times faster than the reference library, log scale</text>',
        *ticks,
        *drawn,
        "</svg>\n",
    ])  # fmt: skip


def _x(ratio: float, last: float) -> float:
    return PLOT * math.log(max(ratio, 1.0)) / math.log(max(last, 2))


def _tick(tick: float, last: float, bottom: int) -> str:
    x = LABELS + _x(tick, last)
    line = f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{bottom}"/>'
    return f'{line}<text class="note" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}×</text>'


def _row(one: Bar, top: int, last: float) -> list[str]:
    width = max(_x(one.ratio, last), THINNEST)
    label = f'<text class="label" x="{LABELS - 10}" y="{top + 13}" text-anchor="end">{escape(one.label)}</text>'
    value = f"{figure(one.ratio, False)}× {one.reference}"
    drawn = [
        label,
        f'<rect class="ours" x="{LABELS}" y="{top}" width="{width:.1f}" height="17"/>',
        f'<text class="value" x="{LABELS + width + 6:.1f}" y="{top + 13}">{escape(value)}</text>',
    ]
    if one.peer:
        width = max(_x(one.peer_ratio, last), THINNEST)
        note = f"{one.peer} {figure(one.peer_ratio, False)}×"
        drawn += [
            f'<rect class="peer" x="{LABELS}" y="{top + 19}" width="{width:.1f}" height="9"/>',
            f'<text class="note" x="{LABELS + width + 6:.1f}" y="{top + 28}">{escape(note)}</text>',
        ]
    return drawn
