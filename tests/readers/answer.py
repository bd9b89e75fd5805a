"""What a reader says of a folder of shards: the ids of every document, in a file. Environments without AnyPiece use it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["read_answer", "told"]


def told(documents: Iterable[Any], version: str, **facts: Any) -> None:
    """Write documents as arrays of ids, in order, into the file that the second argument of the program names."""
    rows = [np.asarray(row) for row in documents]
    facts |= {"version": version, "numpy": np.__version__, "dtypes": sorted({row.dtype.name for row in rows})}
    np.savez(
        sys.argv[2],
        ids=np.concatenate([np.empty(0, np.int64), *(row.astype(np.int64) for row in rows)]),
        lengths=np.array([len(row) for row in rows], np.int64),
        facts=np.array(json.dumps(facts)),
    )


def read_answer(path: Path) -> tuple[list[list[int]], dict[str, Any]]:
    """The documents of such a file, and what else was said."""
    with np.load(path) as file:
        ends = np.cumsum(file["lengths"])[:-1]
        rows = [row.tolist() for row in np.split(file["ids"], ends)] if len(file["lengths"]) else []
        return rows, json.loads(str(file["facts"]))
