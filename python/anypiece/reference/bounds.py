"""What the stages of a file may make of a text, and how much they may work on it.

A file that lists many steps, each harmless, could make gigabytes or hours of one letter. So each text has an allowance that
follows from its length in bytes: it may become 64 times as long and 1,024 bytes longer, and all steps together may read 512
times as much and 16 KiB more. A step counts as 16 bytes besides those that it reads.

    >>> allowance = Bounds(1)
    >>> allowance.check(1088)
    >>> allowance.check(1089)
    Traceback (most recent call last):
    anypiece.errors.InputError: The steps of this file would make a text of 1 bytes one of 1089. Mend them.
"""

from __future__ import annotations

from ..errors import InputError

__all__ = ["Bounds"]

_GROWTH, _SLACK = 64, 1024
_WORK, _WORK_SLACK, _STEP = 512, 1 << 14, 16


class Bounds:
    """The allowance of one text."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.most = _GROWTH * length + _SLACK
        self.work = _WORK * length + _WORK_SLACK

    def check(self, size: int) -> None:
        """Refuse a text of this many bytes."""
        if size > self.most:
            message = f"The steps of this file would make a text of {self.length} bytes one of {size}. Mend them."
            raise InputError("stage-limit", message, most=self.most)

    def spend(self, size: int) -> None:
        """Count a step that reads this many bytes."""
        self.work -= size + _STEP
        if self.work < 0:
            message = f"The steps of this file would read a text more than {_WORK} times. List fewer."
            raise InputError("stage-limit", message, work=_WORK)
