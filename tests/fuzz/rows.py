"""Rows of findings: read again, as mutants. One written by hand may name a hand-made vocabulary."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

from tests.fuzz.mutant import Mutant
from tests.fuzz.sections import patched
from tests.fuzz.sources import made_file

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["mutant_of", "read_rows"]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The loaders' rows of a file of findings."""
    lines = path.read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return [row for row in rows if row["fuzzer"] == "loaders"]


def mutant_of(row: dict[str, Any]) -> Mutant:
    """The mutant of a row: its bytes (``hex`` may be repeated ``times`` after ``before``), or ``made`` with ``patches``."""
    return Mutant(_data(row), row["suffix"], row.get("options", {}))


def _data(row: dict[str, Any]) -> bytes:
    if "made" in row:
        return patched(made_file(row["made"], row["suffix"]), row["patches"])
    if "zlib" in row:
        return zlib.decompress(base64.b64decode(row["zlib"]))
    before, data = bytes.fromhex(row.get("before", "")), bytes.fromhex(row["hex"])
    return before + data * int(row.get("times", 1))
