"""Small corpora in every kind of file, and what the shards of a folder are made of."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet
import zstandard

import anypiece as ap
from tests.support.small_vocabularies import UNIGRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["DOCUMENTS", "KINDS", "PACKERS", "TOK", "data_of", "tree", "written"]

TOK = ap.Tokenizer(UNIGRAM)

DOCUMENTS = ["ab a", 'é <s> "b", c', "xyz", "", "a\tb\\n", "abc " * 50, "🦊 a", "b"]
"""Without line ends, so that each kind of file can hold them."""

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


def _text(texts: Sequence[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def _jsonl(texts: Sequence[str]) -> bytes:
    rows = [{"id": number, "text": text, "meta": {"n": [1, {}]}} for number, text in enumerate(texts)]
    return "".join(json.dumps(row, ensure_ascii=bool(row["id"])) + "\n" for row in rows).encode()


def _csv(texts: Sequence[str]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([("id", "text"), *enumerate(texts)])
    return file.getvalue().encode()


def _parquet(texts: Sequence[str]) -> bytes:
    file = io.BytesIO()
    table = pyarrow.table({"id": list(range(len(texts))), "text": list(texts)})
    pyarrow.parquet.write_table(table, file, row_group_size=3, write_page_checksum=True)
    return file.getvalue()


def _arrow(texts: Sequence[str], opened: Callable[..., Any] = pyarrow.ipc.new_file) -> bytes:
    file = io.BytesIO()
    table = pyarrow.table({"text": pyarrow.array(texts, pyarrow.large_string()), "n": list(range(len(texts)))})
    with opened(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return file.getvalue()


KINDS: dict[str, Callable[[Sequence[str]], bytes]] = {
    "corpus.txt": _text,
    "corpus.jsonl": _jsonl,
    "corpus.json": _jsonl,
    "corpus.csv": _csv,
    "corpus.parquet": _parquet,
    "corpus.arrow": _arrow,
    "stream.arrow": lambda texts: _arrow(texts, pyarrow.ipc.new_stream),
}


def data_of(name: str, texts: Sequence[str] = DOCUMENTS) -> bytes:
    """A file of that name with these texts."""
    return KINDS[name](texts)


def written(folder: Path, name: str, texts: Sequence[str] = DOCUMENTS) -> Path:
    """A file of that name with these texts, written into a folder."""
    path = folder / name
    path.write_bytes(data_of(name, texts))
    return path


def tree(folder: Path) -> dict[str, bytes]:
    """All files of a folder by their names in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
