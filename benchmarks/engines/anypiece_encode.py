"""This project's plain encoding where others draw: how much a draw costs beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks import engines
from benchmarks.definition import Chance
from benchmarks.engines import anypiece


class Engine(anypiece.Engine):
    """``encode_array`` in the place of a draw."""

    note = "encode_array"

    def sample(self, chance: Chance) -> Callable[[str], Any]:
        return self.tokenizer.encode_array

    def proves(self, text: str, ids: engines.Ids, chance: Chance) -> bool:
        return True
