"""nanoGPT's, llm.c's and NumPy's files, compared byte for byte with what a few plain lines write.

Both programs read flat files without bounds of documents. nanoGPT maps ``train.bin`` as uint16. llm.c reads 256 int32 first:
20240520, 1 and the number of uint16 ids, or 20240801, 7 and the number of uint32 ids.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

__all__ = ["plain_files"]


def plain_files(format: str, shard: str, documents: list[list[int]], is_wide: bool) -> dict[str, bytes]:
    """The files of a shard by their names in its folder, with the ids of documents."""
    flat = np.array([id for ids in documents for id in ids], "<u4" if is_wide else "<u2")
    if format == "nanogpt":
        return {f"{shard}.bin": flat.tobytes()}
    if format == "llmc":
        header = np.zeros(256, "<i4")
        header[0], header[1], header[2] = (20240801, 7, len(flat)) if is_wide else (20240520, 1, len(flat))
        return {f"{shard}.bin": header.tobytes() + flat.tobytes()}
    ends = np.cumsum([len(ids) for ids in documents], dtype="<u8")
    return {f"{shard}.npy": _npy(flat), f"{shard}.ends.npy": _npy(ends)}


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def read_back(format: str, path: Path, is_wide: bool) -> list[int]:
    """The ids of a file as the programs map it."""
    if format == "nanogpt":
        return np.memmap(path, np.uint16, "r").tolist()
    if format == "numpy":
        return np.load(path, mmap_mode="r").tolist()
    with open(path, "rb") as file:
        header = np.fromfile(file, np.int32, 256)
        ids = np.fromfile(file, np.uint32 if is_wide else np.uint16)
    if int(header[2]) != len(ids):
        raise SystemExit(f"{path.name}: the header says {header[2]} ids, and there are {len(ids)}")
    return ids.tolist()
