"""Plans, what runs of them leave behind whoever does what when, and what is wrong with a folder."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anypiece as ap
from anypiece import FileError, FormatError, InputError, InternalError
from anypiece.corpus.shards import Plan, engine, phases, plan_shards, run_shards, run_task, task, verify_shards, worker
from anypiece.corpus.shards.formats import FORMATS
from anypiece.corpus.shards.formats.output import Output
from anypiece.corpus.shards.plan import read_plan
from tests.support.corpora import TOK, tree, written
from tests.support.killed import corpus, killed, undisturbed

MORE_KILLED = [("parquet", 1), ("llmc", 3)]
TEXTS = [f"ab {number} c" * (number % 9) for number in range(400)]


def planned(folder: Path, **options: Any) -> Plan:
    source = folder / "corpus.jsonl"
    if not source.exists():
        written(folder, "corpus.jsonl", TEXTS)
    return plan_shards(source, TOK, folder / "out", **{"format": "megatron", "shard_size": 4000, **options})


def made(folder: Path, **options: Any) -> Path:
    plan = planned(folder, **options)
    run_shards(plan.folder, processes=1)
    return plan.folder


@pytest.mark.parametrize(
    "format", [one if one == "megatron" else pytest.param(one, marks=pytest.mark.deep) for one in FORMATS]
)
def test_threads_and_processes_change_no_byte(tmp_path: Path, format: str) -> None:
    data = corpus(tmp_path)
    wanted = undisturbed(data, tmp_path / "out", format)
    assert len(wanted) > 20
    for processes, threads in ((1, 8), (4, 2)) if format == "megatron" else ((3, 2),):
        shutil.rmtree(tmp_path / "out")
        plan_shards(data, TOK, tmp_path / "out", format=format, shard_size=200_000)
        run_shards(tmp_path / "out", processes=processes, threads=threads)
        assert tree(tmp_path / "out") == wanted


@pytest.mark.parametrize(
    ("format", "ranks"), [("megatron", 1), *(pytest.param(*one, marks=pytest.mark.deep) for one in MORE_KILLED)]
)
def test_a_killed_run_goes_on(tmp_path: Path, format: str, ranks: int) -> None:
    data = corpus(tmp_path)
    wanted = undisturbed(data, tmp_path / "out", format)
    draw = random.Random(format)
    for _ in range(2):
        shutil.rmtree(tmp_path / "out")
        killed(data, tmp_path / "out", format, draw, ranks)
        assert tree(tmp_path / "out") == wanted


def test_a_task_is_a_function_of_the_plan(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    assert len(plan.tasks) > 3
    records = [run_task(plan, number) for number in reversed(range(len(plan.tasks)))][::-1]
    before = tree(plan.folder)
    assert run_task(plan, 2, folder=tmp_path / "other") == records[2] == run_task(plan, 2)
    assert tree(plan.folder) == before
    manifest = run_shards(plan.folder)
    assert manifest is not None
    assert manifest.shards == [record for rows in records for record in rows]
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_the_order_of_ranks_changes_no_byte(tmp_path: Path) -> None:
    wanted = tree(made(tmp_path))
    shutil.rmtree(tmp_path / "out")
    folder = planned(tmp_path).folder
    for rank in (2, 0):
        assert run_shards(folder, processes=1, rank=rank, world=3) is None
    with pytest.raises(FormatError, match="Go on: anypiece shards run") as error:
        ap.Shards(folder)
    assert error.value.code == "shards-unfinished"
    assert run_shards(folder, processes=1, rank=1, world=3) is not None
    assert tree(folder) == wanted


def test_only_what_is_missing_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(tmp_path)
    wanted = tree(folder)
    done: list[int] = []

    def counted(plan: Plan, number: int, *rest: Any, **named: Any) -> Any:
        done.append(number)
        return run_task(plan, number, *rest, **named)

    monkeypatch.setattr(phases, "run_task", counted)
    run_shards(folder, processes=1)
    assert done == []
    (folder / "00002.bin").unlink()
    (folder / "_anypiece" / "records" / "00001.json").write_text("{")
    os.truncate(folder / "00003.idx", 5)
    (folder / "_anypiece" / "manifest.json").unlink()
    (folder / "_anypiece" / "tmp").mkdir()
    (folder / "_anypiece" / "tmp" / "00002.bin.0.abc").write_bytes(b"half")
    run_shards(folder, processes=1)
    assert done == [1, 2, 3]
    assert tree(folder) == wanted


def test_the_same_plan_again(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    before = tree(plan.folder)
    assert planned(tmp_path) == plan == read_plan(plan.folder)
    assert tree(plan.folder) == before


def test_planning_that_was_killed(tmp_path: Path) -> None:
    """A tokenizer without a plan is replaced, and what was half written goes away with the last task."""
    folder = tmp_path / "out"
    wanted = tree(made(tmp_path))
    shutil.rmtree(folder)
    (folder / "_anypiece").mkdir(parents=True)
    TOK.replace(add_dummy_prefix=False).save(folder / "_anypiece" / "tokenizer.anypiece")
    for name in (".tokenizer.anypiece.1.ab", ".plan.json.1.ab", ".manifest.json.1.ab"):
        (folder / "_anypiece" / name).write_bytes(b"half")
    assert tree(made(tmp_path)) == wanted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "numpy"}, "format is 'megatron' there and 'numpy' here"),
        ({"shard_size": 8000}, "shard_size is 4000 there and 8000 here"),
        ({"min_tokens": 2}, "min_tokens is 1 there and 2 here"),
        ({"tok": TOK.replace(add_dummy_prefix=False)}, "fingerprint is"),
    ],
)
def test_another_plan_is_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    source = written(tmp_path, "corpus.jsonl", TEXTS)
    folder = planned(tmp_path).folder
    tok = options.pop("tok", TOK)
    with pytest.raises(InputError, match=message) as error:
        plan_shards(source, tok, folder, **{"format": "megatron", "shard_size": 4000, **options})
    assert error.value.code == "shards-differ"
    assert "anypiece shards run" in str(error.value)


def test_other_files_are_refused(tmp_path: Path) -> None:
    folder = planned(tmp_path).folder
    other = written(tmp_path, "corpus.txt")
    for sources, message in (
        ([other], r"corpus\.txt is not in it"),
        ([tmp_path / "corpus.jsonl", other], r"corpus\.txt is not in it"),
    ):
        with pytest.raises(InputError, match=message):
            plan_shards(sources, TOK, folder, format="megatron", shard_size=4000)
    os.utime(tmp_path / "corpus.jsonl", (1, 1))
    with pytest.raises(InputError, match=r"corpus\.jsonl has changed since"):
        planned(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="has files and no plan"):
        plan_shards(other, TOK, tmp_path / "full", format="numpy")


def test_shards_may_lie_within_the_corpus(tmp_path: Path) -> None:
    written(tmp_path, "corpus.txt")
    folder = plan_shards(tmp_path, TOK, tmp_path / "out", format="numpy").folder
    before = tree(folder)
    run_shards(folder, processes=1)
    assert plan_shards(tmp_path, TOK, tmp_path / "out", format="numpy").folder == folder
    assert set(before) < set(tree(folder))


@pytest.mark.parametrize("when", ["before", "while"])
def test_a_file_that_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    plan = planned(tmp_path)
    path = tmp_path / "corpus.jsonl"
    if when == "before":
        path.write_text(path.read_text() + "\n")
    else:
        take = task._Task.take

        def changing(self: task._Task, *some: Any) -> None:
            os.utime(path, (1, 1))
            take(self, *some)

        monkeypatch.setattr(task._Task, "take", changing)
    with pytest.raises(FormatError, match=r"corpus\.jsonl has changed since the plan was made") as error:
        run_shards(plan.folder, processes=1)
    assert error.value.code == "shards-changed"
    assert list(plan.folder.glob("*.bin")) == []
    path.unlink()
    with pytest.raises(FileError, match="cannot be read"):
        run_shards(plan.folder, processes=1)


def test_one_failure_keeps_no_other_shard_back(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text("ab\n" * 1000)
    (tmp_path / "b.txt").write_bytes(b"\xff\n" * 1500)
    sources = [tmp_path / f"{name}.txt" for name in "abc"]
    for processes in (1, 2):
        out = tmp_path / f"out{processes}"
        plan_shards(sources, TOK, out, format="numpy", on_bad_utf8="error", shard_size=3000)
        with pytest.raises(FormatError, match=r"b\.txt byte 0.*go on: anypiece shards run") as error:
            run_shards(out, processes=processes)
        assert error.value.facts["reason"] == "bad_utf8"
        assert sorted(path.name for path in out.glob("*.npy") if "ends" not in path.name) == ["00000.npy", "00002.npy"]


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(tmp_path)
    write = Output.write

    def full(self: Output, data: Any) -> int:
        if self.name.startswith("00002"):
            raise OSError(28, "No space left on device")
        return write(self, data)

    with monkeypatch.context() as patch:
        patch.setattr(Output, "write", full)
        with pytest.raises(FileError, match=r"No space left on device.*go on: anypiece shards run") as error:
            run_shards(plan.folder, processes=1)
    assert error.value.errno == 28
    assert sorted(path.name for path in plan.folder.glob("*.bin")) == ["00000.bin", "00001.bin"]
    assert not any((plan.folder / "_anypiece" / "tmp").iterdir())
    run_shards(plan.folder, processes=1)
    verify_shards(plan.folder)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of a process are set in one of its own")
def test_files_that_may_not_grow(tmp_path: Path) -> None:
    """A limit of the system instead of a disk: the write itself fails, in a worker."""
    import subprocess
    import sys

    plan = planned(tmp_path, shard_size=10**6)
    limited = (
        "import resource, signal, sys; from anypiece.corpus.shards import run_shards\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "try: run_shards(sys.argv[1], processes=1)\n"
        "except OSError as error: print(error.errno, error.code)"
    )
    command = [sys.executable, "-B", "-c", limited, plan.folder]  # Python would leave bytecode that is cut short
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["27", "file-unwritable"]
    assert list(plan.folder.glob("*.bin")) == []
    run_shards(plan.folder, processes=1)
    verify_shards(plan.folder)


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_processes_are_begun_for_what_is_worth_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    begun: list[int] = []
    size = written(tmp_path, "corpus.jsonl", TEXTS).stat().st_size
    monkeypatch.setattr(engine, "_WORTH", size // processes)
    monkeypatch.setattr(engine, "processors_here", lambda: 4)
    monkeypatch.setattr(engine._Local, "in_workers", lambda self, number, threads: begun.append(number) or self.here(1))
    plan = planned(tmp_path)
    assert run_shards(plan.folder) is not None
    assert begun == [processes] * (processes > 1)


def test_a_worker_that_dies_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = tree(made(tmp_path))
    shutil.rmtree(tmp_path / "out")
    folder = planned(tmp_path).folder
    run = worker.Worker.run
    killed_once: list[int] = []

    def mortal(self: worker.Worker, number: int, advance: Any) -> None:
        if number == 1 and not killed_once:
            killed_once.append(self._running().pid)
            self._running().kill()
        run(self, number, advance)

    monkeypatch.setattr(worker.Worker, "run", mortal)
    run_shards(folder, processes=2)
    assert killed_once
    assert tree(folder) == wanted


def test_a_worker_that_always_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_START", "import os; os._exit(9)")
    with pytest.raises(InternalError, match=r"died 3 times \(exit code .*more tasks failed.*go on") as error:
        run_shards(planned(tmp_path).folder, processes=2)
    assert error.value.code == "shards-worker"


def test_memory_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*arguments: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(FORMATS["megatron"].writer, "add", greedy)
    with pytest.raises(InternalError, match="more memory than there is"):
        run_shards(planned(tmp_path).folder, processes=1)


def test_it_can_be_stopped(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    stop = threading.Event()

    def told(stage: str, done: int, total: int) -> None:
        if done:
            stop.set()

    assert run_shards(plan.folder, processes=1, progress=told, stop=stop) is None
    written = list(plan.folder.glob("*.bin"))
    assert 0 < len(written) < len(plan.tasks)
    assert run_shards(plan.folder, processes=2, stop=stop) is None  # workers are handed nothing
    assert list(plan.folder.glob("*.bin")) == written
    run_shards(plan.folder, processes=1)
    verify_shards(plan.folder)


def test_progress_ends_at_all_of_it(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    seen: list[tuple[str, int, int]] = []
    run_shards(plan.folder, processes=1, progress=lambda *step: seen.append(step))
    size = (tmp_path / "corpus.jsonl").stat().st_size
    assert seen[-1] == ("shards", size, size)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    one = worker.Worker(plan.folder, 1)
    one.run(0, lambda size: None)
    process = one._running()
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(20) == 0
    one.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"processes": 0}, "processes must be"),
        ({"world": 0}, "world must be"),
        ({"rank": 2, "world": 2}, "below world"),
    ],
)
def test_arguments_of_a_run(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_shards(tmp_path, **options)


def test_plans_that_cannot_be_used(tmp_path: Path) -> None:
    folder = planned(tmp_path).folder
    path = folder / "_anypiece" / "plan.json"
    value = json.loads(path.read_bytes())
    for changed, code in (
        (b"{", "shards-plan"),
        (b"[]", "shards-plan"),
        (json.dumps({**value, "options": {}}).encode(), "shards-plan"),
        (json.dumps({**value, "version": 99}).encode(), "file-version"),
    ):
        path.write_bytes(changed)
        with pytest.raises(FormatError) as error:
            run_shards(folder)
        assert error.value.code == code
    path.write_text(json.dumps(value))
    TOK.replace(add_dummy_prefix=False).save(folder / "_anypiece" / "tokenizer.anypiece")
    with pytest.raises(FormatError, match="not the tokenizer of the plan"):
        run_shards(folder, processes=1)


def test_no_documents_at_all(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "blank.txt").write_bytes(b"\n\n")
    plan_shards([tmp_path / "empty.txt", tmp_path / "blank.txt"], TOK, tmp_path / "out", format="megatron")
    manifest = run_shards(tmp_path / "out")
    assert manifest is not None
    assert (manifest.documents, manifest.left_out, manifest.shards[0].files) == (0, {"too_short": 2}, [])
    assert list(ap.Shards(tmp_path / "out")) == []
    verify_shards(tmp_path / "out")


# -- reading


@pytest.mark.parametrize("format", FORMATS)
def test_random_access(tmp_path: Path, format: str) -> None:
    folder = made(tmp_path, format=format, end_of_text="none")
    shards = ap.Shards(folder)
    wanted = [ids for text in TEXTS if (ids := TOK.encode(text))]
    assert len(shards) == len(wanted)
    for number in random.Random(1).choices(range(-len(wanted), len(wanted)), k=60):
        assert shards[number].tolist() == wanted[number]
    assert [ids.tolist() for ids in shards[5:40:7]] == wanted[5:40:7]
    assert [ids.tolist() for ids in pickle.loads(pickle.dumps(shards))] == wanted
    with pytest.raises(IndexError):
        shards[len(wanted)]
    assert shards.tokens == sum(map(len, wanted))
    assert shards.tokenizer == TOK
    assert f"{len(wanted)} documents" in repr(shards)


def test_documents_are_mapped(tmp_path: Path) -> None:
    assert isinstance(ap.Shards(made(tmp_path))[3].base, np.memmap)


# -- verifying


@pytest.mark.parametrize("format", FORMATS)
def test_every_changed_byte_is_found(tmp_path: Path, format: str) -> None:
    folder = made(tmp_path, format=format)
    assert verify_shards(folder, deep=True).documents == len(ap.Shards(folder))
    names = [name for name in tree(folder) if name.startswith(("00001", "_anypiece/ends/00001"))]
    assert len(names) == len(run_task(read_plan(folder), 1)[0].files)
    for name in names:
        path = folder / name
        before = path.read_bytes()
        for changed in (
            before[:-1],
            before + b"\0",
            before[:-1] + bytes([before[-1] ^ 1]),
            bytes([before[0] ^ 1]) + before[1:],
        ):
            path.write_bytes(changed)
            with pytest.raises(FormatError, match="is not what its manifest says") as error:
                verify_shards(folder)
            assert error.value.code == "shards-damaged"
            assert name in str(error.value)
        path.unlink()
        with pytest.raises(FormatError, match="is missing"):
            verify_shards(folder)
        run_shards(folder, processes=1)
        assert path.read_bytes() == before
    verify_shards(folder)


def test_other_files_in_the_folder_are_found(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "00099.bin").write_bytes(b"")
    with pytest.raises(FormatError, match=r"00099\.bin is no file of theirs"):
        verify_shards(folder)


def test_a_shard_that_agrees_with_its_manifest_and_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What only encoding again can find."""
    encode = TOK.encode_batch
    with monkeypatch.context() as patch:
        patch.setattr(ap.Tokenizer, "encode_batch", lambda self, texts, **rest: encode(["ab"] * len(texts)))
        folder = made(tmp_path)
    verify_shards(folder)
    with pytest.raises(FormatError, match="shard 00000: encoding the corpus again gives something else"):
        verify_shards(folder, deep=True)


def test_a_manifest_of_another_plan(tmp_path: Path) -> None:
    folder = made(tmp_path)
    path = folder / "_anypiece" / "manifest.json"
    value = json.loads(path.read_bytes())
    for changed in (json.dumps({**value, "plan": "0"}), "{", json.dumps({"shards": [{}]})):
        path.write_text(changed)
        with pytest.raises(FormatError) as error:
            ap.Shards(folder)
        assert error.value.code == "shards-unfinished"
    run_shards(folder, processes=1)
    assert json.loads(path.read_bytes()) == value


def test_ids_beyond_the_largest_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would be cut off by the cast to 16 bits."""
    batch = ap.Batch(np.array([70000], np.uint32), np.array([0, 1]))
    monkeypatch.setattr(ap.Tokenizer, "encode_batch", lambda self, texts, **rest: batch)
    (tmp_path / "a.txt").write_text("ab\n")
    plan_shards(tmp_path / "a.txt", TOK, tmp_path / "out", format="numpy")
    with pytest.raises(InternalError, match="70000 is above 10"):
        run_shards(tmp_path / "out")


def test_a_run_waits_for_nobody(tmp_path: Path) -> None:
    """A folder that vanished is an error at once."""
    folder = planned(tmp_path).folder
    shutil.rmtree(folder)
    began = time.monotonic()
    with pytest.raises(FormatError, match="has no plan"):
        run_shards(folder)
    assert time.monotonic() - began < 10
