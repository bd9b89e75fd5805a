"""The one place where arguments of calls are checked and native errors become Python ones.

Every public entry point that takes text, ids or threads goes through here, so that no two of
them can drift apart. It owns the lone-surrogate policy; what text may hold special tokens is for ``specials``.
"""

from __future__ import annotations

import json
import operator
import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import errors
from .._native import NativeError
from ..errors import AnyPieceError, InputError, InputTypeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "REFUSALS",
    "checked_count",
    "checked_id",
    "checked_ids",
    "checked_integer",
    "checked_text",
    "checked_texts",
    "checked_threads",
    "known_ids",
    "listed",
    "raise_native",
    "without_surrogates",
]

REFUSALS = (NativeError, UnicodeEncodeError, TypeError, OverflowError)
"""What a native call may raise for an argument: its own error, or what the conversion of the argument raised."""

_PLAIN = {int}
_LARGEST = 2**63 - 1
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
BAD_BYTE = b"\xff"
"""What stands for a lone surrogate in a vocabulary of characters; in one of bytes it is U+FFFD."""

_CLASS_OF_PREFIX: tuple[tuple[str, type[AnyPieceError]], ...] = (
    ("file-unreadable", errors.FileError),
    ("file-unwritable", errors.FileError),
    ("file-", errors.FormatError),
    ("format-", errors.FormatError),
    ("checksum-", errors.FormatError),
    ("self-test-", errors.FormatError),
    ("definition-", errors.FormatError),
    ("rank-", errors.FormatError),
    ("gguf-", errors.FormatError),
    ("json-", errors.FormatError),
    ("chat-", errors.FormatError),
    ("convert-", errors.FormatError),
    ("rule-file", errors.FormatError),
    ("words-differ", errors.FormatError),
    ("spec-", errors.SpecError),
    ("input-type", errors.InputTypeError),
    ("arrow-type", errors.InputTypeError),
    ("id-", errors.UnknownIdError),
    ("piece-", errors.UnknownPieceError),
    ("decode-", errors.DecodeError),
    ("internal-", errors.InternalError),
    ("shards-differ", errors.InputError),
    ("shards-worker", errors.InternalError),
    ("shards-", errors.FormatError),
)


def class_of(code: str) -> type[AnyPieceError]:
    """The exception class of an error code."""
    return next((kind for prefix, kind in _CLASS_OF_PREFIX if code.startswith(prefix)), InputError)


def translated(error: NativeError) -> AnyPieceError:
    """A native error as one of the classes of ``errors``: same code, message and facts."""
    code, message, facts = error.args
    return class_of(code)(code, message, **json.loads(facts or "{}"))


def raise_native(error: BaseException) -> NoReturn:
    """Raise what a refused native call means; an error that is not the kernel's own goes on unchanged."""
    if isinstance(error, NativeError):
        raise translated(error) from None
    raise error


def without_surrogates(text: str, stand_in: bytes = BAD_BYTE) -> bytes:
    """UTF-8 of ``text`` with ``stand_in`` in the place of each lone surrogate: by default a byte that is no UTF-8.

    >>> without_surrogates("a\\ud800b")
    b'a\\xffb'
    """
    return _SURROGATE.sub(stand_in, text.encode("utf-8", "surrogatepass"))


def checked_text(text: object, where: str = "", stand_in: bytes = BAD_BYTE) -> str | bytes:
    """``text`` as the kernel can take it: a valid ``str``, or ``bytes``. Anything else is an ``InputTypeError``."""
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        name = type(text).__name__
        raise InputTypeError("input-type", f"Text must be str or bytes, not {name}{where}.{_hint(text)}", type=name)
    try:
        text.encode()
    except UnicodeEncodeError:
        return without_surrogates(text, stand_in)
    return text


def _hint(text: object) -> str:
    if isinstance(text, (bytearray, memoryview)):
        return " Pass bytes(text)."
    if isinstance(text, (list, tuple)):
        return " For many texts use encode_batch or count_batch."
    return " Pass str(text) if its printed form is meant." if text is not None else ""


def checked_texts(texts: object, stand_in: bytes = BAD_BYTE) -> list[str | bytes]:
    """The texts of a batch, each checked; the error says which one is wrong."""
    return [checked_text(text, f" (text number {index})", stand_in) for index, text in enumerate(listed_texts(texts))]


def listed_texts(texts: object) -> Sequence[str | bytes]:
    """``texts`` as a list or tuple, without a look at its elements. One ``str`` is refused: it is rarely what was meant."""
    if isinstance(texts, (list, tuple)):
        return texts
    if isinstance(texts, (str, bytes)):
        raise InputTypeError(
            "input-type", "A batch is a sequence of texts; pass [text] for a batch of one.", type=type(texts).__name__
        )
    return listed(texts, "texts")


def listed(value: Any, name: str) -> list[Any]:
    try:
        return list(value)
    except TypeError:
        kind = type(value).__name__
        raise InputTypeError("input-type", f"{name} must be a sequence, not {kind}.", type=kind) from None


def checked_ids(ids: object, vocab_size: int) -> list[int] | NDArray[np.uint32]:
    """``ids`` as the kernel can take them: a list of plain ints, or a uint32 array whose values are in range.

    Numpy integers and integer arrays are accepted; bools and floats are refused, since they are never meant as ids.
    """
    if type(ids) is list and set(map(type, ids)) <= _PLAIN:
        return ids
    if isinstance(ids, np.ndarray):
        return _checked_array(ids, vocab_size)
    if isinstance(ids, (int, np.integer, str, bytes)):
        kind = type(ids).__name__
        raise InputTypeError("input-type", f"ids must be a sequence of integers, not {kind}. Pass [id].", type=kind)
    return [checked_id(item, vocab_size) for item in listed(ids, "ids")]


def _checked_array(ids: NDArray[Any], vocab_size: int) -> NDArray[np.uint32]:
    if ids.ndim != 1 or (ids.dtype.kind not in "iu" and ids.size):
        shape = f"{ids.dtype} with {ids.ndim} dimensions"
        raise InputTypeError("input-type", f"ids must be a one-dimensional integer array, not {shape}.", type=shape)
    if ids.size and (ids.min() < 0 or ids.max() >= vocab_size):
        raise_range(int(ids[(ids < 0) | (ids >= vocab_size)][0]), vocab_size)
    return np.ascontiguousarray(ids, np.uint32)


def known_ids(ids: object, vocab_size: int) -> list[int] | NDArray[Any]:
    """``ids`` without those that are outside the vocabulary; what is no integer is left for ``checked_ids`` to refuse."""
    if isinstance(ids, np.ndarray):
        is_plain = ids.ndim == 1 and ids.dtype.kind in "iu"
        return ids[(ids >= 0) & (ids < vocab_size)] if is_plain else ids
    if isinstance(ids, (int, np.integer, str, bytes)):
        return checked_ids(ids, vocab_size)
    numbers = (checked_integer(item, "An id") for item in listed(ids, "ids"))
    return [number for number in numbers if 0 <= number < vocab_size]


def checked_id(value: object, vocab_size: int) -> int:
    """One id as an int within the vocabulary."""
    number = checked_integer(value, "An id")
    if not 0 <= number < vocab_size:
        raise_range(number, vocab_size)
    return number


def checked_integer(value: Any, name: str) -> int:
    """An integer argument; bools and floats are none."""
    if type(value) is int:
        return value
    if not isinstance(value, (bool, np.bool_)):
        with suppress(TypeError):
            return operator.index(value)
    kind = type(value).__name__
    raise InputTypeError("input-type", f"{name} must be an integer, not {kind} ({value!r}).", type=kind)


def raise_range(number: int, vocab_size: int) -> NoReturn:
    """Refuse an id that the vocabulary does not have."""
    raise errors.UnknownIdError(
        "id-out-of-range",
        f"Id {number} is not in this vocabulary: ids run from 0 to {vocab_size - 1}. "
        "Check that the ids were made with the same tokenizer.",
        id=number,
        vocab_size=vocab_size,
    )


def checked_count(value: object, name: str, least: int = 0) -> int:
    """An integer argument that must be at least ``least``, and fit into 63 bits."""
    number = checked_integer(value, name)
    if number < least:
        raise InputError(
            "argument-value", f"{name} must be at least {least}, not {number}.", argument=name, value=number
        )
    if number > _LARGEST:
        raise InputError("argument-value", f"{name} must be at most {_LARGEST}.", argument=name)
    return number


def checked_threads(threads: int | None) -> int:
    """How many threads to use: ``None`` means one per usable processor."""
    if threads is not None:
        return checked_count(threads, "threads", 1)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def char_positions(raw: bytes) -> NDArray[np.int64]:
    """For each byte offset of ``raw`` (its end included) the index of the character that begins there or that it lies in.

    ``raw`` is UTF-8 except for bytes that ``without_surrogates`` put in, which count as one character each.

    >>> char_positions("é!".encode()).tolist()
    [0, 0, 1, 2]
    """
    starts = np.append((np.frombuffer(raw, np.uint8) & 0xC0) != 0x80, True)
    return np.cumsum(starts, dtype=np.int64) - 1


def char_ends(raw: bytes) -> NDArray[np.int64]:
    """Map ends of pieces that are bytes to characters: one inside a character counts as the end of that character.

    >>> char_ends("é!".encode()).tolist()
    [0, 1, 1, 2]
    """
    starts = (np.frombuffer(raw, np.uint8) & 0xC0) != 0x80
    return np.concatenate([[0], np.cumsum(starts, dtype=np.int64)])
