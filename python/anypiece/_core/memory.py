"""Amounts of memory: what a limit such as ``1GB`` means, and how much this process holds."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from pathlib import Path

from ..errors import InputError

__all__ = ["held", "peak", "shown", "size_of"]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


def size_of(amount: int | str) -> int:
    """Bytes of an amount such as ``"1.5GB"`` (10^9) or ``"2GiB"`` (2^30).

    >>> size_of("1.5GB"), size_of("2 GiB"), size_of(4096)
    (1500000000, 2147483648, 4096)
    """
    if isinstance(amount, int) and not isinstance(amount, bool) and amount >= 0:
        return amount
    found = _AMOUNT.fullmatch(amount) if isinstance(amount, str) else None
    if found is None:
        raise InputError(
            "argument-value", f"{amount!r} is no amount of memory; write it as 800MB or 2GiB.", value=str(amount)
        )
    return int(float(found[1]) * _UNITS[(found[2] or "").lower()])


def shown(size: float) -> str:
    """An amount for people.

    >>> shown(1_530_000_000), shown(999)
    ('1.5 GB', '999 B')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def held() -> int:
    """Bytes of memory that this process holds now; its highest so far where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        import resource

        return pages * resource.getpagesize()
    return peak()


def peak() -> int:
    """The most memory that this process held so far, in bytes; 0 where the system does not say."""
    with suppress(ImportError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return 0
