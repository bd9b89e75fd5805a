"""Documents that are too long to be held give the shards that they would give if they were held."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from anypiece.corpus.shards import documents, long_documents, parts, plan_shards, run_shards, task
from anypiece.corpus.shards.formats import FORMATS
from tests.support.corpora import PACKERS, TOK, tree

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["ab", "abc é🦊 <s> \n" * 900, "", "xyz " * 3000, "c" * 20000, "abc"]
LINES = [json.dumps({"id": number, "text": text, "url": "u" * 3000}) for number, text in enumerate(TEXTS)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in (
        (documents, "PART", 100), (parts, "PART", 100), (documents, "LONG", 700), (task, "LONG", 700),
        (long_documents, "PART", 130), (long_documents, "STRING", 50),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)


def shards(folder: Path, source: Path, **options: Any) -> dict[str, bytes]:
    options = {"format": "megatron", "min_tokens": 0, **options}
    plan_shards(source, TOK, folder / "out", **options)
    run_shards(folder / "out", processes=1)
    return {name: data for name, data in tree(folder / "out").items() if "manifest" not in name}


def held(monkeypatch: pytest.MonkeyPatch, folder: Path, source: Path, **options: Any) -> dict[str, bytes]:
    with monkeypatch.context() as patch:
        for module in (documents, task):
            patch.setattr(module, "LONG", 1 << 30)
        return shards(folder / "held", source, **options)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: None, format: str) -> None:
    least = 0 if FORMATS[format].has_empty else 1
    (tmp_path / "a.jsonl").write_text("\n".join(LINES))
    options: dict[str, Any] = {"format": format, "min_tokens": least}
    if FORMATS[format].columns:
        options["columns"] = "url,id"
    found = shards(tmp_path, tmp_path / "a.jsonl", **options)
    assert found == held(monkeypatch, tmp_path, tmp_path / "a.jsonl", **options)
    reader = ap.Shards(tmp_path / "out")
    assert [reader.tokenizer.decode(ids, skip_special=True) for ids in reader] == [
        TOK.decode(TOK.encode(text)) for text in TEXTS if text or not least
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"max_tokens": 3000}, {"min_tokens": 4000}, {"validation": 0.5, "seed": 3}, {"max_document": 1000},
        {"max_document": 100}, {"max_document": 10000, "validation": 0.5}, {"long_documents": "skip", "max_document": 5000},
        {"sample": 0.3, "seed": 5}, {"specials": "parse"}, {"add_special": "bos"}, {"end_of_text": "before"},
        {"dedupe": True}, {"dedupe": True, "max_document": 1000}, {"shuffle": True, "seed": 2},
        {"pack": 64, "format": "numpy"},
    ],
    ids=str,
)  # fmt: skip
def test_every_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: None, options: dict[str, Any]) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(LINES))
    found = shards(tmp_path, tmp_path / "a.jsonl", **options)
    wanted = held(monkeypatch, tmp_path, tmp_path / "a.jsonl", **options)
    assert found == wanted
    assert any("record" in name for name in found)


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("whole", [False, True])
def test_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: None, packer: str, whole: bool) -> None:
    text = "\n".join(text.replace("\n", " ") for text in TEXTS)
    (tmp_path / f"a.txt{packer}").write_bytes(PACKERS[packer](text.encode()))
    found = shards(tmp_path, tmp_path / f"a.txt{packer}", whole=whole)
    assert found == held(monkeypatch, tmp_path, tmp_path / f"a.txt{packer}", whole=whole)
    reader = ap.Shards(tmp_path / "out")
    wanted = [text] if whole else text.split("\n")
    assert [ids[:-1].tolist() for ids in reader] == [TOK.encode(item) for item in wanted]


def test_nothing_is_left_behind(tmp_path: Path, small: None) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(LINES))
    shards(tmp_path, tmp_path / "a.jsonl")
    assert not [*(tmp_path / "out/_anypiece/tmp").glob("*")]


def test_a_plan_takes_a_look_and_reads_no_long_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_documents.Scratch, "new", None)
    monkeypatch.setattr(documents, "LONG", 700)
    (tmp_path / "a.jsonl").write_text("\n".join(LINES[1:]))
    assert plan_shards(tmp_path / "a.jsonl", TOK, tmp_path / "out", format="numpy").files[0].kind == "jsonl"
