"""MDS shards by mosaicml-streaming's ``StreamingDataset``, document by document, with their columns."""

from __future__ import annotations

import sys
from importlib.metadata import version

from streaming import StreamingDataset

from tests.readers.answer import told


def main() -> None:
    """Read the folder, checking hashes, as a training program does."""
    dataset = StreamingDataset(local=sys.argv[1], shuffle=False, batch_size=1, validate_hash="sha256")
    rows = [dataset[number] for number in range(len(dataset))]
    if [row["tokens"].tolist() for row in dataset] != [row["tokens"].tolist() for row in rows]:
        raise SystemExit("by number and in turn other documents come")
    columns = [{name: value for name, value in row.items() if name != "tokens"} for row in rows]
    told((row["tokens"] for row in rows), f"mosaicml-streaming {version('mosaicml-streaming')}", columns=columns)


if __name__ == "__main__":
    main()
