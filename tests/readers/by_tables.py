"""Tables of ids by pyarrow's datasets, polars and duckdb, which all take a folder or glob of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow.dataset

__all__ = ["tables"]


def tables(format: str, folder: Path, part: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of a folder by the library that read them. All pass over the folder of the plan."""
    names = sorted(str(path) for path in folder.glob(f"{part}*.{format}"))
    dataset = pyarrow.dataset.dataset(names if part else str(folder), format=format)
    found = {f"pyarrow {pyarrow.__version__}": dataset.to_table().to_pylist()}
    if format == "parquet":
        frame = polars.read_parquet(names)
        found[f"polars {polars.__version__}"] = frame.to_dicts()
        with duckdb.connect() as connection:
            relation = connection.read_parquet(names)
            rows = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
        found[f"duckdb {duckdb.__version__}"] = rows
    else:
        frames = [polars.read_ipc(name) for name in names]
        found[f"polars {polars.__version__}"] = polars.concat(frames).to_dicts()
    return found
