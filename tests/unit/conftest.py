"""The command line as a fixture. Unit tests that read real files are not collected where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.data import DATA
from tests.support.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

collect_ignore = [] if DATA else ["formats/sentencepiece/test_real_files.py", "formats/tiktoken/test_real_files.py"]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    """The command line in an empty folder with three small tokenizers."""
    return Shell(monkeypatch, tmp_path)
