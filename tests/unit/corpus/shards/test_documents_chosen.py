"""Documents that are cut, held out, drawn, or have other columns: each as the plan says, whoever does it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import anypiece as ap
from anypiece import InputError
from anypiece.corpus.shards import Shards, plan_shards, run_shards, run_task, verify_shards
from anypiece.corpus.shards.plan import read_plan
from anypiece.corpus.shards.selection import chances, pieces_of
from anypiece.corpus.shards.tally import spelled
from tests.support.corpora import KINDS, TOK, tree, written


def spelt(number: int) -> str:
    """A number in letters that the vocabulary has."""
    return np.base_repr(number, 3).translate(str.maketrans("012", "abc"))


TEXTS = [f"{spelt(number)} c é" * (1 + number % 7) for number in range(300)]


def made(folder: Path, texts: list[str] | None = None, name: str = "corpus.jsonl", **options: Any) -> Path:
    written(folder, name, TEXTS if texts is None else texts)
    given = {"format": "numpy", "end_of_text": "none", "shard_size": 4000, **options}
    plan_shards(folder / name, TOK, folder / "out", **given)
    run_shards(folder / "out", processes=1)
    return folder / "out"


def texts_of(shards: Shards) -> list[str]:
    return [TOK.decode(ids) for ids in shards]


@pytest.mark.parametrize(
    ("text", "most", "pieces"),
    [
        ("", 16, [""]),
        ("exactly sixteen.", 16, ["exactly sixteen."]),
        ("one two three\nfour five six", 16, ["one two three\n", "four five six"]),
        ("one two three four", 9, ["one two", " three", " four"]),
        ("onetwothreefour", 5, ["onetw", "othre", "efour"]),
        ("ééééé", 5, ["éé", "éé", "é"]),
        ("🦊🦊", 4, ["🦊", "🦊"]),
        ("🦊🦊", 7, ["🦊", "🦊"]),
        ("a\nb c d e f g h", 10, ["a\nb c d e", " f g h"]),
    ],
)
def test_pieces(text: str, most: int, pieces: list[str]) -> None:
    assert [piece.decode() for piece in pieces_of(text, most)] == pieces


def test_pieces_make_up_their_text() -> None:
    draw = random.Random(3)
    for _ in range(300):
        text = "".join(draw.choices("ab é🦊\n", weights=[5, 5, 3, 2, 1, 1], k=draw.randrange(200)))
        most = draw.randrange(16, 60)
        pieces = pieces_of(text, most)
        assert b"".join(pieces).decode() == text
        assert all(0 < len(piece.decode().encode()) <= most for piece in pieces) or not text


@pytest.mark.parametrize("name", KINDS)
def test_long_documents(tmp_path: Path, name: str) -> None:
    texts = ["ab", "ab c " * 20, "b"]
    cut = Shards(made(tmp_path, texts, name, max_document=32))
    pieces = [piece for text in texts for piece in pieces_of(text, 32)]
    assert [ids.tolist() for ids in cut] == [TOK.encode(piece) for piece in pieces]
    assert (cut.manifest.cut, cut.manifest.documents, cut.manifest.left_out) == (1, len(pieces), {})
    verify_shards(tmp_path / "out", deep=True)
    (tmp_path / "other").mkdir()
    left = Shards(made(tmp_path / "other", texts, name, max_document="32B", long_documents="skip"))
    assert [ids.tolist() for ids in left] == [TOK.encode("ab"), TOK.encode("b")]
    assert (left.manifest.cut, left.manifest.left_out) == (0, {"too_large": 1})


@pytest.mark.parametrize("format", ["megatron", "nanogpt", "parquet"])
def test_validation(tmp_path: Path, format: str) -> None:
    folder = made(tmp_path, TEXTS * 2, format=format, validation=0.2, seed=5)
    train, val = Shards(folder), Shards(folder, "val")
    marks = chances([*TEXTS], 5, "validation") < 0.2 * 2**64
    assert 30 < marks.sum() < 90
    for shards, wanted in ((train, ~marks), (val, marks)):
        kept = [text for text, mark in zip(TEXTS, wanted, strict=True) if mark] * 2
        assert [ids.tolist() for ids in shards] == [TOK.encode(text) for text in kept]
        assert shards.tokens == sum(len(TOK.encode(text)) for text in kept)
    assert not {*texts_of(train)} & {*texts_of(val)}
    manifest = verify_shards(folder, deep=True)
    assert manifest.parts == {
        "train": {"documents": len(train), "tokens": train.tokens},
        "val": {"documents": len(val), "tokens": val.tokens},
    }
    assert manifest.documents == 2 * len(TEXTS)
    assert {row.shard for row in manifest.shards} >= {"train-00000", "val-00000", "train-00003"}
    with pytest.raises(InputError, match="has no part 'test'"):
        Shards(folder, "test")  # type: ignore[arg-type]


def test_validation_names_files_as_nanogpt_does(tmp_path: Path) -> None:
    folder = made(tmp_path, format="nanogpt", validation=0.1, shard_size="1MB")
    assert sorted(path.name for path in folder.glob("*.bin")) == ["train.bin", "val.bin"]
    assert verify_shards(folder, deep=True).parts["val"]["documents"] > 0


def test_pieces_of_a_document_stay_together(tmp_path: Path) -> None:
    texts = [f"{spelt(number)} " + "ab c " * 20 for number in range(60)]
    folder = made(tmp_path, texts, validation=0.5, max_document=32)
    marks = chances([*texts], 0, "validation") < 2**63
    for shards, side in ((Shards(folder), ~marks), (Shards(folder, "val"), marks)):
        kept = [piece for text, mark in zip(texts, side, strict=True) if mark for piece in pieces_of(text, 32)]
        assert kept
        assert [ids.tolist() for ids in shards] == [TOK.encode(piece) for piece in kept]


@pytest.mark.parametrize("options", [{}, {"sample_method": "nbest", "sample_nbest": 4}, {"sample_method": "viterbi"}])
def test_draws(tmp_path: Path, options: dict[str, Any]) -> None:
    folder = made(tmp_path, name="corpus.txt", sample=0.2, seed=9, **options)
    shards = Shards(folder)
    place, wanted, best = 0, [], 0
    for text in TEXTS:
        more = {name.removeprefix("sample_"): value for name, value in options.items()}
        wanted.append(TOK.sample(text, 0.2, seed=9, epoch=0, index=place, **more))
        best += wanted[-1] == TOK.encode(text)
        place += len(text.encode()) + 1
    assert [ids.tolist() for ids in shards] == wanted
    assert best < len(TEXTS)
    verify_shards(folder, deep=True)
    before = tree(folder)
    for number in range(len(shards.plan.tasks)):
        run_task(read_plan(folder), number, threads=3)
    assert tree(folder) == before


def test_pieces_of_a_document_have_their_own_draws(tmp_path: Path) -> None:
    shards = Shards(made(tmp_path, ["ab ab ab " * 40], sample=0.1, max_document=18))
    assert len({tuple(ids.tolist()) for ids in shards[:-1]}) > 3


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("corpus.jsonl", ("id", "meta.n")),
        ("corpus.csv", ("id",)),
        ("corpus.parquet", ("id",)),
        ("corpus.arrow", ("n",)),
    ],
)
@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_columns(tmp_path: Path, name: str, columns: tuple[str, ...], format: str) -> None:
    texts = ["", *TEXTS, "ab c " * 60]
    folder = made(tmp_path, texts, name, format=format, columns=",".join(columns), max_document=200, validation=0.3)
    found = {}
    for path in sorted(folder.glob(f"*.{format}")):
        table = pyarrow.parquet.read_table(path) if format == "parquet" else pyarrow.ipc.open_file(path).read_all()
        assert table.schema.names == ["input_ids", *columns]
        for row in table.to_pylist():
            found.setdefault(row[columns[0]], []).append(TOK.decode(row["input_ids"]))
            assert columns[1:] == () or row[columns[1]] == "[1, {}]"
    assert {int(number): "".join(pieces).replace(" ", "") for number, pieces in found.items()} == {
        number: TOK.decode(TOK.encode(text)).replace(" ", "") for number, text in enumerate(texts) if text
    }
    verify_shards(folder, deep=True)
    assert len(Shards(folder)[0])


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    rows = [{"text": "ab", "url": "x"}, {"text": "b"}, {"text": "c", "url": None}, {"text": "a", "url": "\ud800"}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    plan_shards(tmp_path / "a.jsonl", TOK, tmp_path / "out", format="parquet", columns=["url"])
    run_shards(tmp_path / "out")
    table = pyarrow.parquet.read_table(tmp_path / "out" / "00000.parquet")
    assert table.column("url").to_pylist() == ["x", None, None, "\ufffd"]
    with pytest.raises(InputError, match=r"None of the first documents of .* has a field 'url.x'"):
        plan_shards(tmp_path / "a.jsonl", TOK, tmp_path / "other", format="parquet", columns=["url", "url.x"])
    for name in ("corpus.csv", "corpus.parquet"):
        written(tmp_path, name)
        with pytest.raises(ap.AnyPieceError, match=r"has no column 'url'.*Name one with columns"):
            plan_shards(tmp_path / name, TOK, tmp_path / f"{name}.out", format="parquet", columns=["url"])


@pytest.mark.parametrize(
    ("value", "text"), [(b"\xff", "\ufffd"), (1.5, "1.5"), (True, "true"), ({"a": "é"}, '{"a": "é"}')]
)
def test_values_of_other_columns(value: object, text: str) -> None:
    assert spelled(value) == text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": "id"}, "Shards of numpy have no columns.*parquet, arrow"),
        ({"columns": 7}, "names of fields"),
        ({"columns": "input_ids", "format": "parquet"}, "other names"),
        ({"columns": "a,a", "format": "parquet"}, "other names"),
        ({"columns": "a", "format": "parquet", "input_format": "text"}, "no columns"),
        ({"validation": 1.0}, "validation must be"),
        ({"validation": "x"}, "validation must be"),
        ({"seed": -1}, "seed must be"),
        ({"sample": -1.0}, "alpha"),
        ({"sample": 0.1, "sample_method": "best"}, "sample_method must be one of"),
        ({"sample": 0.1, "sample_method": "nbest", "sample_nbest": 0}, "nbest"),
        ({"sample": 0.1, "sample_method": "dropout"}, "dropout"),
        ({"max_document": 3}, "at least 16"),
        ({"long_documents": "keep"}, "long_documents must be one of"),
    ],
)
def test_options_are_checked(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(tmp_path, **options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"validation": 0.1}, "validation is 0.0 there and 0.1 here"),
        ({"sample": 0.1}, "sample is None there and 0.1 here"),
        ({"max_document": "1MB"}, "max_document is 0 there and 1000000 here"),
    ],
)
def test_each_is_part_of_the_plan(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    made(tmp_path)
    before = tree(tmp_path / "out")
    with pytest.raises(InputError, match=message) as error:
        plan_shards(
            tmp_path / "corpus.jsonl",
            TOK,
            tmp_path / "out",
            format="numpy",
            end_of_text="none",
            shard_size=4000,
            **options,
        )
    assert error.value.code == "shards-differ"
    assert tree(tmp_path / "out") == before
