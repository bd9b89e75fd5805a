"""Whether counts of draws fit a distribution."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

__all__ = ["assert_fits", "assert_same"]

Outcome = TypeVar("Outcome", bound=Hashable)
_LIMIT = 4.75
"""How many standard deviations stand for a probability of one in a million."""


def assert_fits(drawn: Iterable[Outcome], expected: Mapping[Outcome, float]) -> None:
    """Pearson's test of draws against probabilities, at one in a million; outcomes that are rare are taken together."""
    counts = Counter(drawn)
    total = sum(counts.values())
    assert abs(math.fsum(expected.values()) - 1) < 1e-9
    assert counts.keys() <= {outcome for outcome, share in expected.items() if share > 0}
    rows = [(counts[outcome], total * share) for outcome, share in expected.items()]
    _refuse_unlikely(_pooled(rows))


def assert_same(first: Iterable[Outcome], second: Iterable[Outcome]) -> None:
    """The same test for two rows of draws that should be from one distribution."""
    one, other = Counter(first), Counter(second)
    sizes = sum(one.values()), sum(other.values())
    share = sizes[0] / sum(sizes)
    rows: list[tuple[float, float]] = []
    rare = [0.0, 0.0, 0.0]
    for outcome in one.keys() | other.keys():
        both = one[outcome] + other[outcome]
        if min(both * share, both * (1 - share)) < 8:
            rare = [rare[0] + one[outcome], rare[1] + other[outcome], rare[2] + both]
            continue
        rows += [(one[outcome], both * share), (other[outcome], both * (1 - share))]
    if min(rare[2] * share, rare[2] * (1 - share)) >= 8:
        rows += [(rare[0], rare[2] * share), (rare[1], rare[2] * (1 - share))]
    _refuse_unlikely(rows, len(rows) // 2 - 1)


def _pooled(rows: list[tuple[int, float]]) -> list[tuple[float, float]]:
    kept: list[tuple[float, float]] = [row for row in rows if row[1] >= 8]
    rare = [row for row in rows if row[1] < 8]
    count, mean = sum(row[0] for row in rare), math.fsum(row[1] for row in rare)
    if mean >= 8 or not kept:
        return [*kept, (count, mean)]
    return [*kept[:-1], (kept[-1][0] + count, kept[-1][1] + mean)]


def _refuse_unlikely(rows: list[tuple[float, float]], freedom: int | None = None) -> None:
    freedom = len(rows) - 1 if freedom is None else freedom
    statistic = math.fsum((count - mean) ** 2 / mean for count, mean in rows)
    if freedom <= 0:
        assert statistic < 1e-9 or len(rows) > 1
        return
    # Wilson and Hilferty: the cube root of such a sum is nearly normal.
    variance = 2 / (9 * freedom)
    deviation = ((statistic / freedom) ** (1 / 3) - (1 - variance)) / math.sqrt(variance)
    assert deviation < _LIMIT, f"χ² = {statistic:.1f} with {freedom} degrees of freedom"
