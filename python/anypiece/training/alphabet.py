"""The alphabet of a vocabulary of characters, and what the kernel's trainers read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native
from .._core.checks import raise_native
from ..errors import InputError
from ..reference.unigram_training import chosen

if TYPE_CHECKING:
    from collections.abc import Collection

    from .options import PieceOptions

__all__ = ["alphabet_of", "characters_of", "kernel_options"]

Alphabet = list[tuple[str, int]]
"""Characters with their counts, the most frequent first."""


def characters_of(words: _native.Words) -> dict[str, int]:
    """How often each character is seen; words that are not text are refused."""
    try:
        return _native.count_characters(words)
    except _native.NativeError as error:
        raise_native(error)


def alphabet_of(words: _native.Words, options: PieceOptions, reserved: Collection[str]) -> Alphabet:
    """The characters that pieces are made of."""
    counts = characters_of(words)
    return [(character, counts.get(character, 0)) for character in chosen(counts, options, reserved)]


def kernel_options(
    words: _native.Words, options: PieceOptions, reserved: list[str] | None = None
) -> tuple[dict[str, Any], Alphabet]:
    """The options as the kernel reads them, ready for JSON, and the alphabet in them; refuses a vocabulary too small for it.

    No piece is ``reserved``: the meta pieces, or other spellings, which then do not count in ``vocab_size``.
    """
    apart = list(options.symbols) if reserved is None else reserved
    alphabet = alphabet_of(words, options, apart)
    least = len(alphabet) + (len(apart) if reserved is None else 0)
    if options.vocab_size < least:
        message = (
            f"vocab_size is {options.vocab_size}, and the characters of the text and the meta pieces alone need {least}; "
            f"set it to {least} or more, or lower character_coverage."
        )
        raise InputError("train-vocab-size", message, vocab_size=options.vocab_size, nearest=least)
    return options.kernel() | {"reserved": apart, "alphabet": alphabet}, alphabet
