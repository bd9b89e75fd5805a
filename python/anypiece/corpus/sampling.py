"""A uniform random sample of a given number of texts of a corpus, the same ones for the same seed.

Each text has a number that depends on its place and the seed alone, and those with the lowest are taken. So no text is
held, and a sample does not depend on threads, on the size of parts or on what the texts say. No two places have one
number, so that there is a threshold with exactly the wanted number of texts below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bound", "mixed", "numbers"]

_AT_ONCE = 1 << 20
_BITS = 16
"""By how many of their highest bits numbers are counted before any is looked at closely."""


def numbers(first: int, amount: int, seed: int) -> NDArray[np.uint64]:
    """The numbers of texts at places from ``first`` on, by the mixing steps of SplitMix64.

    >>> [hex(int(number)) for number in numbers(0, 2, 0)]
    ['0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4']
    """
    step = 0x9E3779B97F4A7C15
    start = mixed(np.array([seed % 2**64], np.uint64))[0] if seed else np.uint64(0)
    places = np.arange(first + 1, first + amount + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        return mixed(places * np.uint64(step) + start)


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each to another, no two to the same."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def bound(total: int, wanted: int, seed: int) -> int:
    """What the numbers of exactly ``wanted`` of the first ``total`` texts are below; at most 2^64.

    >>> below = bound(1000, 10, 7)
    >>> int((numbers(0, 1000, 7) < below).sum())
    10
    """
    if wanted >= total:
        return 2**64
    shift = np.uint64(64 - _BITS)
    amounts = np.zeros(1 << _BITS, np.int64)
    for first in range(0, total, _AT_ONCE):
        high = numbers(first, min(_AT_ONCE, total - first), seed) >> shift
        amounts += np.bincount(high.astype(np.int64), minlength=1 << _BITS)
    sums = np.cumsum(amounts)
    place = int(np.searchsorted(sums, wanted, side="right"))
    left = wanted - int(sums[place - 1] if place else 0)
    near: list[NDArray[np.uint64]] = []
    for first in range(0, total, _AT_ONCE):
        some = numbers(first, min(_AT_ONCE, total - first), seed)
        near.append(some[some >> shift == np.uint64(place)])
    return int(np.sort(np.concatenate(near))[left])
