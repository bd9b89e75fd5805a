"""Streams: encode text and decode ids that arrive in parts, with the same result as all at once.

The kernel decides what is settled; these classes check arguments and translate errors. A stream belongs to one thread.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, SupportsIndex, TypeVar

import numpy as np

from .._core.calls import call, call_ids, plain_ids
from .._core.checks import REFUSALS, checked_count, checked_ids, listed, raise_native
from ..errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from .. import _native
    from .._core.calls import Skipped

_ONE = (int, np.integer)
Result = TypeVar("Result")

__all__ = ["BatchStreamDecoder", "StreamDecoder", "StreamEncoder", "stream_encoder"]


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

    A push returns what no later id can change: a character as soon as it is complete, never half of one. All texts joined
    are ``decode`` of all ids. The cost of a push does not depend on what came before.

    One thing differs: in a ``tokenizer.json`` with byte fallback a run of byte pieces that is not UTF-8 decodes to one
    U+FFFD for each of its bytes, those of good characters included. Characters that a stream returned before the bad byte
    came stay; the rest of the run is as in ``decode``.

    To go on after a prompt, push its ids first and leave aside what is returned.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> stream = tok.stream_decoder()
    >>> "".join(stream.push(id) for id in tok.encode("Grüße, 世界")) + stream.flush()
    'Grüße, 世界'
    """

    __slots__ = ("_finished", "_native", "_skipped", "_vocab_size")

    def __init__(self, native: _native.StreamDecoder, vocab_size: int, skipped: Skipped | None = None) -> None:
        self._native = native
        self._vocab_size = vocab_size
        self._skipped = skipped
        self._finished = False

    def push(self, ids: SupportsIndex | Iterable[SupportsIndex]) -> str:
        """Take one id or several and return the text that is complete."""
        _refuse_finished(self._finished)
        plain = [ids] if isinstance(ids, _ONE) else ids
        return call_ids(self._native.push, plain_ids(plain, self._vocab_size, self._skipped), self._vocab_size)

    def flush(self) -> str:
        """Return what is left, an unfinished character as U+FFFD; the stream then takes no more input."""
        _refuse_finished(self._finished)
        self._finished = True
        return _flushed(self._native.flush)


def _flushed(flush: Callable[[], Result]) -> Result:
    """Flush the rest of a stream; the stages may refuse it."""
    try:
        return flush()
    except REFUSALS as error:
        raise_native(error)


class BatchStreamDecoder:
    """Texts of many id sequences that grow together and come and go. Made by ``Tokenizer.batch_stream_decoder``.

    Each sequence has a number, which ``add`` returns and which is never used again, and gets the texts that a
    ``StreamDecoder`` of its own would return. One call of ``push_batch`` takes what a step of a model made for all of them.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> streams = tok.batch_stream_decoder()
    >>> one, two = streams.add(), streams.add()
    >>> ids = [tok.encode("one two"), tok.encode("Grüße")]
    >>> streams.push_batch([ids[0][0], ids[1][0]])
    ['one', 'Gr']
    >>> streams.push_batch([ids[1][1:]], [two]), streams.flush(two)
    (['üße'], '')
    >>> streams.sequences == (one,)
    True
    """

    __slots__ = ("_native", "_skipped", "_vocab_size")

    def __init__(self, native: _native.BatchStreamDecoder, vocab_size: int, skipped: Skipped | None = None) -> None:
        self._native = native
        self._vocab_size = vocab_size
        self._skipped = skipped

    def add(self, prompt: Iterable[SupportsIndex] = ()) -> int:
        """Add a sequence and return its number. It goes on after the ids of ``prompt``, whose text is not returned."""
        ids = plain_ids(prompt, self._vocab_size, self._skipped)
        return call_ids(self._native.add, ids, self._vocab_size)

    def push_batch(
        self,
        ids: Iterable[SupportsIndex] | Iterable[Iterable[SupportsIndex]],
        sequences: Iterable[SupportsIndex] | None = None,
    ) -> list[str]:
        """The next id of each sequence, and the text that is complete by it, in the same order.

        ``sequences`` says which sequences these are; by default all, in the order in which they were added. Instead of an
        id there may be several for each sequence, or none. If anything is refused, no sequence has changed.
        """
        flat, ends = self._rows(ids)
        numbers = None if sequences is None else [checked_count(number, "A sequence") for number in sequences]
        return call_ids(self._native.push, flat, self._vocab_size, ends, numbers)

    def _rows(self, ids: object) -> tuple[list[int] | NDArray[np.uint32], list[int]]:
        """All ids, and where those of each sequence end."""
        rows = ids if isinstance(ids, (list, np.ndarray)) else listed(ids, "ids")
        one_each = rows.ndim == 1 if isinstance(rows, np.ndarray) else not rows or isinstance(rows[0], _ONE)
        if one_each:
            flat = checked_ids(rows, self._vocab_size)
            ends = list(range(1, len(flat) + 1))
        else:
            parts = [checked_ids(row, self._vocab_size) for row in rows]
            flat = [int(id) for part in parts for id in part]
            ends = list(accumulate(len(part) for part in parts))
        if self._skipped is None or self._skipped.ids.isdisjoint(map(int, flat)):
            return flat, ends
        kept = [0, *accumulate(int(id) not in self._skipped.ids for id in flat)]
        return [int(id) for id in flat if int(id) not in self._skipped.ids], [kept[end] for end in ends]

    def flush(self, sequence: int) -> str:
        """End a sequence and return what is left of its text; its number is then no longer valid."""
        number = checked_count(sequence, "A sequence")
        return _flushed(lambda: self._native.flush(number))

    def remove(self, sequence: int) -> None:
        """Forget a sequence whose text is not wanted any more."""
        self.flush(sequence)

    @property
    def sequences(self) -> tuple[int, ...]:
        """The numbers of the sequences, in the order in which they were added."""
        return tuple(self._native.sequences)

    def __len__(self) -> int:
        return len(self._native)


def stream_encoder(kernel: _native.Tokenizer, specials: object) -> StreamEncoder:
    """See ``Tokenizer.stream_encoder``."""
    if not isinstance(specials, str) or specials not in ("text", "parse"):
        message = f'The specials of a stream must be "text" or "parse", not {specials!r}.'
        raise InputError("argument-value", message, argument="specials", value=repr(specials))
    return StreamEncoder(kernel.stream_encoder(specials == "parse"))


def _refuse_finished(finished: bool) -> None:
    if finished:
        raise InputError("stream-finished", "This stream was flushed; make a new one for the next text.")
