"""Runs of ``anypiece shards run --engine ray`` that are killed, on a cluster of two workers that goes on."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tests.engines.victims import apart, descendants
from tests.support.data import CACHE, ROOT

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

__all__ = ["Cluster", "cluster"]

PYTHON = CACHE / "ray-venv" / "bin" / "python"
_PATIENCE = 120.0


class Cluster:
    """A cluster of Ray, and what is killed on it."""

    def __init__(self, head: subprocess.Popen[bytes], environment: dict[str, str]) -> None:
        self.head, self.environment = head, environment

    def busy(self) -> list[int]:
        """The workers that have a task."""
        found = descendants(self.head.pid)
        return [pid for pid, name in found.items() if name.startswith("ray::done")]

    def killed(self, out: Path, draw: random.Random) -> int:
        """Run a plan, with its program or one worker killed with -9 at a random moment; how many were killed."""
        process = subprocess.Popen(
            [str(PYTHON), "-W", "ignore", "-m", "anypiece", "shards", "run", "--engine", "ray", str(out)],
            env=self.environment, cwd=ROOT, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
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
            said = process.communicate(timeout=_PATIENCE)[1].decode()
        finally:
            process.kill()
        if process.returncode not in (0, -signal.SIGKILL):
            raise SystemExit(f"a run by Ray failed with status {process.returncode}: {said.strip()[-2000:]}")
        while self.busy() and time.monotonic() < end:  # workers whose program was killed are ended by the cluster
            time.sleep(0.1)
        return kills


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Begin a cluster that nothing else on this machine finds or may use, and end it."""
    options = ("--head", "--block", "--num-cpus=2", "--object-store-memory=100000000", "--disable-usage-stats")
    port = _free_port()
    # Sockets lie in the folder, and their names may have 107 bytes: one folder below that of the system.
    with (
        tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryFile() as said,
    ):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), **apart(folder)}
        head = subprocess.Popen(
            [str(PYTHON), str(PYTHON.with_name("ray")), "start", *options, f"--port={port}", "--include-dashboard=false"],
            env=environment, start_new_session=True, stdout=said, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            _awaited(head, port, said)
            yield Cluster(head, {**environment, "RAY_ADDRESS": f"127.0.0.1:{port}"})
        finally:
            left = descendants(head.pid)
            for pid in (head.pid, *left):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            head.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _awaited(head: subprocess.Popen[bytes], port: int, said: IO[bytes]) -> None:
    """Return once something listens; a cluster that ends before is an error with what it said."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and head.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
            return
        time.sleep(0.2)
    said.seek(0)
    raise SystemExit(f"no cluster of Ray could be begun: {said.read().decode()[-2000:]}")
