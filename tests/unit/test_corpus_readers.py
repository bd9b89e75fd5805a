"""Corpora: every kind of file gives the same texts, bad lines are passed over with a note, damaged files are named."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import zstandard

from anypiece import FileError, FormatError, InputError
from anypiece.corpus import readers
from anypiece.corpus.readers import Block, Corpus, Texts

TEXTS = ["one text", "größer 🦊", "", "last, with\ttab"]
PLAIN = "".join(text + "\n" for text in TEXTS).encode()
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "txt": bytes,
    "txt.gz": gzip.compress,
    "txt.bz2": bz2.compress,
    "txt.xz": lzma.compress,
    "txt.zst": zstandard.compress,
}


def texts_of(corpus: Corpus) -> list[str]:
    found: list[str] = []
    for part in corpus.parts():
        if isinstance(part, Block):
            found += part.data.decode().removesuffix("\n").split("\n")
        else:
            found += [text.decode() if isinstance(text, bytes) else text for text in part.texts]
    return found


@pytest.mark.parametrize("suffix", PACKERS)
def test_compression_is_told_by_content(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"corpus.{suffix}"
    path.write_bytes(PACKERS[suffix](PLAIN))
    corpus = Corpus(path)
    assert texts_of(corpus) == TEXTS
    assert corpus.done == corpus.total == path.stat().st_size
    misnamed = path.rename(tmp_path / "corpus.data")
    assert texts_of(Corpus(misnamed)) == TEXTS


@pytest.mark.parametrize("suffix", PACKERS)
def test_files_cut_short_are_errors(tmp_path: Path, suffix: str) -> None:
    data = PACKERS[suffix](PLAIN * 50)
    path = tmp_path / f"cut.{suffix}"
    path.write_bytes(data[: len(data) // 2])
    if suffix == "txt":
        assert len(texts_of(Corpus(path))) > 1
        return
    with pytest.raises(FormatError, match="cut short") as caught:
        texts_of(Corpus(path))
    assert caught.value.code == "file-truncated"
    assert str(path) in str(caught.value)


def test_several_frames_of_zstandard_are_one_file(tmp_path: Path) -> None:
    path = tmp_path / "two.zst"
    path.write_bytes(zstandard.compress(PLAIN) + zstandard.compress(PLAIN))
    assert texts_of(Corpus(path)) == TEXTS * 2


def test_lines_cross_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.txt"
    rows = ["x" * (7 * number % 50) for number in range(100)]
    path.write_text("\n".join(rows))
    for size in (1, 2, 7, 64, 100_000):
        monkeypatch.setattr(readers, "_PART", size)
        parts = list(Corpus(path).parts())
        assert b"".join(part.data for part in parts if isinstance(part, Block)).decode() == "\n".join(rows)
        lines = [part.line for part in parts]
        assert lines[0] == 1
        assert lines == sorted(lines)


def test_json_lines_name_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    rows = [json.dumps({"body": text}) for text in TEXTS]
    rows[1:1] = ["{broken", '{"other": 1}', '{"body": 5}', "[]", ""]
    path.write_text("\n".join(rows), "utf-8")
    corpus = Corpus(path, field="body")
    assert texts_of(corpus) == TEXTS
    assert [(reject.line, reject.reason.split(":")[0]) for reject in corpus.rejects] == [
        (2, "no JSON"),
        (3, "no field 'body'"),
        (4, "field 'body' is no string"),
        (5, "no field 'body'"),
    ]
    assert corpus.rejected == 4


def test_tsv_has_counts(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    path.write_bytes(
        b"one\t3\ntwo words\t1\r\nbad\nzero\t0\na\tb\t2\nminus\t-1\nmany\t" + b"9" * 9999 + b"\nbad\xff\t2\n"
    )
    corpus = Corpus(path)
    (part,) = corpus.parts()
    assert part == Texts(["one", "two words"], [3, 1], str(path), 1)
    assert [reject.line for reject in corpus.rejects] == [3, 4, 5, 6, 7, 8]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "corpus.parquet"
    table = pyarrow.table({"text": [*TEXTS, None], "id": [1, 2, 3, 4, 5]})
    pyarrow.parquet.write_table(table, path, row_group_size=2)
    corpus = Corpus(path)
    assert texts_of(corpus) == TEXTS
    assert [reject.line for reject in corpus.rejects] == [5]
    with pytest.raises(InputError, match="it has text, id"):
        texts_of(Corpus(path, field="body"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match="no Parquet table"):
        texts_of(Corpus(path))


def test_globs_lists_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/2.txt", "1.txt", "b/3.md"):
        (tmp_path / name).write_text(name + "\n")
    assert texts_of(Corpus(f"{tmp_path}/**/*.txt")) == ["1.txt", "b/2.txt"]
    assert texts_of(Corpus([tmp_path / "b/3.md", tmp_path / "1.txt"])) == ["b/3.md", "1.txt"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN)))
    assert texts_of(Corpus("-")) == TEXTS


def test_whole_files_are_one_text(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_bytes(PLAIN)
    (part,) = Corpus(tmp_path / "1.txt", whole=True).parts()
    assert isinstance(part, Texts)
    assert part.texts == [PLAIN]


def test_a_corpus_of_texts_can_be_read_twice_and_a_generator_once() -> None:
    corpus = Corpus(TEXTS)
    assert texts_of(corpus) == texts_of(corpus) == TEXTS
    assert texts_of(Corpus(text for text in TEXTS)) == TEXTS


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (lambda folder: folder, InputError, "is a folder"),
        (lambda folder: folder / "absent.txt", FileError, "cannot be read"),
        (lambda folder: f"{folder}/*.none", InputError, "No file matches"),
        (lambda folder: b"bytes", TypeError, "A corpus is a path"),
        (lambda folder: 5, TypeError, "not int"),
        (lambda folder: ["a", 5], TypeError, "not int"),
        (lambda folder: [__file__], InputError, "is the name of a file"),
    ],
)
def test_wrong_sources(tmp_path: Path, source: Callable[[Path], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        texts_of(Corpus(source(tmp_path)))


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "corpus.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InputError, match=r"anypiece\[parquet\]") as caught:
        texts_of(Corpus(path))
    assert caught.value.code == "extra-missing"
