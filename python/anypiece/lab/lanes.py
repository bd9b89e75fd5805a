"""Lanes: threads for small requests, for large ones, and for those that run slow code, each with a queue of its own.

A small request waits for small requests only. Threads of the other lanes step back for it, where the system lets a thread
do so. A queue that is full refuses with 429.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from .refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .limits import Limits

__all__ = ["LANES", "Lane", "Lanes"]

Result = TypeVar("Result")

LANES = ("short", "long", "slow")
_STEPS_BACK = {"short": 0, "long": 5, "slow": 5}


class Lane:
    """Some threads and those who wait for them. ``busy`` counts both."""

    def __init__(self, name: str, threads: int, waiting: int, patience: float) -> None:
        self.name, self.threads, self.most, self.patience = name, threads, threads + waiting, patience
        self.busy = 0
        self._pool = ThreadPoolExecutor(threads, f"anypiece-{name}", _stepping_back, (_STEPS_BACK[name],))

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of ``work``, done by one of the threads."""
        if self.busy >= self.most:
            message = f"The server is busy: {self.busy} requests of the lane {self.name} are open. Try again soon."
            raise Refused(429, message, headers={"Retry-After": "1"})
        asked = time.monotonic()

        def done() -> Result:
            if time.monotonic() - asked > self.patience:
                message = f"The request waited longer than {self.patience:g} seconds. Try again later."
                raise Refused(429, message, headers={"Retry-After": "5"})
            return work()

        self.busy += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, done)
        finally:
            self.busy -= 1

    def close(self) -> None:
        """Forget who waits; what runs is finished by its thread."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Lanes:
    """All lanes of a server.

    >>> from anypiece.lab.limits import Limits
    >>> lanes = Lanes(Limits(), cores=2)
    >>> [(lane.name, lane.threads) for lane in lanes], lanes.of("quick", 100).name, lanes.of("quick", 10**6).name
    ([('short', 2), ('long', 1), ('slow', 1)], 'short', 'long')
    >>> lanes.close()
    """

    def __init__(self, limits: Limits, cores: int | None = None) -> None:
        count = cores or _cores()
        self.short = Lane("short", max(2, count), 4 * limits.waiting, limits.patience)
        self.long = Lane("long", max(1, count - 1), limits.waiting, limits.patience)
        self.slow = Lane("slow", max(1, count // 2), limits.waiting, limits.patience)
        self._short = limits.short

    def of(self, pace: str, size: int) -> Lane:
        """The lane of a request by the pace of its route, ``quick`` or ``slow``, and the size of its body."""
        if pace == "slow":
            return self.slow
        return self.short if size <= self._short else self.long

    def __iter__(self) -> Iterator[Lane]:
        return iter((self.short, self.long, self.slow))

    def close(self) -> None:
        """Close all of them."""
        for lane in self:
            lane.close()


def _stepping_back(amount: int) -> None:
    """Make a thread less urgent, where threads have a priority of their own."""
    if amount and sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), amount)


def _cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
