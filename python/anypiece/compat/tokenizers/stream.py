"""Decoding as ids arrive: text comes out as soon as what follows cannot change it."""

from __future__ import annotations

from typing import Any

__all__ = ["DecodeStream"]

_BAD = "\ufffd"


class DecodeStream:
    """Text of ids that arrive one by one, or some at a time.

    ``ids`` are those that were read before; their text does not come out again.
    """

    def __init__(self, ids: Any = None, skip_special_tokens: bool = False) -> None:
        self._ids: list[int] = [] if ids is None else list(ids)
        self._skip = bool(skip_special_tokens)
        self._prefix = ""
        self._read = 0

    def step(self, tokenizer: Any, id: int | list[int]) -> str | None:
        """The text that ``id``, or some ids, complete; None where more are needed."""

        def text(ids: list[int]) -> str:
            found: str = tokenizer.decode(ids, skip_special_tokens=self._skip)
            return found

        if not self._prefix and self._ids:
            before = text(self._ids)
            if not before.endswith(_BAD):
                self._prefix, self._read = before, len(self._ids)
        self._ids += [id] if isinstance(id, int) else list(id)
        found = text(self._ids)
        if len(found.encode()) <= len(self._prefix.encode()) or found.endswith(_BAD):
            return None
        if not found.startswith(self._prefix):
            raise Exception(
                f"Invalid prefix encountered while decoding stream. Token ID: {self._ids[-1]}, "
                f"Expected prefix: '{self._prefix}', Actual string: '{found}'"
            )
        fresh, left = found[len(self._prefix) :], len(self._ids) - self._read
        self._ids = self._ids[self._read :]
        self._prefix, self._read = text(self._ids), left
        return fresh

    def __copy__(self) -> DecodeStream:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> DecodeStream:
        made = DecodeStream(self._ids, self._skip)
        made._prefix, made._read = self._prefix, self._read
        return made
