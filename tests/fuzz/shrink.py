"""Makes a mutant small: takes stretches away as long as the same thing is found."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from tests.fuzz.mutant import Mutant, Outcome

__all__ = ["shrunk"]


Run = Callable[[Mutant], Outcome]


def shrunk(mutant: Mutant, outcome: Outcome, run: Run, seconds: float) -> tuple[Mutant, Outcome]:
    """The smallest mutant found in the time, and its outcome."""
    shrinker = _Shrinker(mutant, outcome, run, time.monotonic() + seconds)
    if mutant.base:
        shrinker.undo()
    else:
        shrinker.take_away()
    return shrinker.best, shrinker.outcome


class _Shrinker:
    def __init__(self, mutant: Mutant, outcome: Outcome, run: Run, deadline: float) -> None:
        self.best, self.outcome, self._run, self._deadline = mutant, outcome, run, deadline

    def _late(self) -> bool:
        return time.monotonic() >= self._deadline

    def _attempt(self, data: bytes) -> bool:
        candidate = replace(self.best, data=data)
        found = self._run(candidate)
        if (found.check, found.place) != (self.outcome.check, self.outcome.place):
            return False
        self.best, self.outcome = candidate, found
        return True

    def take_away(self) -> None:
        """Take stretches out of the file, long ones first."""
        size = max(len(self.best.data) // 2, 1)
        while size and not self._late():
            at, before = 0, len(self.best.data)
            while at < len(self.best.data) and not self._late():
                data = self.best.data
                at += 0 if self._attempt(data[:at] + data[at + size :]) else size
            if size > 1 or len(self.best.data) == before:
                size //= 2

    def undo(self) -> None:
        """Put back bytes of what it was made from: a file whose offsets count cannot be made shorter."""
        base = self.best.base
        changed = [at for at, pair in enumerate(zip(base, self.best.data, strict=False)) if pair[0] != pair[1]]
        size = len(changed) // 2
        while size and not self._late():
            for at in range(0, len(changed), size):
                data = bytearray(self.best.data)
                for place in changed[at : at + size]:
                    data[place] = base[place]
                if bytes(data) != self.best.data and not self._late():
                    self._attempt(bytes(data))
            size //= 2
