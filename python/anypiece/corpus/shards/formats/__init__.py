"""The formats of shards: for each the dtype of its ids, where the end of a text is marked, a writer and a reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from . import chunks, datatrove, flat, megatron, rows
from .chunks import Chunk
from .raw import narrowest

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from .output import Outputs
    from .raw import Stored

__all__ = ["FORMATS", "Chunk", "Format", "Place", "Writer"]

Place = Literal["before", "after", "none"]


class Writer(Protocol):
    """What takes the documents of one shard, block by block: flat ids and the length of each document."""

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Sequence[Any]) -> None:
        """Take more documents, with the values of the columns of ``Outputs`` where the format has columns."""

    def finish(self) -> None:
        """Write what could not be written before."""


Index = Callable[[Sequence[Chunk], "np.dtype[Any]", Sequence[str], bool], dict[str, Any]]
"""From chunks, dtype, columns and whether there are positions to what ``index.json`` says."""


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
    columns: bool = False
    """Whether other columns of a document can be kept beside its ids."""
    made_index: Index | None = None
    """What ``index.json`` of a folder says of its chunks, where the format has one; parts are folders of their own then."""
    is_mapped: bool = True
    """Whether a shard is mapped and not read."""
    has_empty: bool = True
    """Whether a document may have no ids."""
    positions: bool = False
    """Whether positions can be kept beside ids; the writer takes them in place of other columns."""
    takes_parts: bool = False
    """Whether the ids of a document may come in several calls of the writer, its length with the last of them."""


FORMATS: dict[str, Format] = {
    "megatron": Format("after", megatron.dtype, megatron.Writer, megatron.read, takes_parts=True),
    "nanogpt": Format("after", flat.nanogpt_dtype, flat.NanogptWriter, flat.read_nanogpt, takes_parts=True),
    "llmc": Format("before", narrowest, flat.LlmcWriter, flat.read_llmc, takes_parts=True),
    "datatrove": Format("after", narrowest, datatrove.Writer, datatrove.read, takes_parts=True),
    "numpy": Format("after", narrowest, flat.NumpyWriter, flat.read_numpy, positions=True, takes_parts=True),
    "parquet": Format(
        "none", rows.dtype, rows.ParquetWriter, rows.read_parquet, "pyarrow", True, is_mapped=False, positions=True
    ),
    "arrow": Format("none", rows.dtype, rows.ArrowWriter, rows.read_arrow, "pyarrow", True, positions=True),
    "mds": Format(
        "after",
        narrowest,
        chunks.MdsWriter,
        chunks.read_mds,
        "",
        True,
        chunks.mds_index,
        is_mapped=False,
        has_empty=False,
        positions=True,
    ),
    "litdata": Format(
        "after", chunks.litdata_dtype, chunks.LitdataWriter, chunks.read_litdata, made_index=chunks.litdata_index
    ),
}
