"""Inputs that are URLs, through fsspec (extra ``[fsspec]``), which is imported when the first one is used.

A file is read in ranges, and never kept. Filesystems raise errors of any kind; here they become one that names the URL.
"""

from __future__ import annotations

import importlib
import io
import os
import re
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from ...errors import AnyPieceError, FileError, InputError, extra_missing

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Status", "found", "is_url", "opened", "status"]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(::[A-Za-z][A-Za-z0-9+.-]+)*://")
_TAGS = (
    "ETag", "etag", "e_tag", "md5Hash", "content_md5", "md5", "checksum", "hash", "generation", "VersionId", "mtime",
    "LastModified", "last_modified", "updated", "modified", "created",
)  # fmt: skip
"""What filesystems say of a file that another content changes; the first of these counts: hashes go before times."""
_AHEAD = 4 << 20
_MAGIC = re.compile(r"[*?\[]")


class Status(NamedTuple):
    """What a filesystem says of a file."""

    size: int
    tag: str
    """A hash, a version or a time, whichever there is; empty where only the size can tell a change."""


def is_url(source: str | os.PathLike[str]) -> bool:
    """Whether a name is a URL and no path.

    >>> [is_url(name) for name in ("s3://bucket/a", "zip::memory://a.zip", "C:/a", "data/a", "web=s3://b")]
    [True, True, False, False, False]
    """
    return isinstance(source, str) and _URL.match(source) is not None


def found(url: str) -> Iterator[str]:
    """The files that a URL, one with a glob, or one of a folder names, sorted; none whose name begins with a dot in a
    folder."""
    system, path = _system(url)
    with _asked(url):
        if _MAGIC.search(path) and not system.exists(path):
            names = sorted(name for name in system.glob(path) if system.isfile(name))
            if not names:
                raise InputError("argument-value", f"No file matches {url}. Check the pattern.", path=url)
        elif system.isdir(path):
            below = len(path.rstrip("/")) + 1
            names = sorted(name for name in system.find(path) if not re.search(r"(^|/)\.", name[below:]))
        else:
            yield url
            return
        yield from (str(system.unstrip_protocol(name)) for name in names)


def status(url: str) -> Status:
    """The size of a file now, and what would tell a change."""
    system, path = _system(url)
    with _asked(url):
        system.invalidate_cache()
        facts = system.info(path)
        if facts.get("type") == "directory" or facts.get("size") is None:
            raise FileError("file-unreadable", f"{url} is no file whose size is known. Name files.", path=url)
        tag = next((f"{name}={facts[name]}" for name in _TAGS if facts.get(name) is not None), "")
        return Status(int(facts["size"]), tag)


def opened(path: str, end: int | None = None, ahead: int = _AHEAD) -> IO[bytes]:
    """A file of this machine, or a URL, for reading; of a URL nothing behind ``end`` is asked for, and ``ahead`` bytes at
    least at a time."""
    if not is_url(path):
        return open(path, "rb")
    return cast(
        "IO[bytes]", io.BufferedReader(_Ranges(path, status(path).size if end is None else end, ahead), 1 << 16)
    )


class _Ranges(io.RawIOBase):
    """A file that is read by asking for ranges of it."""

    def __init__(self, url: str, end: int, ahead: int) -> None:
        self.url, self.end, self.ahead = url, end, ahead
        self.system, self.path = _system(url)
        self.place = 0
        self.held, self.held_at = b"", 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self.place = max(0, {io.SEEK_SET: 0, io.SEEK_CUR: self.place}.get(whence, self.end) + place)
        return self.place

    def tell(self) -> int:
        return self.place

    def readinto(self, buffer: Any) -> int:
        if not self.held_at <= self.place < self.held_at + len(self.held):
            self.held_at = self.place
            end = min(self.end, self.place + max(len(buffer), self.ahead))
            with _asked(self.url):
                self.held = self.system.cat_file(self.path, start=self.place, end=end) if self.place < end else b""
        start = self.place - self.held_at
        part = memoryview(self.held)[start : start + len(buffer)]
        buffer[: len(part)] = part
        self.place += len(part)
        return len(part)


def _system(url: str) -> tuple[Any, str]:
    """The filesystem of a URL, and its path there."""
    try:
        core = importlib.import_module("fsspec.core")
    except ImportError:
        raise extra_missing(url, "fsspec", "fsspec") from None
    try:
        system, path = core.url_to_fs(url)
    except ImportError as error:  # fsspec says which package
        message = f"{url} needs a package of its own: {error}."
        raise InputError("extra-missing", message, package=str(getattr(error, "name", "") or error)) from None
    except ValueError as error:
        raise InputError("argument-value", f"{url} is no URL that fsspec knows: {error}.", path=url) from None
    return system, str(path)


@contextmanager
def _asked(url: str) -> Iterator[None]:
    try:
        yield
    except (AnyPieceError, MemoryError):
        raise
    except Exception as error:  # what a filesystem raises is its own business
        missing = isinstance(error, FileNotFoundError)
        reason = "there is no such file" if missing else str(error).partition("\n")[0] or type(error).__name__
        made = FileError("file-unreadable", f"{url} cannot be read: {reason}.", path=url, reason=reason)
        made.errno, made.filename = getattr(error, "errno", None), url
        raise made from None
