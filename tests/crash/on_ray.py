"""Runs of ``anypiece shards run --engine ray`` that are killed, on a cluster of two workers that goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.engines.victims import descendants
from tests.support.data import CACHE, ROOT

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

__all__ = ["Cluster", "cluster"]

PYTHON = CACHE / "ray-venv" / "bin" / "python"
_PORT = 26379
_PATIENCE = 120.0


class Cluster:
    """A cluster of Ray, and what is killed on it."""

    def __init__(self, head: subprocess.Popen[bytes]) -> None:
        self.head = head
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "python"),
            "RAY_ADDRESS": f"127.0.0.1:{_PORT}",
            "RAY_USAGE_STATS_ENABLED": "0",
        }

    def busy(self) -> list[int]:
        """The workers that have a task."""
        found = descendants(self.head.pid)
        return [pid for pid, name in found.items() if name.startswith("ray::done")]

    def killed(self, out: Path, draw: random.Random) -> int:
        """Run a plan, with its program or one worker killed with -9 at a random moment; how many were killed."""
        process = subprocess.Popen(
            [str(PYTHON), "-W", "ignore", "-m", "anypiece", "shards", "run", "--engine", "ray", str(out)],
            env=self.environment, cwd=ROOT, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        whole = draw.random() < 0.6
        end = time.monotonic() + _PATIENCE
        while process.poll() is None and not self.busy() and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(draw.uniform(0.0, 0.5))
        kills = 0
        if whole and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills = 1
        elif not whole and (workers := self.busy()):
            os.kill(draw.choice(workers), signal.SIGKILL)
            kills = 1
        try:
            process.wait(_PATIENCE)
        finally:
            process.kill()
        while self.busy() and time.monotonic() < end:  # workers whose program was killed are ended by the cluster
            time.sleep(0.1)
        return kills


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Begin a cluster, and end it."""
    ray = PYTHON.with_name("ray")
    options = ("--head", "--block", "--num-cpus=2", "--object-store-memory=100000000", "--disable-usage-stats")
    head = subprocess.Popen(
        [str(PYTHON), str(ray), "start", *options, f"--port={_PORT}", "--include-dashboard=false"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Cluster(head)
    finally:
        left = descendants(head.pid)
        for pid in (head.pid, *left):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        head.wait()
