"""``encode`` and ``count`` read the files that ``shards`` reads: the same documents, by names, globs, folders and pipes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece.corpus.shards import documents
from tests.support.corpora import DOCUMENTS, KINDS, PACKERS, TOK, data_of, written

if TYPE_CHECKING:
    from tests.support.shell import Shell

T = ("-t", "tok.model")
LINES = [" ".join(map(str, TOK.encode(text))) for text in DOCUMENTS]
TOKENS = sum(len(TOK.encode(text)) for text in DOCUMENTS)
CHARACTERS, BYTES = sum(map(len, DOCUMENTS)), sum(len(text.encode()) for text in DOCUMENTS)
OF_DOCUMENTS = [name for name in KINDS if name != "corpus.txt"]


@pytest.mark.parametrize("name", OF_DOCUMENTS)
def test_every_kind_of_file(shell: Shell, name: str) -> None:
    for packer in [""] if name.endswith(("parquet", "arrow")) else PACKERS:
        path = name + packer
        Path(path).write_bytes(PACKERS[packer](data_of(name)))
        assert shell("encode", *T, "-i", path).out.splitlines() == LINES
        wanted = {"file": path, "documents": len(DOCUMENTS), "tokens": TOKENS, "characters": CHARACTERS, "bytes": BYTES}
        assert shell("count", *T, "--json", path).rows() == [wanted]


@pytest.mark.parametrize("name", KINDS)
def test_places_are_those_of_shards(shell: Shell, name: str) -> None:
    written(shell.folder, name)
    assert shell("shards", "run", *T, "--to", "parquet", "--min-tokens", "0", "-o", "out", name).code == 0
    shards = ap.Shards("out")
    rows = shell("encode", *T, "--json", "-i", name).rows()
    assert [row["ids"] for row in rows] == [ids.tolist() for ids in shards]
    assert {row["file"] for row in rows} == {name}
    first, last = shards.manifest.shards[0].first, shards.manifest.shards[0].last
    assert first is not None
    assert last is not None
    assert (rows[0]["at"], rows[-1]["at"]) == (first["at"], last["at"])
    if name == "corpus.jsonl":
        data = Path(name).read_bytes()
        assert [json.loads(data[row["at"] :].partition(b"\n")[0])["text"] for row in rows] == DOCUMENTS


def test_pieces_name_their_source(shell: Shell) -> None:
    Path("a.jsonl").write_text('{"text": "ab"}\n\n{"text": "a"}\n')
    rows = shell("encode", *T, "--json", "--spans", "-i", "a.jsonl").rows()
    assert rows == [
        {"file": "a.jsonl", "at": 0, "ids": [10], "pieces": ["▁ab"], "spans": [[0, 2]]},
        {"file": "a.jsonl", "at": 16, "ids": [8], "pieces": ["▁a"], "spans": [[0, 1]]},
    ]
    assert shell("encode", *T, "--json", given="ab\n").rows() == [{"ids": [10]}]


def test_several_inputs(shell: Shell) -> None:
    """Globs, folders and lists, in order; of a file that is named twice both times."""
    Path("data").mkdir()
    Path("data", "b.jsonl.gz").write_bytes(gzip.compress(b'{"text": "ab"}\n'))
    Path("data", "a.jsonl").write_text('{"text": "a"}\n')
    Path("data", ".hidden").write_text("no")
    Path("lines.txt").write_text("a ab")
    Path("list").write_text("lines.txt\ndata\n")
    assert shell("encode", *T, "-i", "data/*.jsonl*", "-i", "lines.txt").out == "8\n10\n8 10\n"
    assert shell("encode", *T, "-i", "data", "-i", "data/a.jsonl").out == "8\n10\n8\n"
    assert shell("encode", *T, "-i", "@list").out == "8 10\n8\n10\n"
    assert shell("count", *T, "data").out == "1 1 1 data/a.jsonl\n1 2 2 data/b.jsonl.gz\n2 3 3 total\n"
    assert shell("count", *T, "data/*.gz").out == "1 2 2 data/b.jsonl.gz\n"
    assert shell("encode", *T, "-i", "data", "ab").code == 2
    nothing = shell("count", *T, "data/*.txt", "lines.txt")
    assert (nothing.code, nothing.out) == (4, "2 4 4 lines.txt\n2 4 4 total\n")
    assert "No file matches data/*.txt" in nothing.err


def test_each_document_is_counted(shell: Shell) -> None:
    Path("a.jsonl").write_text('{"text": "ab é"}\n{"text": "a"}\n')
    Path("b.txt").write_text("a ab")
    assert shell("count", *T, "--each", "--json", "a.jsonl", "b.txt").rows() == [
        {"file": "a.jsonl", "at": 0, "tokens": 3, "characters": 4, "bytes": 5},
        {"file": "a.jsonl", "at": 18, "tokens": 1, "characters": 1, "bytes": 1},
        {"file": "b.txt", "at": 0, "tokens": 2, "characters": 4, "bytes": 4},
    ]
    assert shell("count", *T, "--each", "a.jsonl").out == "3 4 5 a.jsonl 0\n1 1 1 a.jsonl 18\n"
    assert shell("count", *T, "--each", "--limit", "3", "a.jsonl").code == 1


def test_the_field_and_the_format(shell: Shell) -> None:
    Path("a.jsonl").write_text('{"meta": {"body": "ab"}}\n')
    assert shell("encode", *T, "--field", "meta.body", "-i", "a.jsonl").out == "10\n"
    assert shell("count", *T, "--field", "meta.body", "a.jsonl").out == "1 2 2 a.jsonl\n"
    for verb in (["encode", "-i"], ["count"]):
        found = shell(*verb, "a.jsonl", *T)
        assert (found.code, found.out) == (3, "")
        assert "None of the first documents of a.jsonl has a text: no field 'text'" in found.err
        assert "what the file is with --format" in found.err
    assert shell("count", *T, "--format", "text", "a.jsonl").out.endswith(" 25 25 a.jsonl\n")
    Path("rows").write_text('{"text": "ab"}\n')
    assert shell("encode", *T, "--format", "jsonl", "-i", "rows").out == "10\n"
    assert shell("encode", *T, "--whole", "-i", "a.jsonl").code == 2
    Path("odd.tsv").write_text("ab\n")
    assert "Say what with --format" in shell("count", *T, "odd.tsv").err
    assert shell("count", *T, "--format", "text", "odd.tsv").out.endswith(" 3 3 odd.tsv\n")


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_documents_from_standard_input(shell: Shell, kind: str) -> None:
    given = data_of(f"corpus.{kind}")
    assert shell("encode", *T, "--format", kind, given=given).out.splitlines() == LINES
    (row,) = shell("count", *T, "--format", kind, "--json", given=given).rows()
    assert (row["file"], row["documents"], row["tokens"]) == ("-", len(DOCUMENTS), TOKENS)
    assert "cannot be read from -" in shell("count", *T, "--format", "parquet", given=given).err


def test_what_cannot_be_used_is_counted(shell: Shell) -> None:
    Path("a.jsonl").write_bytes(b'{"text": "ab"}\n{\n{"text": 3}\n{"text": "a\xff"}\n{"te": 1}\n{"text": "a')
    for verb in (["encode", "-i"], ["count"]):
        found = shell(*verb, "a.jsonl", *T)
        assert found.code == 4
        assert "left out: 4 lines or rows without a text, the first of them a.jsonl at 15: no JSON" in found.err
        assert "not UTF-8, and read with U+FFFD in place of what is not: 1" in found.err
    assert shell("encode", *T, "--json", "-i", "a.jsonl").rows()[1]["ids"] == TOK.encode("a\ufffd")


def test_a_long_document(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LONG", 1000)
    text = "ab é " * 300_000
    Path("a.jsonl").write_text(json.dumps({"text": text}) + '\n{"text": "a"}\n')
    wanted = TOK.encode(text)
    assert shell("encode", *T, "-i", "a.jsonl").out == " ".join(map(str, wanted)) + "\n8\n"
    (row,) = shell("count", *T, "--json", "a.jsonl").rows()
    sizes = len(text) + 1, len(text.encode()) + 1
    assert (row["tokens"], row["characters"], row["bytes"]) == (len(wanted) + 1, *sizes)


def test_other_verbs_read_them_too(shell: Shell) -> None:
    Path("a.jsonl").write_text('{"text": "a\\nb"}\n{"text": "ab"}\n')
    assert len(shell("normalize", *T, "--json", "-i", "a.jsonl").rows()) == 2
    assert shell("explain", *T, "-i", "a.jsonl").out.count("reference") == 2
    told = shell("check", "tok.model", "bytes.anypiece", "--only", "ids", "-i", "a.jsonl").out
    assert " of 2 texts" in told
