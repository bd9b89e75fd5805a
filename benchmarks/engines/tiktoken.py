"""The reference for rank files: the tiktoken package itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import tiktoken
from tiktoken.load import load_tiktoken_bpe
from tiktoken_ext import openai_public

from benchmarks import engines

# Read the file that is given, instead of a copy of it in the temporary folder.
os.environ["TIKTOKEN_CACHE_DIR"] = ""


class Engine(engines.Engine):
    """``encode_to_numpy`` for arrays, ``encode_ordinary`` for lists; special tokens in a text are text."""

    package = "tiktoken"
    note = "encode_to_numpy where an array will do, else encode_ordinary"
    reads_ranks = True

    def __init__(self, path: Path, threads: int) -> None:
        self.threads = threads
        self.encoding: Any = tiktoken.Encoding(**parameters(path))

    def array(self) -> Callable[[str], Any]:
        return partial(self.encoding.encode_to_numpy, disallowed_special=())

    def listed(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.encoding.encode_ordinary
        return call

    def batch(self) -> Callable[[list[str]], Any]:
        return partial(self.encoding.encode_ordinary_batch, num_threads=self.threads)

    def count(self) -> Callable[[str], int]:
        encode = self.array()
        return lambda text: len(encode(text))

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.encoding.decode
        return call


def parameters(path: Path) -> dict[str, Any]:
    """Return what tiktoken's own definition of the encoding says, with the ranks of a local file instead of its URL."""

    def local(url: str, expected_hash: str) -> dict[bytes, int]:
        return load_tiktoken_bpe(str(path), expected_hash)

    with mock.patch.object(openai_public, "load_tiktoken_bpe", local):
        found: dict[str, Any] = openai_public.ENCODING_CONSTRUCTORS[path.stem]()
    return found
