"""``python -m tests.crash [--local N] [--ranks N] [--ray N]``: runs that are killed with -9 at random moments and run again.

Each must leave the bytes of an undisturbed run, and nothing else in the folder. Exit status 1 if one does not. A run that
ended before it was killed does not count, and there is one more.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.crash.on_ray import cluster
from tests.support.corpora import tree
from tests.support.killed import corpus, killed, planned, settled, undisturbed

PLANS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("megatron", {}),
    ("llmc", {"validation": 0.1, "seed": 3}),
    ("parquet", {"max_document": 400}),
    ("mds", {"validation": 0.2}),
    ("litdata", {}),
    ("numpy", {"dedupe": True, "shuffle": True, "budget": 60_000, "seed": 5}),
    ("arrow", {"dedupe": True, "validation": 0.1, "pack": 256, "packing": "fit"}),
    ("nanogpt", {"shuffle": True, "validation": 0.1, "weights": {"a": 0.7, "b": 0.3}, "budget": 150_000}),
    ("datatrove", {"sample": 0.2, "seed": 7, "max_document": 200, "validation": 0.02}),
)
"""The formats and options that are drawn from."""
_RANKS = 3


def main() -> int:
    """Do it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--local", type=int, default=150, help="runs on one machine")
    parser.add_argument("--ranks", type=int, default=30, help=f"runs that {_RANKS} ranks share")
    parser.add_argument("--ray", type=int, default=20, help="runs by Ray, on two workers")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    runs = ["local"] * given.local + ["ranks"] * given.ranks + ["ray"] * given.ray
    kills = dict.fromkeys(runs, 0)
    wrong = early = 0
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        data = corpus(folder)
        wanted: dict[int, dict[str, bytes]] = {}
        ray = stack.enter_context(cluster()) if given.ray else None
        number = 0
        while number < len(runs):
            row, kind = number % len(PLANS), runs[number]
            format, options = PLANS[row]
            out = folder / "out"
            wanted[row] = wanted.get(row) or undisturbed(data, folder / str(row), *PLANS[row])
            if kind == "ray" and ray is not None:
                planned(data, out, format, options)
                killed_now = ray.killed(out, draw)
                settled(out)
            else:
                killed_now = killed(data, out, format, draw, _RANKS if kind == "ranks" else 1, options)
            found = tree(out)
            if found != wanted[row]:
                names = sorted(name for name in {*found, *wanted[row]} if found.get(name) != wanted[row].get(name))
                print(f"run {number} ({format} {options}, {kind}): {', '.join(names[:9])} differ", file=sys.stderr)
                wrong += 1
            shutil.rmtree(out)
            kills[kind] += killed_now
            if not killed_now and wrong == 0:
                early += 1
                if early > 9 * len(runs):
                    raise SystemExit(
                        "nearly all runs end before they are killed; the corpus is too small for this machine"
                    )
                continue
            number += 1
            if number % 10 == 0:
                print(f"{number} of {len(runs)} runs, {_told(kills)}, {wrong} wrong", file=sys.stderr, flush=True)
    more = f" {early} more ended before they were killed." if early else ""
    print(f"{len(runs)} runs, {_told(kills)}, {wrong} wrong.{more}", file=sys.stderr)
    return 1 if wrong else 0


def _told(kills: dict[str, int]) -> str:
    return ", ".join(f"{amount} kills of {kind}" for kind, amount in kills.items())


if __name__ == "__main__":
    sys.exit(main())
