"""This project's batch of strings where others read a column: what the column saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import engines
from benchmarks.engines import anypiece


class Engine(anypiece.Engine):
    """``encode_batch`` of a list of ``str``, in the place of a column."""

    note = "encode_batch of a list"

    def column_of(self, texts: Sequence[str]) -> Any:
        return texts

    def column(self) -> Callable[[Any], Any]:
        return self.batch()

    def unpack_column(self, result: Any) -> Sequence[engines.Ids]:
        return self.unpack_batch(result)
