"""GGUF files against what llama.cpp returned for them; the same on all texts is part of ``make parity``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from tests.parity.gguf import first_difference
from tests.support.gguf import files

if TYPE_CHECKING:
    from pathlib import Path

READ = files()


@pytest.mark.parametrize("path", READ, ids=lambda path: path.name)
def test_sampled(path: Path) -> None:
    assert first_difference(ap.load(path), path.name, 7) is None


@pytest.mark.parametrize("path", READ, ids=lambda path: path.name)
def test_reading_and_writing(path: Path, tmp_path: Path) -> None:
    tok = ap.load(path)
    tok.save(tmp_path / "again.gguf")
    assert ap.load(tmp_path / "again.gguf") == tok
    written = (tmp_path / "again.gguf").read_bytes()
    assert written[24:] == path.read_bytes()[24 : len(written)]
