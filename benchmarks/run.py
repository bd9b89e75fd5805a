"""``python -m benchmarks.run``: ask every question, print ratios to the reference, optionally record the rows.

Exit status 1 if an id of ours was wrong, an engine did not run, or the reference's results are not the expected ones.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import time

from benchmarks.engines import engine_class
from benchmarks.harness.definition import Definition, TextPlan
from benchmarks.harness.matrix import load_definitions, write_expected
from benchmarks.harness.places import RECORDS, ROOT
from benchmarks.harness.rounds import Outcome, run_definition
from benchmarks.reports import machine
from benchmarks.reports.rows import ONLY, Row, summarize, write_rows
from benchmarks.reports.terminal import print_definition

QUICK_SHARE = 10


def main() -> None:
    """Run the chosen definitions one after the other."""
    options = parse()
    started = time.perf_counter()
    rows: list[Row] = []
    troubles: list[str] = []
    for definition in chosen(options):
        outcome = run_definition(definition, options.rounds)
        rows += outcome.rows
        if outcome.rows:
            print_definition(definition, outcome.rows, outcome.failures)
        troubles += examine(definition, outcome, options)
    print(f"\n{time.perf_counter() - started:.0f} s")
    if options.record:
        record(rows, options)
    for trouble in troubles:
        print(f"trouble: {trouble}")
    raise SystemExit(1 if troubles else 0)


def parse() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--only", default="*", metavar="GLOBS", help="definitions to run, for instance 't5-*' or 'face/*,arrow/*'"
    )
    parser.add_argument("--engines", default="", help="comma-separated; the reference always runs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--quick", action="store_true", help="one round, a tenth of the text, no check of expected values"
    )
    parser.add_argument("--record", action="store_true", help="write the rows under benchmarks/record")
    parser.add_argument(
        "--expect", action="store_true", help="write what the reference returned as the expected values"
    )
    options = parser.parse_args()
    if options.quick and (options.record or options.expect):
        parser.error("--quick uses other documents: nothing can be recorded or expected from it")
    options.rounds = 1 if options.quick else options.rounds
    return options


def chosen(options: argparse.Namespace) -> list[Definition]:
    """Return the definitions to run, shortened if asked."""
    found = load_definitions(options.only)
    if not found:
        raise SystemExit(f"no definition matches {options.only}")
    if options.engines:
        names = set(options.engines.split(","))
        found = [with_engines(one, names | {one.reference}) for one in found]
    return [dataclasses.replace(one, text=shortened(one.text)) for one in found] if options.quick else found


def with_engines(definition: Definition, names: set[str]) -> Definition:
    """Return a definition with some of its engines."""
    return dataclasses.replace(definition, entrants=tuple(one for one in definition.entrants if one.name in names))


def shortened(plan: TextPlan) -> TextPlan:
    """Return a plan for a tenth of the text."""
    sources = tuple(dataclasses.replace(one, bytes=one.bytes // QUICK_SHARE) for one in plan.sources)
    return dataclasses.replace(plan, sources=sources)


def examine(definition: Definition, outcome: Outcome, options: argparse.Namespace) -> list[str]:
    """Return what is wrong with an outcome: failures, wrong ids of ours, other versions, unexpected results."""
    troubles = [f"{definition.name}: {name} did not run: {reason}" for name, reason in outcome.failures.items()]
    for line in summarize(outcome.rows):
        pinned = definition.entrant(line.engine).version
        if line.wrong():
            troubles.append(
                f"{definition.name}: {line.engine} is WRONG on {line.differing} of {line.documents} documents"
            )
        if pinned and pinned != line.version:
            troubles.append(f"{definition.name}: {line.engine} is {line.version}, the definition pins {pinned}")
    if options.expect:
        write_expected(definition.name, outcome.found)
    elif not options.quick and outcome.found != definition.expected:
        troubles.append(
            f"{definition.name}: input or reference changed: {outcome.found} instead of {definition.expected}"
        )
    return troubles


def record(rows: list[Row], options: argparse.Namespace) -> None:
    """Write the rows under the machine's folder, one file per day and run. One of some definitions names them."""
    now = datetime.datetime.now(datetime.timezone.utc)
    path = RECORDS / machine.folder_name() / f"{now:%Y-%m-%d-%H%M}.csv"
    calls = {f"calls of {name}": engine_class(name).note for name in dict.fromkeys(row.engine for row in rows)}
    facts = machine.facts() | {"date": f"{now:%Y-%m-%d %H:%M} UTC", "rounds": str(options.rounds)}
    only = {} if options.only == "*" else {ONLY: options.only}
    write_rows(path, rows, facts | only | calls)
    print(f"recorded: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
