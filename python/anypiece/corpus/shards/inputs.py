"""The files of a corpus, found and described, and how they are cut into parts that can be read by themselves.

Large files that are not compressed are cut at lines, tables at row groups. A compressed file, a CSV file (whose rows may
hold line ends) and a file that is one document are read from their beginning.
"""

from __future__ import annotations

import codecs
import glob
import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from ...errors import FileError, FormatError, InputError
from ...io.paths import BZIP2, GZIP, XZ, ZSTD, checked_path, file_error
from . import remote, tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .options import Options

__all__ = ["Atom", "File", "Kind", "atoms", "described", "file_of_json", "file_to_json", "found_files", "named_files"]

Kind = Literal["text", "jsonl", "csv", "parquet", "arrow", "shards"]
_KINDS: dict[str, Kind] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".parquet": "parquet", ".arrow": "arrow",
    ".feather": "arrow",
}  # fmt: skip
_PACKED = {GZIP: "gzip", BZIP2: "bzip2", XZ: "xz", ZSTD: "zstd"}
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
_GROWTH = 3
"""How much larger a compressed file is taken to be, where tasks are made of about equal size."""
_AHEAD = 1 << 20
_HEAD = 8


class File(NamedTuple):
    """A file of the corpus as it was when the plan was made."""

    path: str
    size: int
    modified: int
    """In nanoseconds; 0 for a URL."""
    kind: Kind
    codec: str
    """``gzip``, ``bzip2``, ``xz`` or ``zstd``; empty for none."""
    tag: str = ""
    """What the filesystem of a URL says that a change of the file changes."""


class Atom(NamedTuple):
    """A part of a file: bytes from ``start`` to ``end``, or row groups of a table."""

    file: int
    start: int
    end: int
    weight: int
    """How many bytes of input it is taken for."""


def found_files(sources: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that paths, globs, folders and lists name, in order; a file that is named twice counts once.

    A folder stands for all files in it and below whose names do not begin with a dot, sorted. A name after ``@`` is that of
    a list: a path, glob or folder on each line. All of these may be URLs.
    """
    found: dict[str, None] = {}
    for source in sources:
        for path in named_files(source):
            found.setdefault(path if remote.is_url(path) else os.path.abspath(path))
    if not found:
        raise InputError("argument-value", "There are no files in what was named. Name files, globs or folders.")
    return list(found)


def named_files(source: str | os.PathLike[str]) -> Iterator[str]:
    """The files that a path, glob, folder or list names, by names that are relative if it is."""
    if remote.is_url(source):
        yield from remote.found(str(source))
        return
    path = checked_path(source)
    if isinstance(source, str) and source.startswith("@") and not os.path.exists(path):
        yield from _listed(Path(source[1:]))
    elif os.path.isdir(path):
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (str(Path(folder, name)) for name in sorted(names) if not name.startswith("."))
    elif not os.path.exists(path) and glob.has_magic(str(path)):
        names = sorted(name for name in glob.iglob(str(path), recursive=True) if os.path.isfile(name))
        if not names:
            raise InputError("argument-value", f"No file matches {path}. Check the pattern.", path=str(path))
        yield from (str(Path(name)) for name in names)
    else:
        yield str(path)


def _listed(path: Path) -> Iterator[str]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise file_error("file-unreadable", path, error) from None
    for line in lines:
        if line.strip():
            yield from named_files(_bare(line.strip()))


def _bare(line: str) -> str | Path:
    """A line of a list; it names no further list."""
    return line if remote.is_url(line) else Path(line)


def described(path: str | Path, kind: Kind | None) -> File:
    """What a plan says of a file; what cannot be taken for texts is refused."""
    tag = ""
    if remote.is_url(path):
        (size, tag), modified = remote.status(str(path)), 0
        with remote.opened(str(path), min(size, _HEAD), _HEAD) as file:
            head = file.read(_HEAD)
    else:
        try:
            status = os.stat(path)
            with open(path, "rb") as file:
                head = file.read(_HEAD)
        except OSError as error:
            raise file_error("file-unreadable", Path(path), error) from None
        size, modified = status.st_size, status.st_mtime_ns
    codec = next((name for magic, name in _PACKED.items() if head.startswith(magic)), "")
    if codec == "bzip2" and not head[3:4].isdigit():  # a text may begin with BZh
        codec = ""
    told = kind or _told(Path(path), head)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and told in ("text", "jsonl", "csv"):
        message = f"{path} is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8."
        raise FormatError("file-corrupt", message, path=str(path))
    if codec and told in ("parquet", "arrow"):
        message = f"{path} is a compressed table, which cannot be read in parts. Unpack it."
        raise FormatError("file-corrupt", message, path=str(path))
    return File(str(path), size, modified, told, codec, tag)


def _told(path: Path, head: bytes) -> Kind:
    if head.startswith(tables.PARQUET):
        return "parquet"
    if head.startswith(tables.ARROW):
        return "arrow"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _SUFFIXES:
        suffixes.pop()
    if suffixes and suffixes[-1] == ".tsv":
        message = f"{path.name}: a .tsv file may be several things. Say what with input_format=, or convert it to CSV."
        raise InputError("argument-value", message, path=str(path))
    return _KINDS.get(suffixes[-1], "text") if suffixes else "text"


def atoms(number: int, file: File, options: Options, target: int) -> list[Atom]:
    """A file in parts of about ``target`` bytes."""
    if not file.size:
        return []
    if file.kind == "parquet" or file.kind == "arrow":
        groups = _grouped(tables.sizes(file.path, file.kind, options.field, options.columns), target)
        return [Atom(number, start, end, weight) for start, end, weight in groups]
    if file.codec:
        return [Atom(number, 0, file.size, file.size * _GROWTH)]
    if file.kind == "csv" or (options.whole and file.kind == "text") or file.size <= target * 5 // 4:
        return [Atom(number, 0, file.size, file.size)]
    cuts = [0, *_cuts(file, -(-file.size // target)), file.size]
    return [Atom(number, start, end, end - start) for start, end in pairwise(cuts) if start < end]


def _grouped(sizes: list[int], target: int) -> Iterator[tuple[int, int, int]]:
    start, weight = 0, 0
    for number, size in enumerate(sizes, 1):
        weight += size
        if weight >= target or number == len(sizes):
            yield start, number, weight
            start, weight = number, 0


def _cuts(file: File, amount: int) -> list[int]:
    """The first line ends behind places of equal distance."""
    found: list[int] = []
    try:
        with remote.opened(file.path, file.size, _AHEAD) as opened:
            for number in range(1, amount):
                place = file.size * number // amount
                if found and place <= found[-1]:
                    continue
                opened.seek(place - 1)
                while part := opened.read(_AHEAD):
                    if (end := part.find(b"\n")) >= 0:
                        found.append(opened.tell() - len(part) + end + 1)
                        break
                else:  # nor is there a line end behind later places
                    break
    except FileError:
        raise
    except OSError as error:
        raise file_error("file-unreadable", Path(file.path), error) from None
    return [cut for cut in found if cut < file.size]


def file_to_json(file: File) -> list[Any]:
    """A file as a row of a plan; only URLs have a tag."""
    return list(file) if file.tag else list(file[:-1])


def file_of_json(row: Any) -> File:
    """A row of a plan as a file."""
    path, size, modified, kind, codec, *tag = row
    return File(str(path), int(size), int(modified), cast("Kind", kind), str(codec), *map(str, tag))
