"""How much memory a run needs, and how many processes fit into what it may have.

A process holds the interpreter with its libraries, the vocabulary, what waits between its threads, and a block of lines as
long as the longest line that is not streamed; all of it was measured. A table adds its largest row group: its bytes, and the
rows of it that are decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._core.memory import shown, size_of
from ...errors import InputError
from . import tables
from .plan import TOKENIZER

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["needed", "processes_within"]

_PROCESS = 224_000_000
"""A process held 88 MB for documents of 3 kB, 160 MB for lines of 7.5 MB, 104 MB for one line of 57 MB, with pyarrow 60 MB
more."""
_TABLE = 3
_VOCABULARY = 4


def needed(plan: Plan) -> int:
    """How many bytes a process of a run needs at most."""
    largest = 0
    for file in plan.files:
        if file.kind in ("parquet", "arrow"):
            sizes = tables.sizes(file.path, file.kind, plan.options.field, plan.options.columns)
            largest = max(largest, *sizes, 0)
    vocabulary = (plan.folder / TOKENIZER).stat().st_size
    return _PROCESS + _VOCABULARY * vocabulary + _TABLE * largest


def processes_within(plan: Plan, max_memory: int | str, processes: int) -> int:
    """How many processes a run may have, at most ``processes``; refuses what is not enough for one."""
    most, each = size_of(max_memory), needed(plan)
    if most < each:
        message = f"A process of this run needs {shown(each)}. Give it more with max_memory, which is {shown(most)}."
        raise InputError("argument-value", message, argument="max_memory", needed=each)
    return min(processes, most // each)
