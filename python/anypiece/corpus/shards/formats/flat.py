"""Flat files of ids: nanoGPT's without a header, llm.c's with one, and NumPy's own.

The first two say nothing of where documents end, so that the ends are kept beside them, in the folder of the plan. llm.c's
header is 256 int32: a magic number, a version, the number of ids; 20240520 and 1 for uint16, 20240801 and 7 for uint32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import FormatError
from .output import CONTROL
from .raw import Ends, Stored, mapped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from .output import Output, Outputs

__all__ = ["LlmcWriter", "NanogptWriter", "NumpyWriter", "nanogpt_dtype", "read_llmc", "read_nanogpt", "read_numpy"]

ENDS = f"{CONTROL}/ends"
_NPY = 128
"""The header of a ``.npy`` file: padded, so that its length is known before the number of ids."""
_LLMC = 1024
_LLMC_VERSION = {2: (20240520, 1), 4: (20240801, 7)}


def nanogpt_dtype(largest: int) -> np.dtype[Any]:
    """uint16, the only one that nanoGPT reads."""
    if largest >= 2**16:
        message = (
            f"nanoGPT's files have ids of 16 bits, and this vocabulary has ids up to {largest}. "
            "Take another format: llmc or numpy."
        )
        raise FormatError("format-unwritable", message, largest=largest)
    return np.dtype("<u2")


class _Writer:
    header = 0

    def __init__(self, outputs: Outputs, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.ids, self.ends_file = self.files(outputs)
        self.ends = Ends()
        self.ids.write(bytes(self.header))

    def files(self, outputs: Outputs) -> tuple[Output, Output]:
        return outputs.new(".bin"), outputs.new(".npy", ENDS)

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Sequence[Any]) -> None:
        """Take more documents."""
        self.ids.write(ids)
        self.ends.add(lengths)

    def finish(self) -> None:
        """Write the ends of documents, and the header over the place that was left for it."""
        ends = self.ends.array()
        self.ends_file.write(_npy_header(ends.dtype, len(ends)))
        self.ends_file.write(ends)
        if self.header:
            self.ids.patch(0, self.made_header(self.ends.total))

    def made_header(self, amount: int) -> bytes:
        return b""


class NanogptWriter(_Writer):
    """Ids alone."""


class LlmcWriter(_Writer):
    """Ids behind a header of 1024 bytes."""

    header = _LLMC

    def made_header(self, amount: int) -> bytes:
        """The header."""
        if amount >= 2**31:
            message = f"llm.c's files have fewer than 2^31 ids, not {amount}. Plan smaller shards with shard_size=."
            raise FormatError("format-unwritable", message, tokens=amount)
        header = np.zeros(256, "<i4")
        header[:3] = (*_LLMC_VERSION[self.dtype.itemsize], amount)
        return header.tobytes()


class NumpyWriter(_Writer):
    """``.npy``, with the ends of documents in ``.ends.npy`` beside it, and positions as int32 in ``.positions.npy``."""

    header = _NPY
    positions: Output | None = None

    def files(self, outputs: Outputs) -> tuple[Output, Output]:
        files = outputs.new(".npy"), outputs.new(".ends.npy")
        if outputs.positions:
            self.positions = outputs.new(".positions.npy")
            self.positions.write(bytes(_NPY))
        return files

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Sequence[Any]) -> None:
        """Take more documents."""
        super().add(ids, lengths)
        if self.positions is not None:
            self.positions.write(np.asarray(columns[0], "<i4"))

    def finish(self) -> None:
        """Write what is left."""
        super().finish()
        if self.positions is not None:
            self.positions.patch(0, _npy_header(np.dtype("<i4"), self.ends.total))

    def made_header(self, amount: int) -> bytes:
        """The header."""
        return _npy_header(self.dtype, amount)


def _npy_header(dtype: np.dtype[Any], amount: int) -> bytes:
    """The header of a ``.npy`` file of version 1.0.

    >>> header = _npy_header(np.dtype("<u2"), 3)
    >>> len(header), header[10:70]
    (128, b"{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }   ")
    """
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({amount},), }}"
    return b"\x93NUMPY\x01\x00" + (_NPY - 10).to_bytes(2, "little") + f"{text:<{_NPY - 11}}\n".encode("ascii")


def read_nanogpt(folder: Path, stem: str, dtype: np.dtype[Any]) -> Stored:
    """A shard, mapped."""
    return Stored(mapped(folder / f"{stem}.bin", dtype), _npy(folder / ENDS / f"{stem}.npy"))


def read_llmc(folder: Path, stem: str, dtype: np.dtype[Any]) -> Stored:
    """A shard, mapped."""
    path = folder / f"{stem}.bin"
    with open(path, "rb") as file:
        header = np.frombuffer(file.read(_LLMC), "<i4")
    if tuple(header[:2]) != _LLMC_VERSION[dtype.itemsize]:
        raise ValueError(f"{path} has another header")
    if path.stat().st_size != _LLMC + int(header[2]) * dtype.itemsize:
        raise ValueError(f"{path} has not the size that its header says")
    return Stored(mapped(path, dtype, _LLMC), _npy(folder / ENDS / f"{stem}.npy"))


def read_numpy(folder: Path, stem: str, dtype: np.dtype[Any]) -> Stored:
    """A shard, mapped."""
    ids = _npy(folder / f"{stem}.npy")
    if ids.dtype != dtype:
        raise ValueError(f"{stem}.npy has the dtype {ids.dtype}")
    return Stored(ids, _npy(folder / f"{stem}.ends.npy"))


def _npy(path: Path) -> NDArray[Any]:
    array: NDArray[Any] = np.load(path, mmap_mode="r" if path.stat().st_size > _NPY else None, allow_pickle=False)
    return array
