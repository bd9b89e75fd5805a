"""Megatron shards by megatron-core's ``IndexedDataset``; written again by its builder, they must be the same files."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from megatron.core import __version__
from megatron.core.datasets.indexed_dataset import IndexedDataset, IndexedDatasetBuilder

from tests.readers.answer import told


def check_rewritten(prefix: Path, dataset: IndexedDataset, folder: Path) -> None:
    """Have the library write the same documents, and compare the bytes of both files."""
    builder = IndexedDatasetBuilder(str(folder / "again.bin"), dtype=dataset.index.dtype)
    for row in range(len(dataset)):
        ids = torch.from_numpy(dataset[row].astype(np.int64))
        builder.add_document(ids, [len(ids)])
    builder.finalize(str(folder / "again.idx"))
    for suffix in (".bin", ".idx"):
        if (folder / f"again{suffix}").read_bytes() != prefix.with_suffix(suffix).read_bytes():
            raise SystemExit(f"megatron-core writes other bytes than {prefix.name}{suffix}")


def main() -> None:
    """Read all shards."""
    documents = []
    for path in sorted(Path(sys.argv[1]).glob("*.idx")):
        prefix = path.with_suffix("")
        dataset = IndexedDataset(str(prefix))
        if dataset.document_indices.tolist() != list(range(len(dataset) + 1)):
            raise SystemExit(f"{path.name}: a document is not one sequence")
        documents += [dataset[row].copy() for row in range(len(dataset))]
        with tempfile.TemporaryDirectory() as folder:
            check_rewritten(prefix, dataset, Path(folder))
    told(documents, f"megatron-core {__version__}")


main()
