"""What a process of a cluster does: tasks of a plan, by their numbers, and errors as values that travel."""

from __future__ import annotations

import socket
from functools import lru_cache
from typing import TYPE_CHECKING

from ...errors import AnyPieceError, FormatError
from ..shards.phases import phase_of
from ..shards.plan import read_plan

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer
    from ..shards.phases import Phase

__all__ = ["done"]


def done(folder: str, digest: str, name: str, number: int, threads: int) -> AnyPieceError | None:
    """Do a task of a phase of the plan of that digest in a folder; what went wrong, if anything did.

    An error is no exception here, so that no engine takes it for a failure of the machine and tries again.
    """
    try:
        phase, tokenizer = _opened(folder, digest, name)
        phase.run(number, tokenizer, threads=threads)
    except AnyPieceError as error:
        return error
    return None


@lru_cache(maxsize=1)
def _opened(folder: str, digest: str, name: str) -> tuple[Phase, Tokenizer | None]:
    """A phase and the tokenizer, which a process keeps from one task to the next."""
    plan = read_plan(folder)
    if plan.digest != digest:
        message = (
            f"{socket.gethostname()} has another plan in {folder} than the program that hands out the tasks. "
            "The folder must be the same one on all machines."
        )
        raise FormatError("shards-plan", message, path=folder)
    phase = phase_of(plan, name)
    return phase, plan.tokenizer() if phase.encodes else None
