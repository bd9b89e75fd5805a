"""``by_ray.py FOLDER``: the plans of a folder by Ray, a worker killed meanwhile; columns of ids by ``ray.data``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow
import ray

import anypiece as ap
from anypiece.corpus.engines import ray as engine
from anypiece.corpus.shards.plan import read_plan
from anypiece.loaders import ray as loader
from tests.engines.victims import Killer

TEXTS = [None if number % 7 == 0 else f"text {number} " * (number % 5) for number in range(200)]


def shards(folder: Path) -> None:
    """Every plan, the first with a worker killed."""
    for number, path in enumerate(sorted(folder.glob("ray-*"))):
        if number:
            engine.run(path)
            continue
        with Killer("ray::done") as killer:
            manifest = engine.run(read_plan(path), processes=2)
        if killer.killed is None or manifest is None:
            raise SystemExit("no worker was killed, or not all is done")
        print(f"killed worker {killer.killed} of Ray {ray.__version__}")


def columns() -> None:
    """A data set with nulls, encoded and counted in tasks."""
    tok = ap.load()
    dataset = ray.data.from_arrow([pyarrow.table({"text": TEXTS[:90]}), pyarrow.table({"text": TEXTS[90:]})])
    rows = loader.count(loader.encode(dataset, tok, add_special="eos"), tok).take_all()
    wanted = {text: None if text is None else tok.encode(text, add_special="eos") for text in TEXTS}
    for row in rows:
        ids = None if row["input_ids"] is None else list(row["input_ids"])
        count = None if row["text"] is None else tok.count(row["text"])
        if ids != wanted[row["text"]] or row["tokens"] != count:
            raise SystemExit(f"ray.data has other ids for {row['text']!r}")
    if len(rows) != len(TEXTS):
        raise SystemExit(f"ray.data has {len(rows)} rows")
    print(f"ray.data: {len(rows)} rows have the ids of encode")


def main() -> None:
    """All of it, on one cluster of two workers."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(
        "local", num_cpus=2, object_store_memory=100_000_000, include_dashboard=False, log_to_driver=False,
        logging_level="ERROR",
    )  # fmt: skip
    ray.data.DataContext.get_current().enable_progress_bars = False
    shards(Path(sys.argv[1]))
    columns()
    ray.shutdown()


main()
