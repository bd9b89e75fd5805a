"""Blocks of tokens without torch: each once in an epoch, whoever takes it. With it: ``tests/compat/loaders.py``."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from anypiece import InputError
from anypiece.corpus.shards import Shards, plan_shards, run_shards
from anypiece.corpus.shards.formats import FORMATS
from anypiece.loaders.shards import ShardBlocks, TokenBlocks, places_of, shuffled
from tests.support.corpora import TOK, written


def made(folder: Path, format: str = "numpy") -> Path:
    source = written(folder, "corpus.jsonl", [f"ab {number} c" * (number % 9) for number in range(300)])
    plan_shards(source, TOK, folder / "out", format=format, shard_size=4000)
    run_shards(folder / "out", processes=1)
    return folder / "out"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("length", [7, 100_000])
def test_blocks_are_the_stream(tmp_path: Path, format: str, length: int) -> None:
    folder = made(tmp_path, format)
    stream = np.concatenate([*Shards(folder)]).tolist()
    for drop in (True, False):
        blocks = TokenBlocks(folder, length, drop_last=drop)
        found = [id for number in range(len(blocks)) for id in blocks[number].tolist()]
        assert found == (stream[: len(stream) - len(stream) % length] if drop else stream)
    with pytest.raises(InputError, match="length must be"):
        TokenBlocks(folder, 0)


@pytest.mark.parametrize("amount", [1, 2, 3, 10, 64, 65, 1000])
def test_a_shuffle_is_a_permutation(amount: int) -> None:
    places = np.arange(amount, dtype=np.uint64)
    found = [shuffled(places, amount, seed, epoch).tolist() for seed in range(3) for epoch in range(3)]
    assert all(sorted(one) == places.tolist() for one in found)
    assert [shuffled(places[n : n + 1], amount, 1, 2)[0] for n in range(amount)] == found[5]
    if amount > 60:
        assert len(set(map(tuple, found))) == 9
        moved = [abs(a - b) for one in found for a, b in pairwise(one)]
        assert amount / 4 < np.mean(moved) < amount / 2.4


@pytest.mark.parametrize("total", [0, 1, 17, 60])
@pytest.mark.parametrize("world", [1, 2, 3])
@pytest.mark.parametrize("batch", [1, 4])
def test_every_place_is_taken_once(total: int, world: int, batch: int) -> None:
    for start in (0, batch, 2 * batch):
        taken = []
        for rank in range(world):
            alone = [list(places) for places in places_of(total, rank, world, 0, 1, batch, start)]
            for workers in (1, 2, 5):
                rows = [list(places_of(total, rank, world, worker, workers, batch, start)) for worker in range(workers)]
                turns = [list(row[turn]) for turn in range(total + 1) for row in rows if turn < len(row)]
                assert turns == alone
            taken += [place for places in alone for place in places]
        assert sorted(taken) == list(range(start * world, total))[: len(taken)]
        assert len(taken) == sum(max(0, len(range(rank, total, world)) - start) for rank in range(world))


def test_without_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match="needs the package torch"):
        ShardBlocks(made(tmp_path), 8)
