"""The bytes of each format, worked out by hand; each document's ids, read back."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import anypiece as ap
from anypiece.corpus.shards import plan_shards, run_shards, verify_shards
from anypiece.corpus.shards.formats import FORMATS, chunks, datatrove, flat, megatron, rows
from anypiece.corpus.shards.formats.output import Outputs
from anypiece.corpus.shards.formats.raw import narrowest
from tests.support.corpora import TOK

IDS = np.array([8, 5, 2, 9, 2], np.uint32)
LENGTHS = np.array([3, 2], np.int64)


def made(folder: Path, format: str, largest: int = 10) -> dict[str, bytes]:
    """The files of a shard of two documents, given in one block each."""
    outputs = Outputs(folder, "00000", "x")
    outputs.about["tokenizer"] = "name"
    dtype = FORMATS[format].dtype(largest)
    writer = FORMATS[format].writer(outputs, dtype)
    writer.add(IDS[:3].astype(dtype), LENGTHS[:1])
    writer.add(IDS[3:].astype(dtype), LENGTHS[1:])
    writer.finish()
    found = {row["name"]: (folder / row["name"]).read_bytes() for row in outputs.place()}
    stored = FORMATS[format].read(folder, "00000", dtype)
    assert stored.ids.tolist() == IDS.tolist()
    assert stored.ends.tolist() == [3, 5]
    assert stored.ids.dtype == dtype
    return found


def test_megatron(tmp_path: Path) -> None:
    head = b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 8, 2, 3)
    index = head + struct.pack("<2i2q3q", 3, 2, 0, 6, 0, 1, 2)
    assert made(tmp_path, "megatron") == {"00000.bin": struct.pack("<5H", *IDS), "00000.idx": index}
    wide = made(tmp_path / "wide", "megatron", 2**16)
    assert wide["00000.bin"] == struct.pack("<5i", *IDS)
    assert wide["00000.idx"][17] == 4
    assert wide["00000.idx"][42:58] == struct.pack("<2q", 0, 12)


def test_nanogpt(tmp_path: Path) -> None:
    found = made(tmp_path, "nanogpt")
    assert found["00000.bin"] == struct.pack("<5H", *IDS)
    assert np.load(tmp_path / "_anypiece/ends/00000.npy").tolist() == [3, 5]
    with pytest.raises(ap.FormatError, match="ids of 16 bits") as error:
        flat.nanogpt_dtype(2**16)
    assert error.value.code == "format-unwritable"


def test_llmc(tmp_path: Path) -> None:
    data = made(tmp_path, "llmc")["00000.bin"]
    assert data == struct.pack("<3i", 20240520, 1, 5) + bytes(1024 - 12) + struct.pack("<5H", *IDS)
    wide = made(tmp_path / "wide", "llmc", 2**16)["00000.bin"]
    assert wide == struct.pack("<3i", 20240801, 7, 5) + bytes(1024 - 12) + struct.pack("<5I", *IDS)


def test_llmc_counts_in_32_bits(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path, "00000", "x")
    writer = flat.LlmcWriter(outputs, np.dtype("<u2"))
    outputs.remove()
    with pytest.raises(ap.FormatError, match=r"fewer than 2\^31") as error:
        writer.made_header(2**31)
    assert error.value.code == "format-unwritable"


def test_datatrove(tmp_path: Path) -> None:
    assert made(tmp_path, "datatrove") == {
        "00000.ds": struct.pack("<5H", *IDS),
        "00000.ds.index": struct.pack("<2Q", 3, 5),
        "00000.ds.metadata": b"name|2\n5\n5 T",
    }
    assert made(tmp_path / "wide", "datatrove", 2**16)["00000.ds"] == struct.pack("<5I", *IDS)


def test_numpy(tmp_path: Path) -> None:
    found = made(tmp_path, "numpy")
    assert sorted(found) == ["00000.ends.npy", "00000.npy"]
    assert np.load(tmp_path / "00000.npy").tolist() == IDS.tolist()
    assert np.load(tmp_path / "00000.npy").dtype == np.uint16
    assert np.load(tmp_path / "00000.ends.npy").dtype == np.uint64


def mds_item(*ids: int, dtype: str = "H") -> bytes:
    """A u32 size of the one column; then one dimension, its length in a byte, and the ids."""
    body = bytes([1 << 2, len(ids)]) + struct.pack(f"<{len(ids)}{dtype}", *ids)
    return struct.pack("<I", len(body)) + body


MDS = (
    b'{"column_encodings": ["ndarray:uint16"], "column_names": ["tokens"], "column_sizes": [null], "compression": null, '
    b'"format": "mds", "hashes": ["sha256"], "size_limit": null, "version": 2}'
)


def test_mds(tmp_path: Path) -> None:
    start = 4 + 3 * 4 + len(MDS)
    table = struct.pack("<4I", 2, start, start + 4 + 2 + 6, start + 12 + 4 + 2 + 4)
    assert made(tmp_path, "mds") == {"00000.mds": table + MDS + mds_item(8, 5, 2) + mds_item(9, 2)}
    wide = made(tmp_path / "wide", "mds", 2**16)["00000.mds"]
    assert wide.endswith(mds_item(8, 5, 2, dtype="I") + mds_item(9, 2, dtype="I"))
    assert b'"ndarray:uint32"' in wide


def test_mds_with_columns_and_long_documents(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path, "00000", "x")
    outputs.columns = ("url", "id")
    ids = np.arange(400, dtype=np.uint16)
    writer = FORMATS["mds"].writer(outputs, ids.dtype)
    writer.add(ids, np.array([1, 399]), ["a", None], ["é", "7"])
    writer.finish()
    outputs.place()
    data = (tmp_path / "00000.mds").read_bytes()
    second = struct.pack("<3I", 1, 3 + 2 * 399, 0) + b"7" + b"\x05\x8f\x01" + struct.pack("<399H", *range(1, 400))
    assert data.endswith(struct.pack("<3I", 2, 4, 1) + "é".encode() + b"\x04\x01\0\0" + b"a" + second)
    assert b'"column_names": ["id", "tokens", "url"]' in data
    assert FORMATS["mds"].read(tmp_path, "00000", ids.dtype).ids.tolist() == ids.tolist()


def test_litdata(tmp_path: Path) -> None:
    table = struct.pack("<4I", 2, 16, 22, 26)
    assert made(tmp_path, "litdata") == {"00000.bin": table + struct.pack("<5H", *IDS)}
    wide = made(tmp_path / "wide", "litdata", 2**16)["00000.bin"]
    assert wide == struct.pack("<4I", 2, 16, 28, 36) + struct.pack("<5i", *IDS)


@pytest.mark.parametrize("format", ["mds", "litdata"])
def test_chunks_have_less_than_4_gigabytes(tmp_path: Path, format: str) -> None:
    outputs = Outputs(tmp_path, "00000", "x")
    writer: Any = FORMATS[format].writer(outputs, np.dtype("<u2"))
    writer.sizes = [np.array([2**32])]
    with pytest.raises(ap.FormatError, match=r"fewer than 2\^32 bytes") as error:
        writer.finish()
    outputs.remove()
    assert error.value.code == "format-unwritable"
    assert not any((tmp_path / "_anypiece/tmp").iterdir())


def test_mds_has_no_empty_documents(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path, "00000", "x")
    writer = FORMATS["mds"].writer(outputs, np.dtype("<u2"))
    with pytest.raises(ap.FormatError, match="no empty documents") as error:
        writer.add(np.array([5], np.uint16), np.array([1, 0]))
    outputs.remove()
    assert error.value.code == "format-unwritable"


def test_the_index_of_mds(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("ab\nb c\n")
    plan_shards(tmp_path / "lines.txt", TOK, tmp_path / "out", format="mds")
    run_shards(tmp_path / "out")
    data = (tmp_path / "out/00000.mds").read_bytes()
    raw = {"basename": "00000.mds", "bytes": len(data), "hashes": {"sha256": hashlib.sha256(data).hexdigest()}}
    row = {"samples": 2, "raw_data": raw, "zip_data": None, **json.loads(MDS)}
    assert json.loads((tmp_path / "out/index.json").read_bytes()) == {"version": 2, "shards": [row]}


def test_the_index_of_litdata(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("ab\nb c\n" * 400)
    plan_shards(
        tmp_path / "lines.txt", TOK, tmp_path / "out", format="litdata", shard_size=1500, validation=0.5, seed=2
    )
    run_shards(tmp_path / "out")
    parts = {part: json.loads((tmp_path / f"out/{part}/index.json").read_bytes()) for part in ("train", "val")}
    for part, index in parts.items():
        shards = ap.Shards(tmp_path / "out", part)  # type: ignore[arg-type]
        assert sum(row["chunk_size"] for row in index["chunks"]) == len(shards) == 400
        assert sum(row["dim"] for row in index["chunks"]) == shards.tokens
        for row in index["chunks"]:
            assert (tmp_path / "out" / part / row["filename"]).stat().st_size == row["chunk_bytes"]
        assert index["config"] == {
            "compression": None, "chunk_size": None, "chunk_bytes": max(row["chunk_bytes"] for row in index["chunks"]),
            "data_format": ["no_header_tensor:20"], "encryption": None, "item_loader": "TokensLoader",
            "data_spec": '[1, {"type": null, "context": null, "children_spec": []}]',
        }  # fmt: skip


@pytest.mark.parametrize("format", ["mds", "litdata"])
def test_an_index_that_is_not_theirs(tmp_path: Path, format: str) -> None:
    (tmp_path / "lines.txt").write_text("ab\nb c\n")
    folder = plan_shards(tmp_path / "lines.txt", TOK, tmp_path / "out", format=format).folder
    run_shards(folder)
    before = (folder / "index.json").read_bytes()
    for change in (lambda: (folder / "index.json").write_bytes(before + b" "), (folder / "index.json").unlink):
        change()
        with pytest.raises(ap.FormatError, match=r"index\.json is not the index"):
            verify_shards(folder)
        (folder / ".index.json.1.ab").write_bytes(b"half")
        run_shards(folder)
        assert (folder / "index.json").read_bytes() == before
        verify_shards(folder, deep=True)


def test_parquet(tmp_path: Path) -> None:
    made(tmp_path, "parquet")
    table = pyarrow.parquet.read_table(tmp_path / "00000.parquet")
    assert table.schema.field("input_ids").type == pyarrow.list_(pyarrow.int32())
    assert table.column("input_ids").to_pylist() == [[8, 5, 2], [9, 2]]


def test_arrow(tmp_path: Path) -> None:
    made(tmp_path, "arrow")
    table = pyarrow.ipc.open_file(tmp_path / "00000.arrow").read_all()
    assert table.column("input_ids").to_pylist() == [[8, 5, 2], [9, 2]]


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_groups_of_rows_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str) -> None:
    monkeypatch.setattr(rows, "_GROUP", 2)
    made(tmp_path, format)
    with (
        pyarrow.parquet.ParquetFile(tmp_path / "00000.parquet")
        if format == "parquet"
        else pyarrow.ipc.open_file(tmp_path / "00000.arrow") as table
    ):
        assert (table.num_row_groups if format == "parquet" else table.num_record_batches) == 2


@pytest.mark.parametrize("format", FORMATS)
def test_no_documents(tmp_path: Path, format: str) -> None:
    outputs = Outputs(tmp_path, "00000", "x")
    outputs.about["tokenizer"] = "name"
    dtype = FORMATS[format].dtype(10)
    FORMATS[format].writer(outputs, dtype).finish()
    outputs.place()
    stored = FORMATS[format].read(tmp_path, "00000", dtype)
    assert (len(stored.ids), len(stored.ends)) == (0, 0)


@pytest.mark.parametrize("largest", [0, 2**16 - 1, 2**16, 2**31 - 1])
def test_dtypes_hold_the_largest_id(largest: int) -> None:
    for dtype in (megatron.dtype, narrowest, rows.dtype, chunks.litdata_dtype):
        assert np.iinfo(dtype(largest)).max >= largest


@pytest.mark.parametrize(
    ("format", "before", "after"),
    [
        ("megatron", [], [2]), ("nanogpt", [], [2]), ("llmc", [2], []), ("datatrove", [], [2]), ("numpy", [], [2]),
        ("parquet", [], []), ("arrow", [], []), ("mds", [], [2]), ("litdata", [], [2]),
    ],
)  # fmt: skip
def test_where_texts_end(tmp_path: Path, format: str, before: list[int], after: list[int]) -> None:
    (tmp_path / "lines.txt").write_text("ab\nb c\n")
    plan_shards(tmp_path / "lines.txt", TOK, tmp_path / "out", format=format)
    run_shards(tmp_path / "out")
    shards = ap.Shards(tmp_path / "out")
    assert [ids.tolist() for ids in shards] == [[*before, *TOK.encode(text), *after] for text in ("ab", "b c")]


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"end_of_text": "none"}, [10]),
        ({"end_of_text": "before"}, [2, 10]),
        ({"end_of_text_token": "<s>"}, [10, 1]),
        ({"add_special": "bos"}, [1, 10, 2]),
        ({"add_special": True, "end_of_text": "none"}, [1, 10, 2]),
        ({"add_special": "bos", "end_of_text": "before"}, [2, 1, 10]),
    ],
)
def test_what_stands_around_a_document(tmp_path: Path, options: dict[str, Any], wanted: list[int]) -> None:
    (tmp_path / "lines.txt").write_text("ab\n")
    plan_shards(tmp_path / "lines.txt", TOK, tmp_path / "out", format="numpy", **options)
    run_shards(tmp_path / "out")
    assert ap.Shards(tmp_path / "out")[0].tolist() == wanted


def test_metric_numbers() -> None:
    assert datatrove._metric(1_500_000) == "1.5 MT"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "tfrecord"}, "format must be one of"),
        ({"end_of_text": "around"}, "end_of_text must be one of"),
        ({"end_of_text_token": "<none>"}, "no token '<none>'"),
        ({"end_of_text": "none", "end_of_text_token": "</s>"}, "both or neither"),
        ({"add_special": "eos"}, "is the end-of-text token too"),
        ({"min_tokens": -1}, "min_tokens must be"),
        ({"min_tokens": 5, "max_tokens": 4}, "below min_tokens"),
        ({"shard_size": "10B"}, "at least 1000"),
        ({"field": "a..b"}, "name of a field"),
        ({"on_bad_line": "stop"}, "on_bad_line must be one of"),
        ({"format": "mds", "min_tokens": 0, "end_of_text": "none"}, "mds has no empty documents"),
        ({"mix": True}, "no option 'mix'"),
    ],
)
def test_options_are_checked(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    (tmp_path / "lines.txt").write_text("ab\n")
    with pytest.raises(ap.InputError, match=message):
        plan_shards(tmp_path / "lines.txt", TOK, tmp_path / "out", **{"format": "numpy", **options})
    assert not (tmp_path / "out").exists()


def test_a_vocabulary_without_eos(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("ab\n")
    tok = TOK.replace(eos_id=None)
    with pytest.raises(ap.InputError, match="names no eos") as error:
        plan_shards(tmp_path / "lines.txt", tok, tmp_path / "out", format="numpy")
    assert error.value.code == "special-missing"
    assert plan_shards(tmp_path / "lines.txt", tok, tmp_path / "out", format="parquet").after == ()
