"""The bytes of each format, worked out by hand; each document's ids, read back."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import anypiece as ap
from anypiece.corpus.shards import plan_shards, run_shards
from anypiece.corpus.shards.formats import FORMATS, datatrove, flat, megatron, rows
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
    for dtype in (megatron.dtype, narrowest, rows.dtype):
        assert np.iinfo(dtype(largest)).max >= largest


@pytest.mark.parametrize(
    ("format", "before", "after"),
    [
        ("megatron", [], [2]), ("nanogpt", [], [2]), ("llmc", [2], []), ("datatrove", [], [2]), ("numpy", [], [2]),
        ("parquet", [], []), ("arrow", [], []),
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
        ({"shuffle": True}, "no option 'shuffle'"),
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
