"""Every kind of file gives the same documents, however it is cut; what cannot be used is counted or refused by name."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import anypiece as ap
from anypiece import FormatError, InputError
from anypiece.corpus.shards import parts, plan_shards, run_shards, tables
from anypiece.corpus.shards.formats import FORMATS
from anypiece.corpus.shards.manifest import Manifest
from tests.support.corpora import DOCUMENTS, KINDS, PACKERS, TOK, data_of, written
from tests.support.small_vocabularies import BYTES, SPECIALS

ENCODED = [TOK.encode(text) for text in DOCUMENTS]


def made(folder: Path, *sources: Path | str, **options: Any) -> Manifest:
    plan_shards(sources, options.pop("tok", TOK), folder / "out", **{"format": "parquet", "min_tokens": 0, **options})
    manifest = run_shards(folder / "out", processes=1)
    assert manifest is not None
    return manifest


def ids_of(folder: Path) -> list[list[int]]:
    return [ids.tolist() for ids in ap.Shards(folder / "out")]


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file(tmp_path: Path, name: str, packer: str) -> None:
    path = tmp_path / f"{name}{packer}"
    path.write_bytes(PACKERS[packer](data_of(name)))
    if packer and name.endswith(("parquet", "arrow")):
        with pytest.raises(FormatError, match="a compressed table"):
            made(tmp_path, path)
        return
    manifest = made(tmp_path, path)
    assert ids_of(tmp_path) == ENCODED
    assert manifest.left_out == {}
    assert manifest.documents == len(DOCUMENTS)


@pytest.mark.parametrize("name", KINDS)
def test_cuts_change_no_document(tmp_path: Path, name: str) -> None:
    texts = [random.Random(number).choice(DOCUMENTS) + str(number) for number in range(500)]
    path = written(tmp_path, name, texts)
    manifest = made(tmp_path, path, shard_size=1000)
    assert len(manifest.shards) > 3 or name in ("corpus.csv", "stream.arrow")
    assert ids_of(tmp_path) == [TOK.encode(text) for text in texts]


def test_a_line_longer_than_a_task_is_not_cut(tmp_path: Path) -> None:
    texts = ["ab " * 2000, "b", "c " * 9000]
    for end in ("\n", ""):
        (tmp_path / "lines.txt").write_text("\n".join(texts) + end)
        folder = tmp_path / f"end{len(end)}"
        manifest = made(folder, tmp_path / "lines.txt", shard_size=1000)
        assert 1 < len(manifest.shards) <= 3
        assert ids_of(folder) == [TOK.encode(text) for text in texts]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_ids_are_those_of_encode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, seed: int) -> None:
    """Whatever the size of blocks, for texts of any length."""
    draw = random.Random(seed)
    monkeypatch.setattr(parts, "PART", draw.choice([1, 7, 100, 1 << 20]))
    texts = ["".join(draw.choices('ab cé🦊\r\t"\\', k=draw.choice([0, 1, 5, 40, 900]))) for _ in range(120)]
    sources = [written(tmp_path, name, texts) for name in draw.sample([*KINDS], 3) if name != "corpus.csv"]
    manifest = made(tmp_path, *sources, format=format, shard_size=draw.choice([1000, 5000, 10**6]))
    before, after = {"llmc": ([2], []), "parquet": ([], []), "arrow": ([], [])}.get(format, ([], [2]))
    wanted = [[*before, *TOK.encode(text), *after] for _ in sources for text in texts]
    assert ids_of(tmp_path) == wanted
    assert manifest.tokens == sum(map(len, wanted))
    assert manifest.largest_id == max(max(ids) for ids in wanted if ids)


def test_a_field_within_another(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"meta": {"body": "ab"}}\n{"meta": 3}\n{"meta": {"body": 4}}\n')
    manifest = made(tmp_path, tmp_path / "a.jsonl", field="meta.body")
    assert ids_of(tmp_path) == [TOK.encode("ab")]
    assert manifest.left_out == {"no_field": 1, "no_text": 1}


def test_lines_that_are_no_json(tmp_path: Path) -> None:
    lines = [
        b'{"text": "ab"}', b"", b"  ", b"{", b'"ab"', b"[1]", b"null", b'{"text": null}', b'{"text": "ab"} x', b"[" * 10**6,
        b'{"text": "a\\u00e9"}', b'{"te": 1}',
    ]  # fmt: skip
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines) + b'\n{"text": "half')
    manifest = made(tmp_path, tmp_path / "a.jsonl")
    assert ids_of(tmp_path) == [TOK.encode("ab"), TOK.encode("aé")]
    assert manifest.left_out == {"bad_line": 4, "no_field": 4, "no_text": 1}
    rejects = manifest.shards[0].rejects
    assert len(rejects) == 9
    assert rejects[0]["file"] == str(tmp_path / "a.jsonl")
    assert rejects[0]["at"] == 19
    assert manifest.shards[0].first == {"file": str(tmp_path / "a.jsonl"), "at": 0}


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        ("a.jsonl", b'{"text": "a"}\n{\n', {"on_bad_line": "error"}, "a.jsonl byte 14: no JSON"),
        ("a.jsonl", b'{"text": "a"}\n{"a": 1}\n', {"on_bad_line": "error"}, "no field 'text'"),
        ("a.txt", b"a\nb\xffb\n", {"on_bad_utf8": "error"}, "a.txt byte 2: no UTF-8"),
        ("a.jsonl", b'{"text": "\\ud800"}\n', {"on_bad_utf8": "error"}, "half of a surrogate pair"),
        ("a.csv", b"text,n\na,1\n", {"on_bad_line": "error", "field": "n"}, ""),
        ("a.csv", b"n,text\n1,a\n2\n", {"on_bad_line": "error"}, "a.csv row 1: only 1 cells"),
    ],
)
def test_policies_that_stop(tmp_path: Path, name: str, data: bytes, options: dict[str, Any], message: str) -> None:
    (tmp_path / name).write_bytes(data)
    if not message:
        made(tmp_path, tmp_path / name, **options)
        return
    with pytest.raises(FormatError, match=message) as error:
        made(tmp_path, tmp_path / name, **options)
    assert error.value.code == "shards-document"
    assert f"anypiece shards run {tmp_path / 'out'}" in str(error.value)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["_anypiece"]
    assert not any((tmp_path / "out" / "_anypiece" / "tmp").iterdir())


BAD = {
    "a.txt": b"ab\na\xffb\nb\n",
    "a.jsonl": b'{"text": "ab"}\n{"text": "a\xffb"}\n{"text": "b"}\n',
    "b.jsonl": b'{"text": "ab"}\n{"text": "a\\udc00b"}\n{"text": "b"}\n',
    "a.csv": b"text\nab\na\xffb\nb\n",
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_utf8(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(BAD[name])
    manifest = made(tmp_path, tmp_path / name)
    assert ids_of(tmp_path) == [TOK.encode(text) for text in ("ab", "a\ufffdb", "b")]
    assert (manifest.repaired, manifest.left_out) == (1, {})
    (tmp_path / "other").mkdir()
    manifest = made(tmp_path / "other", tmp_path / name, on_bad_utf8="skip")
    assert ids_of(tmp_path / "other") == [TOK.encode("ab"), TOK.encode("b")]
    assert (manifest.repaired, manifest.left_out) == (0, {"bad_utf8": 1})


def test_columns_that_are_not_utf8_or_empty(tmp_path: Path) -> None:
    column = pyarrow.array([b"ab", None, b"a\xffb", b"b"], pyarrow.binary())
    strings = column.view(pyarrow.string())
    for name, values in (("a", column), ("b", strings), ("c", strings.dictionary_encode())):
        pyarrow.parquet.write_table(pyarrow.table({"text": values}), tmp_path / f"{name}.parquet")
        folder = tmp_path / name
        manifest = made(folder, tmp_path / f"{name}.parquet")
        assert ids_of(folder) == [TOK.encode(text) for text in ("ab", "a\ufffdb", "b")]
        assert (manifest.repaired, manifest.left_out) == (1, {"no_text": 1})
        assert manifest.shards[0].last == {"file": str(tmp_path / f"{name}.parquet"), "at": 3}


def test_a_pair_of_surrogates_is_one_character(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "a🦊"}) + "\n")
    assert b"\\ud83e" in (tmp_path / "a.jsonl").read_bytes()
    assert made(tmp_path, tmp_path / "a.jsonl", tok=ap.Tokenizer(BYTES)).repaired == 0
    assert ids_of(tmp_path) == [ap.Tokenizer(BYTES).encode("a🦊")]


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv"])
def test_a_byte_order_mark_is_no_text(tmp_path: Path, name: str) -> None:
    data = {"a.txt": b"ab\n", "a.jsonl": b'{"text": "ab"}\n', "a.csv": b"text\nab\n"}[name]
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + data)
    assert made(tmp_path, tmp_path / name).left_out == {}
    assert ids_of(tmp_path) == [TOK.encode("ab")]
    (tmp_path / name).write_bytes("ab\n".encode("utf-16"))
    with pytest.raises(FormatError, match="is UTF-16"):
        plan_shards(tmp_path / name, TOK, tmp_path / "other", format="numpy")


def test_whole_files(tmp_path: Path) -> None:
    for name, text in (("a.txt", "ab\nb\n"), ("b.txt", "c")):
        (tmp_path / name).write_text(text)
    made(tmp_path, tmp_path / "a.txt", tmp_path / "b.txt", whole=True)
    assert ids_of(tmp_path) == [TOK.encode("ab\nb\n"), TOK.encode("c")]


def test_csv_cells_hold_lines_and_length(tmp_path: Path) -> None:
    long = "ab " * 100_000
    (tmp_path / "a.csv").write_text(f'id,text\n1,"ab\nb, ""c"""\n\n2,{long}\n')
    assert made(tmp_path, tmp_path / "a.csv").left_out == {}
    assert ids_of(tmp_path) == [TOK.encode('ab\nb, "c"'), TOK.encode(long)]


@pytest.mark.parametrize("packer", [".gz", ".bz2", ".xz", ".zst"])
def test_a_file_that_was_cut_short(tmp_path: Path, packer: str) -> None:
    draw = random.Random(1)
    lines = ["".join(draw.choices("abc é", k=900)) for _ in range(2000)]
    data = PACKERS[packer]("".join(f"{line}\n" for line in lines).encode())
    path = tmp_path / f"a.txt{packer}"
    path.write_bytes(data[: len(data) * 9 // 10])
    (tmp_path / "b.txt").write_text("ab\n" * 2000)
    with pytest.raises(FormatError, match=r"damaged or was cut short.*go on: anypiece shards run") as error:
        made(tmp_path, path, tmp_path / "b.txt", shard_size=2000)
    assert error.value.code == "file-truncated"
    assert len(list((tmp_path / "out").glob("*.parquet"))) == 3  # the other file's shards are written
    (tmp_path / "skip").mkdir()
    manifest = made(tmp_path / "skip", path, on_bad_file="skip")
    assert manifest.left_out == {"bad_file": 1}
    found = ids_of(tmp_path / "skip")
    assert 0 < len(found) < len(lines)
    assert found == [TOK.encode(line) for line in lines[: len(found)]]


def test_a_table_that_is_damaged(tmp_path: Path) -> None:
    path = written(tmp_path, "corpus.parquet", ["abc" * 50] * 500)
    data = bytearray(path.read_bytes())
    data[data.index(b"abc")] ^= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"corpus\.parquet is damaged") as error:
        made(tmp_path, path)
    assert error.value.code == "file-corrupt"
    path.write_bytes(bytes(data[:1000]))
    with pytest.raises(FormatError, match=r"corpus\.parquet is damaged"):
        plan_shards(path, TOK, tmp_path / "other", format="numpy")
    path = written(tmp_path, "corpus.arrow", ["abc" * 50] * 500)
    os.truncate(path, 500)
    with pytest.raises(FormatError, match=r"corpus\.arrow is damaged"):
        plan_shards(path, TOK, tmp_path / "other", format="numpy")


@pytest.mark.parametrize("name", ["corpus.parquet", "corpus.arrow", "stream.arrow"])
def test_columns_are_looked_for(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name)
    with pytest.raises(InputError, match="no column 'body'; it has"):
        plan_shards(path, TOK, tmp_path / "out", format="numpy", field="body")
    with pytest.raises(InputError, match="no texts"):
        plan_shards(path, TOK, tmp_path / "out", format="numpy", field="n" if "arrow" in name else "id")


def test_fields_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"body": "ab"}\n')
    with pytest.raises(InputError, match="no field 'text'"):
        plan_shards(tmp_path / "a.jsonl", TOK, tmp_path / "out", format="numpy")
    (tmp_path / "a.csv").write_text("id,body\n1,ab\n")
    with pytest.raises(FormatError, match="no column 'text'; it has id, body"):
        plan_shards(tmp_path / "a.csv", TOK, tmp_path / "out", format="numpy")
    assert not (tmp_path / "out").exists()


def test_lengths(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ab\na b\na b c\n\n")
    lengths = [len(TOK.encode(text)) for text in ("ab", "a b", "a b c", "")]
    manifest = made(tmp_path, tmp_path / "a.txt", min_tokens=2, max_tokens=lengths[1])
    assert ids_of(tmp_path) == [TOK.encode("a b")]
    assert manifest.left_out == {"too_long": 1, "too_short": 2}


def test_special_tokens_are_text_and_counted(tmp_path: Path) -> None:
    tok = ap.Tokenizer(SPECIALS.replace(added=ap.Added.of([("[SEP]", 11, ap.AddedFlag.SPECIAL)])))
    texts = ["ab[SEP]b", "ab", "[SEP][SEP]"]
    written(tmp_path, "corpus.txt", texts)
    written(tmp_path, "corpus.jsonl", texts)
    manifest = made(tmp_path, tmp_path / "corpus.txt", tmp_path / "corpus.jsonl", tok=tok)
    assert ids_of(tmp_path) == [tok.encode(text) for text in texts] * 2
    assert manifest.with_specials == 4
    (tmp_path / "parsed").mkdir()
    made(tmp_path / "parsed", tmp_path / "corpus.txt", tok=tok, specials="parse")
    found = ids_of(tmp_path / "parsed")
    assert found == [tok.encode(text, specials="parse") for text in texts]
    assert 11 in found[0]


def test_a_text_that_the_tokenizer_refuses(tmp_path: Path) -> None:
    doubled = {"type": "replace", "pattern": {"literal": "🐌"}, "content": "🐌🐌"}
    plain = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    tok = TOK.replace(normalizer=(doubled,) * 40, **plain)
    (tmp_path / "lines.txt").write_text("b\n🐌\nc\n")
    manifest = made(tmp_path, tmp_path / "lines.txt", tok=tok)
    assert ids_of(tmp_path) == [tok.encode("b"), tok.encode("c")]
    assert manifest.left_out == {"refused": 1}
    assert manifest.shards[0].rejects[0]["at"] == 2


def test_inputs_are_found(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "deep").mkdir(parents=True)
    for name in ("b.txt", "a.txt", ".hidden", "deep/c.jsonl"):
        (data / name).write_text('{"text": "ab"}\n')
    (tmp_path / "list").write_text(f"{data / 'b.txt'}\n\n{data / '*.txt'}\n")

    def names(*sources: str | Path) -> list[str]:
        plan = plan_shards(sources, TOK, tmp_path / f"out{len(list(tmp_path.iterdir()))}", format="numpy")
        return [Path(file.path).relative_to(data).as_posix() for file in plan.files]

    assert names(data) == ["a.txt", "b.txt", "deep/c.jsonl"]
    assert names(str(data / "**" / "*.jsonl"), data / "a.txt") == ["deep/c.jsonl", "a.txt"]
    assert names(f"@{tmp_path / 'list'}") == ["b.txt", "a.txt"]
    with pytest.raises(InputError, match="No file matches"):
        names(str(data / "*.csv"))
    with pytest.raises(ap.FileError, match="cannot be read"):
        names(data / "none.txt")
    (data / "a.tsv").write_text("a\tb\n")
    with pytest.raises(InputError, match="may be several things"):
        names(data)


def test_a_misnamed_file_is_told_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(data_of("corpus.parquet"))
    (tmp_path / "b.txt").write_bytes(gzip.compress(b"ab\n"))
    made(tmp_path, tmp_path / "a.txt", tmp_path / "b.txt")
    assert ids_of(tmp_path) == [*ENCODED, TOK.encode("ab")]
    (tmp_path / "forced").mkdir()
    (tmp_path / "c.txt").write_text('{"text": "ab"}\n')
    made(tmp_path / "forced", tmp_path / "c.txt", input_format="jsonl")
    assert ids_of(tmp_path / "forced") == [TOK.encode("ab")]


def test_places_of_rows_go_on_behind_a_cut(tmp_path: Path) -> None:
    path = written(tmp_path, "corpus.parquet", ["abc " * 100] * 12)
    manifest = made(tmp_path, path, shard_size=1000)
    places = [(record.first or {}).get("at") for record in manifest.shards]
    assert places == sorted(set(places), key=lambda place: place or 0)
    assert tables.first_row(str(path), "parquet", 2) == 6
