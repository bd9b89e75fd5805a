"""What is timed beside ``anypiece shards``: ``encode_batch``, the disk, datatrove, tokenizers with Megatron's builder.

Each runs in a process of its own, ``python -m benchmarks.shards.engines NAME ...``. What was made is compared by a digest of
the ids, document by document, each with the end-of-text token behind it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["digest_of"]


def digest_of(parts: Any) -> dict[str, Any]:
    """The number of ids and a hash of them."""
    found, amount = hashlib.sha256(), 0
    for ids in parts:
        found.update(np.ascontiguousarray(ids, "<u4"))
        amount += len(ids)
    return {"tokens": amount, "sha256": found.hexdigest()}


def memory(tokenizer: str, folder: str, end: str, threads: str) -> dict[str, Any]:
    """``encode_batch`` of the documents of each file, which are in memory."""
    import anypiece as ap
    from benchmarks.shards.corpus import documents

    tok = ap.load(tokenizer)
    last = np.array([int(end)], np.uint32)
    tok.encode_batch(["a"], threads=int(threads))
    seconds, found, amount = 0.0, hashlib.sha256(), 0
    for texts in documents(Path(folder)):
        start = time.perf_counter()
        batch = tok.encode_batch(texts, threads=int(threads))
        seconds += time.perf_counter() - start
        for ids in batch:
            found.update(ids)
            found.update(last)
        amount += len(batch.ids) + len(batch)
    return {"seconds": seconds, "tokens": amount, "sha256": found.hexdigest()}


def read(folder: str) -> dict[str, Any]:
    """The ids of finished shards of Megatron's layout."""
    import anypiece as ap

    shards = ap.Shards(folder)
    return digest_of(shards.shard(number).ids for number in range(len(shards.records)))


def disk(size: str, folder: str) -> dict[str, Any]:
    """Write as many bytes, and bring them to the disk."""
    data = os.urandom(1 << 20)
    path = Path(folder) / "written"
    start = time.perf_counter()
    with path.open("wb") as file:
        for _ in range(max(1, int(size) >> 20)):
            file.write(data)
        file.flush()
        os.fsync(file.fileno())
    seconds = time.perf_counter() - start
    written = path.stat().st_size
    path.unlink()
    return {"seconds": seconds, "bytes": written}


def datatrove(tokenizer: str, folder: str, end: str, out: str, workers: str) -> dict[str, Any]:
    """Its pipeline of a reader of JSON lines and its tokenizer, with as many workers as processors."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.tokens import DocumentTokenizer
    from tokenizers import Tokenizer

    files = len(list(Path(folder).glob("*.jsonl")))
    eos = Tokenizer.from_file(tokenizer).id_to_token(int(end))
    pipeline = [
        JsonlReader(folder, glob_pattern="*.jsonl", compression=None),
        DocumentTokenizer(f"{out}/tokens", tokenizer_name_or_path=tokenizer, eos_token=eos, shuffle_documents=False),
    ]
    LocalPipelineExecutor(pipeline, tasks=files, workers=int(workers), logging_dir=f"{out}/logs").run()
    return {}


def read_datatrove(out: str, size: str) -> dict[str, Any]:
    """The ids of its files."""
    paths = sorted(Path(out, "tokens").glob("*.ds"))
    return digest_of(np.fromfile(path, f"<u{size}") for path in paths)


def megatron(tokenizer: str, folder: str, end: str, out: str) -> dict[str, Any]:
    """A loop over lines, ``encode_batch_fast`` of tokenizers with its own threads, and megatron-core's builder."""
    import torch
    from megatron.core.datasets.indexed_dataset import IndexedDatasetBuilder
    from tokenizers import Tokenizer

    tok = Tokenizer.from_file(tokenizer)
    tok.encode_special_tokens = True  # text that spells a special token is text, as in ``encode_batch``
    dtype = np.uint16 if tok.get_vocab_size() < 65500 else np.int32
    builder = IndexedDatasetBuilder(f"{out}.bin", dtype=dtype)

    def add(texts: list[str]) -> None:
        for encoded in tok.encode_batch_fast(texts, add_special_tokens=False):
            ids = [*encoded.ids, int(end)]
            builder.add_document(torch.tensor(ids, dtype=torch.int64), [len(ids)])

    for path in sorted(Path(folder).glob("*.jsonl")):
        texts: list[str] = []
        with path.open(encoding="utf-8") as file:
            for line in file:
                texts.append(json.loads(line)["text"])
                if len(texts) == 1000:
                    add(texts)
                    texts = []
        add(texts)
    builder.finalize(f"{out}.idx")
    return {"dtype": np.dtype(dtype).str}


def read_megatron(out: str, dtype: str) -> dict[str, Any]:
    """The ids of its file."""
    return digest_of([np.fromfile(f"{out}.bin", dtype)])


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
