"""Formats: what a file is, by its content, and the reader for it.

One table, one row per foreign format; a reader turns bytes into a Spec and an Origin that remembers what a Spec does not
say. The ``.anypiece`` format belongs to the kernel's store and is only recognised here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from . import sentencepiece

if TYPE_CHECKING:
    from types import ModuleType

    from ..spec import Spec

__all__ = ["KNOWN", "NATIVE_MAGIC", "read", "sniff"]

NATIVE_MAGIC = b"ANYPIECE"
_FORMATS: dict[str, ModuleType] = {"sentencepiece": sentencepiece}
KNOWN = ("anypiece", *_FORMATS)
"""The names that ``sniff`` can return."""


def sniff(data: bytes, name: str) -> str:
    """The format of ``data``, by its content alone; ``name`` is only for the message.

    >>> sniff(b"ANYPIECE and more", "a file")
    'anypiece'
    """
    if data.startswith(NATIVE_MAGIC):
        return "anypiece"
    for kind, module in _FORMATS.items():
        if module.looks_like(data):
            return kind
    what = "is empty" if not data else "is of no known tokenizer format"
    known = ", ".join(KNOWN)
    raise FormatError("format-unknown", f"{name} {what}; known formats: {known}", name=name, known=list(KNOWN))


def read(data: bytes, name: str, **options: Any) -> tuple[Spec, Any]:
    """The Spec and Origin of a foreign file. ``options`` go to its reader (``dialect`` for SentencePiece)."""
    kind = sniff(data, name)
    if kind not in _FORMATS:
        message = f"{name} is an .anypiece file, which is opened and not converted: use anypiece.load"
        raise FormatError("format-unknown", message, name=name, known=list(_FORMATS))
    result: tuple[Spec, Any] = _FORMATS[kind].read(data, **options)
    return result
