"""Chunks that begin with a table of where their items are: MDS of mosaicml-streaming, and litdata's chunks of tokens.

Both are little-endian: the number of items as uint32, the places of their beginnings and of the end as uint32, then what is
the same for all, then the items. The table comes first and its size is known last, so that items are kept in a file beside
until then. An ``index.json`` says which chunks a folder has, and is written when all of them are there.

An item of MDS has the sizes of its columns as uint32, sorted by name, then their values. Ids are the column ``tokens``, an
array of one dimension: a byte ``1 << 2`` with the width of its length (0, 1 or 2 for 1, 2 or 4 bytes), the length, the ids.
An item of litdata is the ids alone, so that blocks of any length can be read across items.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....errors import FormatError
from .raw import Stored, mapped, narrowest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from .output import Outputs

__all__ = [
    "TOKENS",
    "Chunk",
    "LitdataWriter",
    "MdsWriter",
    "litdata_dtype",
    "litdata_index",
    "mds_index",
    "read_litdata",
    "read_mds",
]

TOKENS, POSITIONS = "tokens", "position_ids"
_PART = 1 << 20
_LITDATA = {"uint16": 20, "int32": 16}
"""The numbers of litdata's dtypes."""
_LEAF = '[1, {"type": null, "context": null, "children_spec": []}]'
"""An item that is one array, as litdata spells it."""
_ARRAY = 1 << 2
"""An array of one dimension, in the first byte of MDS."""


class Chunk(NamedTuple):
    """What an index says of a chunk."""

    name: str
    bytes: int
    sha256: str
    items: int
    tokens: int


class _Writer(ABC):
    suffix = ""

    def __init__(self, outputs: Outputs, dtype: np.dtype[Any]) -> None:
        self.outputs, self.dtype = outputs, dtype
        self.items = outputs.scratch(".items")
        self.sizes: list[NDArray[np.int64]] = []
        self.columns = outputs.columns
        self.positions = outputs.positions

    def finish(self) -> None:
        """Write the table, and the items behind it."""
        sizes = np.concatenate([np.zeros(1, np.int64), *self.sizes])
        middle = self.middle()
        offsets = np.cumsum(sizes) + (4 + 4 * len(sizes) + len(middle))
        if int(offsets[-1]) >= 2**32:
            message = (
                f"These chunks have fewer than 2^32 bytes, not {offsets[-1]}. Plan smaller shards with shard_size=."
            )
            raise FormatError("format-unwritable", message, bytes=int(offsets[-1]))
        file = self.outputs.new(self.suffix)
        file.write((len(sizes) - 1).to_bytes(4, "little"))
        file.write(offsets.astype("<u4"))
        file.write(middle)
        self.items.finish()
        with open(self.items.path, "rb") as items:
            while part := items.read(_PART):
                file.write(part)
        self.items.path.unlink()

    def middle(self) -> bytes:
        return b""

    @abstractmethod
    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Sequence[str | None]) -> None:
        """Take more documents."""


class LitdataWriter(_Writer):
    """Items of ids alone."""

    suffix = ".bin"

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Sequence[str | None]) -> None:
        """Take more documents."""
        self.items.write(ids)
        self.sizes.append(lengths * self.dtype.itemsize)


class MdsWriter(_Writer):
    """Items of ids, and of other columns as texts."""

    suffix = ".mds"

    def middle(self) -> bytes:
        """What all items have in common."""
        return json.dumps(_mds_config(self.dtype, self.columns, self.positions), sort_keys=True).encode()

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Sequence[Any]) -> None:
        """Take more documents."""
        order = [name for name, _ in _mds_columns(self.dtype, self.columns, self.positions)]
        positions = np.asarray(columns[0], "<i4").tobytes() if self.positions else b""
        columns = () if self.positions else columns
        data, width = ids.tobytes(), self.dtype.itemsize
        items, start = [], 0
        for row, length in enumerate(lengths.tolist()):
            if not length:
                message = "MDS has no empty documents. Plan with min_tokens=1."
                raise FormatError("format-unwritable", message, document=row)
            values = {name: (column[row] or "").encode() for name, column in zip(self.columns, columns, strict=True)}
            values[TOKENS] = _shape(length) + data[start : start + length * width]
            if self.positions:
                values[POSITIONS] = _shape(length) + positions[start // width * 4 : (start // width + length) * 4]
            start += length * width
            sizes = np.array([len(values[name]) for name in order], "<u4")
            items.append(b"".join([sizes.tobytes(), *(values[name] for name in order)]))
        self.items.write(b"".join(items))
        self.sizes.append(np.fromiter(map(len, items), np.int64, len(items)))


def _shape(length: int) -> bytes:
    """The shape of an array of one dimension.

    >>> _shape(3), _shape(300)
    (b'\\x04\\x03', b'\\x05,\\x01')
    """
    width = 0 if length < 2**8 else 1 if length < 2**16 else 2
    return bytes([_ARRAY | width]) + length.to_bytes(1 << width, "little")


def _mds_columns(dtype: np.dtype[Any], columns: Sequence[str], positions: bool) -> list[tuple[str, str]]:
    more = [(POSITIONS, "ndarray:int32")] if positions else []
    return sorted([(TOKENS, f"ndarray:{dtype.name}"), *more, *((name, "str") for name in columns)])


def _mds_config(dtype: np.dtype[Any], columns: Sequence[str], positions: bool) -> dict[str, Any]:
    found = _mds_columns(dtype, columns, positions)
    return {
        "version": 2,
        "format": "mds",
        "compression": None,
        "hashes": ["sha256"],
        "size_limit": None,
        "column_names": [name for name, _ in found],
        "column_encodings": [encoding for _, encoding in found],
        "column_sizes": [None] * len(found),
    }


def mds_index(
    chunks: Sequence[Chunk], dtype: np.dtype[Any], columns: Sequence[str], positions: bool = False
) -> dict[str, Any]:
    """What ``index.json`` says of the chunks of a folder."""
    config = _mds_config(dtype, columns, positions)
    rows = [
        {
            "samples": chunk.items,
            "raw_data": {"basename": chunk.name, "bytes": chunk.bytes, "hashes": {"sha256": chunk.sha256}},
            "zip_data": None,
            **config,
        }
        for chunk in chunks
    ]
    return {"version": 2, "shards": rows}


def litdata_index(
    chunks: Sequence[Chunk], dtype: np.dtype[Any], columns: Sequence[str], positions: bool = False
) -> dict[str, Any]:
    """What ``index.json`` says of the chunks of a folder."""
    rows = [
        {"chunk_bytes": chunk.bytes, "chunk_size": chunk.items, "dim": chunk.tokens, "filename": chunk.name}
        for chunk in chunks
    ]
    config = {
        "compression": None,
        "chunk_size": None,
        "chunk_bytes": max((chunk.bytes for chunk in chunks), default=0),
        "data_format": [f"no_header_tensor:{_LITDATA[dtype.name]}"],
        "data_spec": _LEAF,
        "encryption": None,
        "item_loader": "TokensLoader",
    }
    return {"chunks": rows, "config": config}


def litdata_dtype(largest: int) -> np.dtype[Any]:
    """uint16 where all ids fit, int32 otherwise: torch has little of other unsigned numbers."""
    return np.dtype("<u2") if narrowest(largest).itemsize == 2 else np.dtype("<i4")


def _table(path: Path) -> NDArray[np.int64]:
    """Where the items of a chunk begin, and where the last one ends."""
    with open(path, "rb") as file:
        amount = int.from_bytes(file.read(4), "little")
    if path.stat().st_size < 4 * (amount + 2):
        raise ValueError(f"{path} is shorter than its table")
    offsets = mapped(path, "<u4", 4, amount + 1).astype(np.int64)
    if int(offsets[-1]) != path.stat().st_size:
        raise ValueError(f"{path} has not the size that its table says")
    return offsets


def read_litdata(folder: Path, stem: str, dtype: np.dtype[Any]) -> Stored:
    """A shard, mapped."""
    path = folder / f"{stem}.bin"
    offsets = _table(path)
    return Stored(mapped(path, dtype, int(offsets[0])), (offsets[1:] - offsets[0]) // dtype.itemsize)


def read_mds(folder: Path, stem: str, dtype: np.dtype[Any]) -> Stored:
    """The ids of a shard, read."""
    path = folder / f"{stem}.mds"
    offsets = _table(path)
    data = path.read_bytes()
    config = json.loads(data[4 * (len(offsets) + 1) : int(offsets[0])])
    names = config["column_names"]
    column = names.index(TOKENS)
    if config["column_encodings"][column] != f"ndarray:{dtype.name}":
        raise ValueError(f"{path} has ids of another dtype")
    rows = []
    for start in offsets[:-1].tolist():
        sizes = np.frombuffer(data, "<u4", len(names), start).tolist()
        place = start + 4 * len(names) + sum(sizes[:column])
        width = 1 << (data[place] & 3)
        length = int.from_bytes(data[place + 1 : place + 1 + width], "little")
        if data[place] >> 2 != 1 or sizes[column] != 1 + width + length * dtype.itemsize:
            raise ValueError(f"{path} has another array at {place}")
        rows.append(np.frombuffer(data, dtype, length, place + 1 + width))
    ids = np.concatenate([np.empty(0, dtype), *rows])
    return Stored(ids.astype(dtype, copy=False), np.cumsum([len(row) for row in rows], dtype=np.int64))
