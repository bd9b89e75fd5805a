"""Worker processes seen from the driver: start one, ask it, end it.

Owns the environment that keeps peers to the threads asked for, and the time limit after which a silent worker is ended.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import threading
from types import TracebackType
from typing import Any, Self

from benchmarks.harness.modes import Checked
from benchmarks.harness.places import ROOT
from benchmarks.harness.worker import Job

PATIENCE_SECONDS = 300.0


class WorkerFailed(Exception):
    """A worker ended without an answer; the message is the last line it wrote to standard error."""


class Worker:
    """One engine in its own process."""

    def __init__(self, job: Job) -> None:
        self.log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  (closed by __exit__)
        command = [sys.executable, "-m", "benchmarks.harness.worker"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            cwd=ROOT,
            env=environment(job.threads),
        )
        self.send(json.dumps(dataclasses.asdict(job)))

    def send(self, line: str) -> None:
        """Write one line; a worker that is gone is noticed by the next ``ask``."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def ask(self, command: str) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        assert self.process.stdout is not None
        self.send(command)
        limit = threading.Timer(PATIENCE_SECONDS, self.process.kill)
        limit.start()
        line = self.process.stdout.readline()
        limit.cancel()
        if not line:
            raise WorkerFailed(self.last_words())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def last_words(self) -> str:
        """Return the end of what the worker wrote to standard error."""
        self.process.wait()
        self.log.seek(0)
        lines = [line.strip() for line in self.log if line.strip()]
        return lines[-1] if lines else f"ended with status {self.process.returncode} and said nothing"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()
        self.log.close()


def environment(threads: int) -> dict[str, str]:
    """Return the environment of a worker: as many threads as asked for, nothing fetched from a network."""
    limits = {"RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    flags = {"TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false", "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": "0"}
    return os.environ | limits | flags


def checked(answer: dict[str, Any]) -> Checked:
    """Unpack what a worker reports for comparison."""
    joined = base64.b64decode(answer["digests"])
    return Checked([joined[at : at + 8] for at in range(0, len(joined), 8)], answer["tokens"])
