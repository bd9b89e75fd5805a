"""Tables of words counted by tasks: the file is that of one process. ``make engines`` has the real Ray and Spark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import anypiece as ap
from anypiece.training import spread
from anypiece.training.spread import count_words_on
from anypiece.training.words import WordCounts
from tests.support.fake_ray import FakeRay


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    for number in range(7):
        lines = "".join(f"some words {number * line % 31} and more, é {line}\n" for line in range(300))
        (tmp_path / f"{number}.txt").write_text(lines, "utf-8")
    (tmp_path / "7.txt").write_bytes(b"good line\n\xff bad line\n\n")
    (tmp_path / "8.txt").write_bytes(b"")
    return sorted(tmp_path.glob("*.txt"))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("unigram", {}),
        ("bpe", {"ties": "first-seen"}),
        ("byte-bpe", {"splitter": "gpt2"}),
        ("unigram", {"max_memory": "4GB"}),
    ],
)
def test_rays_table_is_that_of_one_process(
    tmp_path: Path, corpus: list[Path], monkeypatch: pytest.MonkeyPatch, kind: str, options: dict[str, Any]
) -> None:
    local = ap.count_words(corpus, kind, out=tmp_path / "local.words", **options)
    monkeypatch.setitem(sys.modules, "ray", FakeRay())  # type: ignore[arg-type]
    steps: list[tuple[str, int, int]] = []
    out = tmp_path / "ray.words"
    made = count_words_on(
        "ray", corpus, out, kind, part_size=10_000, progress=lambda *step: steps.append(step), **options
    )
    assert out.read_bytes() == (tmp_path / "local.words").read_bytes()
    assert (made.words, made.facts) == (len(local), local.facts)
    assert [reject.reason for reject in made.rejects] == [reject.reason for reject in local.rejects] == ["no UTF-8"]
    assert len(steps) > 3
    assert steps[-1][1] == steps[-1][2]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_what_spark_shuffles_gives_the_same_table(tmp_path: Path, corpus: list[Path]) -> None:
    """The rows of the tasks, summed and cut into two tables in another order."""
    local = ap.count_words(corpus, out=tmp_path / "local.words")
    request = {"kind": "unigram", "threads": 1}
    rows: dict[tuple[int, bytes], int] = {}
    for path in corpus:
        for batch in spread._rows([path], request):
            for row in batch.to_pylist():
                key = (row["kind"], row["word"])
                rows[key] = rows.get(key, 0) + row["count"]
    header = spread.json.dumps(local.preparation.header())
    listed = sorted(rows, key=lambda key: key[1][::-1])
    tables = []
    for some in (listed[::2], listed[1::2]):
        batches = [spread._batch([kind], [word], [rows[kind, word]]) for kind, word in some]
        answer = spread._reduced(iter(batches), header, tmp_path).to_pylist()[0]
        assert spread.pickle.loads(answer["error"]) == []
        tables.append(answer["path"])
    ap.merge_words(tables, tmp_path / "spark.words")
    assert (tmp_path / "spark.words").read_bytes() == (tmp_path / "local.words").read_bytes()


def test_errors_of_tasks(tmp_path: Path, corpus: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "5.txt").rename(tmp_path / "5.txt.gz")
    broken = tmp_path / "5.txt.gz"
    broken.write_bytes(b"\x1f\x8b\x08\x00 cut short")
    files = [*corpus[:5], broken]
    monkeypatch.setitem(sys.modules, "ray", FakeRay())  # type: ignore[arg-type]
    with pytest.raises(ap.FormatError, match=r"5\.txt\.gz"):
        count_words_on("ray", files, tmp_path / "out.words", part_size=10_000)
    assert not (tmp_path / "out.words").exists()
    (row,) = [row for batch in spread._rows([broken], {"kind": "unigram"}) for row in batch.to_pylist()]
    assert row["kind"] == spread._ERROR
    batch = pyarrow.RecordBatch.from_pylist([row], spread._batch([], [], []).schema)
    answer = spread._reduced(iter([batch]), _header(), tmp_path)
    assert isinstance(spread.pickle.loads(answer.to_pylist()[0]["error"])[0], ap.FormatError)
    monkeypatch.setitem(sys.modules, "ray", Dying())  # type: ignore[arg-type]
    with pytest.raises(ap.InternalError, match="died again and again") as error:
        count_words_on("ray", corpus[:3], tmp_path / "out.words", part_size=10_000)
    assert error.value.code == "shards-worker"


class Dying(FakeRay):
    """All calls die."""

    def get(self, reference: Any) -> Any:
        raise self.exceptions.RayError("killed")


def _header() -> str:
    return spread.json.dumps(ap.count_words(["a"]).preparation.header())


@pytest.mark.parametrize(
    ("engine", "options", "message"),
    [
        ("dask", {}, "engine must be"),
        ("ray", {"input_sentence_size": 5}, "choice of texts"),
        ("spark", {"kind": "bpe", "ties": "first-seen"}, "counts in no order"),
    ],
)
def test_arguments(tmp_path: Path, corpus: list[Path], engine: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ap.InputError, match=message):
        count_words_on(engine, corpus, tmp_path / "out.words", **options)


def test_texts_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(ap.InputError, match="name files or globs"):
        count_words_on("ray", ["a text"], tmp_path / "out.words")


def test_facts_of_a_table(tmp_path: Path) -> None:
    ap.count_words(["a b", "c"], out=tmp_path / "a.words")
    assert WordCounts.facts_of(tmp_path / "a.words")["texts"] == 2
