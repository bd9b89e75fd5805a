"""Finished shards as input: every format to another, several folders in one, and figures of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anypiece import FileError, FormatError, InputError
from anypiece.corpus.shards import (
    Shards,
    merge_shards,
    plan_shards,
    repack_shards,
    run_shards,
    shard_statistics,
    verify_shards,
)
from anypiece.corpus.shards.formats import FORMATS
from tests.support.corpora import TOK, tree, written
from tests.support.html import checked


def spelt(number: int) -> str:
    """A number in letters that the vocabulary has."""
    return np.base_repr(number, 3).translate(str.maketrans("012", "abc"))


WEB = [f"ab {spelt(number % 150)} c" * (1 + number % 5) for number in range(300)]
CODE = [f"c b {spelt(number)}🦊" * (1 + number % 3) for number in range(90)]


def made(folder: Path, name: str, texts: list[str], **options: Any) -> Path:
    (folder / "texts" / name).mkdir(parents=True)
    source = written(folder / "texts" / name, "corpus.jsonl", texts)
    plan_shards(source, options.pop("tok", TOK), folder / name, **{"format": "megatron", "shard_size": 4000, **options})
    run_shards(folder / name, processes=1)
    return folder / name


def documents(folder: Path, part: Any = None) -> list[list[int]]:
    return [ids.tolist() for ids in Shards(folder, part)]


def repacked(sources: Any, out: Path, **options: Any) -> Path:
    repack_shards(sources, out, **options)
    run_shards(out, processes=1)
    verify_shards(out, deep=True)
    return out


@pytest.mark.parametrize("format", FORMATS)
def test_another_format_has_the_bytes_of_the_corpus(tmp_path: Path, format: str) -> None:
    """In one shard each, which no cut of the corpus tells apart."""
    old = made(tmp_path, "old", WEB, format=format)
    for other in ("llmc", "numpy"):
        direct = made(tmp_path, f"direct-{other}", WEB, format=other, shard_size=0)
        new = repacked(old, tmp_path / f"new-{other}", format=other)
        names = [name for name in tree(direct) if not name.startswith("_anypiece") or "/ends/" in name]
        assert {name: tree(new)[name] for name in names} == {name: tree(direct)[name] for name in names}
        assert Shards(new).tokens == Shards(direct).tokens


def test_all_that_ids_can_be_made_of(tmp_path: Path) -> None:
    web, code = made(tmp_path, "web", WEB, validation=0.1), made(tmp_path, "code", CODE, validation=0.1)
    held = documents(web, "val") + documents(code, "val")
    options: dict[str, Any] = {"weights": {"web": 1, "code": 2}, "budget": "6k", "shuffle": True, "dedupe": True}
    out = repacked({"web": web, "code": code}, tmp_path / "out", format="parquet", end_of_text="none", **options)
    sources = Shards(out).manifest.sources
    assert sources["code"]["tokens"] == pytest.approx(4000, abs=40)
    bare = {tuple(ids[:-1]) for ids in held}
    assert sorted(map(tuple, documents(out, "val"))) == sorted(bare)
    packed = repacked([web, code], tmp_path / "packed", format="numpy", pack=32, packing="fit")
    assert Shards(packed).manifest.packed == len(WEB) + len(CODE)
    assert {len(ids) for ids in Shards(packed)} == {32}


def test_merged_folders_hold_the_shards_of_all(tmp_path: Path) -> None:
    folders = [made(tmp_path, name, texts, validation=0.2) for name, texts in (("web", WEB), ("code", CODE))]
    plan = merge_shards(folders, tmp_path / "out")
    assert len(plan.tasks) == sum(len(Shards(folder, part).records) for folder in folders for part in ("train", "val"))
    assert run_shards(plan.folder, processes=1) is not None
    verify_shards(plan.folder, deep=True)
    for part in ("train", "val"):
        assert documents(plan.folder, part) == [ids for folder in folders for ids in documents(folder, part)]
    wanted = tree(plan.folder)
    shutil.rmtree(plan.folder)
    merge_shards(folders, plan.folder)
    run_shards(plan.folder, processes=2)
    assert tree(plan.folder) == wanted
    again = merge_shards([plan.folder, folders[0]], tmp_path / "third")
    assert run_shards(again.folder) is not None
    assert len(Shards(again.folder)) == len(Shards(plan.folder)) + len(Shards(folders[0]))


def test_merged_shards_have_the_bytes_they_had(tmp_path: Path) -> None:
    one, two = made(tmp_path, "one", WEB), made(tmp_path, "two", CODE)
    plan = merge_shards([one, two], tmp_path / "out")
    run_shards(plan.folder, processes=1)
    found = [path.read_bytes() for path in sorted(plan.folder.glob("*.bin"))]
    assert found == [path.read_bytes() for folder in (one, two) for path in sorted(folder.glob("*.bin"))]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tok": TOK.replace(add_dummy_prefix=False)}, "has another tokenizer"),
        ({"format": "numpy"}, "format is 'numpy' and 'megatron'.*anypiece shards repack"),
        ({"max_tokens": 9}, "max_tokens is 9 and None"),
        ({"end_of_text": "none"}, "different tokens around documents"),
        ({"validation": 0.5}, "hold out documents in one alone"),
        ({"pack": 16}, "has sequences of several documents"),
        ({"format": "parquet", "columns": "id", "end_of_text": "after"}, "has columns beside the ids"),
    ],
)
def test_folders_that_cannot_be_merged(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    one, two = made(tmp_path, "one", WEB), made(tmp_path, "two", CODE, **options)
    with pytest.raises(InputError, match=message) as error:
        merge_shards([one, two], tmp_path / "out")
    assert error.value.code == "shards-differ"


def test_what_is_refused(tmp_path: Path) -> None:
    folder = made(tmp_path, "one", WEB)
    with pytest.raises(InputError, match="field= is about texts"):
        repack_shards(folder, tmp_path / "out", field="body")
    with pytest.raises(InputError, match="Shards are no texts: see repack_shards"):
        plan_shards(folder, TOK, tmp_path / "out", format="numpy", input_format="shards")
    with pytest.raises(FormatError, match="has no plan of shards"):
        repack_shards(tmp_path / "texts", tmp_path / "out")
    with pytest.raises(InputError, match="There are no folders"):
        repack_shards([], tmp_path / "out")
    unfinished = plan_shards(tmp_path / "texts", TOK, tmp_path / "unfinished", format="numpy").folder
    with pytest.raises(FormatError, match="are not finished"):
        repack_shards(unfinished, tmp_path / "out")


def test_shards_that_changed_or_are_gone(tmp_path: Path) -> None:
    folder = made(tmp_path, "one", WEB)
    out = repack_shards(folder, tmp_path / "out", format="numpy").folder
    manifest = folder / "_anypiece" / "manifest.json"
    value = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps(value))
    with pytest.raises(FormatError, match="has changed since the plan"):
        run_shards(out, processes=1)
    shutil.rmtree(folder)
    with pytest.raises(FileError, match="cannot be read"):
        run_shards(out, processes=1)


def test_a_document_without_its_end_is_damage(tmp_path: Path) -> None:
    folder = made(tmp_path, "one", WEB)
    out = repack_shards(folder, tmp_path / "out", format="numpy").folder
    ids = np.fromfile(folder / "00001.bin", "<u2")
    ids[ids == 2] = 3
    ids.tofile(folder / "00001.bin")
    with pytest.raises(FormatError, match="a document without the tokens around it"):
        run_shards(out, processes=1)


# -- figures


def test_statistics(tmp_path: Path) -> None:
    texts = WEB + CODE
    folder = made(tmp_path, "one", texts, validation=0.1, end_of_text="none")
    found = shard_statistics(folder)
    encoded = [TOK.encode(text) for text in texts]
    lengths = sorted(map(len, encoded))
    assert found.lengths == {length: lengths.count(length) for length in lengths}
    assert (found.longest, found.percentile(0.5)) == (lengths[-1], lengths[len(lengths) // 2 - 1])
    flat = [id for ids in encoded for id in ids]
    assert found.used == len(set(flat))
    assert found.fallback == sum(id == TOK.unk_id for id in flat) > 0
    assert found.frequent[0][1] == max(map(flat.count, set(flat)))
    assert found.sources == {"corpus.jsonl": (len(texts), len(flat))}
    assert sum(row[2] for row in found.shards) == len(flat)
    value = found.to_json()
    assert value["tokens"] == len(flat)
    json.dumps(value)


@pytest.mark.parametrize("arranged", [False, True])
def test_tokens_by_source(tmp_path: Path, arranged: bool) -> None:
    options: dict[str, Any] = {"shuffle": True, "epochs": {"b": 2}} if arranged else {}
    for name, texts in (("a", WEB), ("b", CODE)):
        (tmp_path / name).mkdir()
        written(tmp_path / name, "corpus.jsonl", texts)
    both = {name: tmp_path / name for name in "ab"}
    plan_shards(both, TOK, tmp_path / "out", format="numpy", end_of_text="none", shard_size=4000, **options)
    run_shards(tmp_path / "out", processes=1)
    found = shard_statistics(tmp_path / "out").sources
    tokens = {name: sum(len(TOK.encode(text)) for text in texts) for name, texts in (("a", WEB), ("b", CODE))}
    times = 2 if arranged else 1
    assert found == {"a": (len(WEB), tokens["a"]), "b": (times * len(CODE), times * tokens["b"])}


def test_the_page_of_statistics(tmp_path: Path) -> None:
    texts = [*WEB, *("ab " * 40_000, "c" * 70_000)]
    (tmp_path / "odd & <b>").mkdir()
    folder = made(tmp_path / "odd & <b>", "one", texts)
    found = shard_statistics(folder)
    assert found.longest > 1 << 16
    found.save(tmp_path / "page.html")
    text = checked((tmp_path / "page.html").read_text("utf-8"))
    for said in ("Tokens by source", "Lengths of documents", "fallback", "corpus.jsonl"):
        assert said in text
    (tmp_path / "empty.txt").write_bytes(b"")
    plan_shards(tmp_path / "empty.txt", TOK, tmp_path / "none", format="numpy")
    run_shards(tmp_path / "none")
    assert "0 documents" in checked(shard_statistics(tmp_path / "none").to_html())
