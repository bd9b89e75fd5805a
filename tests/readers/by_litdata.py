"""litdata's chunks by its ``StreamingDataset`` with the ``TokensLoader``, in blocks of one token and of several.

The loader reads across documents, so that it says nothing of where they end; the chunk's own table does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from litdata import StreamingDataset, TokensLoader, __version__

from tests.readers.answer import told

BLOCK = 16


def blocks_of(folder: str, size: int) -> list[np.ndarray]:
    """All blocks of that size."""
    dataset = StreamingDataset(folder, item_loader=TokensLoader(block_size=size), shuffle=False)
    return [dataset[number].numpy() for number in range(len(dataset))]


def main() -> None:
    """Read the folder."""
    folder = Path(sys.argv[1])
    ids = np.concatenate(blocks_of(str(folder), 1))
    chunks = json.loads((folder / "index.json").read_text())["chunks"]
    documents, place, wanted = [], 0, []
    for chunk in chunks:
        with open(folder / chunk["filename"], "rb") as file:
            amount = int(np.fromfile(file, "<u4", 1)[0])
            offsets = np.fromfile(file, "<u4", amount + 1).astype(np.int64)
        if amount != chunk["chunk_size"]:
            raise SystemExit(f"{chunk['filename']} has {amount} documents and not {chunk['chunk_size']}")
        width = ids.dtype.itemsize
        within = ids[place : place + chunk["dim"]]
        documents += np.split(within, ((offsets[1:-1] - offsets[0]) // width).tolist())
        wanted += [within[start : start + BLOCK] for start in range(0, len(within) - BLOCK + 1, BLOCK)]
        place += chunk["dim"]
    if [row.tolist() for row in blocks_of(str(folder), BLOCK)] != [row.tolist() for row in wanted]:
        raise SystemExit(f"blocks of {BLOCK} have other ids than blocks of one")
    told(documents, f"litdata {__version__}")


if __name__ == "__main__":
    main()
