"""Runs a plan on one machine: this process, or worker processes that are handed one task after the other.

Many machines share a folder without a server: each is told its rank, and does the tasks whose number leaves that rank when
divided by the number of machines. Whoever finds all tasks done writes the manifest.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from ..._core.checks import checked_threads
from ...errors import AnyPieceError, FileError, InputError, InternalError
from ...io.paths import file_error
from .bounds import processes_within
from .manifest import clear, write_manifest
from .phases import phases
from .plan import read_plan
from .worker import Died, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from .manifest import Manifest
    from .phases import Phase

__all__ = ["Work", "processors_here", "run_shards", "through_phases"]

_ATTEMPTS = 3
_WAIT = 0.2
_POLL = 1.0
_WORTH = 4_000_000
"""Bytes of input for which a process is begun: a start takes as long as reading and encoding some megabytes."""


def run_shards(
    out: str | os.PathLike[str],
    *,
    processes: int | None = None,
    threads: int | None = None,
    max_memory: int | str | None = None,
    rank: int = 0,
    world: int = 1,
    wait: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
    stop: threading.Event | None = None,
) -> Manifest | None:
    """Do what a plan has left to do; the manifest once all tasks are done, ``None`` while others have some left.

    ``processes`` and ``threads`` of each are by default as many as there are processors, and a small corpus has fewer
    processes; ``max_memory``, such as ``"4GB"``, bounds what all of them hold, and with it their number. ``rank`` of
    ``world`` machines does its share. Where documents are arranged, which takes several phases, it comes back after its
    share of one, to be run again when the others are done, or with ``wait`` waits for them. Once ``stop`` is set, tasks
    that run are finished and no more are begun. A task that fails does not keep others from being done; its error is
    raised at the end.

    >>> from pathlib import Path
    >>> from anypiece.corpus.shards import plan_shards
    >>> _ = Path("lines.txt").write_text("one\\ntwo\\n")
    >>> _ = plan_shards("lines.txt", None, "out", format="numpy")
    >>> manifest = run_shards("out")
    >>> manifest.documents, manifest.shards[0].files[0]["name"]
    (2, '00000.npy')
    """
    for name, value, least in (("processes", processes, 1), ("world", world, 1), ("rank", rank, 0)):
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
            raise InputError("argument-value", f"{name} must be at least {least}, not {value!r}.", argument=name)
    if rank >= world:
        raise InputError("argument-value", f"rank must be below world, {world}, not {rank}.", argument="rank")
    checked_threads(threads)
    if max_memory is not None:
        processes = processes_within(read_plan(out), max_memory, processes or processors_here())

    def do(work: Work) -> None:
        _Local(work).run(processes, threads)

    return through_phases(out, do, rank=rank, world=world, wait=wait, progress=progress, stop=stop)


def through_phases(
    out: str | os.PathLike[str],
    do: Callable[[Work], None],
    *,
    rank: int = 0,
    world: int = 1,
    wait: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
    stop: threading.Event | None = None,
) -> Manifest | None:
    """Have ``do`` do what is left of each phase of a plan, one after the other, then write the manifest.

    What goes wrong with the folder meanwhile is an error that says so. The other arguments are those of ``run_shards``.
    """
    plan = read_plan(out)
    stop = stop or threading.Event()
    try:
        for phase in phases(plan):
            mine = range(phase.amount) if phase.amount == 1 else range(rank, phase.amount, world)
            left = [number for number in mine if not phase.is_done(number)]
            clear(plan, phase.stems(left))
            work = Work(phase, left, progress, stop)
            if left:
                do(work)
            if work.failures:
                raise work.failure()
            while wait and not stop.is_set() and not phase.is_over:
                stop.wait(_POLL)
            if stop.is_set() or (world > 1 and not phase.is_over):
                break
        return write_manifest(read_plan(out))
    except FileError:
        raise
    except OSError as error:
        raise file_error("file-unwritable", Path(error.filename or plan.folder), error) from None


def processors_here() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class Work:
    """The tasks of a phase that are left, and how far they are: take ``next``, and say what became of it."""

    def __init__(
        self, phase: Phase, left: list[int], progress: Callable[[str, int, int], None] | None, stop: threading.Event
    ) -> None:
        self.phase, self.progress, self.stop = phase, progress, stop
        self.folder = phase.plan.folder
        self.waiting = deque(left)
        self.weights = {number: phase.weight(number) for number in left}
        self.total = sum(self.weights.values())
        self.done: dict[int, int] = {}
        self.failures: dict[int, AnyPieceError] = {}
        self.lock = threading.Lock()

    def failure(self) -> AnyPieceError:
        """The first error, with what to do."""
        error = self.failures[min(self.failures)]
        amount = len(self.failures)
        others = f" {amount - 1} more tasks failed." if amount > 1 else ""
        message = f"{error}{others} What is done is kept; go on: anypiece shards run {self.folder}"
        again = type(error)(error.code, message, **error.facts)
        if isinstance(error, OSError) and isinstance(again, OSError):
            again.errno, again.filename = error.errno, error.filename
        return again

    def next(self) -> int | None:
        """The next task, unless no more are to be begun."""
        with self.lock:
            return None if self.stop.is_set() or not self.waiting else self.waiting.popleft()

    def advance(self, number: int, size: int) -> None:
        """Bytes of a task were read."""
        with self.lock:
            self.done[number] = min(self.done.get(number, 0) + size, self.weights[number])
        if threading.current_thread() is threading.main_thread():
            self.report()

    def forget(self, number: int) -> None:
        """A task begins anew."""
        with self.lock:
            self.done.pop(number, None)

    def finished(self, number: int) -> None:
        """A task is done."""
        with self.lock:
            self.done[number] = self.weights[number]

    def failed(self, number: int, error: AnyPieceError) -> None:
        """A task cannot be done; where nothing can be written, no other one is begun."""
        with self.lock:
            self.failures[number] = error
            if error.code == "file-unwritable":
                self.waiting.clear()

    def report(self) -> None:
        """Say how far all of it is."""
        if self.progress is not None:
            with self.lock:
                done = sum(self.done.values())
            self.progress(self.phase.name, done, self.total)


class _Local:
    """Does tasks on this machine."""

    def __init__(self, left: Work) -> None:
        self.left = left
        self.is_aborted = False

    def run(self, processes: int | None, threads: int | None) -> None:
        """Do all of them."""
        processors = processors_here()
        useful = max(1, self.left.total // _WORTH)
        wanted = min(processes or min(processors, useful), len(self.left.waiting))
        each = threads or max(1, processors // wanted)
        if wanted == 1:
            self.here(each)
        else:
            self.in_workers(wanted, each)

    def here(self, threads: int) -> None:
        """One after the other, in this process."""
        tokenizer = self.left.phase.plan.tokenizer() if self.left.phase.encodes else None
        while (number := self.left.next()) is not None:
            try:
                self.left.phase.run(
                    number, tokenizer, threads=threads, advance=lambda size: self.left.advance(number, size)
                )
                self.left.finished(number)
            except AnyPieceError as error:
                self.left.failed(number, error)
            self.left.report()

    def in_workers(self, processes: int, threads: int) -> None:
        """In worker processes, each with a thread here that hands it tasks."""
        workers = [Worker(self.left.folder, threads, self.left.phase.name) for _ in range(processes)]
        handlers = [threading.Thread(target=self.handle, args=(worker,), daemon=True) for worker in workers]
        try:
            for handler in handlers:
                handler.start()
            while any(handler.is_alive() for handler in handlers):
                for handler in handlers:
                    handler.join(_WAIT / len(handlers))
                self.left.report()
        finally:
            self.is_aborted = True
            for worker in workers:
                worker.close()

    def handle(self, worker: Worker) -> None:
        """Hand tasks to one worker. One that dies is started again, and its task is tried again."""
        while (number := self.left.next()) is not None:
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    worker.run(number, lambda size: self.left.advance(number, size))
                    self.left.finished(number)
                except Died as error:
                    self.left.forget(number)
                    if self.is_aborted:
                        return
                    if attempt < _ATTEMPTS:
                        continue
                    message = f"The process of task {number} died {attempt} times ({error}): it may want less memory."
                    self.left.failed(number, InternalError("shards-worker", message, task=number))
                except AnyPieceError as error:
                    self.left.failed(number, error)
                break
