"""Decoding: the text of ids, all at once or as they arrive.

Ids are checked in ``_checks``; every loop over tokens is native.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, SupportsIndex

from .._core.calls import call_ids, plain_ids
from .._core.checks import known_ids, listed
from .._core.vocabulary import Content
from ..errors import InputError
from .specials import until
from .streams import BatchStreamDecoder, StreamDecoder

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Decoding", "Errors"]

Errors = Literal["replace", "ignore", "strict", "lenient"]


class Decoding(Content):
    """The part of a ``Tokenizer`` that turns ids into text."""

    __slots__ = ()

    def decode(
        self,
        ids: Iterable[SupportsIndex],
        *,
        skip_special: bool = False,
        errors: Errors = "replace",
        stop_at_eos: bool = False,
    ) -> str:
        """The text of ``ids``, an iterable of ints or an integer array.

        Control pieces of a SentencePiece vocabulary have no text, those of other vocabularies have their spelling;
        ``skip_special`` leaves them out, and keeps them from parting the byte pieces of one character.
        ``errors`` says what becomes of byte pieces that are not UTF-8: U+FFFD for each, nothing, or a ``DecodeError``. An id
        outside the vocabulary is an ``UnknownIdError`` with each of these; ``"lenient"`` is ``"replace"``, and leaves such
        ids out, as do libraries that models are served by. ``stop_at_eos`` ends before the first eos piece.

        >>> import anypiece
        >>> tok = anypiece.load()
        >>> tok.decode(tok.encode_array("Hello"))
        'Hello'
        >>> tok.decode([-100, *tok.encode("Hello"), 10**6], errors="lenient")
        'Hello'
        """
        ids = until(ids, self.eos_id) if stop_at_eos else ids
        if errors != "replace":
            _check_errors(errors, ("replace", "ignore", "strict", "lenient"))
            if errors == "lenient":
                ids, errors = known_ids(ids, self.vocab_size), "replace"
        plain = plain_ids(ids, self.vocab_size, self._skipped() if skip_special else None)
        return call_ids(self._kernel.decode, plain, self.vocab_size, errors)

    def decode_bytes(
        self,
        ids: Iterable[SupportsIndex],
        *,
        skip_special: bool = False,
        errors: Literal["strict", "lenient"] = "strict",
    ) -> bytes:
        """The text of ``ids`` as bytes: byte pieces are taken as they are, UTF-8 or not.

        With ``errors="lenient"`` ids outside the vocabulary are left out.

        >>> import anypiece
        >>> anypiece.load().decode_bytes(anypiece.load().encode("é")).decode()
        'é'
        """
        if errors != "strict":
            _check_errors(errors, ("strict", "lenient"))
            ids = known_ids(ids, self.vocab_size)
        plain = plain_ids(ids, self.vocab_size, self._skipped() if skip_special else None)
        return call_ids(self._kernel.decode_bytes, plain, self.vocab_size)

    def decode_batch(
        self,
        batch: Iterable[Iterable[SupportsIndex]],
        *,
        skip_special: bool = False,
        errors: Errors = "replace",
        stop_at_eos: bool = False,
    ) -> list[str]:
        """The texts of many id sequences, such as a ``Batch``; the arguments are those of ``decode``.

        >>> import anypiece
        >>> anypiece.load().decode_batch(anypiece.load().encode_batch(["one", "two"]))
        ['one', 'two']
        """
        rows = listed(batch, "batch")
        return [self.decode(ids, skip_special=skip_special, errors=errors, stop_at_eos=stop_at_eos) for ids in rows]

    def stream_decoder(self, *, skip_special: bool = False) -> StreamDecoder:
        """A ``StreamDecoder``, for ids that arrive one by one; ``skip_special`` is that of ``decode``."""
        return StreamDecoder(self._kernel.stream_decoder(), self.vocab_size, self._skipped() if skip_special else None)

    def batch_stream_decoder(self, *, skip_special: bool = False) -> BatchStreamDecoder:
        """A ``BatchStreamDecoder``, for many sequences whose next ids arrive together."""
        skipped = self._skipped() if skip_special else None
        return BatchStreamDecoder(self._kernel.batch_stream_decoder(), self.vocab_size, skipped)


def _check_errors(errors: object, known: tuple[str, ...]) -> None:
    if errors not in known:
        names = ", ".join(f'"{name}"' for name in known[:-1])
        message = f'errors must be {names} or "{known[-1]}", not {errors!r}.'
        raise InputError("argument-value", message, argument="errors", value=repr(errors))
