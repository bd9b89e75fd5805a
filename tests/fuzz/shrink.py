"""Makes a mutant small: takes stretches away, or of a document whole values, as long as the same thing is found."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.fuzz.mutant import DOCUMENTS, Mutant, Outcome

__all__ = ["shrunk"]


Run = Callable[[Mutant], Outcome]


def shrunk(mutant: Mutant, outcome: Outcome, run: Run, seconds: float) -> tuple[Mutant, Outcome]:
    """The smallest mutant found in the time, and its outcome."""
    shrinker = _Shrinker(mutant, outcome, run, time.monotonic() + seconds)
    if mutant.suffix in DOCUMENTS:
        shrinker.simplify()
    elif mutant.base:
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

    def simplify(self) -> None:
        """Take values out of a document, large ones first, until none is left that can go."""
        try:
            document = json.loads(self.best.data)
        except (ValueError, RecursionError):
            self.take_away()
            return
        again = True
        while again and not self._late():
            again = False
            for smaller in _simpler(document):
                if self._late():
                    break
                if self._attempt(json.dumps(smaller).encode()):
                    document, again = smaller, True
                    break

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


def _simpler(value: Any) -> Iterator[Any]:
    """Each value that is one step smaller: parts of lists and texts, entries of objects, then those of their values."""
    if isinstance(value, (list, str)):
        size = len(value) // 2
        while size:
            for at in range(0, len(value), size):
                yield value[:at] + value[at + size :]
            size //= 2
        if len(value) == 1:
            yield value[:0]
    if isinstance(value, dict):
        for name in value:
            yield {key: item for key, item in value.items() if key != name}
        for name, item in value.items():
            if item:
                yield {**value, name: None}
            yield from ({**value, name: smaller} for smaller in _simpler(item))
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield from ([*value[:at], smaller, *value[at + 1 :]] for smaller in _simpler(item))
