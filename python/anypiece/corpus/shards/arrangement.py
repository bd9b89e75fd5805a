"""What becomes of the documents of all tasks, found out when all are encoded: part of the plan from then on."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import FormatError
from ...io.paths import file_error
from .formats.output import CONTROL

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ARRANGEMENT", "Arrangement", "Taken", "read_arrangement"]

ARRANGEMENT = f"{CONTROL}/arrangement.json"


@dataclass(frozen=True)
class Taken:
    """Which documents of a source are written, and how often."""

    copies: int
    """How often each document is."""
    below: int
    """Documents whose number of draws is below this are written once more; at most 2^64."""
    documents: int
    """How many are written, copies counted."""
    tokens: int


@dataclass(frozen=True)
class Arrangement:
    """The documents that are written, and to how many shards."""

    shards: int
    """How many shards each part has."""
    folds: int
    """The number of stretches that a shard is shuffled in, so that one of them fits into memory."""
    taken: dict[str, Taken]
    """By the names of sources."""
    left_out: dict[str, int]
    """How many documents are not written, by reason."""
    repaired: int = 0
    cut: int = 0
    with_specials: int = 0
    rejects: list[dict[str, Any]] = field(default_factory=list)
    """The first that could not be used."""

    @property
    def sources(self) -> dict[str, dict[str, int]]:
        """The documents and tokens that are written of each source."""
        return {name: {"documents": row.documents, "tokens": row.tokens} for name, row in self.taken.items()}

    def to_json(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Arrangement:
        """The reverse."""
        return cls(**{**value, "taken": {name: Taken(**row) for name, row in value["taken"].items()}})


def read_arrangement(path: Path) -> Arrangement | None:
    """The arrangement in a file; nothing where there is no such file yet."""
    try:
        return Arrangement.from_json(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise file_error("file-unreadable", path, error) from None
    except (ValueError, KeyError, TypeError) as error:
        message = f"{path} is damaged: {error}. Remove it, and it is made again."
        raise FormatError("shards-plan", message, path=str(path)) from None
