"""gigatoken: BPE only, from ``tokenizer.json`` or a rank file; numpy output."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gigatoken
import numpy as np

from benchmarks import engines

# What encode_batch returns; imported here, else its import falls into the first timed batch.
importlib.import_module("awkward")


class Engine(engines.Engine):
    """The backend's ``encode`` (numpy, without the wrapper), ``tolist`` of that for lists, ``encode_batch`` (awkward)."""

    package = "gigatoken"
    note = "backend.encode: numpy; lists by tolist, cheaper than its list call for one text"
    wants_arrays = True
    reads_ranks = True

    def __init__(self, path: Path, threads: int) -> None:
        self.threads = threads
        self.backend: Any = load(path).backend

    def array(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.backend.encode
        return call

    def listed(self) -> Callable[[str], Any]:
        encode = self.backend.encode
        return lambda text: encode(text).tolist()

    def batch(self) -> Callable[[list[str]], Any]:
        return partial(self.backend.encode_batch, parallel=self.threads > 1)

    def unpack_batch(self, result: Any) -> Sequence[engines.Ids]:
        return [np.asarray(row) for row in result]

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.backend.decode
        return call


def load(path: Path) -> Any:
    """Load a file; of a rank file the name says how text is split. Special tokens in a text are text."""
    if path.suffix == ".tiktoken":
        return gigatoken.Tokenizer.from_tiktoken(str(path), special_tokens={})
    return gigatoken.Tokenizer(str(path))
