"""How much of a text is shown step by step.

The reference takes a millisecond for about 50 characters, and a vocabulary can be made so that every position has
thousands of candidates. Beyond the first three bounds it does not run, and the stages are those of the kernel, without
tables. Beyond the others it runs, and its ids are still checked, but less is written down.
"""

from __future__ import annotations

__all__ = ["ADDED", "CANDIDATES", "LENGTH", "LOST", "NORMALIZED", "SPELLED", "SYMBOLS", "Allowance"]

LENGTH = 500
"""Characters (or bytes) of a text."""
NORMALIZED = 2_000
"""Bytes of its normalized form."""
ADDED = 50_000
"""Added tokens of a vocabulary: each of them is looked for."""
CANDIDATES = 10_000
"""Rows of all tables of best paths."""
SYMBOLS = 20_000
"""Symbols of all merges, those after each counted."""
LOST = 8
"""Merges that were possible and lost, of each that was made; and strings tried before a match."""
SPELLED = 64
"""Bytes of a string that was tried before a match."""


class Allowance:
    """What may still be written down. ``reached`` are sentences about what was not.

    >>> allowance = Allowance()
    >>> allowance.takes("candidates", CANDIDATES), allowance.takes("candidates", 1), len(allowance.reached)
    (True, False, 1)
    """

    def __init__(self) -> None:
        self.left = {"candidates": CANDIDATES, "symbols": SYMBOLS}
        self.reached: list[str] = []

    def takes(self, what: str, count: int) -> bool:
        """Whether so much more may be written down."""
        if self.left[what] < count:
            self.left[what] = 0
            most = {"candidates": CANDIDATES, "symbols": SYMBOLS}[what]
            note = f"more than {most:,} {what}: the tables after that are left out"
            if note not in self.reached:
                self.reached.append(note)
            return False
        self.left[what] -= count
        return True
