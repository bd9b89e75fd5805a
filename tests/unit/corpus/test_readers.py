"""Corpora: every kind of file gives the same texts, bad lines are skipped with a note, damaged files are named."""

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

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import zstandard

import anypiece as ap
from anypiece import FileError, FormatError, InputError
from anypiece.corpus import readers, sampling
from anypiece.corpus.readers import Block, Corpus, Texts
from anypiece.training.preparation import ByteText
from anypiece.training.words import counted

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


def numbered(folder: Path, amount: int = 5000) -> Path:
    path = folder / "numbered.txt"
    path.write_text(
        "".join(f"text {number}\r\n" if number % 9 == 0 else f"text {number}\n" for number in range(amount))
    )
    return path


@pytest.mark.parametrize("wanted", [1, 2, 777, 4999, 5000, 6000])
@pytest.mark.parametrize("seed", [0, 1, -5, 2**70])
def test_a_sample_has_as_many_texts_as_asked_for(wanted: int, seed: int, tmp_path: Path, monkeypatch: Any) -> None:
    path = numbered(tmp_path)
    found = texts_of(Corpus(path, input_sentence_size=wanted, seed=seed))
    assert len(found) == min(wanted, 5000)
    places = [int(text.split()[1]) for text in found]
    assert places == sorted(set(places))
    # Neither how the file is read nor what kind it is of has a say.
    monkeypatch.setattr(readers, "_PART", 1013)
    assert texts_of(Corpus(path, input_sentence_size=wanted, seed=seed)) == found
    given = [f"text {number}\r" if number % 9 == 0 else f"text {number}" for number in range(5000)]
    assert texts_of(Corpus(given, input_sentence_size=wanted, seed=seed)) == found
    if wanted == 777:
        assert texts_of(Corpus(path, input_sentence_size=wanted, seed=seed + 1)) != found


def test_every_text_is_as_likely_as_any_other() -> None:
    taken = np.zeros(100)
    for seed in range(2000):
        taken[np.flatnonzero(sampling.numbers(0, 100, seed) < sampling.bound(100, 10, seed))] += 1
    assert taken.sum() == 20_000
    # 200 on average with a deviation of 13.4; the sum of squares has 99 degrees of freedom.
    assert abs(taken - 200).max() < 5 * 13.4
    assert 50 < ((taken - 200) ** 2 / (200 * 0.9)).sum() < 160


def test_the_first_texts(tmp_path: Path, monkeypatch: Any) -> None:
    path = numbered(tmp_path)
    monkeypatch.setattr(readers, "_PART", 1013)
    for wanted in (1, 100, 9999):
        found = texts_of(Corpus(path, input_sentence_size=wanted, shuffle_input_sentence=False))
        assert found == texts_of(Corpus(path))[:wanted]
    once = Corpus((str(number) for number in range(10_000)), input_sentence_size=5000, shuffle_input_sentence=False)
    assert texts_of(once) == [str(number) for number in range(5000)]


def test_samples_of_counted_and_bad_lines(tmp_path: Path) -> None:
    path = tmp_path / "counted.tsv"
    path.write_bytes(b"".join(b"text %d\t%d\n" % (number, number + 1) for number in range(300)))
    parts = list(Corpus(path, input_sentence_size=20).parts())
    rows = [row for part in parts if isinstance(part, Texts) for row in zip(part.texts, part.times or [], strict=True)]
    assert len(rows) == 20
    assert all(text == f"text {times - 1}" for text, times in rows)
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"".join(b"%d\n" % number if number % 2 else b"\xff%d\n" % number for number in range(1, 401)))
    corpus = Corpus(bad, input_sentence_size=50, seed=3)
    counts = counted(corpus, ByteText("gpt2").prepared(()))
    places = np.flatnonzero(sampling.numbers(0, 400, 3) < sampling.bound(400, 50, 3)) + 1
    assert [reject.line for reject in counts.rejects] == [place for place in places if place % 2 == 0]
    assert {word for word, _ in counts.items()} - {b"\n"} == {str(place).encode() for place in places if place % 2}


def test_samples_that_cannot_be_taken() -> None:
    with pytest.raises(InputError, match="read once"):
        list(Corpus(iter(["a", "b"]), input_sentence_size=1).parts())
    with pytest.raises(InputError, match="input_sentence_size"):
        Corpus(["a"], input_sentence_size=-1)
    with pytest.raises(InputError, match="seed"):
        Corpus(["a"], seed="x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="counted already"):
        ap.train(ap.count_words(["a b"]), vocab_size=6, input_sentence_size=1)


def test_training_on_a_sample_is_training_on_its_texts(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"low lower lowest {number % 7} new newer newest {number % 11}\n" for number in range(500)))
    chosen = texts_of(Corpus(path, input_sentence_size=40, seed=4))
    options: dict[str, Any] = {"vocab_size": 30, "hard_vocab_limit": False}
    for threads in (1, 3):
        tok = ap.train(path, input_sentence_size=40, seed=4, threads=threads, **options)
        assert tok.fingerprint == ap.train(chosen, **options).fingerprint
