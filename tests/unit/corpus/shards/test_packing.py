"""Sequences of a fixed length: against plain lists, in every format, with the padding that is told."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anypiece import InputError
from anypiece.corpus.shards import Shards, packing, plan_shards, run_shards, verify_shards
from anypiece.corpus.shards.formats import FORMATS
from anypiece.corpus.shards.packing import Packer
from tests.support.corpora import TOK, written

TEXTS = [f"ab {number} c" * (number % 9) for number in range(200)]
FIT = [name for name, format in FORMATS.items() if format.positions]


def made(folder: Path, **options: Any) -> Path:
    written(folder, "corpus.jsonl", TEXTS)
    given = {"format": "numpy", "shard_size": 4000, "pack": 64, **options}
    plan_shards(folder / "corpus.jsonl", TOK, folder / "out", **given)
    run_shards(folder / "out", processes=1)
    return folder / "out"


def drawn(seed: int, most: int) -> list[list[int]]:
    draw = random.Random(seed)
    return [[draw.randrange(1, 99) for _ in range(draw.randrange(most))] for _ in range(draw.randrange(1, 90))]


def packed(documents: list[list[int]], packer: Packer, seed: int) -> tuple[list[list[int]], list[list[int]]]:
    """Documents in groups of any size; rows of ids and positions."""
    draw = random.Random(seed)
    ids: list[int] = []
    positions: list[int] = []
    rest = documents
    while rest:
        amount = draw.randrange(1, len(rest) + 1)
        some, rest = rest[:amount], rest[amount:]
        flat = np.array([id for document in some for id in document], np.uint16)
        found = packer.add(flat, np.array([len(document) for document in some]))
        ids += found.ids.tolist()
        positions += [] if found.positions is None else found.positions.tolist()
    last = packer.finish()
    ids += last.ids.tolist()
    positions += [] if last.positions is None else last.positions.tolist()
    length = packer.length
    return [ids[at : at + length] for at in range(0, len(ids), length)], [
        positions[at : at + length] for at in range(0, len(positions), length)
    ]


@pytest.mark.parametrize("seed", range(30))
def test_concatenated_documents_are_one_stream(seed: int) -> None:
    documents = drawn(seed, 40)
    packer = Packer(16, 0, "concat")
    rows, positions = packed(documents, packer, seed)
    stream = [id for document in documents for id in document]
    assert [id for row in rows for id in row] == stream + [0] * packer.padding
    assert packer.padding == -len(stream) % 16
    assert positions == []
    assert all(len(row) == 16 for row in rows)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("window", [3, 1024])
def test_best_fit_keeps_documents_whole(seed: int, window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_OPEN", window)
    documents = drawn(seed, 40)
    packer = Packer(16, 0, "fit")
    rows, positions = packed(documents, packer, seed)
    found = []
    for row, places in zip(rows, positions, strict=True):
        assert len(row) == len(places) == 16
        starts = [at for at, place in enumerate(places) if place == 0]
        for start, end in zip(starts, [*starts[1:], 16], strict=True):
            assert places[start:end] == list(range(end - start))
            found.append(row[start:end])
    filled = [piece for piece in found if set(piece) == {0}]
    wanted = [document[at : at + 16] for document in documents for at in range(0, len(document), 16)]
    assert sorted(piece for piece in found if set(piece) != {0}) == sorted(wanted)
    assert sum(map(len, filled)) == packer.padding
    assert packed(documents, Packer(16, 0, "fit"), seed + 1) == (rows, positions)


def test_best_fit_fills_more_than_the_first_that_fits() -> None:
    rows, _ = packed([[1] * 10, [2] * 13, [3] * 3, [4] * 6], Packer(16, 0, "fit"), 1)
    assert rows == [[1] * 10 + [4] * 6, [2] * 13 + [3] * 3]


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_has_sequences(tmp_path: Path, format: str) -> None:
    folder = made(tmp_path, format=format, end_of_text="after", end_of_text_token="</s>")
    shards, manifest = Shards(folder), verify_shards(folder, deep=True)
    assert {len(ids) for ids in shards} == {64}
    stream = [id for text in TEXTS if text for id in [*TOK.encode(text), 2]]
    found, at = [], 0
    for record in manifest.shards:
        ids = np.concatenate([*shards[at : at + record.documents]]).tolist()
        found += ids[: len(ids) - record.padding]
        assert set(ids[len(ids) - record.padding :]) <= {shards.plan.pad}
        at += record.documents
    assert found == stream
    assert manifest.packed == sum(map(bool, TEXTS))
    assert manifest.tokens - manifest.padding == len(stream)


@pytest.mark.parametrize("format", FIT)
def test_positions(tmp_path: Path, format: str) -> None:
    folder = made(tmp_path, format=format, packing="fit", end_of_text="none", shuffle=True, validation=0.1)
    manifest = verify_shards(folder, deep=True)
    assert 0 < manifest.padding < manifest.tokens * 0.3
    pieces = []
    for part in ("train", "val"):
        for ids, places in zip(Shards(folder, part), positions_in(folder, format, part), strict=True):
            starts = [*np.flatnonzero(np.array(places) == 0).tolist(), 64]
            pieces += [ids[start:end].tolist() for start, end in pairwise(starts)]
    pad = Shards(folder).plan.pad
    encoded = [TOK.encode(text) for text in TEXTS if text]
    wanted = [ids[at : at + 64] for ids in encoded for at in range(0, len(ids), 64)]
    assert sorted(piece for piece in pieces if set(piece) != {pad}) == sorted(wanted)


def positions_in(folder: Path, format: str, part: str) -> list[list[int]]:
    """The positions of all sequences, read without our own readers."""
    found: list[list[int]] = []
    if format in ("parquet", "arrow"):
        import pyarrow
        import pyarrow.parquet

        for path in sorted(folder.glob(f"{part}-*.{format}")):
            table = pyarrow.parquet.read_table(path) if format == "parquet" else pyarrow.ipc.open_file(path).read_all()
            found += table["position_ids"].to_pylist()
    elif format == "numpy":
        for path in sorted(folder.glob(f"{part}-*.positions.npy")):
            found += np.load(path).reshape(-1, 64).tolist()
    else:
        for path in sorted((folder / part).glob("*.mds")):
            data = path.read_bytes()
            amount = int.from_bytes(data[:4], "little")
            for start in np.frombuffer(data, "<u4", amount, 4).tolist():
                assert data[start + 8 : start + 10] == b"\x04\x40"
                found.append(np.frombuffer(data, "<i4", 64, start + 10).tolist())
    return found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pack": 0, "packing": "fit"}, "give pack="),
        ({"pack": 1}, "at least 2"),
        ({"pack": "many"}, "pack must be a number of tokens"),
        ({"packing": "first"}, "packing must be one of 'concat', 'fit'"),
        ({"packing": "fit", "format": "megatron"}, "no place for the positions.*numpy, parquet"),
        ({"format": "parquet", "columns": "id"}, "leave columns= or pack= out"),
    ],
)
def test_bad_options(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(tmp_path, **options)


def test_what_sequences_are_filled_up_with(tmp_path: Path) -> None:
    written(tmp_path, "corpus.jsonl")
    for token, pad in ((None, 2), ("<s>", 1)):
        given = {"format": "numpy", "pack": 8, "end_of_text_token": token}
        assert plan_shards(tmp_path / "corpus.jsonl", TOK, tmp_path / f"{pad}", **given).pad == pad
    bare = TOK.replace(eos_id=None)
    with pytest.raises(InputError, match="names no pad"):
        plan_shards(tmp_path / "corpus.jsonl", bare, tmp_path / "3", format="numpy", pack=8, end_of_text="none")
