"""The parts of README and docs/benchmarks.md that are generated from the newest records, between two markers each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchmarks.reports import table, training
from benchmarks.reports.rows import OURS, by_definition, read_remarks, read_rows, summarize

from .chart import THEMES, bars, path
from .pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PAGE", "PARTS", "README", "with_current_parts"]

README = ROOT / "README.md"
PAGE = ROOT / "docs" / "benchmarks.md"
_PART = re.compile(r"(?<=<!-- generated: )(\w+)( -->\n).*?(?=<!-- end -->)", re.S)


def with_current_parts(page: str) -> str:
    """``page`` with its generated parts made anew."""

    def made(found: re.Match[str]) -> str:
        if found[1] not in PARTS:
            raise ValueError(f"nothing generates a part named {found[1]}")
        return f"{found[1]}{found[2]}{PARTS[found[1]]()}\n"

    return _PART.sub(made, page)


def _chart() -> str:
    names = {theme: path(theme).relative_to(ROOT).as_posix() for theme in THEMES}
    remarks = read_remarks(table.newest())
    least, most = (table.figure(limit(one.ratio for one in bars()), False) for limit in (min, max))
    text = f"{len(bars())} bars: {least} to {most} times faster than the reference libraries"
    picture = [
        "<picture>",
        f'<source media="(prefers-color-scheme: dark)" srcset="{names["dark"]}">',
        f'<img src="{names["light"]}" alt="{text}">',
        "</picture>",
    ]
    return "\n".join([*picture, "", f"{_ranges()} {remarks['machine']}, {remarks['date'].partition(' ')[0]}."])


def _ranges() -> str:
    """The range of ratios per library: one thread, arrays of ids, all texts but the worst cases."""
    ranges: dict[str, list[float]] = {}
    for name, rows in by_definition(read_rows(table.newest())).items():
        is_library = not rows[0].reference.startswith(OURS)
        if is_library and rows[0].mode == "array" and rows[0].threads == 1 and "worst-case" not in name:
            ratios = [line.ratios["cold"].median for line in summarize(rows) if line.engine == OURS and line.ratios]
            ranges.setdefault(rows[0].reference, []).extend(ratios)
    shown = [f"{min(found):.2g}–{max(found):.2g} × {name}" for name, found in ranges.items() if found]
    return f"Encoding new text on one thread, every id compared: {', '.join(shown)}."


def _encoding() -> str:
    records = table.newest_records()
    rows = [row for group in table.groups_of(records).values() for row in group if not row.engine.startswith(OURS)]
    listed = ", ".join(f"{name} {version}" for name, version in sorted({(row.engine, row.version) for row in rows}))
    return f"{table.render(records)} Versions: {listed}."


def _training() -> str:
    return training.render(training.newest_cases())


PARTS: dict[str, Callable[[], str]] = {"chart": _chart, "encoding": _encoding, "training": _training}
