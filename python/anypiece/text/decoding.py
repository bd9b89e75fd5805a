"""Decoding: the text of ids. Ids are checked by ``_core.checks``; every loop over tokens is native."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, SupportsIndex

from .._core import vocabulary
from .._core.calls import call_ids, plain_ids
from .._core.checks import known_ids
from .._core.columns import ids_of
from .._native import ArrowColumn
from ..errors import InputError
from .specials import until

if TYPE_CHECKING:
    from .._core.calls import Skipped
    from .._core.columns import Column, Out
    from ..tokenizer import Tokenizer

__all__ = ["Errors", "Ids", "decode", "decode_batch", "decode_bytes", "skipped"]

Errors = Literal["replace", "ignore", "strict", "lenient"]
Ids = Iterable[SupportsIndex]


def decode(tokenizer: Tokenizer, ids: Ids, skip_special: bool, errors: Errors, stop_at_eos: bool) -> str:
    """See ``Tokenizer.decode``."""
    size = tokenizer.vocab_size
    ids = until(ids, tokenizer.eos_id) if stop_at_eos else ids
    if errors != "replace":
        _check_errors(errors, ("replace", "ignore", "strict", "lenient"))
        if errors == "lenient":
            ids, errors = known_ids(ids, size), "replace"
    return call_ids(tokenizer._kernel.decode, plain_ids(ids, size, skipped(tokenizer, skip_special)), size, errors)


def decode_bytes(
    tokenizer: Tokenizer,
    ids: Ids,
    skip_special: bool,
    errors: Literal["strict", "lenient"],
) -> bytes:
    """See ``Tokenizer.decode_bytes``."""
    size = tokenizer.vocab_size
    if errors != "strict":
        _check_errors(errors, ("strict", "lenient"))
        ids = known_ids(ids, size)
    return call_ids(tokenizer._kernel.decode_bytes, plain_ids(ids, size, skipped(tokenizer, skip_special)), size)


def decode_batch(
    tokenizer: Tokenizer,
    batch: Iterable[Ids] | Column,
    skip_special: bool,
    errors: Errors,
    stop_at_eos: bool,
    out: Out = None,
) -> list[str] | ArrowColumn:
    """See ``Tokenizer.decode_batch``."""
    given, valid = ids_of(batch, out, tokenizer.vocab_size, errors)
    texts = [decode(tokenizer, ids, skip_special, errors, stop_at_eos) for ids in given]
    return texts if out is None else ArrowColumn.texts(texts, valid)


def skipped(tokenizer: Tokenizer, skip_special: bool) -> Skipped | None:
    """The ids that are left out, if any are."""
    return vocabulary.skipped(tokenizer) if skip_special else None


def _check_errors(errors: object, known: tuple[str, ...]) -> None:
    if errors not in known:
        names = ", ".join(f'"{name}"' for name in known[:-1])
        message = f'errors must be {names} or "{known[-1]}", not {errors!r}.'
        raise InputError("argument-value", message, argument="errors", value=repr(errors))
