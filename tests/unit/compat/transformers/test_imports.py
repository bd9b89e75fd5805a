"""What is not used is not imported."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("anypiece", ("anypiece.compat", "tokenizers", "transformers")),
        ("anypiece.compat.tokenizers", ("tokenizers", "transformers", "torch")),
        ("anypiece.compat.transformers", ("tokenizers", "transformers", "torch")),
    ],
)
def test_nothing_else_is_imported(imported: str, absent: tuple[str, ...]) -> None:
    source = f"import sys, {imported}; print([name for name in {absent!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
