"""``anypiece.loaders`` with the real datasets and torch, in a process of its own, and the examples of the page."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.data import ROOT
from tests.support.loaders_peer import DATASETS, TORCH, folders

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.timeout(3600)  # the first time, torch is installed
def test_mapping_draws_and_the_examples_of_the_page(tmp_path: Path) -> None:
    path = os.pathsep.join(map(str, [*folders(), ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]))
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.loaders_worker", str(ROOT / "docs" / "guide" / "tables.md")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"all is well with datasets {DATASETS} and torch {TORCH}\n")
