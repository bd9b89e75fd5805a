"""Equal texts in all of a plan: of each the first one stays.

Hashes lie sorted beside what each task staged. One task looks at a range of hashes in all of them, about a million at
a time, and writes which documents are duplicates; another marks the documents of one encoding task by all such lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .formats.output import placed
from .formats.raw import mapped
from .manifest import records_of, task_record
from .staging import STAGED, Stage, staged_stem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from .plan import Plan

__all__ = ["find_duplicates", "found_path", "live_path", "mark_duplicates", "ranges"]

_AT_ONCE = 1 << 20


def ranges(plan: Plan) -> int:
    """In how many ranges hashes are looked at."""
    amount = 0
    for number in range(len(plan.tasks)):
        for record in records_of(task_record(plan.folder, plan, number)) or []:
            amount += record.documents
    return max(1, -(-amount // _AT_ONCE))


def found_path(plan: Plan, number: int) -> Path:
    """Where the duplicates of a range are."""
    return plan.folder / STAGED / "duplicates" / f"{number:06d}.found"


def live_path(plan: Plan, number: int, part: str) -> Path:
    """Where the marks of what a task staged are."""
    return plan.folder / STAGED / f"{staged_stem(number, part)}.live"


def find_duplicates(plan: Plan, number: int, amount: int) -> None:
    """Write which documents of a range of hashes are equal to an earlier one: pairs of a staged shard and a row, sorted."""
    low, high = (2**64 * number // amount, 2**64 * (number + 1) // amount)
    firsts, seconds, shards, rows = [], [], [], []
    for shard, stage in enumerate(_stages(plan)):
        first, second, row = stage.hashes()
        start = int(np.searchsorted(first, np.uint64(low)))
        end = len(first) if high == 2**64 else int(np.searchsorted(first, np.uint64(high)))
        firsts.append(np.array(first[start:end]))
        seconds.append(np.array(second[start:end]))
        rows.append(np.array(row[start:end]))
        shards.append(np.full(end - start, shard, "<u4"))
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    row, shard_of = np.concatenate(rows), np.concatenate(shards)
    order = np.lexsort((row, shard_of, second, first))
    first, second = first[order], second[order]
    repeated = np.concatenate([[False], (first[1:] == first[:-1]) & (second[1:] == second[:-1])])[: len(order)]
    found = order[repeated]
    pairs = np.stack([shard_of[found], row[found]], axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    path = found_path(plan, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    placed(path, np.ascontiguousarray(pairs.T, "<u4").tobytes())


def mark_duplicates(plan: Plan, number: int, amount: int) -> None:
    """Write which documents of a task are no duplicates."""
    parts = plan.parts
    for offset, part in enumerate(parts):
        stage = Stage.opened(plan, number, part)
        found = [_found_in(found_path(plan, other), number * len(parts) + offset) for other in range(amount)]
        marks = ~np.isin(np.asarray(stage.rows), np.concatenate([np.empty(0, np.uint32), *found]))
        placed(live_path(plan, number, part), marks.tobytes())


def _found_in(path: Path, shard: int) -> NDArray[np.uint32]:
    """The duplicates of a staged shard in one list."""
    pairs = mapped(path, "<u4").reshape(2, -1)
    start, end = np.searchsorted(pairs[0], np.array([shard, shard + 1], np.uint32)).tolist()
    found: NDArray[np.uint32] = np.array(pairs[1, start:end])
    return found


def _stages(plan: Plan) -> Iterator[Stage]:
    """One after the other, since each holds a file open."""
    return (Stage.opened(plan, number, part) for number in range(len(plan.tasks)) for part in plan.parts)
