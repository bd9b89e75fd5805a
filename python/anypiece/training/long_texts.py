"""Texts too long for the memory allowed: where they can be cut so that the same words are counted, and the refusal else.

A place is tried only between plain words, and taken only if the words of what surrounds it are those of its two sides, as
the counter itself finds them. Where words are whole texts, or rules of the file's own cut them, there is no such place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from .._core import memory
from ..errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import _native
    from .preparation import Preparation

__all__ = ["LongTexts"]

_BETWEEN = re.compile(rb"(?<=[A-Za-z]) (?=[A-Za-z])")
_AROUND = 512
"""Bytes on each side of a place that are looked at: more than any rule of normalization has."""
_TRIES = 64
_SEARCHED = 1 << 16
_SHARE = 16
"""A text may take this part of the memory allowed: normalized, and with its places, it takes several times its length."""
_LEAST = 1 << 20


class LongTexts:
    """How texts are cut for a preparation, where ``room`` bytes are left."""

    def __init__(self, preparation: Preparation, room: int) -> None:
        self.longest = max(room // _SHARE, _LEAST)
        """The most bytes that a text may have."""
        self._room = room
        self._preparation = preparation
        self._counter: _native.Counter | None = None

    def cut(self, data: bytes, source: str, line: int) -> tuple[bytes, bytes]:
        """The beginning of a text that is too long, and the rest. Raises ``train-memory`` where it cannot be cut."""
        skeleton = self._preparation.skeleton
        if self._preparation.cutting != "texts" and not skeleton.split_rules:
            for place in self._places(data):
                for end, start in ((place, place), (place, place + 1), (place + 1, place + 1)):
                    if self._is_neutral(data, end, start):
                        return data[:end], data[start:]
        self.refuse(len(data), source, line)

    def refuse(self, size: int, source: str, line: int) -> NoReturn:
        """Raise ``train-memory`` for a text of at least this many bytes."""
        message = (
            f"{source}:{line} is a text of {memory.shown(size)} or more, and no place was found where it can be cut and "
            f"gives the same words; max_memory leaves {memory.shown(self._room)}. Break it into lines, or give more memory."
        )
        raise InputError("train-memory", message, source=source, line=line, room=self._room)

    def parts(self, data: bytes, source: str, line: int) -> Iterator[bytes]:
        """All of a text, in parts that are not too long."""
        at = 0
        while len(data) - at > self.longest:
            some = data[at : at + self.longest]
            first, rest = self.cut(some, source, line)
            yield first
            at += len(some) - len(rest)
        yield data[at:]

    def _places(self, data: bytes) -> Iterator[int]:
        """Places before a space between letters, near the end of the data at first."""
        tried = 0
        for start in (max(0, len(data) - _SEARCHED), len(data) // 2, 0):
            for found in _BETWEEN.finditer(data, start, max(start, len(data) - _AROUND)):
                yield found.start()
                tried += 1
                if tried >= _TRIES:
                    return

    def _is_neutral(self, data: bytes, end: int, start: int) -> bool:
        """Whether the words around a place are those of what stands before and behind it."""
        left, right = data[max(0, end - _AROUND) : end], data[start : start + _AROUND]
        left, right = left.decode("utf-8", "ignore").encode(), right.decode("utf-8", "ignore").encode()
        return self._counted([left + data[end:start] + right]) == self._counted([left, right])

    def _counted(self, texts: list[bytes]) -> tuple[bytes, bytes, bytes]:
        if self._counter is None:
            self._counter = self._preparation.counter(1)
        self._counter.add(list(texts), None)
        return self._counter.take().columns()
