"""datatrove's shards by the readers of its merger, document by document, and in windows by its dataset for torch."""

from __future__ import annotations

import sys
from importlib.metadata import version

import numpy as np
from datatrove.io import get_datafolder
from datatrove.pipeline.tokens.merger import get_data_reader, load_doc_ends
from datatrove.utils.dataset import DatatroveFolderDataset

from tests.readers.answer import told

WINDOW = 17


def documents_of(folder: str) -> tuple[list[np.ndarray], int]:
    """The documents as the merger reads them, and the size of an id, which the metadata say."""
    opened = get_datafolder(folder)
    names = sorted(opened.list_files(glob_pattern="*.ds"))
    found: list[np.ndarray] = []
    sizes = set()
    for name in names:
        with opened.open(f"{name}.metadata", "rt") as file:
            head, tokens, _ = file.read().splitlines()
        size = int(head.rpartition("|")[2])
        sizes.add(size)
        ends = load_doc_ends(opened.open(f"{name}.index", "rb"))
        dtype = np.uint16 if size == 2 else np.uint32
        rows = [np.frombuffer(data, dtype) for data in get_data_reader(opened.open(name, "rb"), ends, size)]
        if sum(map(len, rows)) != int(tokens) or opened.size(name) != int(tokens) * size:
            raise SystemExit(f"{name}: the metadata say {tokens} tokens")
        found += rows
        check_windows(folder, name, rows, size)
    if len(sizes) != 1:
        raise SystemExit(f"ids of {sizes} bytes")
    return found, sizes.pop()


def check_windows(folder: str, name: str, rows: list[np.ndarray], size: int) -> None:
    """Read the ids and their places in their documents in windows."""
    dataset = DatatroveFolderDataset(folder, WINDOW - 1, filename_pattern=name, token_size=size, return_positions=True)
    ids = np.concatenate(rows).astype(np.int64)
    places = np.concatenate([np.arange(len(row)) for row in rows])
    amount = len(ids) // WINDOW
    if len(dataset) != amount:
        raise SystemExit(f"{name} has {len(dataset)} windows, not {amount}")
    for number in range(amount):
        window = dataset[number]
        start = number * WINDOW
        if window["input_ids"].tolist() != ids[start : start + WINDOW].tolist():
            raise SystemExit(f"{name}: window {number} has other ids")
        # The first of a window counts from 0 wherever its document begins.
        wanted = places[start : start + WINDOW]
        rest = np.flatnonzero(wanted == 0)
        first = int(rest[0]) if len(rest) else WINDOW
        wanted = np.concatenate([np.arange(first), wanted[first:]])
        if window["positions"].tolist() != wanted.tolist():
            raise SystemExit(f"{name}: window {number} has other positions")


def main() -> None:
    """Read all shards."""
    documents, size = documents_of(sys.argv[1])
    told(documents, f"datatrove {version('datatrove')}", bytes_of_an_id=size)


main()
