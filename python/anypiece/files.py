"""Paths: which file a tokenizer is read from, and how one is written.

It owns the messages for paths that are wrong, the search in a folder, the embedded default and the atomic write. What the
bytes mean is the business of ``formats``.
"""

from __future__ import annotations

import difflib
import errno
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import FileError, FormatError, InputError, InputTypeError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "MERGES",
    "checked_path",
    "default_path",
    "found_path",
    "in_place",
    "is_pair",
    "move",
    "read_bytes",
    "write_bytes",
]

_DATA = Path(__file__).parent / "data"
_SUFFIXES = (".anypiece", ".model", ".tiktoken", ".gguf")
_NAMES = ("tokenizer.json",)
_RARER = ("vocab.txt", "tekken.json", "rwkv_vocab*.txt")
"""What counts where there is none of these: elsewhere such files stand beside a tokenizer.json."""
_OLDER = frozenset(["vocab.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "spm.model"])
"""What stands beside a tokenizer.json for programs that do not read it: the same vocabulary."""
MERGES = "merges.txt"
"""What stands beside a vocab.json."""


def is_pair(path: Path) -> bool:
    """Whether a file is a vocab.json with its merges.txt beside it."""
    return path.name == "vocab.json" and (path.parent / MERGES).is_file()


def default_path() -> Path:
    """Where the embedded default tokenizer is."""
    for suffix in _SUFFIXES:
        path = _DATA / f"default{suffix}"
        if path.exists():
            return path
    raise FileError(
        "file-unreadable",
        "This installation has no embedded default tokenizer. Reinstall the package, or pass the path of a file.",
        path=str(_DATA),
    )


def checked_path(path: object) -> Path:
    """A path, of a file or a folder."""
    if isinstance(path, (str, os.PathLike)) and not isinstance(os.fspath(path), bytes):
        return Path(path)
    kind = type(path).__name__
    raise InputTypeError("input-type", f"A path must be a str or a path object, not {kind}.", type=kind)


def found_path(path: str | os.PathLike[str]) -> Path:
    """The file that ``path`` means: itself, or the one tokenizer file of a folder; tokenizer.json goes before files that
    stand beside it for older programs."""
    checked_path(path)
    if not os.fspath(path):
        message = 'The path is empty. Pass that of a file or folder ("." is the current one), or none for the default.'
        raise InputError("argument-value", message, argument="path", value="")
    found = Path(path)
    return _only_file(found) if found.is_dir() else found


def _only_file(folder: Path) -> Path:
    try:
        wanted = [*_NAMES, "vocab.json"] if (folder / MERGES).is_file() else [*_NAMES]
        items = sorted(folder.iterdir())
        files = [item for item in items if item.suffix in _SUFFIXES or item.name in wanted]
        files = files or [item for item in items if any(map(item.match, _RARER))]
    except OSError as error:
        raise file_error("file-unreadable", folder, error) from None
    if any(item.name == "tokenizer.json" for item in files):
        files = [item for item in files if item.name not in _OLDER]
    if len(files) == 1:
        return files[0]
    names = ", ".join(item.name for item in files[:5]) or "none"
    names += f" and {len(files) - 5} more" if len(files) > 5 else ""
    raise FormatError(
        "format-unknown",
        f"{folder} is a folder and should hold exactly one tokenizer.json, .anypiece, .model, .tiktoken or .gguf file, or "
        f"vocab.txt, tekken.json or rwkv_vocab*.txt; found: {names}. "
        "Pass the path of the file itself.",
        path=str(folder),
        found=len(files),
    )


def read_bytes(path: Path, limit: int = -1) -> bytes:
    """The first ``limit`` bytes of a file, or all of it."""
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except OSError as error:
        raise file_error("file-unreadable", path, error) from None
    except ValueError as error:
        raise _odd(path, error) from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all: beside it first, then in its place."""
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        raise file_error("file-unwritable", path, error) from None
    except ValueError as error:
        raise _odd(path, error) from None


def _odd(path: Path, cause: ValueError) -> InputError:
    """A path that no file can have: with a NUL, or a lone surrogate."""
    message = f"{str(path)!r} is no path ({cause}). Pass the path of a file."
    return InputError("argument-value", message, argument="path", value=str(path))


@contextmanager
def in_place(path: Path) -> Iterator[Path]:
    """A name beside ``path`` for a file that somebody else writes; it takes its place when all went well."""
    new = path.parent / f".{path.name}.{os.getpid()}"
    try:
        yield new
        move(new, path)
    finally:
        with suppress(OSError):
            new.unlink()


def move(old: Path, new: Path) -> None:
    """Put a whole file in the place of another, which may be on another disk."""
    try:
        os.replace(old, new)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise file_error("file-unwritable", new, error) from None
        with in_place(new) as beside:
            try:
                shutil.copyfile(old, beside)
            except OSError as cause:
                raise file_error("file-unwritable", new, cause) from None


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those of a new file; a temporary file's would be private."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def file_error(code: str, path: Path, cause: OSError) -> FileError:
    """An operating system's error about a path, with the remedy that fits it."""
    verb = "read" if code == "file-unreadable" else "written"
    reason = cause.strerror or str(cause)
    error = FileError(code, f"{path} cannot be {verb}: {reason}.{_remedy(path, cause)}", path=str(path), reason=reason)
    error.errno, error.filename = cause.errno, str(path)
    return error


def _remedy(path: Path, cause: OSError) -> str:
    if not isinstance(cause, FileNotFoundError):
        return " Check the permissions and that it is a file." if isinstance(cause, PermissionError) else ""
    if not path.parent.is_dir():
        return (
            f" There is no folder {path.parent}; nothing is downloaded here, so the path must be that of a local file."
        )
    with suppress(OSError):
        near = difflib.get_close_matches(path.name, os.listdir(path.parent), n=1)
        if near:
            return f" Did you mean {path.parent / near[0]}?"
    return ""
