"""Run one definition: interleaved rounds of fresh workers, ids compared before any time counts.

In every round each engine gets a fresh process; all of them load, then all make the cold pass, then the warm ones, so
that all engines are measured under the same load. The order rotates from round to round.
"""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engines import engine_class
from benchmarks.harness.definition import PASSES, Definition, Entrant, Expected
from benchmarks.harness.modes import Checked
from benchmarks.harness.places import CACHE
from benchmarks.harness.processes import Worker, WorkerFailed, checked
from benchmarks.harness.texts import prepare
from benchmarks.harness.worker import Job
from benchmarks.reports.rows import Row

PHASES = {"load": (("cold", "first"), ("warm", "first")), "memory": (("cold", "memory"),)}
ENCODING = (("load", "load"), ("cold", "encode"), *[("warm", "encode")] * (PASSES - 1))


@dataclass
class Outcome:
    """Rows of a definition, engines that could not run and why, and what the reference returned."""

    rows: list[Row]
    failures: dict[str, str]
    found: Expected


class Session:
    """The inputs of one definition, ready for its workers."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.texts = prepare(definition.text)
        self.failures: dict[str, str] = {}
        self.files: dict[str, Path] = {}
        self.reference: dict[int, Checked] = {}
        for entrant in definition.entrants:
            self.prepare_file(entrant)

    def prepare_file(self, entrant: Entrant) -> None:
        """Find or convert the tokenizer file of an engine; an engine that is not installed is a failure of its own."""
        try:
            files = entrant.tokenizer or self.definition.tokenizer
            self.files[entrant.name] = engine_class(entrant.name).file(files, entrant.form)
        except (ImportError, NotImplementedError, ValueError, OSError) as error:
            self.failures[entrant.name] = f"{type(error).__name__}: {error}"

    def job(self, entrant: Entrant) -> Job:
        """Describe the work of one engine."""
        definition = self.definition
        ids = CACHE / "ids" / f"{definition.name.replace('/', '-')}.npz"
        path = str(self.files[entrant.name])
        return Job(
            engine=entrant.name,
            mode=definition.mode,
            threads=definition.threads,
            path=path,
            texts=str(self.texts),
            ids=str(ids),
            parts=definition.parts,
            sampling=definition.sampling,
        )

    def write_ids(self) -> None:
        """Let the reference write the ids that decoders start from."""
        job = dataclasses.replace(self.job(self.definition.entrant(self.definition.reference)), mode="array", threads=1)
        with Worker(job) as worker:
            worker.ask("load")
            worker.ask("ids")

    def round(self, number: int) -> list[Row]:
        """Run one round and return its rows; the reference's rows come first."""
        rows: list[Row] = []
        with contextlib.ExitStack() as stack:
            workers = {e.name: stack.enter_context(Worker(self.job(e))) for e in self.order(number)}
            versions = {name: self.ask(name, worker, "about") for name, worker in workers.items()}
            for step, (phase, command) in enumerate(PHASES.get(self.definition.mode, ENCODING)):
                for name, worker in workers.items():
                    answer = self.ask(name, worker, command) if name not in self.failures else None
                    if answer:
                        rows.append(self.row(name, (versions[name] or {})["version"], number, phase, step, answer))
        return rows

    def order(self, number: int) -> list[Entrant]:
        """Return the engines of a round: the reference first (its ids are needed), the others rotated."""
        entrants = self.definition.entrants
        first = self.definition.entrant(self.definition.reference)
        others = [
            e for e in entrants if e is not first and e.name not in self.failures and number < (e.rounds or number + 1)
        ]
        turn = number % len(others) if others else 0
        return [first, *others[turn:], *others[:turn]]

    def ask(self, name: str, worker: Worker, command: str) -> dict[str, Any] | None:
        """Ask a worker; note a failure instead of raising it."""
        try:
            return worker.ask(command)
        except WorkerFailed as failure:
            self.failures[name] = str(failure)
            return None

    def row(self, name: str, version: str, number: int, phase: str, step: int, answer: dict[str, Any]) -> Row:
        """Turn one answer into a row, compared with the reference."""
        definition = self.definition
        result = checked(answer) if "digests" in answer else None
        if result and name == definition.reference:
            self.reference.setdefault(step, result)
        return Row(
            definition=definition.name,
            mode=definition.mode,
            threads=definition.threads,
            reference=definition.reference,
            engine=name,
            version=version,
            round=number,
            phase=phase,
            cpu_seconds=answer.get("cpu", 0.0),
            wall_seconds=answer.get("wall", 0.0),
            peak_bytes=answer.get("bytes", 0),
            documents=answer.get("documents", 0),
            input_bytes=answer.get("input", 0),
            tokens=result.tokens if result else 0,
            differing=self.differing(name, step, result),
        )

    def differing(self, name: str, step: int, result: Checked | None) -> int:
        """Count differing documents; -1 for an engine with another file, 0 for a step without results."""
        if self.definition.entrant(name).tokenizer:
            return -1
        return result.differing(self.reference[step]) if result else 0

    def found(self) -> Expected:
        """Return what the reference gave for all documents."""
        # The number of tokens of a draw is random.
        counts = self.definition.mode != "sample"
        passes = [self.reference[step] for step in sorted(self.reference)][: self.definition.parts]
        joined = Checked([one for each in passes for one in each.digests], sum(each.tokens for each in passes))
        return Expected(len(joined.digests), joined.tokens if counts else 0, joined.digest())


def run_definition(definition: Definition, rounds: int) -> Outcome:
    """Run all rounds of a definition."""
    session = Session(definition)
    if definition.reference in session.failures:
        return Outcome([], session.failures, Expected())
    if definition.mode == "decode":
        session.write_ids()
    rows = [row for number in range(rounds) for row in session.round(number)]
    return Outcome(rows, session.failures, session.found())
