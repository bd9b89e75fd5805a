"""A tokenizer as a file or a folder: the format of a name, the bytes, and the write that is whole or does not happen."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from .. import formats
from .._core.bridge import stored
from ..errors import AnyPieceError, FormatError
from ..metadata import metadata_of
from ..rewrites import rewrite_for
from .folder import folder_of, write_folder
from .paths import checked_path, file_error, write_bytes
from .self_test import made_samples

if TYPE_CHECKING:
    from ..spec import Spec
    from ..tokenizer import Tokenizer

__all__ = ["FOLDER", "content_format", "format_of", "save", "written"]

FOLDER = "folder"
"""The name under which a folder of tokenizer.json and its config is a format."""

_FORMAT_OF_SUFFIX = {
    ".model": "sentencepiece",
    ".anypiece": "anypiece",
    ".tiktoken": "tiktoken",
    ".json": "huggingface",
    ".gguf": "gguf",
}
_FORMAT_OF_NAME = {"tekken.json": "tekken", "vocab.txt": "wordpiece"}


def save(tokenizer: Tokenizer, path: str | os.PathLike[str], format: str | None) -> None:
    """See ``Tokenizer.save``."""
    name = format_of(path, format)
    target = checked_path(path)
    try:
        if name == FOLDER:
            write_folder(target, folder_of(tokenizer.spec, tokenizer._origin, target).files)
        else:
            write_bytes(target, written(tokenizer, name))
    except FormatError as error:
        if error.code != "format-unwritable" or not _can_be_rewritten(tokenizer.spec, content_format(name)):
            raise
        text = f"{error}; or try anypiece.convert, which says it as {name} does and compares the result"
        raise FormatError(error.code, text, **error.facts) from None


def _can_be_rewritten(spec: Spec, name: str) -> bool:
    """Whether a Spec can be written once it is rewritten, as ``convert`` does."""
    try:
        formats.write(rewrite_for(spec, name).spec, None, name)
    except AnyPieceError:
        return False
    return True


def content_format(name: str) -> str:
    """The format of the vocabulary itself: that of a folder is in its tokenizer.json."""
    return "huggingface" if name == FOLDER else name


def format_of(path: str | os.PathLike[str], format: str | None) -> str:
    """The format to write: the one asked for, or that of the name or the suffix; ``"folder"`` for a folder that is there, or
    a name that ends in a slash."""
    target = checked_path(path)
    separators = tuple(filter(None, (os.sep, os.altsep)))
    if format in (None, "huggingface", FOLDER) and (os.path.isdir(target) or os.fspath(path).endswith(separators)):
        return FOLDER
    if os.path.isdir(target):
        raise file_error("file-unwritable", target, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)))
    name = format or _FORMAT_OF_NAME.get(target.name) or _FORMAT_OF_SUFFIX.get(target.suffix)
    if name is None or name not in (*formats.KNOWN, FOLDER):
        asked = f"format {format!r}" if format else f"the suffix {target.suffix!r}"
        suffixes = {value: suffix for suffix, value in _FORMAT_OF_SUFFIX.items()}
        known = ", ".join(f"{kind} ({suffixes[kind]})" if kind in suffixes else kind for kind in formats.KNOWN)
        message = (
            f"No format can be written for {asked}; known are {known}, and {FOLDER} (a name that ends in /). Pass "
            "format= or another name."
        )
        raise FormatError("format-unwritable", message, path=str(target), format=format)
    return name


def written(tokenizer: Tokenizer, name: str, spec: Spec | None = None) -> bytes:
    """The bytes of a file in the format ``name``: of the tokenizer, or of a rewrite of its Spec. What the format has no
    place for is refused."""
    if name == "anypiece":
        samples = tokenizer.spec.samples or made_samples(tokenizer)
        return stored(tokenizer._kernel, samples, metadata_of(tokenizer._origin))
    return formats.write(tokenizer.spec if spec is None else spec, tokenizer._origin, name)
