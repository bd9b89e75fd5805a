"""A worker process: it is told numbers of tasks on its standard input, and answers in lines of JSON on its output.

It is a program of its own and no fork of its parent, whose threads and locks it would inherit, and it does not import the
parent's main module. It ends at once when its parent is gone.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import AnyPieceError
from .phases import phase_of
from .plan import read_plan

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Died", "Worker", "serve"]

_TOLD = 1 << 20
_START = (
    "from anypiece.corpus.shards.worker import serve; import sys; serve(sys.argv[1], int(sys.argv[2]), sys.argv[3])"
)


class Died(Exception):
    """A worker process ended without an answer."""


class Worker:
    """The parent's end of a worker process, which is started when it is first needed."""

    def __init__(self, folder: Path, threads: int, phase: str = "shards") -> None:
        self.command = [sys.executable, "-c", _START, str(folder), str(threads), phase]
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, number: int, advance: Callable[[int], None]) -> None:
        """Have a task done."""
        try:
            process = self._running()
            if process.stdin is None or process.stdout is None:
                raise Died("no pipes")
            process.stdin.write(b"%d\n" % number)
            process.stdin.flush()
            while line := process.stdout.readline():
                answer = json.loads(line)
                if "read" in answer:
                    advance(answer["read"])
                elif "error" in answer:
                    raise pickle.loads(base64.b64decode(answer["error"]))
                else:
                    return
        except (BrokenPipeError, ValueError, OSError) as error:
            if isinstance(error, AnyPieceError):
                raise
        raise Died(f"exit code {self.close()}")

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            package = str(Path(__file__).parents[3])
            paths = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
            environment = {**os.environ, "PYTHONPATH": paths}
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
            )
        return self.process

    def close(self) -> int | None:
        """End the process; its exit code."""
        process, self.process = self.process, None
        if process is None:
            return None
        process.kill()
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return code


def serve(folder: str, threads: int, name: str) -> None:
    """Do tasks of a phase as they come in, until there are no more. The parent says when it is interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    plan = read_plan(folder)
    phase = phase_of(plan, name)
    tokenizer = plan.tokenizer() if phase.encodes else None
    tasks: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
    while True:
        number = tasks.get()
        try:
            phase.run(number, tokenizer, threads=threads, advance=_Progress())
            _say({"done": number})
        except AnyPieceError as error:
            _say({"error": base64.b64encode(pickle.dumps(error)).decode()})


class _Progress:
    """Tells the parent how much was read, about a megabyte at a time."""

    def __init__(self) -> None:
        self.untold = 0

    def __call__(self, size: int) -> None:
        self.untold += size
        if self.untold >= _TOLD:
            _say({"read": self.untold})
            self.untold = 0


def _listen(tasks: queue.SimpleQueue[int]) -> None:
    """Take what the parent says; when it says no more, it has ended or wants this process to."""
    for line in sys.stdin.buffer:
        tasks.put(int(line))
    os._exit(0)


def _say(answer: dict[str, Any]) -> None:
    try:
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()
    except OSError:
        os._exit(0)
