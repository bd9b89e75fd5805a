"""``python -m tests.crash [--local N] [--ranks N]``: runs that are killed with -9 at random moments and run again.

Each must leave the bytes of an undisturbed run, and nothing else in the folder. Exit status 1 if one does not.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

from tests.support.corpora import tree
from tests.support.killed import corpus, killed, undisturbed

FORMATS = ("megatron", "llmc", "parquet", "datatrove")


def main() -> int:
    """Do it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--local", type=int, default=150, help="runs on one machine")
    parser.add_argument("--ranks", type=int, default=30, help="runs that three ranks share")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = corpus(folder)
        wanted = {format: undisturbed(data, folder / format, format) for format in FORMATS}
        plans = [1] * given.local + [3] * given.ranks
        kills = wrong = 0
        for number, ranks in enumerate(plans):
            format = FORMATS[number % len(FORMATS)]
            kills += killed(data, folder / "out", format, draw, ranks)
            found = tree(folder / "out")
            if found != wanted[format]:
                names = sorted(
                    name for name in {*found, *wanted[format]} if found.get(name) != wanted[format].get(name)
                )
                print(f"run {number} ({format}, {ranks} ranks): {', '.join(names[:9])} differ", file=sys.stderr)
                wrong += 1
            shutil.rmtree(folder / "out")
            if number % 10 == 9:
                print(f"{number + 1} of {len(plans)} runs, {kills} kills, {wrong} wrong", file=sys.stderr, flush=True)
    print(f"{len(plans)} runs, {kills} kills, {wrong} wrong", file=sys.stderr)
    return 1 if wrong or not kills else 0


if __name__ == "__main__":
    sys.exit(main())
