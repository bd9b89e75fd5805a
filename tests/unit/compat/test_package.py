"""What importing costs: nothing is imported that a program did not ask for."""

from __future__ import annotations

import subprocess
import sys

import pytest


def imported_by(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    return set(found.split())


def test_the_package_does_not_import_its_faces() -> None:
    assert not {name for name in imported_by("import anypiece") if name.startswith("anypiece.compat")}


@pytest.mark.parametrize("face", ["sentencepiece", "tiktoken"])
def test_a_face_imports_neither_the_original_nor_trainers(face: str) -> None:
    found = imported_by(f"import anypiece.compat.{face}")
    assert f"anypiece.compat.{face}" in found
    assert not found & {"sentencepiece", "tiktoken", "regex", "requests", "anypiece.training", "anypiece.cli"}


def test_the_trainer_comes_when_it_is_asked_for() -> None:
    assert "anypiece.training" in imported_by("from anypiece.compat.sentencepiece import SentencePieceTrainer")
