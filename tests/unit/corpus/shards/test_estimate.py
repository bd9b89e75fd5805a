"""What a plan is said to take: the arithmetic, and that a sample of any kind of input is measured and leaves nothing."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anypiece import InputError
from anypiece.corpus.shards import estimate_shards, plan_shards, run_shards
from anypiece.corpus.shards.estimate import Estimate
from anypiece.corpus.shards.task import Sample
from tests.support.corpora import KINDS, TOK, tree, written

if TYPE_CHECKING:
    from tests.support.shell import Shell

TEXTS = [f"ab {number} c" * (1 + number % 9) for number in range(1000)]


MEASURED: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in KINDS),
    *((name, {"shuffle": True}) for name in ("corpus.jsonl", "corpus.parquet")),
    *((name, {"validation": 0.2}) for name in ("corpus.csv", "corpus.arrow")),
]
"""Every kind of input, and each option with one that is cut anywhere and one that is cut between its batches."""


@pytest.mark.parametrize(("name", "options"), MEASURED, ids=str)
def test_a_sample_of_all_is_all(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    """With time enough the sample is the corpus, and the estimate what the run then gives."""
    path = written(tmp_path, name, TEXTS)
    plan = plan_shards(path, TOK, tmp_path / "out", format="numpy", shard_size=10_000, **options)
    before = tree(plan.folder)
    found = estimate_shards(plan, 2, processors=3, seconds=1000)
    assert tree(plan.folder) == before
    manifest = run_shards(plan.folder, processes=1)
    assert manifest is not None
    assert found.tasks == len(plan.tasks)
    if len(plan.tasks) <= 8:
        assert found.sample.read == pytest.approx(path.stat().st_size, rel=0.01)
        assert (found.sample.documents, found.sample.tokens) == (manifest.documents, manifest.tokens)
    assert found.tokens == pytest.approx(manifest.tokens, rel=0.2)
    if options.get("shuffle"):  # what is staged has the place of each document, too
        assert 1.6 * manifest.bytes < found.disk < 4 * manifest.bytes
    else:
        assert found.disk == pytest.approx(manifest.bytes, rel=0.35)
    assert found.at_once == min(6, len(plan.tasks))


def test_the_time_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the parts are."""
    path = tmp_path / "a.txt"
    path.write_text("ab c é " * 10 + "\n")
    path.write_bytes(path.read_bytes() * 100_000)
    plan = plan_shards(path, TOK, tmp_path / "out", format="numpy")
    clock = iter(range(0, 10**6, 3))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    found = estimate_shards(plan, seconds=1.0)
    assert 0 < found.sample.read < path.stat().st_size
    assert found.sample.tokens > 0


def test_the_arithmetic() -> None:
    sample = Sample(1000, 5, 400, 800)
    one = Estimate(sample, 2.0, 3_600_000, 10, 1, 1, 200, False)
    assert (one.rate, one.hours, one.disk, one.memory, one.tokens) == (500, 2, 2_880_000, 200, 1_440_000)
    many = Estimate(sample, 2.0, 3_600_000, 10, 4, 8, 200, True)
    assert (many.at_once, many.hours, many.disk, many.memory) == (10, 0.2, 5_760_000, 1600)
    assert "10 shards at once, since there are no more" in "\n".join(many.lines())
    assert "× 2, as ids are staged first" in "\n".join(many.lines())


def test_a_larger_corpus_of_such_inputs(tmp_path: Path) -> None:
    path = written(tmp_path, "corpus.jsonl", TEXTS)
    plan = plan_shards(path, TOK, tmp_path / "out", format="megatron", shard_size=10_000)
    found = estimate_shards(plan, 8, processors=32, corpus_size="10TB")
    assert found.size == 10**13
    assert found.tasks == 10**13 // (path.stat().st_size // len(plan.tasks))
    assert found.at_once == 256


def test_what_cannot_be_estimated(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    plan = plan_shards(tmp_path / "empty.txt", TOK, tmp_path / "out", format="numpy")
    with pytest.raises(InputError, match="no input to measure"):
        estimate_shards(plan)
    for options in ({"machines": 0}, {"processors": 0}, {"corpus_size": "many"}):
        with pytest.raises(InputError):
            estimate_shards(plan, **options)


def test_the_command_line(shell: Shell) -> None:
    written(shell.folder, "corpus.jsonl", TEXTS)
    plan = ("shards", "plan", "-t", "tok.model", "--to", "megatron", "-o", "out", "corpus.jsonl")
    found = shell(*plan, "--machines", "4", "--processors", "2", "--corpus-size", "1TB")
    assert found.code == 0
    words = [line.split()[0] for line in found.out.splitlines()]
    assert words == ["1", "measured", "time", "disk", "memory", "traffic", "tokens"]
    assert "1.0 TB ÷ (" in found.out
    assert "/s × 4 machines × 2 processors) = " in found.out
    (row,) = shell(*plan, "--machines", "4", "--json").rows()
    size = Path("corpus.jsonl").stat().st_size
    assert (row["estimate"]["size"], row["estimate"]["measured"]["read"]) == (size, size)
    assert json.loads(shell(*plan, "--json").out).get("estimate") is None
    assert shell(*plan, "--corpus-size", "1TB").code == 2
    assert shell("shards", "run", "--machines", "2", "out").code == 2
