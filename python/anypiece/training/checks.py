"""Checks that options of trainers share: each refuses a value and names one that would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_choice", "check_flag", "check_names", "check_text", "check_whole", "refuse", "too_few", "too_small"]

LARGEST = 2**31 - 1
LARGEST_COUNT = 2**64 - 1
_MAX_PIECE_BYTES = 7999


def refuse(name: str, message: str, **facts: Any) -> InputError:
    """The error that an option is not usable."""
    return InputError("train-option", message, option=name, **facts)


def check_whole(name: str, value: object, low: int, high: int = LARGEST) -> None:
    """Refuse what is not a whole number from ``low`` to ``high``."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise refuse(name, f"{name} must be a whole number, not {type(value).__name__}.")
    if not low <= value <= high:
        nearest = low if value < low else high
        code = "train-vocab-size" if "vocab_size" in name else "train-option"
        message = f"{name} must be from {low} to {high}, not {value}; the nearest value that works is {nearest}."
        raise InputError(code, message, option=name, value=value, nearest=nearest)


def check_flag(name: str, value: object) -> None:
    """Refuse what is not True or False."""
    if not isinstance(value, bool):
        raise refuse(name, f"{name} must be True or False, not {value!r}.")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse what is not one of ``choices``."""
    if value not in choices:
        raise refuse(name, f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}.")


def check_text(name: str, text: object) -> None:
    """Refuse what is not a str that a file can hold."""
    if not isinstance(text, str):
        raise refuse(name, f"{name} must be str, not {type(text).__name__}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refuse(name, f"{name} has half of a surrogate pair, which no file can hold; remove it.") from None


def check_names(name: str, names: Iterable[object]) -> None:
    """Refuse spellings that no piece can have, and one that is named twice."""
    seen = set()
    for piece in names:
        check_text(name, piece)
        spelling = str(piece)
        if not spelling or "\0" in spelling or len(spelling.encode()) > _MAX_PIECE_BYTES:
            message = f"{name} must have 1 to {_MAX_PIECE_BYTES} bytes each and no NUL: {spelling[:20]!r}. Rename it."
            raise refuse(name, message, piece=spelling[:100])
        if spelling in seen:
            raise refuse(name, f"{name} has {spelling!r} twice. Remove one.", piece=spelling)
        seen.add(spelling)


def too_small(vocab_size: int, least: int, what: str) -> InputError:
    """The error that a vocabulary has no room for what must be in it."""
    message = f"vocab_size is {vocab_size}, and {what} alone are {least}; the nearest value is {least}."
    return InputError("train-vocab-size", message, vocab_size=vocab_size, nearest=least)


def too_few(vocab_size: int, found: int) -> InputError:
    """The error that the text has not enough pieces."""
    message = (
        f"vocab_size is {vocab_size}, and the text has pieces for {found}. "
        f"Set it to {found} or less, train on more text, or pass hard_vocab_limit=False."
    )
    return InputError("train-vocab-size", message, vocab_size=vocab_size, nearest=found)
