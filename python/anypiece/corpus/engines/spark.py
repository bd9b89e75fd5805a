"""Plans of shards by Spark: each task of a plan is a partition of one row, which ``mapInArrow`` turns into its shards."""

from __future__ import annotations

import importlib
import os
import pickle
import secrets
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress
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

__all__ = ["first_line", "run", "session"]

_WAIT = 2.0
_ANSWER = "number long, error binary"


def run(
    plan: Plan | str | os.PathLike[str],
    *,
    cluster: str | None = None,
    processes: int | None = None,
    threads: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    stop: threading.Event | None = None,
) -> Manifest | None:
    """Do what a plan, or the one in a folder, has left to do by Spark; the manifest once all tasks are done.

    The active session is taken, or one begun with ``cluster`` as its master; without either, with what Spark is set to, or
    ``local[processes]``. How many tasks run at once, and how often one is tried whose executor dies, are settings of the
    session (``spark.task.cpus``, ``spark.task.maxFailures``); each task uses ``threads``. Once ``stop`` is set, the tasks
    that run are given up.
    """
    wanted = checked_threads(threads)
    folder = Path(plan.folder if isinstance(plan, Plan) else plan).absolute()

    def do(work: Work) -> None:
        if not found:
            found.append(stack.enter_context(session(cluster, processes)))
        _Run(found[0], work, str(folder), wanted).work()

    with ExitStack() as stack:
        found: list[Any] = []
        return through_phases(folder, do, progress=progress, stop=stop)


class _Run:
    """One job of Spark, in a thread of its own; this one looks how far it is."""

    def __init__(self, spark: Any, work: Work, folder: str, threads: int) -> None:
        self.spark, self.left, self.folder, self.threads = spark, work, folder, threads
        self.tag = f"anypiece-{secrets.token_hex(4)}"
        self.failure: Exception | None = None

    def work(self) -> None:
        """Do all of it."""
        numbers: list[int] = []
        while (number := self.left.next()) is not None:
            numbers.append(number)
        job = threading.Thread(target=self.job, args=(numbers,), daemon=True)
        job.start()
        waiting = set(numbers)
        try:
            while job.is_alive():
                job.join(_WAIT)
                waiting -= self.looked_up(waiting)
                if self.left.stop.is_set():
                    self.spark.interruptTag(self.tag)
                    job.join()
                    return
        except BaseException:
            with suppress(Exception):
                self.spark.interruptTag(self.tag)
            raise
        self.looked_up(waiting)
        if self.failure is not None:
            message = f"Spark gave up the tasks of {self.folder}: {first_line(self.failure)}"
            number = next((number for number in numbers if not self.left.phase.is_done(number)), numbers[0])
            self.left.failed(number, InternalError("shards-worker", message, task=number))

    def looked_up(self, numbers: Iterable[int]) -> set[int]:
        """Which of these tasks have their records by now."""
        found = {number for number in numbers if self.left.phase.is_done(number)}
        for number in found:
            self.left.finished(number)
        self.left.report()
        return found

    def job(self, numbers: list[int]) -> None:
        """Run the job, and take what went wrong."""
        try:
            self.spark.addTag(self.tag)
            rows = self.spark.range(0, len(numbers), 1, len(numbers))
            phase = self.left.phase
            call = _call((self.folder, phase.plan.digest, phase.name), numbers, self.threads)
            for number, error in rows.mapInArrow(call, _ANSWER).collect():
                if error is not None:
                    self.left.failed(number, pickle.loads(error))
        except Exception as error:
            self.failure = error


def _call(place: tuple[str, str, str], numbers: list[int], threads: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What an executor does with the rows of a partition."""

    def call(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            mine = [numbers[row] for row in batch.column(0).to_pylist()]
            errors = [done(*place, number, threads) for number in mine]
            values = [None if error is None else pickle.dumps(error) for error in errors]
            columns = [pyarrow.array(mine, pyarrow.int64()), pyarrow.array(values, pyarrow.binary())]
            yield pyarrow.RecordBatch.from_arrays(columns, ["number", "error"])

    return call


def first_line(error: Exception) -> str:
    """The first line of what Spark says, which goes on for pages."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


@contextmanager
def session(cluster: str | None = None, processes: int | None = None) -> Iterator[Any]:
    """A session of Spark: the active one, or one that is begun and ended here."""
    try:
        sql: Any = importlib.import_module("pyspark.sql")
    except ImportError:
        raise extra_missing("This engine", "pyspark", "spark") from None
    active = sql.SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    # Executors of this machine run the same Python, and find the package where it is.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    paths = os.pathsep.join(filter(None, [str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")]))
    builder = sql.SparkSession.builder.appName("anypiece").config("spark.ui.enabled", "false")
    if cluster is not None:
        builder = builder.master(cluster)
    elif not {"MASTER", "SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED"} & set(os.environ):
        builder = builder.master(f"local[{processes or '*'}]")
    builder = builder.config("spark.executorEnv.PYTHONPATH", paths)
    try:
        spark = builder.getOrCreate()
    except Exception as error:
        message = f"Spark cannot be begun: {first_line(error)}. It wants Java 17 or newer, and a master it can reach."
        raise InputError("argument-value", message, argument="cluster") from None
    try:
        yield spark
    finally:
        spark.stop()
