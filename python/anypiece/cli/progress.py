"""How far a long job is: a line that rewrites itself on a terminal, a line every ten seconds elsewhere. Always on stderr."""

from __future__ import annotations

import sys
import time

from .._core.memory import shown

__all__ = ["Reporter"]

_QUICK, _SLOW = 0.2, 10.0
_NAMES = {
    "count": "counting words", "merge": "merging parts", "merges": "merging pairs",
    "encode": "encoding", "duplicates": "looking for duplicates", "marks": "marking duplicates",
    "decide": "choosing documents", "arrange": "writing shards",
}  # fmt: skip
"""Stages whose own name would not say it."""
_BYTES = ("count", "shards", "encode", "arrange")


class Reporter:
    """Called with a stage, how much of it is done, and of how much."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.stage = ""
        self.began = self.told = time.monotonic()
        self.width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self.stage:
            self.stage, self.began = stage, now
            self.told = now if not self.terminal else 0.0
        if self.quiet or now - self.told < (_QUICK if self.terminal else _SLOW):
            return
        self.told = now
        self._print(_line(stage, done, total, now - self.began))

    def _print(self, line: str) -> None:
        if self.terminal:
            sys.stderr.write(f"\r{line:<{self.width}}")
            self.width = len(line)
        else:
            sys.stderr.write(f"anypiece: {line}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Leave a clean line."""
        if self.terminal and self.width:
            sys.stderr.write(f"\r{'':<{self.width}}\r")
            sys.stderr.flush()
            self.width = 0


def _line(stage: str, done: int, total: int, seconds: float) -> str:
    r"""Format the line about a stage.

    >>> _line("count", 500_000_000, 2_000_000_000, 10.0)
    'counting words: 500 MB of 2.0 GB, 25 %, 50.0 MB/s, 30 s left'
    >>> _line("merges", 100, 0, 1.0)
    'merging pairs: 100'
    """
    amounts = [shown(done), shown(total)] if stage in _BYTES else [str(done), str(total)]
    line = f"{_NAMES.get(stage, stage)}: {amounts[0]}"
    if total:
        line += f" of {amounts[1]}, {100 * done // total} %"
    if stage in _BYTES and seconds > 0:
        line += f", {shown(done / seconds)}/s"
    if 0 < done < total and seconds > 1:
        line += f", {_left(seconds * (total - done) / done)} left"
    return line


def _left(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return (
        f"{rest} s"
        if not minutes
        else f"{minutes} min {rest} s"
        if minutes < 60
        else f"{minutes // 60} h {minutes % 60} min"
    )
