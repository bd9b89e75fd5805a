"""``by_spark.py FOLDER``: the plans of a folder by Spark, an executor killed meanwhile; columns of ids by ``mapInArrow``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

import anypiece as ap
from anypiece.corpus.engines import spark as engine
from anypiece.corpus.shards.plan import read_plan
from anypiece.loaders import spark as loader
from tests.engines.victims import Killer

MASTER = "local-cluster[2,1,1024]"
TEXTS = [None if number % 7 == 0 else f"text {number} " * (number % 5) for number in range(200)]


def shards(folder: Path) -> None:
    """Every plan, the first with an executor killed."""
    for number, path in enumerate(sorted(folder.glob("spark-*"))):
        if number:
            engine.run(path)
            continue
        with Killer("pyspark.daemon") as killer:
            manifest = engine.run(read_plan(path))
        if killer.killed is None or manifest is None:
            raise SystemExit("no worker was killed, or not all is done")
        print(f"killed worker {killer.killed} of Spark {pyspark.__version__}")


def columns(spark: SparkSession) -> None:
    """A data frame with nulls, encoded and counted by executors."""
    tok = ap.load()
    frame = spark.createDataFrame(list(enumerate(TEXTS)), "number int, text string").repartition(3)
    rows = loader.count(loader.encode(frame, tok, add_special="eos"), tok).collect()
    for row in rows:
        wanted = None if row.text is None else tok.encode(row.text, add_special="eos")
        count = None if row.text is None else tok.count(row.text)
        if row.input_ids != wanted or row.tokens != count or TEXTS[row.number] != row.text:
            raise SystemExit(f"Spark has other ids for {row.text!r}")
    if len(rows) != len(TEXTS):
        raise SystemExit(f"Spark has {len(rows)} rows")
    print(f"mapInArrow: {len(rows)} rows have the ids of encode")


def main() -> None:
    """All of it, on one cluster of two executors."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with engine.session(MASTER) as spark:
        shards(Path(sys.argv[1]))
        columns(spark)


main()
