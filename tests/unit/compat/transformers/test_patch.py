"""``patch`` with the real transformers, in a process of its own, and the examples of the page about it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.data import ROOT
from tests.support.peer import installed_beside
from tests.support.transformers_peer import NEEDED, VERSION

if TYPE_CHECKING:
    from pathlib import Path

_OLD = ("tokenizers==0.22.2", "huggingface_hub==0.36.2")
RELEASES = {VERSION: NEEDED, "4.57.6": (*_OLD, *(name for name in NEEDED if not name.startswith("huggingface_hub")))}


@pytest.mark.parametrize("version", RELEASES)
def test_patching_and_the_examples_of_its_page(version: str, tmp_path: Path) -> None:
    peer = installed_beside(f"transformers-{version}", f"transformers=={version}", *RELEASES[version])
    path = os.pathsep.join(map(str, [peer, ROOT]))
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.patch_worker", str(ROOT / "docs" / "compat" / "transformers.md")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"all is well with {version}\n")
