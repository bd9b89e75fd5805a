"""The README's benchmark table: whatever stands between the two markers is made from the newest record."""

from __future__ import annotations

import re

from benchmarks.harness.places import RECORDS
from benchmarks.reports import table

from .pages import ROOT

__all__ = ["README", "with_current_table"]

README = ROOT / "README.md"
BEGIN, END = "<!-- benchmarks: made by `make docs` from the newest record -->", "<!-- /benchmarks -->"
_PART = re.compile(f"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", re.S)


def with_current_table(readme: str) -> str:
    """``readme`` with its table made anew."""
    if not _PART.search(readme):
        raise ValueError(f"README.md has lost its markers: {BEGIN} and {END}")
    return _PART.sub(lambda _: _rendered() + "\n", readme)


def _rendered() -> str:
    if not any(RECORDS.glob("*/*.csv")):
        return "No run is recorded yet: `make bench ARGS=--record` writes one."
    return table.render(table.newest())
