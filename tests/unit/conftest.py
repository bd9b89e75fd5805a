"""The command line as a fixture. Unit tests that read real files are not collected where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.data import DATA
from tests.unit.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

collect_ignore = [] if DATA else ["test_sentencepiece_files.py", "test_tiktoken_files.py"]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    """The command line in an empty folder with three small tokenizers."""
    return Shell(monkeypatch, tmp_path)
