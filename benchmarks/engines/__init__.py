"""One file per engine, all with the same small interface.

A module here has a class ``Engine`` whose constructor loads a tokenizer file (that is what load time measures) and
whose methods hand out the fastest public call of that library for one job. A method returns a callable rather than
doing the work, so that the timed loop contains the library's call and nothing else; ``unpack_*`` turn results into
plain ids after the timer has stopped.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.conversion import tokenizer_json, without_template
from benchmarks.harness.definition import Sampling, TokenizerFiles
from benchmarks.harness.places import data_file

Ids: TypeAlias = "Sequence[int] | NDArray[Any]"


class Engine:
    """What the worker needs of an engine; a method that is not overridden means the library has no such call."""

    package = ""
    note = ""
    wants_arrays = False
    reads_ranks = False

    def __init__(self, path: Path, threads: int) -> None:
        raise NotImplementedError

    def array(self) -> Callable[[str], Any]:
        """Encode one text in the cheapest form the library offers, numpy where it can."""
        return self.listed()

    def listed(self) -> Callable[[str], Any]:
        """Encode one text to a ``list[int]``."""
        raise NotImplementedError

    def face(self) -> Callable[[str], Any]:
        """Encode one text to a ``list[int]`` by the surface of the reference, which this project has a face of."""
        return self.listed()

    def batch(self) -> Callable[[list[str]], Any]:
        """Encode many texts with one call, on the threads given to the constructor."""
        raise NotImplementedError

    def unpack_batch(self, result: Any) -> Sequence[Ids]:
        """Return one sequence of ids per text."""
        return cast(Sequence[Ids], result)

    def padded(self) -> Callable[[list[str]], Any]:
        """Encode many texts to rows of one length, as numpy arrays with masks, with what the file puts around a text."""
        raise NotImplementedError

    def unpack_padded(self, result: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the rows of ids and their masks."""
        return result["input_ids"], result["attention_mask"]

    def column_of(self, texts: Sequence[str]) -> Any:
        """Many texts in the form that ``column`` takes; a list, unless the library reads tables."""
        return texts

    def column(self) -> Callable[[Any], Any]:
        """Encode many texts of a table with one call, to a column of a table where the library has such."""
        return self.batch()

    def unpack_column(self, result: Any) -> Sequence[Ids]:
        """Return one sequence of ids per text."""
        return self.unpack_batch(result)

    def unpack(self, result: Any) -> Ids:
        """Return the ids of one text."""
        return cast(Ids, result)

    def count(self) -> Callable[[str], int]:
        """Count the tokens of one text."""
        raise NotImplementedError

    def spans(self) -> Callable[[str], Any]:
        """Encode one text with the character span of every token."""
        raise NotImplementedError

    def unpack_spans(self, result: Any) -> list[tuple[int, int, int]]:
        """Return (id, start, end) per token."""
        raise NotImplementedError

    def spans_batch(self) -> Callable[[list[str]], Any]:
        """Encode many texts with one call, with the character span of every token."""
        raise NotImplementedError

    def unpack_spans_batch(self, result: Any) -> Sequence[list[tuple[int, int, int]]]:
        """Return (id, start, end) per token of each text."""
        return [self.unpack_spans(one) for one in result]

    def decode(self) -> Callable[[Any], str]:
        """Turn ids into text."""
        raise NotImplementedError

    def sample(self, sampling: Sampling) -> Callable[[str], Any]:
        """Encode one text by sampling."""
        raise NotImplementedError

    def verifies(self, text: str, ids: Ids, sampling: Sampling) -> bool:
        """Whether the ids of a draw are those that another, slower way gives; a library without seeds cannot say."""
        return True

    def nbest(self, n: int) -> Callable[[str], Any]:
        """Encode one text in the best ways."""
        raise NotImplementedError

    def unpack_nbest(self, result: Any) -> Sequence[Ids]:
        """Return one sequence of ids per path, the best first."""
        return cast(Sequence[Ids], result)

    def scores(self) -> Sequence[float]:
        """Return the score of every id."""
        raise NotImplementedError

    @classmethod
    def version(cls) -> str:
        """Return the installed version."""
        return importlib.metadata.version(cls.package)

    @classmethod
    def file(cls, files: TokenizerFiles, form: str) -> Path:
        """Prepare the file to load: the rank file itself, else by default the ``tokenizer.json`` of the vocabulary."""
        if files.model.endswith(".json"):
            return without_template(data_file(files.model))
        if not files.model.endswith(".tiktoken"):
            return tokenizer_json(files)
        if not cls.reads_ranks:
            raise ValueError(f"{cls.package} reads no rank files")
        return data_file(files.model)


class FlatEngine(Engine):
    """What engines share that give ids as the bytes of little-endian numbers, and a batch as two such arrays."""

    tokenizer: Any

    def unpack(self, result: Any) -> Ids:
        return np.frombuffer(result, dtype="<u4") if isinstance(result, bytes) else cast(Ids, result)

    def batch(self) -> Callable[[list[str]], Any]:
        call: Callable[[list[str]], Any] = self.tokenizer.encode_batch_flat
        return call

    def unpack_batch(self, result: Any) -> Sequence[Ids]:
        ids, offsets = np.frombuffer(result[0], dtype="<u4"), np.frombuffer(result[1], dtype="<u8")
        return np.split(ids, offsets[1:-1])

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.tokenizer.decode
        return call


def engine_class(name: str) -> type[Engine]:
    """Return the engine class of a name used in definitions."""
    return cast("type[Engine]", importlib.import_module(f"benchmarks.engines.{name}").Engine)
