"""Finished shards as blocks of tokens for training: shuffled anew in each epoch, shared by ranks, resumed at a step.

The tokens of a folder are one stream, and a block is a stretch of it. Which block comes when is a permutation that is
computed and not stored, so that any step of any epoch is reached at once, however many blocks there are. torch is imported
when ``ShardBlocks`` is made.
"""

from __future__ import annotations

import os
from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._core.checks import checked_count
from ..corpus.sampling import mixed
from ..corpus.shards import Shards
from ..errors import InputError, extra_missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["ShardBlocks", "TokenBlocks", "places_of", "shuffled"]

_ROUNDS = 4


class TokenBlocks:
    """All tokens of finished shards in blocks of ``length``; a last one that is shorter is dropped, unless it is to be kept.

    >>> from pathlib import Path
    >>> from anypiece.corpus.shards import plan_shards, run_shards
    >>> _ = Path("lines.txt").write_text("Hello world\\nHi\\n")
    >>> _ = plan_shards("lines.txt", None, "out", format="numpy")
    >>> _ = run_shards("out")
    >>> blocks = TokenBlocks("out", 2)
    >>> len(blocks), len(blocks[0])
    (3, 2)
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        length: int,
        *,
        part: Literal["train", "val"] | None = None,
        drop_last: bool = True,
    ) -> None:
        self.shards = Shards(folder, part)
        self.length = checked_count(length, "length", 1)
        self.drop_last = drop_last
        self._ends = np.array([0, *accumulate(record.tokens for record in self.shards.records)], np.int64)

    def __len__(self) -> int:
        tokens = self.shards.tokens
        return tokens // self.length if self.drop_last else -(-tokens // self.length)

    def __getitem__(self, number: int) -> NDArray[Any]:
        start = range(len(self))[number] * self.length
        end = min(start + self.length, self.shards.tokens)
        first = int(np.searchsorted(self._ends, start, side="right")) - 1
        last = int(np.searchsorted(self._ends, end, side="left"))
        parts = []
        for shard in range(first, last):
            ids, before = self.shards.shard(shard).ids, int(self._ends[shard])
            parts.append(np.asarray(ids[max(start - before, 0) : end - before]))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def shuffled(places: NDArray[np.uint64], amount: int, seed: int, epoch: int) -> NDArray[np.uint64]:
    """Where places below ``amount`` go in a permutation that depends on the seed and the epoch: a Feistel network.

    Its domain is the next even power of two; what falls beyond ``amount`` goes through it again until it does not.

    >>> found = shuffled(np.arange(10, dtype=np.uint64), 10, 7, 0).tolist()
    >>> sorted(found) == list(range(10)) != found
    True
    """
    half = np.uint64(max(1, ((amount - 1).bit_length() + 1) // 2))
    mask = (np.uint64(1) << half) - np.uint64(1)
    start = mixed(np.array([(seed * 0x9E3779B97F4A7C15 + epoch) % 2**64], np.uint64))[0]
    with np.errstate(over="ignore"):
        keys = mixed(start + np.arange(1, _ROUNDS + 1, dtype=np.uint64))
    found = places.copy()
    rows = np.arange(len(found))
    while len(rows):
        left, right = found[rows] >> half, found[rows] & mask
        for key in keys:
            left, right = right, left ^ (mixed(right ^ key) & mask)
        found[rows] = (left << half) | right
        rows = rows[found[rows] >= np.uint64(amount)]
    return found


def places_of(total: int, rank: int, world: int, worker: int, workers: int, batch: int, start: int) -> Iterator[range]:
    """The places in an epoch that a worker of a rank takes, by batches, which do not depend on the number of workers.

    A rank has every ``world``-th place, and has taken ``start`` of them. Its loader asks its workers for one batch after
    the other, in turn.

    >>> [list(places) for places in places_of(10, 0, 2, 1, 2, 2, 0)]
    [[4, 6]]
    """
    mine = range(rank, total, world)[start:]
    for first in range(worker * batch, len(mine), workers * batch):
        yield mine[first : first + batch]


class ShardBlocks:
    """An ``IterableDataset`` of torch: blocks of ``length`` ids as int64 tensors, for a ``DataLoader``.

    ``batch_size`` is that of the loader. Each block comes once in an epoch, on one rank and from one worker; the batches of
    a rank do not depend on the number of workers. ``rank`` and ``world`` are by default those of ``torch.distributed``. With
    ``drop_last`` every rank has as many blocks as every other; the blocks that are left over are others in each epoch. Call
    ``set_epoch`` before each pass. Keep ``state_dict(step)`` with the model, ``step`` being the batches of the epoch so far;
    after ``load_state_dict`` the next pass begins there.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        length: int,
        *,
        batch_size: int = 1,
        part: Literal["train", "val"] | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = True,
        rank: int | None = None,
        world: int | None = None,
    ) -> None:
        torch = _torch()
        self.blocks = TokenBlocks(folder, length, part=part, drop_last=drop_last)
        self.batch_size = checked_count(batch_size, "batch_size", 1)
        self.shuffle, self.seed, self.drop_last = shuffle, checked_count(seed, "seed"), drop_last
        here = _here(torch)
        self.rank = checked_count(here[0] if rank is None else rank, "rank")
        self.world = checked_count(here[1] if world is None else world, "world", 1)
        if self.rank >= self.world:
            raise InputError("argument-value", f"rank must be below world, {self.world}, not {rank}.", argument="rank")
        self._state = torch.zeros(2, dtype=torch.int64).share_memory_()
        _register(torch)

    def set_epoch(self, epoch: int) -> None:
        """The epoch of the passes that begin from now on, in workers too; they begin at its first block."""
        self._state[0] = checked_count(epoch, "epoch")
        self._state[1] = 0

    @property
    def epoch(self) -> int:
        """The epoch."""
        return int(self._state[0])

    def __len__(self) -> int:
        """The blocks of this rank in a whole epoch."""
        return len(range(self.rank, self._total, self.world))

    @property
    def _total(self) -> int:
        amount = len(self.blocks)
        return amount - amount % self.world if self.drop_last else amount

    def state_dict(self, step: int) -> dict[str, int]:
        """What resumes after as many batches of this epoch."""
        return {"epoch": self.epoch, "blocks": min(checked_count(step, "step") * self.batch_size, len(self))}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Let the next pass begin where a state was taken; ``set_epoch`` goes back to the beginning of an epoch."""
        self._state[0] = checked_count(state["epoch"], "epoch")
        self._state[1] = checked_count(state["blocks"], "blocks")

    def __iter__(self) -> Iterator[Any]:
        torch = _torch()
        info = torch.utils.data.get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        epoch, start = self._state.tolist()
        given = self.rank, self.world, worker, workers, self.batch_size, start
        for places in places_of(self._total, *given):
            numbers = np.array(places, np.uint64)
            if self.shuffle:
                numbers = shuffled(numbers, len(self.blocks), self.seed, epoch)
            for number in numbers.tolist():
                yield torch.from_numpy(self.blocks[number].astype(np.int64))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        _register(_torch())


def _here(torch: Any) -> tuple[int, int]:
    """The rank and the number of processes of a distributed run; one where there is none."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


def _register(torch: Any) -> None:
    """A loader asks ``isinstance``; a base class would import torch with this module."""
    torch.utils.data.IterableDataset.register(ShardBlocks)


def _torch() -> Any:
    try:
        import_module("torch.utils.data")
        return import_module("torch")
    except ImportError:
        raise extra_missing("A data set for torch", "torch") from None
