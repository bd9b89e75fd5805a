"""``python -m benchmarks.reports.table [RECORD]``: a record as a Markdown table.

Without an argument the newest record is taken. Every cell is a ratio to the definition's reference, cold / warm; an
engine with differing documents shows their share and is never bold.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.places import RECORDS, ROOT
from benchmarks.reports.rows import OURS, Line, Row, by_definition, leaders, read_remarks, read_rows, summarize

PHASES = ("cold", "warm")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reports.table", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("record", type=Path, nargs="?")
    print(render(parser.parse_args().record or newest()))


def newest() -> Path:
    """Return the newest record of any machine; their names begin with the date."""
    found = sorted(RECORDS.glob("*/*.csv"), key=lambda path: path.name)
    if not found:
        raise SystemExit("no record yet: run python -m benchmarks.run --record")
    return found[-1]


def render(path: Path) -> str:
    """Return the Markdown of one record."""
    groups = by_definition(read_rows(path))
    names = engine_names([row for rows in groups.values() for row in rows])
    remarks = read_remarks(path)
    head = [f"| definition | compared with | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    body = [table_row(name, rows, names) for name, rows in groups.items()]
    return "\n".join([*head, *body, "", footnote(path, remarks)])


def engine_names(rows: Sequence[Row]) -> list[str]:
    """Return the engines, ours first, then the others that are not a reference everywhere. Our own way to another end, as
    encoding is compared with draws, is for the run's report."""
    names = dict.fromkeys(row.engine for row in rows if row.engine != row.reference)
    names = {name: None for name in names if not name.startswith(f"{OURS}_")}
    return sorted(names, key=lambda name: name != OURS)


def table_row(definition: str, rows: Sequence[Row], names: Sequence[str]) -> str:
    """Return one definition's row."""
    lines = summarize(rows)
    best = {phase: leaders(lines, phase) for phase in PHASES}
    found = {line.engine: line for line in lines}
    return f"| {definition} | {rows[0].reference} | " + " | ".join(cell(found.get(name), best) for name in names) + " |"


def cell(line: Line | None, best: dict[str, set[str]]) -> str:
    """Return ``cold / warm`` of one engine, the best right one of each phase in bold."""
    if line is None:
        return ""
    if line.wrong():
        return "WRONG"
    parts = [figure(line.ratios[phase].median, line.engine in best[phase]) for phase in PHASES if phase in line.ratios]
    return " / ".join(parts) + share(line)


def figure(value: float, bold: bool) -> str:
    """Return a ratio with three digits at most."""
    text = f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return f"**{text}**" if bold else text


def share(line: Line) -> str:
    """Return the share of differing documents in brackets, or nothing."""
    if line.differing < 0:
        return " (another file)"
    percent = 100 * line.differing / line.documents
    shown = f"{percent:.0f}" if percent >= 10 else f"{percent:.2g}"
    return f" ({shown} % differ)" if line.differing else ""


def footnote(path: Path, remarks: dict[str, str]) -> str:
    """Return the line that names the record."""
    folder = RECORDS.relative_to(ROOT)
    name = f"{folder}/{path.parent.name}/{path.name}"
    return (
        f"Times faster than what each row is compared with (memory: times smaller), cold / warm; {remarks['machine']}, "
        f"Python {remarks['python']}, {remarks['date']}; record: `{name}`."
    )


if __name__ == "__main__":
    main()
