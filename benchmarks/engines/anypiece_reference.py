"""This project's reference path: each text is segmented as a whole, without units or cache.

It stands in for llama.cpp, which has no Python package: the parity tests compare both with its answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.engines import anypiece


class Engine(anypiece.Engine):
    """The kernel's ``encode_reference``."""

    note = "encode by the reference path"

    def array(self) -> Callable[[str], Any]:
        return self.tokenizer._kernel.encode_reference
