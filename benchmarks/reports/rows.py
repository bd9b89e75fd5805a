"""Rows of a benchmark run: what is measured, how it is written down, and how rows become ratios.

A Row is one pass of one engine in one round. ``summarize`` turns the rows of a definition into one Line per engine:
ratios are taken within a round, so that a slow moment of the machine hits both sides, and the median is reported.
"""

from __future__ import annotations

import csv
import dataclasses
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

OURS = "anypiece"
ONLY = "only"
"""The remark of a record that has some of the definitions: their patterns."""


@dataclass(frozen=True)
class Row:
    """One pass. ``differing`` is -1 where the engine ran another file, so that its ids cannot be compared."""

    definition: str
    mode: str
    threads: int
    reference: str
    engine: str
    version: str
    round: int
    phase: str
    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int
    documents: int
    input_bytes: int
    tokens: int
    differing: int

    def cost(self) -> float:
        """Return what is compared: bytes for memory, the clock where threads are asked for, else CPU time."""
        if self.mode == "memory":
            return float(self.peak_bytes)
        return self.wall_seconds if self.threads > 1 else self.cpu_seconds

    def right(self) -> bool:
        """Say whether this pass may be timed at all: any peer may, this project only without a differing document."""
        return self.engine != OURS or self.differing == 0


@dataclass(frozen=True)
class Ratio:
    """How many times better than the reference: median over rounds, with the extremes; cost is the median cost."""

    median: float
    least: float
    most: float
    cost: float


@dataclass(frozen=True)
class Line:
    """One engine's answer to a definition."""

    engine: str
    version: str
    differing: int
    documents: int
    ratios: dict[str, Ratio]

    def wrong(self) -> bool:
        """Say whether this is a run of ours that has no time."""
        return self.engine == OURS and self.differing != 0

    def may_lead(self) -> bool:
        """Say whether this engine may be called the fastest: one that is right, and no other mode of this project."""
        return self.differing == 0 and not self.engine.startswith(f"{OURS}_")


def summarize(rows: Sequence[Row], versus: str | None = None) -> list[Line]:
    """Return one Line per engine of one definition, in the order of first appearance, by the reference or by ``versus``."""
    names = dict.fromkeys(row.engine for row in rows)
    theirs = [row for row in rows if row.engine == (versus or row.reference)]
    return [summarize_engine([row for row in rows if row.engine == name], theirs) for name in names]


def summarize_engine(own: Sequence[Row], reference: Sequence[Row]) -> Line:
    """Compare one engine's rows with another's of the same rounds."""
    worst = max(own, key=lambda row: (row.differing, row.documents))
    line = Line(worst.engine, worst.version, worst.differing, worst.documents, {})
    if line.wrong():
        return line
    for phase in ("cold", "warm"):
        mine, theirs = costs(own, phase), costs(reference, phase)
        ratios = [theirs[number] / mine[number] for number in mine if number in theirs]
        if ratios:
            line.ratios[phase] = Ratio(
                statistics.median(ratios), min(ratios), max(ratios), statistics.median(mine.values())
            )
    return line


def costs(rows: Iterable[Row], phase: str) -> dict[int, float]:
    """Return the median cost of each round."""
    found: dict[int, list[float]] = {}
    for row in rows:
        if row.phase == phase:
            found.setdefault(row.round, []).append(row.cost())
    return {number: statistics.median(values) for number, values in found.items()}


def leaders(lines: Sequence[Line], phase: str) -> set[str]:
    """Return the engine with the best ratio of a phase among those without a differing document."""
    able = [line for line in lines if phase in line.ratios and line.may_lead()]
    return {max(able, key=lambda line: line.ratios[phase].median).engine} if able else set()


def write_rows(path: Path, rows: Iterable[Row], remarks: dict[str, str]) -> None:
    """Write a record: remarks as comment lines, then CSV. A wrong run of ours is written without times."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in remarks.items())
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in dataclasses.fields(Row))
        writer.writerows(columns(row) for row in rows)


def columns(row: Row) -> list[str]:
    """Return a row's columns as text."""
    if not row.right():
        row = dataclasses.replace(row, cpu_seconds=0.0, wall_seconds=0.0, peak_bytes=0)
    return [f"{value:.6f}" if isinstance(value, float) else str(value) for value in dataclasses.astuple(row)]


def read_rows(path: Path) -> list[Row]:
    """Read a record."""
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    kinds = {"str": str, "int": int, "float": float}
    types = {field.name: kinds[str(field.type)] for field in dataclasses.fields(Row)}
    return [Row(**{name: types[name](value) for name, value in record.items()}) for record in csv.DictReader(lines)]


def read_remarks(path: Path) -> dict[str, str]:
    """Read a record's comment lines."""
    lines = path.read_text("utf-8").splitlines()
    pairs = (line[2:].partition(": ") for line in lines if line.startswith("# "))
    return {key: value for key, _, value in pairs}


def by_definition(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Group rows, keeping their order."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.definition, []).append(row)
    return groups
