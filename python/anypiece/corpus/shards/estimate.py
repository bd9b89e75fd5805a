"""What a plan will take: hours, disk and memory, by arithmetic from what a sample of its input takes here and now.

The sample is read from several places of the corpus, encoded, written as a task does it, with fsync and beside the shards,
and removed.
"""

from __future__ import annotations

import dataclasses
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..._core.checks import checked_count
from ..._core.memory import shown, size_of
from ...errors import InputError
from ...io.paths import file_error
from .bounds import needed
from .engine import processors_here
from .formats.output import CONTROL, TEMPORARY
from .plan import size_on_disk
from .task import Sample, sampled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .plan import Plan, Slice

__all__ = ["Estimate", "estimate_shards"]

_SECONDS = 4.0
_PLACES = 8


@dataclass(frozen=True)
class Estimate:
    """What was measured, and what follows for a corpus on some machines like this one.

    >>> sample = Sample(read=50_000_000, documents=9, tokens=12_000_000, written=24_000_000)
    >>> found = Estimate(sample, 5.0, 10**13, 10_000, 8, 32, 250_000_000, False)
    >>> print("\\n".join(found.lines()))
    measured  50.0 MB of input in 5.00 s of a processor = 10.0 MB/s; 12000000 tokens, 24.0 MB of shards
    time      10.0 TB ÷ (10.0 MB/s × 8 machines × 32 processors) = 1.09 hours
    disk      10.0 TB × 0.480 = 4.8 TB of shards
    memory    32 processes × 250 MB = 8.0 GB on each machine
    traffic   each machine reads 320 MB/s and writes 154 MB/s
    tokens    10.0 TB × 0.2400 per byte = 2400000000000
    """

    sample: Sample
    seconds: float
    """Those of a processor: of the clock, or of all threads together where that is more."""
    size: int
    """Bytes of input."""
    tasks: int
    machines: int
    processors: int
    """Of each machine."""
    memory_of_a_process: int
    is_staged: bool
    """Whether documents are written twice, since they are arranged when all are known."""

    @property
    def rate(self) -> float:
        """Bytes of input in a second of a processor."""
        return self.sample.read / self.seconds

    @property
    def at_once(self) -> int:
        """How many tasks run at once."""
        return min(self.machines * self.processors, self.tasks)

    @property
    def hours(self) -> float:
        """How long it takes, the last tasks that keep few processors busy aside."""
        return self.size / (self.rate * self.at_once * 3600)

    @property
    def disk(self) -> int:
        """Bytes of the shards, with what is staged meanwhile."""
        return int(self.size * self.sample.written / self.sample.read) * (2 if self.is_staged else 1)

    @property
    def memory(self) -> int:
        """Bytes that the processes of a machine hold at most."""
        return self.memory_of_a_process * min(self.processors, self.tasks)

    @property
    def tokens(self) -> int:
        """How many there will be."""
        return self.size * self.sample.tokens // self.sample.read

    def to_json(self) -> dict[str, Any]:
        """As JSON-ready values."""
        given = {name: value for name, value in dataclasses.asdict(self).items() if name != "sample"}
        found = {
            "rate": self.rate,
            "hours": self.hours,
            "disk": self.disk,
            "memory": self.memory,
            "tokens": self.tokens,
        }
        return {"measured": self.sample._asdict(), **given, **found}

    def lines(self) -> Iterator[str]:
        """The arithmetic, for people."""
        sample, size, rate = self.sample, shown(self.size), shown(self.rate)
        yield (
            f"measured  {shown(sample.read)} of input in {self.seconds:.2f} s of a processor = {rate}/s; "
            f"{sample.tokens} tokens, {shown(sample.written)} of shards"
        )
        over = f"{self.machines} machines × {self.processors} processors"
        if self.at_once < self.machines * self.processors:
            over = f"{self.at_once} shards at once, since there are no more,"
        yield f"time      {size} ÷ ({rate}/s × {over}) = {self.hours:.3g} hours"
        share = sample.written / sample.read
        twice = " × 2, as ids are staged first," if self.is_staged else ""
        yield f"disk      {size} × {share:.3f}{twice} = {shown(self.disk)} of shards"
        processes = min(self.processors, self.tasks)
        each = shown(self.memory_of_a_process)
        yield f"memory    {processes} processes × {each} = {shown(self.memory)} on each machine"
        busy = self.rate * self.at_once / self.machines
        yield f"traffic   each machine reads {shown(busy)}/s and writes {shown(busy * share)}/s"
        yield f"tokens    {size} × {sample.tokens / sample.read:.4f} per byte = {self.tokens}"


def estimate_shards(
    plan: Plan,
    machines: int = 1,
    *,
    processors: int | None = None,
    corpus_size: int | str | None = None,
    seconds: float = _SECONDS,
) -> Estimate:
    """Measure a sample of a plan's input for about ``seconds``, and say what all of it takes.

    ``corpus_size``, such as ``"10TB"``, is that of a corpus of which the plan's input is a sample; ``processors`` are those
    of each machine, by default as many as here.

    >>> from pathlib import Path
    >>> from anypiece.corpus.shards import plan_shards
    >>> _ = Path("lines.txt").write_text("Hello world\\n" * 1000)
    >>> found = estimate_shards(plan_shards("lines.txt", None, "out", format="megatron"), 4, corpus_size="1TB")
    >>> found.sample.read, found.machines, found.size
    (12000, 4, 1000000000000)
    >>> found.tokens == 10**12 * found.sample.tokens // 12000
    True
    """
    checked_count(machines, "machines", 1)
    here = processors_here() if processors is None else checked_count(processors, "processors", 1)
    there = sum(map(size_on_disk, plan.files))
    size = there if corpus_size is None else size_of(corpus_size)
    tasks = len(plan.tasks) if corpus_size is None else max(1, size // max(1, there // max(1, len(plan.tasks))))
    sample, spent = _measured(plan, seconds)
    if not sample.read:
        raise InputError(
            "argument-value", "There is no input to measure. Name files that hold texts.", argument="inputs"
        )
    return Estimate(sample, spent, size, tasks, machines, here, needed(plan), plan.options.is_arranged)


def _measured(plan: Plan, seconds: float) -> tuple[Sample, float]:
    """What a sample gave, and how many seconds of a processor it took."""
    tokenizer = plan.tokenizer()
    room = plan.folder / CONTROL / TEMPORARY
    try:
        room.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=room) as folder:
            clock, processor = time.perf_counter(), time.process_time()
            sample = sampled(plan, _spread(plan), tokenizer, folder, seconds)
            spent = max(time.perf_counter() - clock, time.process_time() - processor)
        with suppress(OSError):  # where a run writes meanwhile
            room.rmdir()
    except OSError as error:
        raise error if hasattr(error, "code") else file_error("file-unwritable", room, error) from None
    return sample, spent


def _spread(plan: Plan) -> list[Slice]:
    """Some parts of files, at even distances in the plan."""
    parts = [part for task in plan.tasks for part in task]
    amount = min(_PLACES, len(parts))
    return [parts[number * len(parts) // amount] for number in range(amount)]
