"""Files of a shard as they are written: beside their place, hashed on the way, on disk before they get their names."""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CONTROL", "Output", "Outputs", "file_of", "placed", "sync_folder"]

CONTROL = "_anypiece"
"""The folder of the plan, the records and what else is no data; readers of tables pass over names that begin so."""
TEMPORARY = "tmp"
_PART = 1 << 20


class Output:
    """A file that is being written. It has what pyarrow asks of a file."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        self.size = 0
        self._file = open(path, "wb")  # noqa: SIM115 - closed by ``finish`` or ``close``
        self._hash = hashlib.sha256()
        self._is_patched = False

    @property
    def closed(self) -> bool:
        """Whether the file was closed."""
        return self._file.closed

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: Any) -> int:
        """Add bytes, or the bytes of an array. Writers of tables write when they are thrown away, too: that goes nowhere."""
        if self._file.closed:
            return len(data)
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        self._file.write(view)
        self._hash.update(view)
        self.size += view.nbytes
        return view.nbytes

    def tell(self) -> int:
        """How much was written."""
        return self.size

    def flush(self) -> None:
        """Hand over what was written."""
        self._file.flush()

    def patch(self, place: int, data: bytes) -> None:
        """Write over what is there, as a header whose numbers are known at the end."""
        self._file.seek(place)
        self._file.write(data)
        self._file.seek(0, os.SEEK_END)
        self._is_patched = True

    def finish(self) -> dict[str, Any]:
        """Bring the file to the disk; what a record says of it."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        digest = hashed(self.path) if self._is_patched else self._hash.hexdigest()
        return {"name": self.name, "bytes": self.size, "sha256": digest}

    def close(self) -> None:
        """Close the file as it is."""
        self._file.close()


class Outputs:
    """The files of one shard."""

    def __init__(self, folder: Path, stem: str, token: str) -> None:
        self.folder, self.stem, self.token = folder, stem, token
        self.files: list[Output] = []
        self._scratch: list[Output] = []
        self.about: dict[str, str] = {}
        """What formats say of the tokenizer."""
        self.columns: tuple[str, ...] = ()
        """The names of other columns, for formats that have such."""
        self.positions = False
        """Whether the one other column is the positions of ids in their documents, flat as the ids are."""
        (folder / CONTROL / TEMPORARY).mkdir(parents=True, exist_ok=True)

    def new(self, suffix: str, part: str = "") -> Output:
        """A file of that suffix, in the folder or in a part of it."""
        name = file_of(self.stem, suffix, part)
        stem = self.stem.replace("/", "-")
        path = self.folder / CONTROL / TEMPORARY / f"{stem}{suffix}.{len(self.files)}.{self.token}"
        self.files.append(Output(path, name))
        return self.files[-1]

    def scratch(self, suffix: str) -> Output:
        """A file that goes away, unless whoever asked for it removes it before."""
        path = self.folder / CONTROL / TEMPORARY / f"{self.stem.replace('/', '-')}{suffix}.{self.token}"
        self._scratch.append(Output(path, path.name))
        return self._scratch[-1]

    def place(self) -> list[dict[str, Any]]:
        """Give all files their names, once each is on disk; what the record says of them."""
        rows = [file.finish() for file in self.files]
        for file in self.files:
            target = self.folder / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(file.path, target)
        sync_folder(self.folder)
        for part in {(self.folder / file.name).parent for file in self.files} - {self.folder}:
            sync_folder(part)
        return rows

    def remove(self) -> None:
        """Leave nothing behind."""
        for file in [*self.files, *self._scratch]:
            with suppress(OSError):  # what is still held cannot be written where the disk is full
                file.close()
            file.path.unlink(missing_ok=True)


def file_of(stem: str, suffix: str, part: str = "") -> str:
    """The name of a file of a shard, in its folder."""
    return f"{part}/{stem}{suffix}" if part else f"{stem}{suffix}"


def hashed(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    for part in _parts(path):
        digest.update(part)
    return digest.hexdigest()


def _parts(path: Path) -> Iterable[bytes]:
    with open(path, "rb") as file:
        while part := file.read(_PART):
            yield part


def placed(path: Path, data: bytes, replace: bool = True) -> None:
    """Write a small file as a whole: beside its place, onto the disk, then under its name; what is there may be kept."""
    new = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with open(new, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if replace or not hasattr(os, "link"):
            os.replace(new, path)
        else:
            with suppress(FileExistsError):
                os.link(new, path)
        sync_folder(path.parent)
    finally:
        new.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows opens no folders
        return
    try:
        os.fsync(number)
    finally:
        os.close(number)
