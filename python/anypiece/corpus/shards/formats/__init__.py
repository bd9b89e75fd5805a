"""The formats of shards: for each the dtype of its ids, where the end of a text is marked, a writer and a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from . import datatrove, flat, megatron, rows
from .raw import narrowest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from .output import Outputs
    from .raw import Stored

__all__ = ["FORMATS", "Format", "Place", "Writer"]

Place = Literal["before", "after", "none"]


class Writer(Protocol):
    """What takes the documents of one shard, block by block: flat ids and the length of each document."""

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64]) -> None:
        """Take more documents."""

    def finish(self) -> None:
        """Write what could not be written before."""


class Format(NamedTuple):
    """A format of shards."""

    end_of_text: Place
    """Where the format's own tool puts the end-of-text token."""
    dtype: Callable[[int], np.dtype[Any]]
    """The dtype of ids up to a largest one; refuses one that has no place in the format."""
    writer: Callable[[Outputs, np.dtype[Any]], Writer]
    read: Callable[[Path, str, np.dtype[Any]], Stored]
    """The content of a shard in a folder, by its stem and dtype."""
    package: str = ""
    """What the bytes depend on besides this package."""


FORMATS: dict[str, Format] = {
    "megatron": Format("after", megatron.dtype, megatron.Writer, megatron.read),
    "nanogpt": Format("after", flat.nanogpt_dtype, flat.NanogptWriter, flat.read_nanogpt),
    "llmc": Format("before", narrowest, flat.LlmcWriter, flat.read_llmc),
    "datatrove": Format("after", narrowest, datatrove.Writer, datatrove.read),
    "numpy": Format("after", narrowest, flat.NumpyWriter, flat.read_numpy),
    "parquet": Format("none", rows.dtype, rows.ParquetWriter, rows.read_parquet, "pyarrow"),
    "arrow": Format("none", rows.dtype, rows.ArrowWriter, rows.read_arrow, "pyarrow"),
}
