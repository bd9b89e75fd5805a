"""What the loaders' fuzzer found stays found, and the fuzzer runs for a moment; ``crates/fuzz`` has the kernel's.

The loaders' worker is also shown what it must not let pass.
"""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from tests.fuzz import pool, worker
from tests.fuzz.__main__ import main
from tests.fuzz.documents import FAMILIES as DOCUMENTS
from tests.fuzz.documents import spelled
from tests.fuzz.mutant import Mutant, Outcome, keep
from tests.fuzz.pool import Worker
from tests.fuzz.rows import mutant_of, read_rows
from tests.fuzz.shrink import shrunk
from tests.fuzz.sources import FAMILIES, made_file, made_files, mutant
from tests.support.data import ROOT
from tests.support.hf import document

if TYPE_CHECKING:
    from collections.abc import Iterator

LOADER_ROWS = ROOT / "tests" / "cases" / "fuzz" / "loaders.jsonl"


@pytest.fixture(scope="module")
def warm() -> Iterator[Worker]:
    with Worker() as running:
        yield running


@pytest.mark.parametrize("row", read_rows(LOADER_ROWS), ids=lambda row: row["what"][:50])
def test_loader_row(row: dict[str, Any], warm: Worker) -> None:
    outcome = warm.run(mutant_of(row))
    assert outcome.fine, outcome
    assert row.get("code") in (None, outcome.check, outcome.what)


def test_loader_fuzzer_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--seconds", "3", "--seed", "7", "--family", "files", "--keep", str(tmp_path)])
    said = capsys.readouterr().out
    assert status == 0, said
    assert ", 0 findings" in said.splitlines()[-1]


def test_mutants_follow_from_seed_and_number() -> None:
    assert [mutant(3, number) for number in range(10)] == [mutant(3, number) for number in range(10)]
    assert mutant(3, 1) != mutant(4, 1)


def test_every_hand_made_vocabulary_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "made.model"
    for data in made_files():
        path.write_bytes(data)
        assert ap.load(path, check_samples=False).vocab_size > 0


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "files"])
def test_documents_know_the_meaning_of_fields(family: str) -> None:
    """Most are JSON, not all are alike, and the stages of their family are in them."""
    made = [mutant(3, number, [family]) for number in range(30)]
    assert made[:5] == [mutant(3, number, [family]) for number in range(5)]
    assert {one.suffix for one in made} == {".config" if family == "templates" else ".json"}
    assert len({one.data for one in made}) > 25
    found = []
    for one in made:
        with contextlib.suppress(ValueError, RecursionError):
            found.append(json.loads(one.data))
    assert len(found) > 20
    place = {"templates": "chat_template", "patterns": "pre_tokenizer"}.get(family, [*DOCUMENTS.get(family, ()), ""][0])
    assert sum(isinstance(one, dict) and bool(one.get(place)) for one in found) > 8


def test_a_document_that_is_too_deep_to_write_is_deep() -> None:
    inner: list[Any] = []
    for _ in range(100_000):
        inner = [inner]
    assert b"[" * 10_000 in spelled(inner)


def test_a_document_is_used(warm: Worker) -> None:
    assert warm.run(Mutant(json.dumps(document()).encode(), ".json")).check == "loaded"
    assert warm.run(Mutant(b'{"chat_template": "{{ messages[0].role }}"}', ".config")).check == "loaded"
    assert warm.run(Mutant(b'{"chat_template": ', ".config")).check == "refused"
    assert warm.run(Mutant(b"{", ".json")).check == "refused"


def test_time_is_limited_by_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that does not end is ended, and its place is known."""
    monkeypatch.setenv("ANYPIECE_FUZZ_SECONDS", "-60")
    with Worker() as hurried:
        found = hurried.run(Mutant(json.dumps(document()).encode(), ".json"))
    assert found.check in ("timeout", "slow")


def test_documents_are_made_small() -> None:
    def run(mutant: Mutant) -> Outcome:
        return Outcome("exception", "x", "here") if b"BAD" in mutant.data else Outcome("loaded", "")

    found = Mutant(json.dumps({"a": [1, 2, {"b": "some BAD text", "c": []}], "d": {"e": 1}}).encode(), ".json")
    assert json.loads(shrunk(found, run(found), run, 20.0)[0].data) == {"a": [{"b": "BAD"}]}


# The fuzzer itself: each kind of finding must be seen, kept and replayed.


def judged(monkeypatch: pytest.MonkeyPatch, folder: Path, load: Any) -> Outcome:
    monkeypatch.setattr(ap, "load", load)
    return worker.limited(b"x", folder / "a.model", {})


def raising(error: BaseException) -> Any:
    def load(path: Path) -> None:
        raise error

    return load


@pytest.mark.parametrize(
    ("error", "check"),
    [
        (ap.FormatError("file-corrupt", "damaged; copy it again"), "refused"),
        (ap.FormatError("file-corrupt", ""), "error without a known code or message"),
        (ap.FormatError("no-such-code", "damaged"), "error without a known code or message"),
        (ValueError("x"), "exception"),
        (KeyboardInterrupt(), "exception"),
        (MemoryError(), "memory"),
    ],
)
def test_how_errors_are_judged(
    error: BaseException, check: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judged(monkeypatch, tmp_path, raising(error)).check == check


def test_memory_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(monkeypatch, tmp_path, lambda path: bytearray(2 * worker.BASE_BYTES)).check == "memory"


def test_time_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPIECE_FUZZ_SECONDS", "-1")
    monkeypatch.setattr(worker, "SECONDS_PER_MEGABYTE", 0.0)
    assert judged(monkeypatch, tmp_path, raising(ap.FormatError("file-corrupt", "damaged"))).check == "slow"


def test_a_valid_file_is_loaded(warm: Worker) -> None:
    for suffix in (".model", ".anypiece"):
        assert warm.run(Mutant(made_file("unigram-bytes", suffix), suffix)).check == "loaded"


def test_crash_and_hang_are_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    with Worker(hang_seconds=0.0) as impatient:
        assert impatient.run(Mutant(b"")).check == "hang"
        monkeypatch.setattr(impatient, "_hang_seconds", 60.0)
        process = impatient._ready()
        process.kill()
        process.wait()
        assert impatient.run(Mutant(b"")).check == "crash"
        assert impatient.run(Mutant(b"")).check == "refused"


@pytest.mark.parametrize(
    ("code", "slices"), [("import sys; sys.stdin.read()", 1), ("while True: pass", pool._PATIENCE)]
)
def test_what_runs_is_waited_for_and_what_sleeps_is_not(
    code: str, slices: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    def nothing(*arguments: Any) -> tuple[list[Any], ...]:
        waited.append(arguments[-1])
        return [], [], []

    command = [sys.executable, "-c", f"print('begun', flush=True)\n{code}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        while (pool._state(process.pid) == "R") != (slices > 1):
            time.sleep(0.01)
        with Worker(hang_seconds=7.0) as patient:
            monkeypatch.setattr(select, "select", nothing)
            found = patient._answers(process)
            monkeypatch.undo()
        process.kill()
    assert not found
    assert waited == [7.0] * slices


def test_findings_are_made_small_kept_and_read_again(tmp_path: Path) -> None:
    def run(mutant: Mutant) -> Outcome:
        return Outcome("exception", "x", "here") if b"BAD" in mutant.data else Outcome("loaded", "")

    found = Mutant(b"some bytes " * 90 + b"BAD" + b" and more" * 90)
    small, outcome = shrunk(found, run(found), run, 20.0)
    assert small.data == b"BAD"
    patched = Mutant(b"0123BAD789", ".anypiece", base=b"0123456789")
    assert shrunk(Mutant(b"x1y3BADz89", ".anypiece", base=b"0123456789"), outcome, run, 20.0)[0] == patched
    path = keep(tmp_path, 5, small, outcome)
    assert [mutant_of(row) for row in read_rows(path)] == [small]
    assert json.loads(path.read_text("utf-8"))["check"] == "exception"
