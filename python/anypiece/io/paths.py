"""Paths: which file a tokenizer is read from, and how one is written.

It owns the messages for paths that are wrong, the search in a folder, the embedded default and the atomic write. What the
bytes mean is the business of ``formats``.
"""

from __future__ import annotations

import difflib
import errno
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FileError, FormatError, InputError, InputTypeError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "BZIP2",
    "GZIP",
    "MERGES",
    "VOCABULARY",
    "XZ",
    "ZSTD",
    "checked_path",
    "default_path",
    "file_error",
    "found_path",
    "in_place",
    "is_pair",
    "move",
    "new_mode",
    "read_bytes",
    "rivals",
    "temporary_folder",
    "write_bytes",
]

_DATA = Path(__file__).parents[1] / "data"
_SUFFIXES = (".anypiece", ".model", ".tiktoken", ".gguf")
_NAMES = ("tokenizer.json",)
_RARER = ("vocab.txt", "tekken.json", "rwkv_vocab*.txt")
"""What counts where there is none of these: elsewhere such files stand beside a tokenizer.json."""
_OLDER = frozenset(["vocab.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "spm.model"])
"""What stands beside a tokenizer.json for programs that do not read it: the same vocabulary."""
GZIP, BZIP2, XZ, ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
"""How compressed files begin."""
VOCABULARY, MERGES = "vocab.json", "merges.txt"
"""The two files of a vocabulary as GPT-2 has it, which stand beside each other."""

_OPEN_FILES = ("/dev/", "/proc/")
"""Where paths lead to open files, which may be regular ones that others write to as well."""


def is_pair(path: Path) -> bool:
    """Whether a file is a vocab.json with its merges.txt beside it."""
    return path.name == VOCABULARY and os.path.isfile(path.parent / MERGES)


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


def found_path(path: str | os.PathLike[str]) -> Path:
    """The file that ``path`` means: itself, or the one tokenizer file of a folder; tokenizer.json goes before files that
    stand beside it for older programs."""
    found = checked_path(path)
    return _only_file(found) if os.path.isdir(found) else found


def checked_path(path: str | os.PathLike[str]) -> Path:
    """An argument that names a file or a folder."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        kind = type(path).__name__
        hint = " For an open file pass its name." if hasattr(path, "read") else ""
        raise InputTypeError("input-type", f"A path must be a str or a path object, not {kind}.{hint}", type=kind)
    if not os.fspath(path):
        message = 'The path is empty. Pass that of a file or folder ("." is the current one), or none for the default.'
        raise InputError("argument-value", message, argument="path", value="")
    return Path(path)


def _only_file(folder: Path) -> Path:
    try:
        wanted = [*_NAMES, VOCABULARY] if (folder / MERGES).is_file() else [*_NAMES]
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
    half = next((item.name for item in items if item.name in (VOCABULARY, MERGES)), None)
    remedy = "Pass the path of the file itself." if files else "Put the tokenizer file of the model there."
    remedy = f"{half} is half a vocabulary: {VOCABULARY} and {MERGES} go together." if half and not files else remedy
    raise FormatError(
        "format-unknown",
        f"{folder} is a folder and should hold exactly one tokenizer.json, .anypiece, .model, .tiktoken or .gguf file, or "
        f"{VOCABULARY} with {MERGES}, vocab.txt, tekken.json or rwkv_vocab*.txt; found: {names}. {remedy}",
        path=str(folder),
        found=len(files),
    )


def rivals(folder: Path) -> list[Path]:
    """The files of a folder beside which its tokenizer.json is not the one that is meant."""
    try:
        return sorted(item for item in folder.iterdir() if item.suffix in _SUFFIXES and item.name not in _OLDER)
    except OSError as error:
        raise file_error("file-unreadable", folder, error) from None


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
    """Write a file as a whole or not at all: beside it first, then in its place. A link stays and its target is written; a
    device or a pipe is written to."""
    temporary = None
    try:
        if _is_stream(path):
            with open(path, "ab") as stream:
                stream.write(data)
            return
        target = _target(path)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        raise file_error("file-unwritable", path, error) from None
    except ValueError as error:
        raise _odd(path, error) from None


def _is_stream(path: Path) -> bool:
    """Whether a path stands for something that is written to and not replaced: a device, a pipe, an open file by number."""
    try:
        is_file = stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False
    return not is_file or str(path.absolute()).startswith(_OPEN_FILES)


def _target(path: Path) -> Path:
    """The file that a path is or leads to, also where that is yet to be made."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _odd(path: Path, cause: ValueError) -> InputError:
    """A path that no file can have: with a NUL, or a lone surrogate."""
    message = f"{str(path)!r} is no path ({cause}). Pass the path of a file."
    return InputError("argument-value", message, argument="path", value=str(path))


@contextmanager
def in_place(path: Path) -> Iterator[Path]:
    """A name for a file that somebody else writes; when all went well it takes the place of ``path``, or is written to the
    device or pipe that stands there."""
    with _writing(path):
        is_stream = _is_stream(path)
        target = _target(path)
    if is_stream:
        with temporary_folder() as folder:
            yield folder / "new"
            move(folder / "new", path)
        return
    new = target.parent / f".{target.name}.{os.getpid()}"
    try:
        yield new
        move(new, target)
    finally:
        with suppress(OSError):
            new.unlink()


def move(old: Path, new: Path) -> None:
    """Put a whole file in the place of another, which may be on another disk, or write it to a device or pipe."""
    with _writing(new):
        if _is_stream(new):
            with open(old, "rb") as source, open(new, "ab") as stream:
                shutil.copyfileobj(source, stream)
            return
        target = _target(new)
        try:
            os.replace(old, target)
            return
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        with in_place(target) as copy:
            shutil.copyfile(old, copy)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """What the operating system says against writing a path, as an error of the package."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise file_error("file-unwritable", path, error) from None
    except ValueError as error:
        raise _odd(path, error) from None


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for files that are needed for a while."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="anypiece-")
    except OSError as error:
        raise file_error("file-unwritable", Path(os.environ.get("TMPDIR", "/tmp")), error) from None
    with folder as name:
        yield Path(name)


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those of a new file; a temporary file's would be private."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    return new_mode(0o666)


def new_mode(most: int) -> int:
    """The permissions of something new that has ``most`` where nobody restricts them."""
    mask = os.umask(0)
    os.umask(mask)
    return most & ~mask


def file_error(code: str, path: Path, cause: OSError, hint: str = "") -> FileError:
    """An operating system's error about a path, with the remedy that fits it; ``hint`` is added where there is no file."""
    verb = "read" if code == "file-unreadable" else "written"
    reason = cause.strerror or str(cause)
    remedy = _remedy(path, cause, verb == "written") + (hint if isinstance(cause, FileNotFoundError) else "")
    error = FileError(code, f"{path} cannot be {verb}: {reason}.{remedy}", path=str(path), reason=reason)
    error.errno, error.filename = cause.errno, str(path)
    return error


def _remedy(path: Path, cause: OSError, is_new: bool) -> str:
    if isinstance(cause, PermissionError):
        return " Check the permissions and that it is a file."
    if isinstance(cause, IsADirectoryError):
        return " Name a file in that folder."
    if not isinstance(cause, FileNotFoundError):
        return ""
    if path.parts[:1] == ("~",):
        return " A shell would know whose home ~ is; in Python use Path(...).expanduser()."
    if is_new:
        return f" Make the folder {path.parent} first."
    with suppress(OSError):
        near = difflib.get_close_matches(path.name, os.listdir(path.parent), n=1)
        if near:
            return f" Did you mean {path.parent / near[0]}?"
    missing = "" if os.path.isdir(path.parent) else f" There is no folder {path.parent}."
    return f"{missing} Pass the path of a local file: nothing is downloaded here."
