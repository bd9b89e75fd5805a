"""Plans of shards by Ray: each task of a plan is a task of Ray, which tries it again when its process or machine dies."""

from __future__ import annotations

import importlib
import os
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._core.checks import checked_threads
from ...errors import InputError, InternalError, extra_missing
from ..shards.engine import through_phases
from ..shards.plan import Plan
from .tasks import done

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..shards.engine import Work
    from ..shards.manifest import Manifest

__all__ = ["connected", "each", "run"]

_RETRIES = 3
_WAIT = 0.5
_STORE = 100_000_000
"""Bytes of shared memory for the objects of a cluster of our own: numbers and errors."""


def run(
    plan: Plan | str | os.PathLike[str],
    *,
    cluster: str | None = None,
    processes: int | None = None,
    threads: int = 1,
    retries: int = _RETRIES,
    progress: Callable[[str, int, int], None] | None = None,
    stop: threading.Event | None = None,
) -> Manifest | None:
    """Do what a plan, or the one in a folder, has left to do on a Ray cluster; the manifest once all tasks are done.

    ``cluster`` is an address that ``ray.init`` takes. A program that called that before keeps its cluster, and without
    either one that runs already is found, or one begun on this machine. Each task takes ``threads`` processors; at most
    ``processes`` run at once. A task whose process or machine dies is tried again ``retries`` times. ``progress`` and
    ``stop`` are those of ``run_shards``.
    """
    for name, value, least in (("processes", processes, 1), ("retries", retries, 0)):
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
            raise InputError("argument-value", f"{name} must be at least {least}, not {value!r}.", argument=name)
    wanted = checked_threads(threads)
    folder = Path(plan.folder if isinstance(plan, Plan) else plan).absolute()

    def do(work: Work) -> None:
        phase = work.phase

        def calls() -> Iterator[tuple[int, tuple[Any, ...]]]:
            while (number := work.next()) is not None:
                yield number, (str(folder), phase.plan.digest, phase.name, number, wanted)

        if not found:
            found.append(stack.enter_context(connected(cluster, processes and processes * wanted)))
        for number, error, died in each(found[0], done, calls(), wanted, processes, retries):
            if died is not None:
                message = f"Task {number} died on {retries + 1} workers of Ray: {died}"
                error = InternalError("shards-worker", message, task=number)
            if error is None:
                work.finished(number)
            else:
                work.failed(number, error)
            work.report()

    with ExitStack() as stack:
        found: list[Any] = []
        return through_phases(folder, do, progress=progress, stop=stop)


def each(
    ray: Any,
    function: Callable[..., Any],
    calls: Iterable[tuple[int, tuple[Any, ...]]],
    threads: int = 1,
    processes: int | None = None,
    retries: int = _RETRIES,
) -> Iterator[tuple[int, Any, Exception | None]]:
    """The results of calls as they come, by their numbers, or why a call has none: its processes died.

    No more calls are taken than the cluster has room for twice over, so that whoever gives none any more need not wait long.
    """
    remote = ray.remote(num_cpus=threads, max_retries=retries)(function)
    source = iter(calls)
    running: dict[Any, int] = {}
    while True:
        room = processes or max(2, 2 * int(ray.cluster_resources().get("CPU", 1)) // threads)
        while len(running) < room and (call := next(source, None)) is not None:
            running[remote.remote(*call[1])] = call[0]
        if not running:
            return
        ready, _ = ray.wait(list(running), timeout=_WAIT)
        for reference in ready:
            number = running.pop(reference)
            try:
                yield number, ray.get(reference), None
            except ray.exceptions.RayError as error:
                yield number, None, error


@contextmanager
def connected(cluster: str | None = None, processors: int | None = None) -> Iterator[Any]:
    """Ray, with a cluster: that of the program, the one that is named, one that is found, or one on this machine.

    The last has that many processors, and ends here.
    """
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        raise extra_missing("This engine", "ray", "ray") from None
    if ray.is_initialized():
        yield ray
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        ray.init(address=cluster or "auto", **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        named = cluster or os.environ.get("RAY_ADDRESS")
        if named is not None:
            message = (
                f"There is no Ray cluster at {named!r}, or it wants a token (RAY_AUTH_MODE=token): {error}. "
                "Begin one, or name none for this machine alone."
            )
            raise InputError("argument-value", message, argument="cluster") from None
        ray.init("local", num_cpus=processors, object_store_memory=_STORE, include_dashboard=False, **quiet)
    try:
        yield ray
    finally:
        ray.shutdown()
