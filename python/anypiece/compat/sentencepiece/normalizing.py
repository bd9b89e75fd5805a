"""A text as a tokenizer's normalizer leaves it, in sentencepiece's form: ``str`` for ``str``, ``bytes`` for ``bytes``."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from .encoding import raw_of

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

__all__ = ["normalized"]


def normalized(tokenizer: Tokenizer, text: str | bytes, with_offsets: bool) -> Any:
    """The normalized text; with offsets also, for each of its characters or bytes and its end, where it comes from."""
    raw_of(text)
    if not with_offsets:
        found = tokenizer.normalize(text)
        return found.encode() if isinstance(text, bytes) else found
    found, places = tokenizer.normalize_offsets(text)
    offsets = places.tolist()
    if isinstance(text, str):
        return found, offsets
    if not found:
        return b"", []  # as sentencepiece has it, and not the place of the end
    sizes = [len(character.encode()) for character in found]
    spread = chain.from_iterable(repeat(place, size) for place, size in zip(offsets, sizes, strict=False))
    return found.encode(), [*spread, offsets[-1]]
