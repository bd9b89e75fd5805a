"""Each suite against the original, then against ours: ``python -m tests.compat.run [NAME ...]``.

Of what the original passes, offline and with the same fixtures, 97 % must pass on ours, and what does not must be the
tests that the suite names in ``differs``, each of which its page in ``docs/compat`` explains. Folders of the runs, with the
output of pytest, are kept in ``.cache/compat``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.compat.suite import SUITES, Suite, named
from tests.support.data import CACHE, ROOT, folder
from tests.support.peer import installed_beside
from tests.support.training_peers import training_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["BAR", "PROGRAMS", "Result", "compared", "main", "names"]

BAR = 0.97
PROGRAMS = {
    "loaders": ("tests.compat.loaders", "docs/guide/tables.md"),
    "patched": ("tests.parity.patched",),
    "training": ("tests.compat.page", "docs/compat/training.md"),
}
"""Modules that need the libraries of training to run, some with a page whose examples they run."""
_START = ROOT / "tests" / "compat" / "start"
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


@dataclass(frozen=True)
class Result:
    """What a suite has shown."""

    suite: Suite
    wanted: frozenset[str]
    """What the original passes and counts."""
    failed: frozenset[str]
    """What of it fails on ours."""
    refused: frozenset[str]
    """What counts, but the original does not pass either."""

    @property
    def share(self) -> float:
        return 1 - len(self.failed) / len(self.wanted) if self.wanted else 0.0

    def faults(self, *, whole: bool = True) -> list[str]:
        """What is wrong, in sentences; none if all is well. A sample need not reach all that differs."""
        found = [] if self.wanted else ["the original passes nothing"]
        if self.share < BAR:
            found.append(f"{self.share:.1%} of what the original passes is below {BAR:.0%}")
        found += [f"{test} fails and is not listed" for test in sorted(self.failed - set(self.suite.differs))]
        if whole:
            found += [f"{test} is listed but does not fail" for test in sorted(set(self.suite.differs) - self.failed)]
        page = ROOT / "docs" / "compat" / f"{self.suite.name}.md"
        text = page.read_text("utf-8") if page.exists() else ""
        listed = {*self.suite.differs, *self.suite.not_counted}
        found += [f"{page.name} does not name {test}" for test in sorted(listed) if test.split("::")[-1] not in text]
        return found


def names() -> list[str]:
    """All suites."""
    return sorted(path.stem for path in SUITES.glob("*.py") if path.stem != "__init__")


def compared(suite: Suite, *, sample: bool = False) -> Result:
    """Run a suite on both sides."""
    tests = suite.sample if sample else suite.tests
    original = _outcomes(suite, tests, ours=False)
    ours = _outcomes(suite, tests, ours=True)
    passed = frozenset(test for test, outcome in original.items() if outcome == "passed" and suite.counts(test))
    refused = frozenset(test for test, outcome in original.items() if outcome != "passed" and suite.counts(test))
    return Result(suite, passed, frozenset(test for test in passed if ours.get(test) != "passed"), refused)


def _outcomes(suite: Suite, tests: Sequence[str], *, ours: bool) -> dict[str, str]:
    place = CACHE / "compat" / suite.name / f"{'ours' if ours else 'original'}-{os.getpid()}"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder() / "upstream" / suite.upstream, place / suite.upstream.rpartition("/")[2])
    environment = {**os.environ, **_OFFLINE, "PYTHONPATH": _path(suite)}
    environment |= suite.prepare(place) if suite.prepare else {}
    environment["ANYPIECE_COMPAT_OUTCOMES"] = str(place / "outcomes.json")
    if ours:
        environment["ANYPIECE_COMPAT"] = json.dumps({"aliases": dict(suite.aliases), "startup": suite.startup})
    (place / "pytest.ini").write_text("[pytest]\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "compat_outcomes", *tests]
    with (place / "output.txt").open("wb") as output:
        subprocess.run(command, cwd=place, env=environment, stdout=output, stderr=output, check=False)
    outcomes = place / "outcomes.json"
    if not outcomes.exists():
        raise SystemExit(f"pytest did not run: {(place / 'output.txt').read_text('utf-8', 'replace')}")
    found: dict[str, str] = json.loads(outcomes.read_text("utf-8"))
    kept = place.with_name("ours" if ours else "original")
    shutil.rmtree(kept, ignore_errors=True)
    place.rename(kept)
    return found


def _path(suite: Suite) -> str:
    return os.pathsep.join(map(str, [_START, *_installed(suite)]))


def _installed(suite: Suite) -> list[Path]:
    if not suite.packages:
        return []
    return [installed_beside(f"compat-{suite.name}-{suite.version}", *suite.packages)]


def _failed_commands(suite: Suite) -> list[str]:
    path = os.pathsep.join(map(str, [*_installed(suite), ROOT]))
    environment = {**os.environ, **_OFFLINE, "PYTHONPATH": path}
    runs = [
        (command, subprocess.run([sys.executable, *command], cwd=ROOT, env=environment)) for command in suite.commands
    ]
    return [f"python {' '.join(command)} ended with {run.returncode}" for command, run in runs if run.returncode]


def _failed_program(name: str) -> list[str]:
    """Runs a module with the examples of its page, on a processor and offline; what is wrong with it."""
    path = os.pathsep.join(map(str, [*training_path(), ROOT]))
    environment = {**os.environ, **_OFFLINE, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", *PROGRAMS[name]]
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    return [f"python {' '.join(command[1:])} ended with {code}"] if code else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run suites and programs by name, or all; 1 if one shows a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.compat.run", description=__doc__)
    parser.add_argument(
        "name", nargs="*", choices=[*names(), *PROGRAMS, []], help="suites and programs; all if none is named"
    )
    parser.add_argument("--sample", action="store_true", help="the short run of each")
    chosen = parser.parse_args(arguments)
    bad = False
    for name in chosen.name or [*names(), *([] if chosen.sample else PROGRAMS)]:
        if name in PROGRAMS:
            faults = _failed_program(name)
            print("".join(f"  FAULT: {fault}\n" for fault in faults), end="", flush=True)
            bad |= bool(faults)
            continue
        suite = named(name)
        result = compared(suite, sample=chosen.sample)
        faults = result.faults(whole=not chosen.sample) + _failed_commands(suite)
        passed = len(result.wanted) - len(result.failed)
        print(f"{name} {suite.version}: {passed} of {len(result.wanted)} that the original passes ({result.share:.1%})")
        print("".join(f"  differs: {test}: {suite.differs.get(test, '?')}\n" for test in sorted(result.failed)), end="")
        print("".join(f"  the original does not pass: {test}\n" for test in sorted(result.refused)), end="")
        print("".join(f"  FAULT: {fault}\n" for fault in faults), end="", flush=True)
        bad |= bool(faults)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
