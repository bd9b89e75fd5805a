"""Commands by the clock, and what one and its children hold of memory and have taken of processors."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

__all__ = ["Run", "descendants", "held", "spent", "timed"]

_PAUSE = 0.1


class Run(NamedTuple):
    """What a command took."""

    seconds: float
    peak: int
    """Bytes: shared pages count once, by their share in each process. 0 where the system does not say."""
    out: str


def timed(command: list[str], environment: dict[str, str] | None = None) -> Run:
    """Run a command to its end; one that fails ends the benchmark with what it said."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=said, env={**os.environ, **(environment or {})})
        watch = _Watch(process.pid)
        code = process.wait()
        seconds = time.perf_counter() - start
        peak = watch.close()
        for file in (out, said):
            file.seek(0)
        if code:
            raise SystemExit(f"{' '.join(command[:6])} failed: {said.read().strip()[-2000:]}")
        return Run(seconds, peak, out.read())


class _Watch:
    """Looks at a process and its children ten times a second."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak, self.is_over = pid, 0, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self) -> None:
        while not self.is_over.wait(_PAUSE):
            self.peak = max(self.peak, held(self.pid))

    def close(self) -> int:
        self.is_over.set()
        self.thread.join()
        return self.peak


def held(pid: int) -> int:
    """Bytes that a process and those below it hold."""
    return sum(map(_share, descendants(pid)))


def descendants(pid: int) -> list[int]:
    """A process and all below it."""
    try:
        children = [
            child for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()
        ]
    except OSError:  # it has ended meanwhile
        return [pid]
    return [pid, *(below for child in children for below in descendants(int(child)))]


def spent(pid: int) -> float:
    """Seconds of processors that a process has taken, with those of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _share(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
