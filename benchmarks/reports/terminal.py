"""Text tables of a run, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.harness.definition import Definition, Target
from benchmarks.reports.rows import OURS, Line, Ratio, Row, leaders, summarize

PHASES = ("cold", "warm")


def print_definition(definition: Definition, rows: Sequence[Row], failures: dict[str, str]) -> None:
    """Print one definition's table: times better than the reference, best right engine marked with a star."""
    lines = summarize(rows)
    first = next(row for row in rows if row.phase == "cold")
    unit = "peak memory" if first.mode == "memory" else "wall time" if first.threads > 1 else "CPU time"
    print(f"\n{definition.name}: {definition.question}")
    size = f"{first.documents:,} documents, {first.input_bytes / 1e6:.2f} MB"
    print(
        f"  {first.mode}, {first.threads} thread(s), {size}; {unit}, × {first.reference}, * = best with all ids right"
    )
    columns = "".join(f"{phase:>10}{'(spread)':>14}{'':>14}" for phase in PHASES)
    print(f"  {'engine':<24}{'version':<10}{columns}  differing")
    best = {phase: leaders(lines, phase) for phase in PHASES}
    for line in lines:
        cells = "".join(cell(line, phase, first, line.engine in best[phase]) for phase in PHASES)
        print(f"  {line.engine:<24}{line.version:<10}{cells}  {share(line)}")
    for name, reason in failures.items():
        print(f"  {name:<16}did not run: {reason}")
    for target in definition.targets:
        for text in target_lines(target, rows):
            print(f"  {text}")


def cell(line: Line, phase: str, row: Row, best: bool) -> str:
    """Return one phase of one engine: ratio, spread and cost."""
    ratio = line.ratios.get(phase)
    if ratio is None:
        return f"{'WRONG' if line.wrong() else '-':>10}{'':>14}{'':>14}"
    spread = f"({ratio.least:.2f}–{ratio.most:.2f})"
    return f"{ratio.median:>9.2f}{'*' if best else ' '}{spread:>14}{cost(ratio, row):>14}"


def cost(ratio: Ratio, row: Row) -> str:
    """Return the cost in the unit a reader of this mode thinks in."""
    if row.mode == "memory":
        return f"{ratio.cost / 1e6:.1f} MB"
    if row.mode == "load":
        return f"{ratio.cost * 1e3:.2f} ms"
    if row.input_bytes / row.documents < 60:
        return f"{ratio.cost / row.documents * 1e6:.2f} µs"
    return f"{row.input_bytes / ratio.cost / 1e6:.1f} MB/s"


def share(line: Line) -> str:
    """Return the share of differing documents."""
    if line.differing < 0:
        return "another file"
    if line.differing == 0:
        return "0"
    percent = 100 * line.differing / line.documents
    return f"{line.differing} ({percent:.0f} %)" if percent >= 10 else f"{line.differing} ({percent:.2g} %)"


def target_lines(target: Target, rows: Sequence[Row]) -> list[str]:
    """Say for each promise whether it is kept; nothing where nothing is promised or ours did not run.

    Ratios are to the engine that the promise names, within each round.
    """
    found = {line.engine: line for line in summarize(rows, target.versus)}
    ours = found.get(OURS)
    if ours is None or target.versus not in found:
        return []
    out = []
    for phase, least in (("cold", target.cold), ("warm", target.warm)):
        if least and phase in ours.ratios:
            ratio = ours.ratios[phase].median
            out.append(verdict(ratio >= least, f"{phase} {ratio:.2f} × {target.versus}, at least {least:g} ×"))
    if target.milliseconds and "cold" in ours.ratios:
        spent = ours.ratios["cold"].cost * 1e3
        out.append(verdict(spent <= target.milliseconds, f"cold {spent:.2f} ms, at most {target.milliseconds:g} ms"))
    return out


def verdict(kept: bool, text: str) -> str:
    """Return one line about a promise."""
    return f"target {'kept' if kept else 'MISSED'}: {text}"
