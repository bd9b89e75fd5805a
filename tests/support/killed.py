"""Runs of ``anypiece shards`` that are killed at some moment, and run again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from anypiece.corpus.shards import plan_shards, run_shards
from tests.support.corpora import TOK, tree
from tests.support.data import ROOT

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from anypiece.corpus.shards import Plan

__all__ = ["corpus", "killed", "planned", "settled", "undisturbed"]

NONE: Mapping[str, Any] = MappingProxyType({})


def corpus(folder: Path) -> Path:
    """Some files of several kinds, enough for a dozen shards."""
    from tests.support.corpora import written

    data = folder / "data"
    data.mkdir()
    texts = [f"ab {number} " + "a b c é 🦊 " * (number % 70) for number in range(1200)]
    for name in ("corpus.txt", "corpus.jsonl", "corpus.csv", "corpus.parquet"):
        written(data, name, texts[:400] if name.endswith("csv") else texts)
    return data


def undisturbed(data: Path, out: Path, format: str, options: Mapping[str, Any] = NONE) -> dict[str, bytes]:
    """The files that a run makes when nothing happens."""
    planned(data, out, format, options)
    run_shards(out, processes=1)
    return tree(out)


def planned(data: Path, out: Path, format: str, options: Mapping[str, Any]) -> Plan:
    """The plan of a corpus, whose files are two sources where sources have weights."""
    files = sorted(data.iterdir())
    sources: Any = {"a": files[:2], "b": files[2:]} if options.get("weights") else data
    if options.get("columns"):
        sources = [file for file in files if file.suffix != ".txt"]
    return plan_shards(sources, TOK, out, **{"format": format, "shard_size": 200_000, **options})


def killed(
    data: Path, out: Path, format: str, draw: random.Random, ranks: int = 1, options: Mapping[str, Any] = NONE
) -> int:
    """Plan, then run until all is done, each run but the last killed with -9 after a random time; how many were killed.

    Sometimes all its processes are killed at once, sometimes the first one alone.
    """
    plan = planned(data, out, format, options)
    kills = 0
    rounds = 4 if ranks > 1 and plan.options.is_arranged else 1
    for rank in [*range(ranks)] * rounds:
        command = [
            *(sys.executable, "-m", "anypiece", "shards", "run", str(out)),
            *("--processes", str(draw.choice([1, 2])), "--rank", str(rank), "--world", str(ranks)),
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        process = subprocess.Popen(
            command, start_new_session=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(draw.uniform(0.1, 4.0))
        except subprocess.TimeoutExpired:
            kills += 1
            if draw.random() < 0.5:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            process.wait()
    for rank in [*range(ranks)] * rounds:
        run_shards(out, processes=1, rank=rank, world=ranks)
    settled(out)
    return kills


def settled(out: Path) -> None:
    """Workers whose parent was killed end at once, and may leave a file behind, which the next run removes."""
    time.sleep(0.3)
    run_shards(out, processes=1)
