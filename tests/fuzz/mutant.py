"""A mutant: a damaged file, how it is to be loaded, and what came of it. Findings are kept as rows of JSON."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DOCUMENTS", "Mutant", "Outcome", "keep"]

_MAX_HEX = 600
DOCUMENTS = (".json", ".config")
"""Suffixes of mutants that are JSON: a tokenizer.json, and the tokenizer_config.json of a folder."""


@dataclass(frozen=True)
class Mutant:
    """What a worker is given."""

    data: bytes
    suffix: str = ".model"
    options: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of ``load``."""
    base: bytes = b""
    """What it was made from, where that has the same layout."""

    def row(self, outcome: Outcome) -> dict[str, Any]:
        """Everything that is needed to do it again."""
        if len(self.data) <= _MAX_HEX:
            data = {"hex": self.data.hex()}
        else:
            data = {"zlib": base64.b64encode(zlib.compress(self.data, 9)).decode()}
        head = {"fuzzer": "loaders", "check": outcome.check, "what": outcome.what}
        return {**head, "suffix": self.suffix, "options": self.options, **data}


class Outcome(NamedTuple):
    """What came of a mutant: ``loaded`` and ``refused`` are fine, every other ``check`` is a finding."""

    check: str
    what: str
    place: str = ""
    """Where it happened: what tells one finding from another."""

    @property
    def fine(self) -> bool:
        """Whether this is as it should be."""
        return self.check in ("loaded", "refused")


def keep(folder: Path, seed: int, mutant: Mutant, outcome: Outcome) -> Path:
    """Append a row to the run's file of findings."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"loaders-{seed}.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(mutant.row(outcome), ensure_ascii=False) + "\n")
    return path
