"""``python -m benchmarks.compare OLD NEW``: which definitions of ours became faster or slower between two records.

Ratios to the reference are compared, not seconds, so that records of different days on one machine can be set side by
side; a change within the spread of the rounds of either record is called noise.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.reports.rows import OURS, Line, Ratio, by_definition, read_rows, summarize


def main() -> None:
    """Print one line per definition and phase that both records have."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--engine", default=OURS)
    options = parser.parse_args()
    old, new = (lines(path, options.engine) for path in (options.old, options.new))
    for name in sorted(old.keys() & new.keys()):
        for phase in ("cold", "warm"):
            print_change(name, phase, old[name], new[name])
    for name in sorted(old.keys() ^ new.keys()):
        print(f"{name:<40} only in {'the old' if name in old else 'the new'} record")


def lines(path: Path, engine: str) -> dict[str, Line]:
    """Return one engine's line of every definition of a record."""
    groups = by_definition(read_rows(path))
    found = {name: [line for line in summarize(rows) if line.engine == engine] for name, rows in groups.items()}
    return {name: own[0] for name, own in found.items() if own}


def print_change(name: str, phase: str, old: Line, new: Line) -> None:
    """Print how the ratio to the reference changed."""
    before, after = old.ratios.get(phase), new.ratios.get(phase)
    if before is None and after is None and not (old.wrong() or new.wrong()):
        return
    texts = [
        f"{ratio.median:8.2f}" if ratio else "   WRONG" if line.wrong() else "       -"
        for ratio, line in ((before, old), (after, new))
    ]
    change = f"{after.median / before.median:6.2f} ×{remark(before, after)}" if before and after else ""
    print(f"{name:<40}{phase:<6}{texts[0]} → {texts[1]}  {change}")


def remark(before: Ratio, after: Ratio) -> str:
    """Say whether the two spreads overlap."""
    return "  (noise)" if before.least <= after.most and after.least <= before.most else ""


if __name__ == "__main__":
    main()
