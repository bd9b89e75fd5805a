"""Documents that are deduplicated, drawn and shuffled: each against plain lists, and the same bytes whoever does what."""

from __future__ import annotations

import json
import random
import shutil
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anypiece import FileError, InputError
from anypiece.corpus.sampling import mixed, numbers
from anypiece.corpus.shards import Shards, arranging, duplicates, plan_shards, run_shards, verify_shards
from anypiece.corpus.shards.arranging import drawn
from anypiece.corpus.shards.phases import phases
from anypiece.corpus.shards.plan import Plan, read_plan
from anypiece.corpus.shards.selection import pieces_of
from tests.support.corpora import KINDS, TOK, tree, written
from tests.support.killed import corpus, killed, undisturbed

WEB = [f"ab {number % 150} c" * (1 + number % 5) for number in range(400)]
CODE = [f"c b {number}" * (1 + number % 3) for number in range(90)]
ALL: dict[str, Any] = {"dedupe": True, "shuffle": True, "budget": 2000, "validation": 0.1, "seed": 4}


def made(folder: Path, name: str = "corpus.jsonl", **options: Any) -> Path:
    for source, texts in (("web", WEB), ("code", CODE)):
        (folder / source).mkdir()
        written(folder / source, name, texts)
    given = {"format": "numpy", "end_of_text": "none", "shard_size": 4000, **options}
    plan_shards({"web": folder / "web", "code": folder / "code"}, TOK, folder / "out", **given)
    run_shards(folder / "out", processes=1)
    return folder / "out"


def staged(folder: Path, texts: list[str]) -> list[tuple[int, int]]:
    """The number of each document of a plan, and its draw."""
    plan = read_plan(folder)
    found, files = [], [Path(file.path).read_bytes().decode().splitlines() for file in plan.files]
    for task, slices in enumerate(plan.tasks):
        amount = 0
        for file, start, end in slices:
            before = len("\n".join(files[file]).encode()[:start].splitlines())
            amount += len("\n".join(files[file]).encode()[:end].splitlines()) - before
        found += numbers(task << 32, amount, plan.options.seed).tolist()
    assert len(found) == len(texts)
    return list(zip(found, drawn(np.array(found, np.uint64)).tolist(), strict=True))


def ids_of(texts: list[str]) -> list[list[int]]:
    return [TOK.encode(text) for text in texts]


def found_in(folder: Path, part: Any = None) -> list[list[int]]:
    return [ids.tolist() for ids in Shards(folder, part)]


FAST = ("corpus.txt", "corpus.jsonl", "corpus.parquet")
DEEP = pytest.mark.deep


@pytest.mark.parametrize(
    ("name", "at_once"),
    [
        pytest.param(name, 1 << 20 if number % 2 else 100, marks=[] if name in FAST else DEEP)
        for number, name in enumerate(KINDS)
    ],
)
def test_of_equal_texts_the_first_one_stays(
    tmp_path: Path, name: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, "_AT_ONCE", at_once)
    folder = made(tmp_path, name, dedupe=True)
    first = list(dict.fromkeys(WEB + CODE))
    assert found_in(folder) == ids_of(first)
    manifest = verify_shards(folder, deep=True)
    assert manifest.left_out == {"duplicate": 490 - len(first)}
    assert manifest.sources["code"]["documents"] == 90
    assert not (folder / "_anypiece" / "staged").exists()
    plan = read_plan(folder)
    assert plan.arrangement is not None
    assert plan.amount == len(manifest.shards) < len(plan.tasks)


def test_pieces_of_equal_documents_are_equal(tmp_path: Path) -> None:
    texts = ["ab c " * 20, "b", "ab c " * 20, "ab c " * 19, "b"]
    written(tmp_path, "corpus.jsonl", texts)
    plan_shards(tmp_path / "corpus.jsonl", TOK, tmp_path / "out", format="numpy", dedupe=True, max_document=32)
    manifest = run_shards(tmp_path / "out", processes=1)
    assert manifest is not None
    wanted = [piece for row in (0, 1, 3) for piece in pieces_of(texts[row], 32)]
    assert found_in(tmp_path / "out") == [[*TOK.encode(piece), 2] for piece in wanted]
    assert manifest.left_out == {"duplicate": 1 + len(pieces_of(texts[0], 32))}


def test_documents_that_are_held_out(tmp_path: Path) -> None:
    folder = made(tmp_path, dedupe=True, shuffle=True, validation=0.2)
    train, val = found_in(folder), found_in(folder, "val")
    assert 10 < len(val) < 80
    assert sorted(train + val) == sorted(ids_of(list(dict.fromkeys(WEB + CODE))))
    verify_shards(folder, deep=True)


@pytest.mark.parametrize("held", [700, 32_000_000])
def test_the_order_of_a_shuffle(tmp_path: Path, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards are ranges of numbers, and within what fits into memory a mix of them decides."""
    monkeypatch.setattr(arranging, "_HELD", held)
    folder = made(tmp_path, shuffle=True, seed=7)
    plan = read_plan(folder)
    assert plan.arrangement is not None
    assert (plan.arrangement.folds > 1) == (held < 1000)
    pieces = plan.amount * plan.arrangement.folds
    rows = staged(folder, WEB + CODE)
    keys = [(number * pieces >> 64, int(mixed(np.array([number], np.uint64))[0])) for number, _ in rows]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    assert found_in(folder) == ids_of([(WEB + CODE)[row] for row in order])
    assert found_in(folder) != ids_of(WEB + CODE)
    shutil.rmtree(folder)
    plan_shards(
        tmp_path / "web", TOK, folder, format="numpy", end_of_text="none", shard_size=4000, shuffle=True, seed=8
    )
    run_shards(folder, processes=1)
    assert sorted(found_in(folder)) == sorted(ids_of(WEB))


@pytest.mark.parametrize("budget", [1, pytest.param(40, marks=DEEP), pytest.param(1000, marks=DEEP), "1.5k", 10**9])
def test_a_budget(tmp_path: Path, budget: Any) -> None:
    """Documents by their draws, until the next one would be too much; they stay in their order."""
    amount = 1500 if budget == "1.5k" else budget
    texts = ids_of(WEB + CODE)
    if amount == 1:
        with pytest.raises(InputError, match="Not one document is left"):
            made(tmp_path, budget=budget)
        return
    folder = made(tmp_path, budget=budget)
    draws = [draw for _, draw in staged(folder, WEB + CODE)]
    kept: set[int] = set()
    for row in sorted(range(len(draws)), key=draws.__getitem__):
        if sum(len(texts[one]) for one in kept) + len(texts[row]) > amount:
            break
        kept.add(row)
    assert found_in(folder) == [texts[row] for row in sorted(kept)]
    manifest = verify_shards(folder, deep=True)
    assert manifest.tokens <= amount
    assert manifest.left_out == ({"over_budget": 490 - len(kept)} if len(kept) < 490 else {})


@pytest.mark.parametrize(
    ("options", "web", "code"),
    [
        ({"epochs": {"web": 0.5, "code": 3.25}, "shuffle": True}, 0.5, 3.25),
        ({"epochs": {"web": 0.25}}, 0.25, 1),
        pytest.param({"epochs": {"code": 2}, "shuffle": True}, 1, 2, marks=DEEP),
        pytest.param({"epochs": {"web": 0}}, 0, 1, marks=DEEP),
    ],
)
def test_epochs(tmp_path: Path, options: dict[str, Any], web: float, code: float) -> None:
    folder = made(tmp_path, **options)
    draws = [draw for _, draw in staged(folder, WEB + CODE)]
    wanted: list[list[int]] = []
    for texts, shares, times in ((ids_of(WEB), draws[:400], web), (ids_of(CODE), draws[400:], code)):
        wanted += texts * int(times)
        left = (times - int(times)) * sum(map(len, texts))
        for row in sorted(range(len(texts)), key=shares.__getitem__):
            left -= len(texts[row])
            if left < 0:
                break
            wanted.append(texts[row])
    assert Counter(map(tuple, found_in(folder))) == Counter(map(tuple, wanted))
    verify_shards(folder, deep=True)


def test_copies_of_a_document_lie_apart(tmp_path: Path) -> None:
    folder = made(tmp_path, epochs={"code": 4, "web": 0}, shuffle=True)
    shards = Shards(folder)
    where: dict[tuple[int, ...], set[int]] = {}
    for number in range(len(shards._records)):
        ids, ends = shards.shard(number)
        for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            where.setdefault(tuple(ids[start:end].tolist()), set()).add(number)
    assert np.mean([len(found) for found in where.values()]) > 3


def test_weights(tmp_path: Path) -> None:
    folder = made(tmp_path, weights={"web": 0.6, "code": 0.4})
    sources = verify_shards(folder, deep=True).sources
    assert sources["code"]["tokens"] == sum(map(len, ids_of(CODE)))
    assert sources["web"]["tokens"] == pytest.approx(sources["code"]["tokens"] * 1.5, rel=0.02)
    shutil.rmtree(folder)
    both = {"web": tmp_path / "web", "code": tmp_path / "code"}
    given: dict[str, Any] = {"format": "numpy", "weights": ["web=1", "code=9"], "budget": "9k", "shuffle": True}
    plan_shards(both, TOK, folder, **given)
    manifest = run_shards(folder, processes=1)
    assert manifest is not None
    assert 8800 < manifest.tokens <= 9000
    assert manifest.sources["code"]["tokens"] == pytest.approx(8100, abs=20)
    assert len(Shards(folder)) == sum(row["documents"] for row in manifest.sources.values())


def test_columns_go_with_their_documents(tmp_path: Path) -> None:
    import pyarrow.parquet

    rows = [{"text": text, "id": n, **({"url": f"é{n}"} if n % 3 else {})} for n, text in enumerate(WEB)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given: dict[str, Any] = {"format": "parquet", "columns": "id,url,text", "shard_size": 4000}
    folder = plan_shards(tmp_path / "a.jsonl", TOK, tmp_path / "out", dedupe=True, shuffle=True, **given).folder
    run_shards(folder, processes=1)
    found = [row for path in sorted(folder.glob("*.parquet")) for row in pyarrow.parquet.read_table(path).to_pylist()]
    assert len(found) == len({*WEB})
    for row in found:
        number = WEB.index(row["text"])
        assert row["input_ids"] == TOK.encode(row["text"])
        assert (row["id"], row["url"]) == (str(number), f"é{number}" if number % 3 else None)


# -- whoever does what


def test_threads_and_processes_change_no_byte(tmp_path: Path) -> None:
    folder = made(tmp_path, **ALL)
    wanted, plan = tree(folder), read_plan(folder)
    assert len(plan.tasks) > 4
    shutil.rmtree(folder)
    _again(plan)
    assert run_shards(folder, processes=2, threads=3) is not None
    assert tree(folder) == wanted
    verify_shards(folder, deep=True)


def _again(plan: Plan) -> None:
    """The plan again, in its folder."""
    root = plan.folder.parent
    options = {name: value for name, value in plan.options.to_json().items() if value is not None}
    plan_shards({"web": root / "web", "code": root / "code"}, TOK, plan.folder, **options)


@pytest.mark.parametrize("waits", [False, True])
def test_ranks_do_phase_after_phase(tmp_path: Path, waits: bool) -> None:
    folder = made(tmp_path, **ALL)
    wanted, plan = tree(folder), read_plan(folder)
    shutil.rmtree(folder)
    _again(plan)
    if waits:
        given = [{"rank": rank, "world": 3, "wait": True, "processes": 1} for rank in range(3)]
        threads = [threading.Thread(target=run_shards, args=(folder,), kwargs=each) for each in given]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    else:
        done = [run_shards(folder, processes=1, rank=rank, world=3) for _ in range(4) for rank in (2, 0, 1)]
        assert [manifest is not None for manifest in done].index(True) > 5
    assert tree(folder) == wanted


def test_a_shard_that_was_lost_is_made_again(tmp_path: Path) -> None:
    folder = made(tmp_path, **ALL)
    wanted = tree(folder)
    (folder / "train-00000.npy").unlink()
    (folder / "_anypiece" / "manifest.json").unlink()
    run_shards(folder, processes=1)
    assert tree(folder) == wanted


@pytest.mark.parametrize("options", [ALL, pytest.param({"dedupe": True}, marks=DEEP)], ids=["all", "dedupe"])
def test_each_step_of_a_phase_may_be_the_last(tmp_path: Path, options: dict[str, Any]) -> None:
    """Whatever was done so far, and once more what was done last: the bytes are the same."""
    folder = made(tmp_path, shard_size=12_000, **options)
    wanted, plan = tree(folder), read_plan(folder)
    steps = 0
    for phase in _phases_of(plan):
        for number in range(phase.amount):
            steps += 1
            phase.run(number)
            phase.run(number)
            shutil.copytree(folder, tmp_path / "copy")
            run_shards(tmp_path / "copy", processes=1)
            assert tree(tmp_path / "copy") == wanted
            shutil.rmtree(tmp_path / "copy")
    assert steps > 6


def _phases_of(plan: Plan) -> Any:
    shutil.rmtree(plan.folder)
    _again(plan)
    return phases(read_plan(plan.folder))


@pytest.mark.deep
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    data = corpus(tmp_path)
    options = {"dedupe": True, "shuffle": True, "budget": 40_000}
    wanted = undisturbed(data, tmp_path / "out", "megatron", options)
    draw = random.Random(1)
    for ranks in (1, 2):
        shutil.rmtree(tmp_path / "out")
        killed(data, tmp_path / "out", "megatron", draw, ranks, options)
        assert tree(tmp_path / "out") == wanted


def test_it_can_be_stopped(tmp_path: Path) -> None:
    folder = made(tmp_path, **ALL)
    wanted, plan = tree(folder), read_plan(folder)
    shutil.rmtree(folder)
    _again(plan)
    stages: list[str] = []
    for _ in range(40):
        stop = threading.Event()

        def told(stage: str, done: int, total: int, stop: threading.Event = stop) -> None:
            stages.append(stage)
            if done:
                stop.set()

        if run_shards(folder, processes=1, progress=told, stop=stop) is not None:
            break
    assert list(dict.fromkeys(stages)) == ["encode", "duplicates", "marks", "decide", "arrange"]
    assert tree(folder) == wanted


def test_what_was_staged_and_is_gone(tmp_path: Path) -> None:
    """By another machine, which has done all: fine; otherwise an error that names it."""
    folder = made(tmp_path, **ALL)
    plan = read_plan(folder)
    steps = list(phases(plan))
    assert [step.name for step in steps] == ["arrange"]
    shutil.rmtree(folder / "_anypiece" / "staged", ignore_errors=True)
    steps[0].run(0)
    (folder / "_anypiece" / "records" / "00000.json").unlink()
    assert run_shards(folder, processes=1) is not None
    for step in _phases_of(plan):
        if step.name == "marks":
            shutil.rmtree(folder / "_anypiece" / "staged" / "duplicates")
            with pytest.raises(FileError, match="cannot be read"):
                step.run(0)
            break
        for number in range(step.amount):
            step.run(number)


def test_nothing_at_all(tmp_path: Path) -> None:
    (tmp_path / "blank.txt").write_bytes(b"\n\n")
    plan_shards(tmp_path / "blank.txt", TOK, tmp_path / "out", format="megatron", dedupe=True, shuffle=True, budget=10)
    manifest = run_shards(tmp_path / "out")
    assert manifest is not None
    assert (manifest.documents, manifest.left_out) == (0, {"too_short": 2})
    verify_shards(tmp_path / "out", deep=True)


def test_what_could_not_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"text": "ab"}\n{"no": 1}\n{"text": "ab"}\n{"text": "a\\ud800"}\n')
    plan_shards(tmp_path / "bad.jsonl", TOK, tmp_path / "out", format="numpy", dedupe=True)
    manifest = run_shards(tmp_path / "out")
    assert manifest is not None
    assert (manifest.left_out, manifest.repaired) == ({"duplicate": 1, "no_field": 1}, 1)
    assert [row["at"] for row in manifest.rejects] == [15]
    again = json.loads((tmp_path / "out" / "_anypiece" / "manifest.json").read_bytes())
    assert again["rejects"] == manifest.rejects


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dedupe": 1}, "dedupe must be True or False"),
        ({"budget": "many"}, "budget must be a number of tokens, such as 10B"),
        ({"weights": {"web": 0.7}}, "The source 'code' has no weight"),
        (
            {"weights": {"web": 0.7, "code": 1, "other": 1}},
            "weights= names 'other', and the named inputs are: code, web",
        ),
        ({"weights": {"web": -1, "code": 1}}, "weights must have a number from 0"),
        ({"weights": {"web": 0, "code": 0}}, "weights must not all be 0"),
        ({"weights": ["web"]}, "such as web=0.7, not web="),
        ({"weights": [3]}, "such as web=0.7"),
        ({"epochs": {"code": 2}}, "have to be shuffled.*shuffle=True"),
        ({"weights": {"web": 1, "code": 1}, "budget": 10}, "have to be shuffled"),
        ({"epochs": {"code": 0.5}, "budget": 10}, "leave budget= and weights= out"),
    ],
)
def test_bad_options(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(tmp_path, **options)


def test_sources(tmp_path: Path) -> None:
    written(tmp_path, "corpus.txt")
    (tmp_path / "a=b.txt").write_text("ab\n")
    named = [f"web={tmp_path / 'corpus.txt'}", str(tmp_path / "a=b.txt")]
    assert plan_shards(named, TOK, tmp_path / "out", format="numpy").sources == ("web", "")
    with pytest.raises(InputError, match="Inputs without a name have no weight"):
        plan_shards(named, TOK, tmp_path / "other", format="numpy", weights={"web": 1})
    with pytest.raises(InputError, match="A source has a name"):
        plan_shards({"": tmp_path}, TOK, tmp_path / "other", format="numpy")
    (tmp_path / "empty.txt").write_bytes(b"")
    both = {"web": tmp_path / "corpus.txt", "none": tmp_path / "empty.txt"}
    plan_shards(both, TOK, tmp_path / "third", format="numpy", weights={"web": 1, "none": 1})
    with pytest.raises(InputError, match="The source 'none' has a weight and no tokens"):
        run_shards(tmp_path / "third", processes=1)
