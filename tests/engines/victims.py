"""Clusters of Ray that others neither find nor share, and processes that are killed while they work."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import threading
import time
from typing import Self

__all__ = ["Killer", "apart", "descendants"]


def apart(folder: str | os.PathLike[str]) -> dict[str, str]:
    """The environment of a cluster of Ray, and of the programs that use it: a folder and a token of its own.

    By itself Ray writes a token to the home folder with the first cluster of a program. From then on clusters of
    ``ray start`` ask for it, and programs that name the address of one do not send it.
    """
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(16)}
    return {"RAY_TMPDIR": str(folder), "RAY_USAGE_STATS_ENABLED": "0", **token}


def descendants(root: int) -> dict[int, str]:
    """The processes below one, and their command lines."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    children: dict[int, list[int]] = {}
    names = {}
    for pid, parent, *args in rows:
        children.setdefault(int(parent), []).append(int(pid))
        names[int(pid)] = args[0] if args else ""
    found: dict[int, str] = {}
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), []):
            found[pid] = names[pid]
            waiting.append(pid)
    return found


class Killer:
    """Kills with -9 one process below this one whose command line has some text, once it is there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.killed: int | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._wait, daemon=True)

    def _wait(self) -> None:
        while not self._stop.is_set():
            found = [pid for pid, name in descendants(os.getpid()).items() if self.text in name]
            if found:
                os.kill(found[0], signal.SIGKILL)
                self.killed = found[0]
                return
            time.sleep(0.05)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *rest: object) -> None:
        self._stop.set()
        self._thread.join()
