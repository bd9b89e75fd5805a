"""What engines hand out and take back, without Ray or Spark; ``make engines`` has the real ones."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import anypiece as ap
from anypiece.corpus.engines import ray, spark
from anypiece.corpus.engines.tasks import done
from anypiece.corpus.shards import Plan, plan_shards, run_shards
from tests.support.corpora import TOK, tree, written
from tests.support.fake_ray import FakeRay

TEXTS = [f"ab {number} c" * (number % 9) for number in range(300)]


def planned(folder: Path, name: str = "out", **options: Any) -> Plan:
    source = folder / "corpus.jsonl"
    if not source.exists():
        written(folder, "corpus.jsonl", TEXTS)
    return plan_shards(source, TOK, folder / name, **{"format": "megatron", "shard_size": 4000, **options})


@pytest.mark.parametrize("options", [{}, {"dedupe": True, "shuffle": True, "format": "numpy"}])
def test_an_engine_writes_the_bytes_of_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    run_shards(planned(tmp_path, **options).folder, processes=1)
    monkeypatch.setitem(sys.modules, "ray", FakeRay())  # type: ignore[arg-type]
    steps: list[tuple[str, int, int]] = []
    manifest = ray.run(planned(tmp_path, "other", **options), progress=lambda *step: steps.append(step))
    assert manifest is not None
    assert tree(tmp_path / "other") == tree(tmp_path / "out")
    assert steps[-1][1] == steps[-1][2]


def test_tasks_are_handed_out_as_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(tmp_path)
    for processes, most in ((None, 4), (1, 1)):
        fake = FakeRay()
        calls = [(number, ("", "", "", number, 1)) for number in range(9)]
        results = list(ray.each(fake, lambda *values: values[3], iter(calls), 1, processes))
        assert sorted(number for number, _, _ in results) == list(range(9))
        assert fake.most == most
    stop = threading.Event()
    stop.set()
    monkeypatch.setitem(sys.modules, "ray", FakeRay())  # type: ignore[arg-type]
    assert ray.run(plan, stop=stop) is None
    assert list(plan.folder.glob("*.bin")) == []


def test_a_task_that_dies_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", FakeRay(frozenset({1})))  # type: ignore[arg-type]
    with pytest.raises(
        ap.InternalError, match=r"died on 4 workers of Ray: killed.*go on: anypiece shards run"
    ) as error:
        ray.run(plan)
    assert error.value.code == "shards-worker"
    assert len(list(plan.folder.glob("*.bin"))) == len(plan.tasks) - 1
    monkeypatch.setitem(sys.modules, "ray", FakeRay())  # type: ignore[arg-type]
    assert ray.run(plan.folder) is not None


def test_errors_come_back_as_values(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    (tmp_path / "corpus.jsonl").write_text("{}\n")
    error = done(str(plan.folder), plan.digest, "shards", 0, 1)
    assert isinstance(error, ap.FormatError)
    assert error.code == "shards-changed"
    assert pickle.loads(pickle.dumps(error)).code == error.code
    other = done(str(plan.folder), "another", "shards", 0, 1)
    assert isinstance(other, ap.FormatError)
    assert "another plan" in str(other)
    missing = done(str(tmp_path / "nowhere"), plan.digest, "shards", 0, 1)
    assert isinstance(missing, ap.FormatError)
    assert missing.code == "shards-plan"


@pytest.mark.parametrize(
    ("engine", "name", "module"), [(ray, "ray", "ray"), (spark, "pyspark", "pyspark.sql")], ids=["ray", "spark"]
)
def test_without_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Any, name: str, module: str
) -> None:
    plan = planned(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        ap.InputError, match=rf"needs the package {name}\. Install it: pip install 'anypiece\["
    ) as error:
        engine.run(plan)
    assert error.value.code == "extra-missing"


@pytest.mark.parametrize("options", [{"processes": 0}, {"retries": -1}, {"threads": 0}])
def test_arguments(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(ap.InputError, match="must be"):
        ray.run(planned(tmp_path), **options)


def test_nothing_imports_an_engine_before_it_is_used() -> None:
    code = (
        "import sys, anypiece, anypiece.cli, anypiece.cli.shards, anypiece.cli.words, anypiece.corpus.shards\n"
        "import anypiece.corpus.engines.ray, anypiece.corpus.engines.spark, anypiece.loaders.ray, anypiece.loaders.spark\n"
        "print(sorted({'ray', 'pyspark', 'py4j', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


class OutOfReach(FakeRay):
    """Ray whose named cluster does not answer."""

    def is_initialized(self) -> bool:
        return False

    def init(self, address: str, **options: Any) -> None:
        raise ConnectionError("no answer")


@pytest.mark.parametrize("named", ["argument", "environment"])
def test_a_named_cluster_out_of_reach_is_an_error(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cluster of this machine is begun in its place."""
    monkeypatch.setitem(sys.modules, "ray", OutOfReach())  # type: ignore[arg-type]
    if named == "environment":
        monkeypatch.setenv("RAY_ADDRESS", "ray.example:6379")
    with (
        pytest.raises(
            ap.InputError, match=r"There is no Ray cluster at 'ray\.example:6379'.*AUTH_MODE=token\): no answer"
        ),
        ray.connected("ray.example:6379" if named == "argument" else None),
    ):
        pass
