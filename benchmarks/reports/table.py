"""``python -m benchmarks.reports.table [RECORD]``: a record as a Markdown table.

Without an argument the newest record of all definitions is taken, with those of some definitions that were made after it.
Every cell is a ratio to the definition's reference, cold / warm; an engine with differing documents shows their share and
is never bold.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.places import RECORDS, ROOT
from benchmarks.reports.rows import ONLY, OURS, Line, Row, by_definition, leaders, read_remarks, read_rows, summarize

PHASES = ("cold", "warm")
NOTE = "Times faster than what each row is compared with (memory: times smaller), cold / warm."


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reports.table", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("record", type=Path, nargs="?")
    record = parser.parse_args().record
    print(render([record] if record else newest_records()))


def newest(records: Path = RECORDS) -> Path:
    """Return the newest record of all definitions; names of records begin with the date."""
    return newest_records(records)[0]


def newest_records(records: Path = RECORDS) -> list[Path]:
    """Return the newest record of all definitions, of any machine, and those of some that were made after it."""
    found = sorted(records.glob("*/*.csv"), key=lambda path: path.name)
    whole = [number for number, path in enumerate(found) if ONLY not in read_remarks(path)]
    if not whole:
        raise SystemExit("no record yet: run python -m benchmarks.run --record")
    return found[whole[-1] :]


def groups_of(paths: Sequence[Path]) -> dict[str, list[Row]]:
    """Return the rows of each definition by the last record that has it, sorted by the part of the name before the slash."""
    found = {name: rows for path in paths for name, rows in by_definition(read_rows(path)).items()}
    return {name: found[name] for name in sorted(found, key=lambda name: name.partition("/")[0])}


def render(paths: Sequence[Path]) -> str:
    """Return the Markdown of a record, and of those that complete it."""
    groups = groups_of(paths)
    names = engine_names([row for rows in groups.values() for row in rows])
    head = [f"| definition | compared with | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    body = [table_row(name, rows, names) for name, rows in groups.items()]
    return "\n".join([*head, *body, "", f"{NOTE} {sources(paths)}"])


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


def sources(paths: Sequence[Path]) -> str:
    """Name the records with their machines."""
    return " ".join(source(path, read_remarks(path)) for path in reversed(paths))


def source(path: Path, remarks: dict[str, str]) -> str:
    """Name a record with its machine."""
    name = f"{RECORDS.relative_to(ROOT)}/{path.parent.name}/{path.name}"
    rows = f"Rows `{remarks[ONLY].replace(',', '`, `')}`" if ONLY in remarks else "All other rows"
    return f"{rows}: {remarks['machine']}, Python {remarks['python']}, {remarks['date']}; record `{name}`."


if __name__ == "__main__":
    main()
