"""The command line as a fixture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    """The command line in an empty folder with three small tokenizers."""
    return Shell(monkeypatch, tmp_path)
