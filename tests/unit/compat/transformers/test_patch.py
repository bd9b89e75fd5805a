"""``patch`` with the real transformers, in a process of its own, and the examples of the page about it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.support.data import ROOT
from tests.support.peer import installed_beside
from tests.support.transformers_peer import NEEDED, VERSION

if TYPE_CHECKING:
    from pathlib import Path


def test_patching_and_the_examples_of_its_page(tmp_path: Path) -> None:
    peer = installed_beside(f"transformers-{VERSION}", f"transformers=={VERSION}", *NEEDED)
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
    assert done.stdout.endswith(f"all is well with {VERSION}\n")
