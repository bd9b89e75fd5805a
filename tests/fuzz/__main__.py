"""``python -m tests.fuzz``: mutants of tokenizer files, loaded and used under limits, for a given time.

Mutant number n depends on the seed, on n and on which real files are there. Exit code 1 if anything was found.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.mutant import Mutant, Outcome, keep
from tests.fuzz.pool import Worker
from tests.fuzz.rows import mutant_of, read_rows
from tests.fuzz.shrink import shrunk
from tests.fuzz.sources import FAMILIES, mutant
from tests.support.data import CACHE, tokenizer_files

_PROGRESS_SECONDS = 30.0
_SHRINK_SECONDS = 30.0
_ENOUGH = 20


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument(
        "--family", action="append", choices=FAMILIES, help="mutate this alone; may be repeated. Default: everything"
    )
    parser.add_argument("--trace", action="store_true", help="say every mutant's number and outcome")
    parser.add_argument("--keep", type=Path, default=CACHE / "fuzz", help="folder for findings")
    parser.add_argument("--replay", type=Path, help="a file of findings to run instead")
    return parser.parse_args(arguments)


class Run:
    """One run: counts, findings, progress."""

    def __init__(self, options: argparse.Namespace, worker: Worker) -> None:
        self.options, self.worker = options, worker
        self.start = self.shown = time.monotonic()
        self.outcomes: Counter[str] = Counter()
        self.findings: Counter[tuple[str, str]] = Counter()

    def go(self) -> int:
        """Mutants until the time is over; the exit code."""
        number = self.options.first
        while time.monotonic() - self.start < self.options.seconds and len(self.findings) < _ENOUGH:
            made = mutant(self.options.seed, number, self.options.family or FAMILIES)
            outcome = self.worker.run(made)
            self._count(number, made, outcome)
            number += 1
        for (check, place), times in self.findings.items():
            print(f"loaders: {check} at {place} seen {times} times")
        print(f"loaders: done, seed {self.options.seed}, {self._line()}", flush=True)
        return 1 if self.findings else 0

    def _count(self, number: int, made: Mutant, outcome: Outcome) -> None:
        self.outcomes[f"refused: {outcome.what}" if outcome.check == "refused" else outcome.check] += 1
        if self.options.trace:
            print(f"loaders: mutant {number}, {len(made.data)} bytes: {outcome.check} {outcome.what}", flush=True)
        if not outcome.fine:
            self._found(number, made, outcome)
        if time.monotonic() - self.shown >= _PROGRESS_SECONDS:
            self.shown += _PROGRESS_SECONDS
            print(f"loaders: {self._line()}", flush=True)

    def _found(self, number: int, made: Mutant, outcome: Outcome) -> None:
        key = (outcome.check, outcome.place)
        self.findings[key] += 1
        if self.findings[key] > 1:
            return
        small, seen = shrunk(made, outcome, self.worker.run, _SHRINK_SECONDS)
        print(f"loaders: FINDING, mutant {number}, {len(small.data)} bytes left, {seen.check}: {seen.what}")
        print(f"loaders: kept in {keep(self.options.keep, self.options.seed, small, seen)}", flush=True)

    def _line(self) -> str:
        seconds = time.monotonic() - self.start
        loaded = self.outcomes["loaded"]
        refused = {name for name in self.outcomes if name.startswith("refused")}
        return (
            f"{seconds:.0f} s, {self.outcomes.total()} mutants ({loaded} loaded, "
            f"others refused for {len(refused)} reasons), {len(self.findings)} findings"
        )


def _replay(path: Path, worker: Worker) -> int:
    rows = read_rows(path)
    failures = 0
    for row in rows:
        outcome = worker.run(mutant_of(row))
        if not outcome.fine:
            failures += 1
            print(f"{path}: {outcome.check}: {outcome.what}")
    print(f"loaders: {len(rows)} rows replayed, {failures} findings")
    return 1 if failures else 0


def main(arguments: list[str] | None = None) -> int:
    """Fuzz or replay; the exit code."""
    options = _arguments(arguments)
    with Worker() as worker:
        if options.replay:
            return _replay(options.replay, worker)
        files = len(tokenizer_files())
        print(f"loaders: seed {options.seed}, {options.seconds:.0f} seconds, {files} real files", flush=True)
        return Run(options, worker).go()


if __name__ == "__main__":
    sys.exit(main())
