"""This project's plain encoding where others draw: how much a draw costs compared with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks import engines
from benchmarks.engines import anypiece
from benchmarks.harness.definition import Sampling


class Engine(anypiece.Engine):
    """``encode_array`` in the place of a draw."""

    note = "encode_array"

    def sample(self, sampling: Sampling) -> Callable[[str], Any]:
        return self.tokenizer.encode_array

    def verifies(self, text: str, ids: engines.Ids, sampling: Sampling) -> bool:
        return True
