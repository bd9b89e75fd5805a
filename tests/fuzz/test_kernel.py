"""What the kernel's fuzzer found stays found: every row is replayed, and the fuzzer runs for a moment.

It is a Rust binary, which cargo builds here.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.data import ROOT

KERNEL_ROWS = ROOT / "tests" / "cases" / "fuzz" / "kernel.jsonl"


def kernel_fuzzer(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["cargo", "run", "--release", "--quiet", "-p", "anypiece-fuzz", "--", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_kernel_rows() -> None:
    run = kernel_fuzzer("--replay", KERNEL_ROWS)
    rows = len(KERNEL_ROWS.read_text("utf-8").splitlines())
    assert (run.returncode, run.stdout) == (0, f"kernel: {rows} rows replayed, 0 findings\n"), run.stderr


def test_kernel_fuzzer_runs(tmp_path: Path) -> None:
    run = kernel_fuzzer("--seconds", "3", "--seed", "7", "--keep", tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "kernel: seed 7, 3 seconds" in run.stdout
    assert ", 0 findings" in run.stdout.splitlines()[-1]
