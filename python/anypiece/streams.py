"""Streams: encode text and decode ids that arrive in parts, with the same result as all at once.

The kernel decides what is settled; these classes check arguments and translate errors. A stream belongs to one thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex, TypeVar

import numpy as np

from ._calls import call, call_ids
from ._checks import REFUSALS, checked_ids, raise_native
from .errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from . import _native

_ONE = (int, np.integer)
Result = TypeVar("Result")

__all__ = ["StreamDecoder", "StreamEncoder"]


class StreamEncoder:
    """Ids of a text that arrives in parts: ``push`` each part, then ``flush``. Made by ``Tokenizer.stream_encoder``.

    Whatever the parts, all ids together equal ``encode`` of the joined text. Memory is bounded by the longest stretch that
    later text can still change. A ``bytes`` part may end inside a character.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> stream = tok.stream_encoder()
    >>> stream.push("Hello wo") + stream.push("rld") + stream.flush() == tok.encode("Hello world")
    True
    """

    __slots__ = ("_finished", "_native")

    def __init__(self, native: _native.StreamEncoder) -> None:
        self._native = native
        self._finished = False

    def push(self, text: str | bytes) -> list[int]:
        """Take the next part and return the ids that no later text can change."""
        _refuse_finished(self._finished)
        return call(self._native.push, text)

    def flush(self) -> list[int]:
        """Return the remaining ids; the stream then takes no more input."""
        _refuse_finished(self._finished)
        self._finished = True
        return _flushed(self._native.flush)

    @property
    def pending_bytes(self) -> int:
        """How much text is held back because later text may change its ids."""
        return self._native.pending_bytes


class StreamDecoder:
    """Text of ids that arrive one by one or in parts. Made by ``Tokenizer.stream_decoder``.

    It never returns half a character: bytes of an unfinished one wait for the next push. The cost of a push does not
    depend on what came before.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> stream = tok.stream_decoder()
    >>> "".join(stream.push(id) for id in tok.encode("Grüße, 世界")) + stream.flush()
    'Grüße, 世界'
    """

    __slots__ = ("_finished", "_native", "_vocab_size")

    def __init__(self, native: _native.StreamDecoder, vocab_size: int) -> None:
        self._native = native
        self._vocab_size = vocab_size
        self._finished = False

    def push(self, ids: SupportsIndex | Iterable[SupportsIndex]) -> str:
        """Take one id or several and return the text that is complete."""
        _refuse_finished(self._finished)
        plain = [ids] if isinstance(ids, _ONE) else ids
        return call_ids(self._native.push, checked_ids(plain, self._vocab_size), self._vocab_size)

    def flush(self) -> str:
        """Return what is left, an unfinished character as U+FFFD; the stream then takes no more input."""
        _refuse_finished(self._finished)
        self._finished = True
        return _flushed(self._native.flush)


def _flushed(flush: Callable[[], Result]) -> Result:
    """What is left of a stream; the stages may refuse it."""
    try:
        return flush()
    except REFUSALS as error:
        raise_native(error)


def _refuse_finished(finished: bool) -> None:
    if finished:
        raise InputError("stream-finished", "This stream was flushed; make a new one for the next text.")
