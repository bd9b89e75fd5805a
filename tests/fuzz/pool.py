"""A warm worker: started when needed, asked many times, replaced when it dies or hangs."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.mutant import Mutant, Outcome
from tests.support.data import ROOT

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Worker"]

_MUTANTS_PER_PROCESS = 2000
_HANG_SECONDS = 120.0
_PATIENCE = 10
"""How many times as long a process may take that only waits for a processor or a disk."""


class Worker:
    """One process of ``tests.fuzz.worker``. ``run`` always returns; a crash or a hang is an outcome like others."""

    def __init__(self, hang_seconds: float = _HANG_SECONDS) -> None:
        self._hang_seconds = hang_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = 0
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stop()
        self._errors.close()

    def run(self, mutant: Mutant) -> Outcome:
        """Load a mutant in the process."""
        process = self._ready()
        assert process.stdin is not None
        assert process.stdout is not None
        head = {"size": len(mutant.data), "suffix": mutant.suffix, "options": mutant.options}
        try:
            process.stdin.write(json.dumps(head).encode() + b"\n" + mutant.data)
            process.stdin.flush()
        except BrokenPipeError:
            return self._died()
        if not self._answers(process):
            process.send_signal(signal.SIGABRT)
            died = self._died()
            return Outcome("hang", f"no answer in {self._hang_seconds:.0f} s\n{died.what}", died.place)
        answer = process.stdout.readline()
        return Outcome(*json.loads(answer)) if answer.endswith(b"\n") else self._died()

    def _answers(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether an answer comes in time. One that runs is waited for longer, since a crowded machine may not let it: what
        never ends is ended by the limit on processor time.
        """
        assert process.stdout is not None
        for _ in range(_PATIENCE):
            if select.select([process.stdout], [], [], self._hang_seconds)[0]:
                return True
            if _state(process.pid) not in ("R", "D"):
                return False
        return False

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._asked >= _MUTANTS_PER_PROCESS:
            self._stop()
        if self._process is None:
            self._asked = 0
            self._errors.seek(0)
            self._errors.truncate()
            paths = [str(ROOT), str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            )
        self._asked += 1
        return self._process

    def _died(self) -> Outcome:
        assert self._process is not None
        status = self._process.wait()
        self._stop()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        lines = [line.strip() for line in said.splitlines()]
        frames = [line for line in lines if line.startswith("File ") and "anypiece" in line]
        first = next((line for line in lines if "memory allocation" in line or "panicked" in line), "")
        place = f"{first.split(' bytes')[0]} {frames[0].rpartition('/')[2] if frames else ''}"
        check = "timeout" if status == -signal.SIGXCPU else "crash"
        return Outcome(check, f"status {status}\n{said[:2000]}", f"{status} {place}".rstrip("0123456789 "))

    def _stop(self) -> None:
        if self._process is None:
            return
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


def _state(pid: int) -> str:
    """The letter that Linux shows for a process; empty elsewhere."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return said.rpartition(")")[2].split()[0]
