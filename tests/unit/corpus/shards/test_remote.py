"""Inputs that are URLs: the same documents as of files, read in ranges, refused when they have changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fsspec
import fsspec.core
import pytest

import anypiece as ap
from anypiece import FileError, FormatError, InputError
from anypiece.corpus.shards import Plan, plan_shards, remote, run_shards, run_task, verify_shards
from anypiece.corpus.shards.plan import read_plan
from tests.support.corpora import DOCUMENTS, KINDS, PACKERS, TOK, data_of, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.shell import Shell

ENCODED = [TOK.encode(text) for text in DOCUMENTS]
TEXTS = [f"ab {number} c" * (number % 9) for number in range(400)]


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def planned(folder: Path, *sources: str, **options: Any) -> Plan:
    return plan_shards(sources, TOK, folder / "out", **{"format": "parquet", "min_tokens": 0, **options})


def ids_of(folder: Path) -> list[list[int]]:
    return [ids.tolist() for ids in ap.Shards(folder / "out")]


@pytest.mark.parametrize("packer", ["", ".gz", ".zst"])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file(tmp_path: Path, memory: Any, name: str, packer: str) -> None:
    memory.pipe(f"/bucket/{name}{packer}", PACKERS[packer](data_of(name)))
    url = f"memory://bucket/{name}{packer}"
    if packer and name.endswith(("parquet", "arrow")):
        with pytest.raises(FormatError, match="a compressed table"):
            planned(tmp_path, url)
        return
    manifest = run_shards(planned(tmp_path, url).folder, processes=1)
    assert ids_of(tmp_path) == ENCODED
    assert manifest is not None
    assert manifest.shards[0].first == {"file": url, "at": manifest.shards[0].first["at"]}  # type: ignore[index]
    verify_shards(tmp_path / "out", deep=True)


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.parquet"])
def test_a_url_is_cut_as_a_file_is(tmp_path: Path, memory: Any, name: str) -> None:
    memory.pipe(f"/{name}", data_of(name, TEXTS))
    plan = planned(tmp_path, f"memory://{name}", shard_size=1000)
    local = planned(tmp_path / "local", str(written(tmp_path, name, TEXTS)), shard_size=1000)
    assert plan.tasks == local.tasks
    assert len(plan.tasks) > 3
    run_shards(plan.folder, processes=1)
    assert ids_of(tmp_path) == [TOK.encode(text) for text in TEXTS]


def test_tasks_read_ranges(tmp_path: Path, memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.pipe("/a.jsonl", data_of("corpus.jsonl", TEXTS))
    plan = planned(tmp_path, "memory://a.jsonl", shard_size=4000)
    asked: list[tuple[int, int]] = []
    right = type(memory).cat_file

    def cat_file(self: Any, path: str, start: int | None = None, end: int | None = None, **rest: Any) -> bytes:
        asked.append((start or 0, -1 if end is None else end))
        data: bytes = right(self, path, start=start, end=end, **rest)
        return data

    monkeypatch.setattr(type(memory), "cat_file", cat_file)
    monkeypatch.setattr(type(memory), "_open", None)
    for number, [(_, start, end)] in enumerate(plan.tasks):
        asked.clear()
        run_task(plan, number)
        assert asked
        assert all(start <= first < last <= end for first, last in asked)
    monkeypatch.setattr(remote, "_AHEAD", 100)
    with remote.opened("memory://a.jsonl", ahead=100) as file:
        file.seek(5)
        assert file.read(3) == data_of("corpus.jsonl", TEXTS)[5:8]


def test_local_urls_in_processes(tmp_path: Path) -> None:
    """A plan by ``file://`` has the bytes of one by paths."""
    path = written(tmp_path, "corpus.jsonl", TEXTS)
    for folder, source in ((tmp_path / "url", path.as_uri()), (tmp_path / "path", str(path))):
        plan = planned(folder, source, format="numpy", shard_size=4000)
        run_shards(plan.folder, processes=2)
    names = sorted(item.name for item in (tmp_path / "path" / "out").glob("*.npy"))
    assert len(names) > 4
    for name in names:
        assert (tmp_path / "url" / "out" / name).read_bytes() == (tmp_path / "path" / "out" / name).read_bytes()


def test_globs_folders_and_lists(tmp_path: Path, memory: Any) -> None:
    for name in ("data/b.txt", "data/a.txt", "data/deep/c.txt", "data/.hidden", "data/.git/d.txt", "e.txt"):
        memory.pipe(f"/{name}", b"ab\n")
    (tmp_path / "list").write_text("memory://e.txt\nmemory://data/*.txt\n")
    for number, (source, names) in enumerate(
        {
            "memory://data": ["data/a.txt", "data/b.txt", "data/deep/c.txt"],
            "memory://data/*.txt": ["data/a.txt", "data/b.txt"],
            "web=memory://e.txt": ["e.txt"],
            f"@{tmp_path / 'list'}": ["e.txt", "data/a.txt", "data/b.txt"],
        }.items()
    ):
        plan = planned(tmp_path / str(number), source)
        assert [file.path.removeprefix("memory://").lstrip("/") for file in plan.files] == names
    assert plan_shards({"web": "memory://e.txt"}, TOK, tmp_path / "named", format="numpy").sources == ("web",)
    with pytest.raises(InputError, match=r"No file matches memory://data/\*\.csv"):
        planned(tmp_path, "memory://data/*.csv")
    with pytest.raises(FileError, match=r"memory://data/none\.txt cannot be read: there is no such file"):
        planned(tmp_path, "memory://data/none.txt")


@pytest.mark.parametrize("when", ["before", "while"])
def test_a_url_that_changed(tmp_path: Path, memory: Any, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """Of the same size, so that the time or the hash that the filesystem has must tell it."""
    from anypiece.corpus.shards import task

    memory.pipe("/a.txt", b"ab\n")
    plan = planned(tmp_path, "memory://a.txt", format="numpy")
    assert plan.files[0].tag.startswith("created=")
    assert read_plan(plan.folder) == plan
    assert planned(tmp_path, "memory://a.txt", format="numpy") == plan
    if when == "before":
        memory.pipe("/a.txt", b"ba\n")
    else:
        take = task._Task.take

        def changing(self: Any, *some: Any) -> None:
            memory.pipe("/a.txt", b"ba\n")
            take(self, *some)

        monkeypatch.setattr(task._Task, "take", changing)
    with pytest.raises(FormatError, match=r"memory://a\.txt has changed since the plan was made") as error:
        run_shards(plan.folder, processes=1)
    assert error.value.code == "shards-changed"
    assert list(plan.folder.glob("*.npy")) == []
    with pytest.raises(InputError, match=r"memory://a\.txt has changed since"):
        planned(tmp_path, "memory://a.txt", format="numpy")
    memory.rm("/a.txt")
    with pytest.raises(FileError, match=r"there is no such file.*go on: anypiece shards run"):
        run_shards(plan.folder, processes=1)


def test_hashes_go_before_times(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.pipe("/a.txt", b"ab\n")
    facts = {"size": 3, "type": "file", "LastModified": 7, "ETag": '"abc"'}
    monkeypatch.setattr(type(memory), "info", lambda self, path, **rest: facts)
    assert remote.status("memory://a.txt") == (3, 'ETag="abc"')
    monkeypatch.setattr(type(memory), "info", lambda self, path, **rest: {"size": 3})
    assert remote.status("memory://a.txt") == (3, "")
    monkeypatch.setattr(type(memory), "info", lambda self, path, **rest: {"size": None})
    with pytest.raises(FileError, match="no file whose size is known"):
        remote.status("memory://a.txt")


def test_without_fsspec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(InputError, match=r"s3://bucket/a needs the package fsspec.*anypiece\[fsspec\]") as error:
        planned(tmp_path, "s3://bucket/a")
    assert error.value.code == "extra-missing"


def test_drivers_that_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def url_to_fs(url: str) -> None:
        raise ImportError("Install s3fs to access S3")

    with pytest.raises(InputError, match="nosuch://a is no URL that fsspec knows"):
        planned(tmp_path, "nosuch://a")
    monkeypatch.setattr(fsspec.core, "url_to_fs", url_to_fs)
    with pytest.raises(InputError, match="Install s3fs to access S3") as error:
        planned(tmp_path, "s3://bucket/a")
    assert error.value.code == "extra-missing"


def test_errors_of_any_kind_name_the_url(tmp_path: Path, memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.pipe("/a.txt", b"ab\n")
    plan = planned(tmp_path, "memory://a.txt")

    def cat_file(*some: Any, **rest: Any) -> bytes:
        raise RuntimeError("403: no access\nand a trace")

    monkeypatch.setattr(type(memory), "cat_file", cat_file)
    with pytest.raises(FileError, match=r"memory://a\.txt cannot be read: 403: no access\..*go on") as error:
        run_shards(plan.folder, processes=1)
    assert error.value.code == "file-unreadable"
    assert error.value.filename == "memory://a.txt"


def test_shards_are_not_written_to_urls() -> None:
    with pytest.raises(InputError, match="and not to memory://out"):
        plan_shards("memory://a.txt", TOK, "memory://out", format="numpy")


def test_nothing_is_imported_without_a_url(tmp_path: Path) -> None:
    path = written(tmp_path, "corpus.jsonl")
    code = (
        "import sys; from anypiece.corpus.shards import plan_shards, run_shards\n"
        "plan_shards(sys.argv[1], None, sys.argv[2], format='numpy'); run_shards(sys.argv[2], processes=1)\n"
        "print('fsspec' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path, tmp_path / "out"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_the_command_line(shell: Shell, memory: Any) -> None:
    memory.pipe("/a.jsonl.gz", PACKERS[".gz"](b'{"text": "ab"}\n{"text": "a"}\n'))
    memory.pipe("/b.txt", b"ab\n")
    plain = ("-t", "tok.model")
    assert shell("encode", *plain, "--json", "-i", "memory://a.jsonl.gz").rows() == [
        {"file": "memory://a.jsonl.gz", "at": 0, "ids": [10]},
        {"file": "memory://a.jsonl.gz", "at": 15, "ids": [8]},
    ]
    assert shell("encode", *plain, "-i", "memory://b.txt").out == "10\n"
    assert shell("count", *plain, "memory://a.jsonl.gz").out == "2 3 3 memory://a.jsonl.gz\n"
    missing = shell("count", *plain, "memory://c.txt")
    assert (missing.code, "memory://c.txt cannot be read" in missing.err) == (3, True)
    assert shell("shards", "run", *plain, "--to", "numpy", "-o", "out", "--processes", "1", "memory://b.txt").code == 0
    assert "tokens of memory://b.txt  100.0%" in shell("shards", "stats", "out").out
