"""``python -m benchmarks.instructions``: the instructions of this project's passes, counted by callgrind.

Times on a busy machine differ by several percent, instructions by less than one. A definition is run with no pass, one and
eleven passes, each in a process of its own: the differences are the cold pass and ten warm passes. What Python does before
the first pass differs by some million instructions from process to process, so that the least of three runs counts. The
digest of what the passes returned stands beside the counts; rows with different digests are not compared.

``--record`` writes the counts below ``benchmarks/record``; ``--against FILE`` prints ratios to an earlier record and their
geometric mean.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import gc
import math
import os
import re
import subprocess
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.engines import engine_class
from benchmarks.harness.definition import Definition
from benchmarks.harness.matrix import load_definitions
from benchmarks.harness.modes import check, run_pass
from benchmarks.harness.places import RECORDS, ROOT
from benchmarks.harness.texts import open_documents, prepare
from benchmarks.reports import machine

ROWS = (
    "t5-english/2kb",
    "cl100k-english/2kb",
    "xlmr-japanese/2kb",
    "o200k-japanese/2kb",
    "llama2-english/2kb",
    "t5-sampling/2kb",
)
DOCUMENTS = 1000
WARM = 10
"""Passes over the same documents after the first."""
RUNS = 3
"""Processes of which the least count is taken."""
COUNT = re.compile(r"Collected : (\d+)")


@dataclass(frozen=True)
class Row:
    """Instructions of the cold pass over a definition's first documents, and the mean of the warm ones."""

    definition: str
    bytes: int
    cold: int
    warm: int
    digest: str


def main() -> None:
    """Parse the command line and count."""
    options = parse()
    if options.once:
        run_once(definition_of(options.once[0]), int(options.once[1]))
        return
    rows = [counted(definition_of(name)) for name in options.definitions or ROWS]
    before = read(options.against) if options.against else {}
    print_rows(rows, before)
    if options.record:
        record(rows)


def parse() -> argparse.Namespace:
    """Read the options."""
    summary = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=summary)
    parser.add_argument("definitions", nargs="*", help="names of definitions; default: " + " ".join(ROWS))
    parser.add_argument("--record", action="store_true", help="write the counts under benchmarks/record")
    parser.add_argument("--against", type=Path, metavar="FILE", help="print ratios to this record")
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def definition_of(name: str) -> Definition:
    """Return the definition with this name."""
    found = [definition for definition in load_definitions() if definition.name == name]
    if not found:
        raise SystemExit(f"no definition {name}")
    return found[0]


def run_once(definition: Definition, passes: int) -> None:
    """Run the passes and print the bytes of the documents and the digest of the last pass."""
    documents = open_documents(prepare(definition.text)).slice(0, DOCUMENTS)
    kind = engine_class("anypiece")
    engine = kind(kind.file(definition.tokenizer, ""), definition.threads)
    texts = [documents.fresh() for _ in range(2)]
    gc.disable()
    results: list[Any] = []
    for number in range(passes):
        results = run_pass(engine, definition.mode, texts[min(number, 1)], definition.sampling).results
    digest = ""
    if results and "CALLGRIND" not in os.environ:
        digest = check(engine, definition.mode, results, texts[-1], definition.sampling).digest()
    print(len(documents.blob), digest)


def counted(definition: Definition) -> Row:
    """Count the instructions of a definition's passes."""
    size, digest = output([], definition.name, 2, {}).stdout.split()
    none, one, many = (instructions(definition.name, passes) for passes in (0, 1, 1 + WARM))
    return Row(definition.name, int(size), one - none, (many - one) // WARM, digest)


def instructions(name: str, passes: int) -> int:
    """Count the instructions of a process that makes ``passes`` passes; the least of some runs."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    runs = (output(valgrind, name, passes, {"CALLGRIND": "1"}).stderr for _ in range(RUNS))
    return min(int(COUNT.findall(run)[-1]) for run in runs)


def output(prefix: list[str], name: str, passes: int, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a process that makes ``passes`` passes."""
    command = [*prefix, sys.executable, "-m", "benchmarks.instructions", "--once", name, str(passes)]
    environment = os.environ | {"PYTHONHASHSEED": "0"} | more
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)


def print_rows(rows: list[Row], before: dict[str, Row]) -> None:
    """Print instructions per byte, and ratios to an earlier record of the same results."""
    print(f"{'definition':<24} {'cold':>10} {'warm':>10}  instructions per byte")
    ratios = []
    for row in rows:
        line = f"{row.definition:<24} {row.cold / row.bytes:>10.2f} {row.warm / row.bytes:>10.2f}"
        old = before.get(row.definition)
        if old and (old.bytes, old.digest) != (row.bytes, row.digest):
            line += "  other results than in the record"
        elif old:
            pair = (row.cold / old.cold, row.warm / old.warm)
            ratios += pair
            line += f"  {pair[0]:.3f} {pair[1]:.3f} of the record's"
        print(line)
    if ratios:
        print(f"geometric mean: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}")


def record(rows: list[Row]) -> None:
    """Write the rows under the machine's name and today's date."""
    path = RECORDS / machine.folder_name() / "instructions" / f"{datetime.datetime.now():%Y-%m-%d-%H%M}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(map(asdict, rows))
    print(f"recorded: {path.relative_to(ROOT)}")


def read(path: Path) -> dict[str, Row]:
    """Read a record."""
    with path.open(newline="") as file:
        rows = [
            Row(row["definition"], int(row["bytes"]), int(row["cold"]), int(row["warm"]), row["digest"])
            for row in csv.DictReader(file)
        ]
    return {row.definition: row for row in rows}


if __name__ == "__main__":
    main()
