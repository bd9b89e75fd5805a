"""The phases of a plan, each with tasks of its own: pure functions of the plan, what earlier phases wrote, and a number.

Most plans have one, in which each task writes its shards. Where documents are arranged, tasks stage them first; then
duplicates are found and marked, it is decided what is taken, and the shards are written. A phase begins when all tasks of
the one before it are done, whoever did them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...errors import AnyPieceError, InternalError
from ...io.paths import file_error
from .arrangement import ARRANGEMENT
from .arranging import arrange, decide
from .duplicates import find_duplicates, found_path, live_path, mark_duplicates, ranges
from .formats.raw import narrowest
from .manifest import is_done, record_path, task_record
from .plan import read_plan
from .staging import staged_stem
from .task import run_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...tokenizer import Tokenizer
    from .plan import Plan

__all__ = ["PHASES", "Phase", "phase_of", "phases"]

PHASES = ("shards", "encode", "duplicates", "marks", "decide", "arrange")


class Phase(NamedTuple):
    """A phase of a plan."""

    plan: Plan
    name: str
    amount: int
    """The number of its tasks."""

    @property
    def encodes(self) -> bool:
        """Whether its tasks read the corpus and need the tokenizer."""
        return self.name in ("shards", "encode")

    @property
    def is_over(self) -> bool:
        """Whether all of its tasks are done."""
        return all(map(self.is_done, range(self.amount)))

    def weight(self, number: int) -> int:
        """About how many bytes a task reads or writes; 1 where that says nothing."""
        plan = self.plan
        if self.encodes:
            return plan.weight(number)
        if self.name == "arrange" and plan.arrangement:
            tokens = sum(row.tokens for row in plan.arrangement.taken.values())
            return max(1, tokens * narrowest(plan.largest).itemsize // self.amount)
        return 1

    def is_done(self, number: int) -> bool:
        """Whether a task is done."""
        plan, folder = self.plan, self.plan.folder
        if self.encodes:
            return is_done(folder, task_record(folder, plan, number))
        if self.name == "duplicates":
            return found_path(plan, number).exists()
        if self.name == "marks":
            return all(live_path(plan, number, part).exists() for part in plan.parts)
        if self.name == "decide":
            return (folder / ARRANGEMENT).exists()
        return is_done(folder, record_path(folder, plan, number))

    def stems(self, numbers: list[int]) -> set[str]:
        """What the names of unfinished files of tasks begin with."""
        if self.name == "encode":
            return {staged_stem(number, part) for number in numbers for part in self.plan.parts}
        if self.name in ("shards", "arrange"):
            return {self.plan.stem(number, part).replace("/", "-") for number in numbers for part in self.plan.parts}
        return set()

    def run(
        self,
        number: int,
        tokenizer: Tokenizer | None = None,
        *,
        threads: int | None = 1,
        advance: Callable[[int], None] = lambda amount: None,
    ) -> None:
        """Do one task. Doing it twice, or at once, does no harm."""
        if self.encodes:
            run_task(self.plan, number, tokenizer, threads=threads, advance=advance)
            return
        try:
            self._rearrange(number)
        except AnyPieceError:
            raise
        except FileNotFoundError as error:
            if not self.is_done(number):  # what was staged goes away when all is done, perhaps by another machine
                raise file_error("file-unreadable", Path(error.filename or self.plan.folder), error) from None
        except MemoryError:
            message = f"Task {number} of the phase {self.name} wants more memory than there is."
            raise InternalError("shards-worker", message, task=number) from None
        except OSError as error:
            raise file_error("file-unwritable", Path(error.filename or self.plan.folder), error) from None
        advance(self.weight(number))

    def _rearrange(self, number: int) -> None:
        plan = self.plan
        if self.name == "duplicates":
            find_duplicates(plan, number, self.amount)
        elif self.name == "marks":
            mark_duplicates(plan, number, ranges(plan))
        elif self.name == "decide":
            decide(plan)
        else:
            arrange(plan, number, plan.folder)


def phase_of(plan: Plan, name: str) -> Phase:
    """A phase by its name, once those before it are done."""
    if name == "duplicates":
        return Phase(plan, name, ranges(plan))
    return Phase(plan, name, {"decide": 1, "arrange": plan.amount}.get(name, len(plan.tasks)))


def phases(plan: Plan) -> Iterator[Phase]:
    """The tasks to be done, phase by phase: ask for the next one when all tasks of the last one are done.

    >>> from pathlib import Path
    >>> from anypiece.corpus.shards import plan_shards
    >>> _ = Path("lines.txt").write_text("one\\ntwo\\none\\n")
    >>> plan = plan_shards("lines.txt", None, "out", format="numpy", dedupe=True)
    >>> for phase in phases(plan):
    ...     print(phase.name, phase.amount)
    ...     for number in range(phase.amount):
    ...         phase.run(number)
    encode 1
    duplicates 1
    marks 1
    decide 1
    arrange 1
    """
    if not plan.options.is_arranged:
        yield phase_of(plan, "shards")
        return
    if plan.arrangement is not None:
        last = phase_of(plan, "arrange")
        if last.is_over:
            yield last
            return
    for name in PHASES[1:]:
        if plan.options.dedupe or name not in ("duplicates", "marks"):
            yield phase_of(read_plan(plan.folder), name)
