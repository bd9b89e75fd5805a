"""transformers of the release whose folders are reproduced, in a process of its own.

It is installed on first use into ``.cache/peers`` with what it needs to read tokenizers, and without what runs models.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.peer import PeerDied, Worker, installed_beside

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["NEEDED", "VERSION", "Transformers"]

VERSION = "5.23.0"
NEEDED = (
    "annotated-doc==0.0.6",
    "anyio==4.16.0",
    "filelock==4.2.10",
    "fsspec==2026.9.0",
    "h11==0.16.0",
    "httpcore2==2.16.0",
    "httpx2==2.16.0",
    "huggingface_hub==2.4.0",
    "idna==3.20",
    "protobuf==7.36.2",
    "regex==2026.11.9",
    "safetensors==0.8.0",
    "shellingham==1.5.4",
    "truststore==0.10.5",
    "typer==0.29.1",
    "typing_extensions==4.16.0",
)
"""What is not in the environment of the tests, or not for sure."""


class Transformers(Worker):
    """AutoTokenizer. ``open`` a folder, ask about texts, ``close``."""

    def __init__(self) -> None:
        place = installed_beside(f"transformers-{VERSION}", f"transformers=={VERSION}", *NEEDED)
        super().__init__(f"transformers {VERSION}", "tests.support.transformers_worker", [place])

    def open(self, folder: Path) -> dict[str, Any]:
        """Load a folder; what it has become."""
        facts: dict[str, Any] = json.loads(self._ask("open", [], folder=str(folder))[0])
        if facts["version"] != VERSION:
            raise PeerDied(f"wanted transformers {VERSION}, found {facts['version']}")
        return facts

    def settings(self) -> dict[str, Any]:
        """What it says besides its tokens: lengths, sides, templates."""
        found: dict[str, Any] = json.loads(self._ask("settings", [])[0])
        return found

    def answers(self, texts: Sequence[bytes]) -> dict[str, Any]:
        """Ids, with and without what stands around texts, of pairs too, and the text of ids."""
        found: dict[str, Any] = json.loads(self._ask("answers", texts)[0])
        return found
