"""Whole numbers as people write them on a command line: 32000, 32_000, 32,000, 32k, 1.5M, 10B, 64Ki."""

from __future__ import annotations

import re
from typing import Any

import click

__all__ = ["Amount", "amount_of"]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "b": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30}
_AMOUNT = re.compile(r"([+-]?\d+(?:[_,]\d{3})*(?:\.\d+)?)([kmg]i?|[bt])?", re.IGNORECASE | re.ASCII)


def amount_of(text: str) -> int | None:
    """The number that a text stands for; None if it is none, or not a whole one.

    >>> [amount_of(text) for text in ("32000", "32k", "1.5M", "64Ki", "32_000", "1,000,000", "0.5", "many")]
    [32000, 32000, 1500000, 65536, 32000, 1000000, None, None]
    """
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    digits, _, rest = found[1].replace("_", "").replace(",", "").partition(".")
    unit = _UNITS[(found[2] or "").lower()]
    number, left = divmod(int(digits + rest) * unit, 10 ** len(rest))
    return None if left else number


class Amount(click.ParamType[int]):
    """An option that takes such a number, between two bounds."""

    name = "number"

    def __init__(self, min: int = 0, max: int | None = None) -> None:
        self.min, self.max = min, max

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        number = value if isinstance(value, int) else amount_of(str(value))
        if number is None:
            self.fail(f"{value!r} is no whole number; write it as 32000, 32k or 1.5M.", param, ctx)
        if number < self.min or (self.max is not None and number > self.max):
            bounds = f"at least {self.min}" if self.max is None else f"from {self.min} to {self.max}"
            self.fail(f"{number} is out of range: it must be {bounds}.", param, ctx)
        return number
