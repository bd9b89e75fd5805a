"""A corpus of a given size, generated from real text: the same documents as JSON lines, as zst JSON lines and as Parquet.

A document is some consecutive lines of a real file, from a place that is drawn by a seed. Where the corpus is larger than
the files, each word of three letters or more has two of them exchanged with a chance of one in 32, so that there are always
words that were not seen before, as in real corpora.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pyarrow.parquet
import zstandard

from benchmarks.harness.places import CACHE, data_file

__all__ = ["KINDS", "documents", "made"]

SOURCES = (
    "en_novels", "en_linux_doc", "de_manpages", "es_manpages", "fr_manpages", "ru_manpages", "ja_aozora", "code_py",
    "code_c",
)  # fmt: skip
KINDS = {"jsonl": "*.jsonl", "parquet": "*.parquet", "zst jsonl": "*.jsonl.zst"}
FILES = 16
_LINES = (4, 120)
_GROUP = 2000
_WORD = re.compile(r"[A-Za-z]{3,}")


def made(size: int) -> Path:
    """The folder of a corpus of about ``size`` bytes of text; made when it is first asked for."""
    folder = CACHE / "shards" / f"{size // 1_000_000}MB"
    if (folder / "done").is_file():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    digest, total, amount = hashlib.sha256(), 0, 0
    for number, texts in enumerate(_files(size)):
        _write(folder / f"{number:02d}", texts)
        amount += len(texts)
        for text in texts:
            raw = text.encode()
            digest.update(raw)
            total += len(raw)
    (folder / "done").write_text(json.dumps({"documents": amount, "bytes": total, "sha256": digest.hexdigest()}))
    return folder


def documents(folder: Path) -> Iterator[list[str]]:
    """The texts of each file, in order."""
    for path in sorted(folder.glob(KINDS["parquet"])):
        yield pyarrow.parquet.read_table(path, columns=["text"])["text"].to_pylist()


def _files(size: int) -> Iterator[list[str]]:
    lines = [data_file(f"corpora/{name}.txt").read_text("utf-8").splitlines(keepends=True) for name in SOURCES]
    seen = sum(len(line) for some in lines for line in some)
    draw, spent = random.Random(31), 0
    for _ in range(FILES):
        texts: list[str] = []
        held = 0
        while held < size // FILES:
            some = draw.choice(lines)
            start = draw.randrange(len(some))
            text = "".join(some[start : start + draw.randint(*_LINES)]).strip()
            if not text:
                continue
            texts.append(_changed(text, draw) if spent > seen else text)
            held += len(text.encode())
            spent += len(text)
        yield texts


def _changed(text: str, draw: random.Random) -> str:
    def other(found: re.Match[str]) -> str:
        if draw.getrandbits(5):
            return found[0]
        at = draw.randrange(len(found[0]) - 1)
        return found[0][:at] + found[0][at + 1] + found[0][at] + found[0][at + 2 :]

    return _WORD.sub(other, text)


def _write(stem: Path, texts: list[str]) -> None:
    lines = "".join(
        json.dumps({"id": n, "text": text}, ensure_ascii=False) + "\n" for n, text in enumerate(texts)
    ).encode()
    stem.with_suffix(".jsonl").write_bytes(lines)
    stem.with_suffix(".jsonl.zst").write_bytes(zstandard.compress(lines))
    table = pyarrow.table({"id": list(range(len(texts))), "text": texts})
    pyarrow.parquet.write_table(table, stem.with_suffix(".parquet"), row_group_size=_GROUP, compression="zstd")
