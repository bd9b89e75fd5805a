"""Convert: one tokenizer file into another format, proved by reading the result again.

What the target has no place for is listed, and refused unless the caller accepts the loss. Nothing is left behind when it
fails: the file appears once it has been read back and compared.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .check import Check, check
from .errors import FormatError
from .files import write_bytes
from .formats import losses, reading_options
from .loading import format_of, written
from .tokenizer import Tokenizer, load

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

__all__ = ["Conversion", "convert"]


@dataclass(frozen=True)
class Conversion:
    """What a conversion did."""

    format: str
    lost: tuple[str, ...]
    """The fields of the Spec that the target has no place for."""
    options: dict[str, Any]
    """What ``load`` has to be told to read the result as the same tokenizer."""
    check: Check
    """The comparison of source and result."""


def convert(
    source: str | os.PathLike[str] | Tokenizer,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    allow_lossy: bool = False,
    texts: Iterable[str] | None = None,
    **options: Any,
) -> Conversion:
    """Write the tokenizer of ``source`` to ``target`` in the format of its suffix, or ``format``, and prove the result.

    ``options`` go to ``load``. The result is read again and must give the same ids and texts on ``texts``, or on some
    thousands that are made from the vocabulary; otherwise ``convert-differs`` is raised and nothing is written.
    ``allow_lossy`` accepts what the target cannot carry, and differences that come of it.

    >>> import anypiece, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = convert(anypiece.load(), pathlib.Path(folder) / "mine.model")
    >>> done.format, done.lost, bool(done.check)
    ('sentencepiece', (), True)
    """
    tokenizer = source if isinstance(source, Tokenizer) else load(source, **options)
    path = Path(target)
    name = format_of(path, format)
    lost = tuple(losses(tokenizer.spec, name)) if name != "anypiece" else ()
    if lost and not allow_lossy:
        message = (
            f"{name} has no place for {', '.join(lost)}. Pass allow_lossy=True (--allow-lossy) to leave that out, or write "
            ".anypiece, which holds everything"
        )
        raise FormatError("convert-lossy", message, format=name, lost=list(lost))
    data = written(tokenizer, name, lossy=allow_lossy)
    needed = reading_options(tokenizer.spec, name)
    found = check(tokenizer, _read_back(data, path.suffix, needed), texts)
    if not found and not allow_lossy and found.difference is not None:
        message = (
            f"as {name} the tokenizer gives other {found.difference.what} for {found.difference.text!r}: "
            f"{found.difference.second} instead of {found.difference.first}; write .anypiece instead"
        )
        raise FormatError("convert-differs", message, format=name, text=found.difference.text)
    write_bytes(path, data)
    return Conversion(name, lost, needed, found)


def _read_back(data: bytes, suffix: str, options: dict[str, Any]) -> Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"result{suffix}"
        path.write_bytes(data)
        return load(path, **options)
