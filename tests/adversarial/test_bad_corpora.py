"""Corpora that are damaged, lie or go away, and disks and workers that fail, while shards are made.

Each row is a kind of damage. Either the manifest counts and names it, and the shards hold exactly what could be read; or the
run fails with an error that says how to go on, and nothing that was written passes for finished. No row leaves shards that
verify and hold something else.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow
import pyarrow.parquet
import pytest

import anypiece as ap
from anypiece import AnyPieceError, FormatError
from anypiece.corpus.shards import plan_shards, run_shards, verify_shards
from tests.support.corpora import PACKERS, TOK, tree

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD = [f"document {number} " + "ab é " * (number % 7) for number in range(60)]
LINES = [json.dumps({"text": text}).encode() for text in GOOD]


class Row(NamedTuple):
    """A damage: the name and bytes of a file, and what becomes of it."""

    name: str
    data: bytes
    left_out: dict[str, int] | None = None
    """What the manifest counts; ``None`` for an error."""
    reason: str = ""
    """What the manifest or the error says."""
    repaired: int = 0
    kept: list[str] = GOOD
    options: tuple[tuple[str, str], ...] = ()


def _jsonl(*bad: bytes, end: bytes = b"\n") -> bytes:
    """The good lines with bad ones among them."""
    lines = [*LINES[:30], *bad, *LINES[30:]]
    return b"\n".join(lines) + end


def _parquet(texts: list[Any], flip: bool = False) -> bytes:
    file = pyarrow.BufferOutputStream()
    options: dict[str, Any] = {"row_group_size": 20, "write_page_checksum": True, "compression": "none"}
    pyarrow.parquet.write_table(pyarrow.table({"text": texts}), file, use_dictionary=False, **options)
    data = bytearray(file.getvalue().to_pybytes())
    if flip:
        data[data.index(b"document 25 ")] ^= 1
    return bytes(data)


def _cut(packer: str, share: float = 0.8) -> bytes:
    draw = random.Random(1)
    data = PACKERS[packer](b"".join(b"%d %d\n" % (n, draw.getrandbits(200)) for n in range(3000)))
    return data[: int(len(data) * share)]


def _flipped_gzip() -> bytes:
    """One byte of a stored block is another: only the checksum at the end tells."""
    data = bytearray(gzip.compress("".join(f"{text}\n" for text in GOOD).encode(), compresslevel=0))
    data[data.index(b"document 25 ")] ^= 1
    return bytes(data)


ROWS = {
    "half a line at the end": Row("a.jsonl", _jsonl(end=b'\n{"text": "docum'), {"bad_line": 1}, "no JSON"),
    "half a line in the middle": Row("a.jsonl", _jsonl(b'{"text": "docum'), {"bad_line": 1}, "no JSON"),
    "a line of zeros": Row("a.jsonl", _jsonl(b"\0" * 5000), {"bad_line": 1}, "no JSON"),
    "a field that is missing": Row("a.jsonl", _jsonl(b'{"body": "a"}'), {"no_field": 1}, "no field 'text'"),
    "a field that is no string": Row("a.jsonl", _jsonl(b'{"text": ["a"]}', b'{"text": null}'), {"no_text": 2}, "no string"),
    "a line that is no object": Row("a.jsonl", _jsonl(b'["text"]'), {"no_field": 1}, "no field"),
    "not UTF-8": Row("a.jsonl", _jsonl(b'{"text": "a\xffb"}'), {}, "", 1, [*GOOD[:30], "a\ufffdb", *GOOD[30:]]),
    "half a surrogate pair": Row(
        "a.jsonl", _jsonl(b'{"text": "\\ud800"}'), {"bad_utf8": 1}, "half of a surrogate pair",
        options=(("on_bad_utf8", "skip"),),
    ),
    "not UTF-8 and skipped": Row(
        "a.jsonl", _jsonl(b'{"text": "a\xffb"}'), {"bad_utf8": 1}, "no UTF-8", options=(("on_bad_utf8", "skip"),)
    ),
    "not UTF-8 and refused": Row(
        "a.jsonl", _jsonl(b'{"text": "a\xffb"}'), None, "no UTF-8", options=(("on_bad_utf8", "error"),)
    ),
    "a bad line and refused": Row("a.jsonl", _jsonl(b"{"), None, "no JSON", options=(("on_bad_line", "error"),)),
    "a cell that is missing": Row(
        "a.csv", b"n,text\n" + b"".join(b"1,%s\n" % text.encode() for text in GOOD) + b"2\n", {"no_field": 1}, "only 1 cells"
    ),
    "a quote that never ends": Row(
        "a.csv", b"text\n" + b"".join(b"%s\n" % text.encode() for text in GOOD) + b'"half', {"bad_line": 1}, "no CSV"
    ),
    "a row without a text": Row("a.parquet", _parquet([*GOOD, None]), {"no_text": 1}, "no text"),
    "a page that fails its checksum": Row("a.parquet", _parquet(GOOD, flip=True), None, "a.parquet is damaged"),
    "a gzip member that fails its checksum": Row("a.txt.gz", _flipped_gzip(), None, "damaged or was cut short"),
    **{
        f"a {packer} file that was cut short": Row(f"a.txt{packer}", _cut(packer), None, "damaged or was cut short")
        for packer in PACKERS
        if packer
    },
    **{
        f"a {packer} file without its last byte": Row(f"a.txt{packer}", _cut(packer)[:-1], None, "damaged or was cut short")
        for packer in PACKERS
        if packer
    },
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_damage_is_counted_or_refused(tmp_path: Path, name: str) -> None:
    row = ROWS[name]
    path = tmp_path / row.name
    path.write_bytes(row.data)
    other = tmp_path / "other.txt"
    other.write_text("good\n" * 100)
    out = tmp_path / "out"
    plan_shards([path, other], TOK, out, **{"format": "parquet", "shard_size": 1000, **dict(row.options)})
    if row.left_out is None:
        for _ in range(2):  # nor does it pass the second time
            with pytest.raises(FormatError, match=r"go on: anypiece shards run") as error:
                run_shards(out, processes=1)
            assert row.reason in str(error.value)
            assert str(path) in str(error.value)
        with pytest.raises(AnyPieceError, match="anypiece shards run"):
            verify_shards(out)
        return
    manifest = run_shards(out, processes=1)
    assert manifest is not None
    assert (manifest.left_out, manifest.repaired) == (row.left_out, row.repaired)
    assert [reject["file"] for reject in manifest.rejects] == [str(path)] * sum(row.left_out.values())
    assert all(row.reason in reject["reason"] for reject in manifest.rejects)
    found = [ids.tolist() for ids in ap.Shards(out)]
    assert found == [*map(TOK.encode, row.kept), *[TOK.encode("good")] * 100]
    verify_shards(out, deep=True)


@pytest.mark.parametrize("packer", [packer for packer in PACKERS if packer])
def test_what_is_left_of_a_file_is_no_other_text(tmp_path: Path, packer: str) -> None:
    """With ``on_bad_file="skip"`` the lines before the cut are kept, whole and in order, and the file is named."""
    path = tmp_path / f"a.txt{packer}"
    path.write_bytes(_cut(packer))
    plan_shards(path, TOK, tmp_path / "out", format="parquet", on_bad_file="skip")
    manifest = run_shards(tmp_path / "out", processes=1)
    assert manifest is not None
    assert manifest.left_out == {"bad_file": 1}
    assert manifest.rejects[0]["file"] == str(path)
    draw = random.Random(1)
    lines = [f"{n} {draw.getrandbits(200)}" for n in range(3000)]
    found = [ids.tolist() for ids in ap.Shards(tmp_path / "out")]
    assert found == [*map(TOK.encode, lines[: len(found)])]
    verify_shards(tmp_path / "out", deep=True)


def test_planning_looks_at_a_file_that_is_damaged(tmp_path: Path) -> None:
    """It is refused at once, or skipped if damaged files are to be."""
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(_jsonl())[:-9])
    (tmp_path / "b.jsonl").write_bytes(_jsonl())
    with pytest.raises(FormatError, match=r"a\.jsonl\.gz is damaged or was cut short"):
        plan_shards([path, tmp_path / "b.jsonl"], TOK, tmp_path / "out", format="numpy")
    plan = plan_shards([path, tmp_path / "b.jsonl"], TOK, tmp_path / "out", format="numpy", on_bad_file="skip")
    manifest = run_shards(plan.folder, processes=1)
    assert manifest is not None
    assert manifest.left_out == {"bad_file": 1}
    assert manifest.documents >= len(GOOD)
    verify_shards(plan.folder, deep=True)


_MANY = 2400


def _corpus(folder: Path) -> Path:
    path = folder / "data" / "a.jsonl"
    path.parent.mkdir()
    draw = random.Random(2)
    path.write_text("".join(json.dumps({"text": "".join(draw.choices("abc é", k=40))}) + "\n" for _ in range(_MANY)))
    return path


@pytest.mark.parametrize("change", ["other bytes", "longer", "shorter", "gone", "its folder is gone"])
def test_inputs_that_change_after_the_plan(tmp_path: Path, change: str) -> None:
    path = _corpus(tmp_path)
    out = plan_shards(path, TOK, tmp_path / "out", format="megatron", shard_size=20_000).folder
    data = path.read_bytes()
    changes: dict[str, Callable[[], object]] = {
        "other bytes": lambda: path.write_bytes(data.replace(b"ab", b"ba", 1)),
        "longer": lambda: path.write_bytes(data + data),
        "shorter": lambda: os.truncate(path, len(data) // 2),
        "gone": path.unlink,
        "its folder is gone": lambda: shutil.rmtree(path.parent),
    }
    run_shards(out, processes=1, rank=1, world=2)  # half of it was done before
    before = tree(out)
    changes[change]()
    with pytest.raises(FormatError, match=r"(has changed|cannot be read).*go on: anypiece shards run"):
        run_shards(out, processes=1)
    assert {name: data for name, data in tree(out).items() if name in before} == before
    with pytest.raises(AnyPieceError, match="anypiece shards run"):
        verify_shards(out)


def test_the_folder_of_the_shards_vanishes(tmp_path: Path) -> None:
    path = _corpus(tmp_path)
    out = tmp_path / "out"
    plan_shards(path, TOK, out, format="megatron", shard_size=20_000)

    def gone(stage: str, done: int, total: int) -> None:
        shutil.rmtree(out, ignore_errors=True)

    with pytest.raises(AnyPieceError, match=str(out)):
        run_shards(out, processes=1, progress=gone)
    with pytest.raises(FormatError, match=f"no plan of shards.*anypiece shards plan INPUTS -o {out}"):
        run_shards(out, processes=1)


def _cli(*arguments: object, limit: int = 0) -> subprocess.Popen[str]:
    """The command in a process of its own, whose files may have ``limit`` bytes.

    It writes no bytecode then, of which Python would leave a file that is cut short.
    """
    code = (
        "import resource, signal, sys\n"
        "limit = int(sys.argv.pop(1))\n"
        "if limit:\n"
        "    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))\n"
        "from anypiece.cli import main\n"
        "main()"
    )
    command = [sys.executable, *["-B"] * bool(limit), "-c", code, str(limit), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are POSIX")
@pytest.mark.parametrize("format", ["megatron", "parquet", "mds"])
def test_a_file_that_cannot_grow(tmp_path: Path, format: str) -> None:
    """As on a full disk the write itself fails; when there is room the same command goes on."""
    path = _corpus(tmp_path)
    out = tmp_path / "out"
    plan_shards(path, TOK, out, format=format, shard_size=10**6)
    full = _cli("shards", "run", "--processes", "1", out, limit=2000)
    _, said = full.communicate(timeout=300)
    assert full.returncode == 3
    assert "[file-unwritable]" in said
    assert f"go on: anypiece shards run {out}" in said
    assert [name for name in tree(out) if not name.startswith("_anypiece")] == []
    assert not any((out / "_anypiece" / "tmp").iterdir())
    run_shards(out, processes=1)
    verify_shards(out, deep=True)
    assert len(ap.Shards(out)) == _MANY


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="children are found in /proc")
def test_a_worker_is_killed(tmp_path: Path) -> None:
    """With -9, from outside; its task is done again, and the bytes are those of an undisturbed run."""
    path = _corpus(tmp_path)
    for name in ("undisturbed", "out"):
        plan_shards(path, TOK, tmp_path / name, format="megatron", shard_size=5000)
    run_shards(tmp_path / "undisturbed", processes=1)
    running = _cli("shards", "run", "--processes", "2", tmp_path / "out")
    killed = False
    while running.poll() is None and not killed:
        for child in Path(f"/proc/{running.pid}/task").glob("*/children"):
            for pid in child.read_text().split()[:1]:
                if list((tmp_path / "out").glob("*.bin")):
                    os.kill(int(pid), signal.SIGKILL)
                    killed = True
        time.sleep(0.005)
    _, said = running.communicate(timeout=300)
    assert running.returncode == 0, said
    assert killed
    assert tree(tmp_path / "out") == tree(tmp_path / "undisturbed")
