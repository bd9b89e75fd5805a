"""What a caller gives to a chat template, as plain data that a template can do no harm with.

As in transformers: texts, numbers, lists and dictionaries stay, records become dictionaries, and of anything else a template
sees only the name of its type. A message's reasoning may be called ``reasoning_content``, ``thinking`` or ``reasoning``; the
template finds it under the first two names. What is ``None`` stays ``None``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InputTypeError

__all__ = ["Given"]

_MOST_DEPTH = 200
_REASONING = ("reasoning_content", "thinking", "reasoning")
_SCALARS = (int, float, bool, type(None))

Mark = Callable[[str, int, bool], str]
"""What stands for a text of a message: made of the text, the number of the message, and whether it is its role."""


class Given:
    """Messages and variables as plain data; ``size`` is how many characters they have, ``count`` the number of messages.

    >>> found = Given([{"role": "user", "content": "Hi", "id": {1}}], {"tools": None})
    >>> found.messages, found.variables, found.size
    ([{'role': 'user', 'content': 'Hi', 'id': '<set>'}], {'tools': None}, 24)
    """

    __slots__ = ("_as_text", "count", "messages", "size", "variables")

    def __init__(self, messages: object, variables: Mapping[str, Any], mark: Mark | None = None) -> None:
        self.size = 0
        self._as_text: Callable[[str], str] | None = None
        rows = _rows(messages)
        self.count = len(rows)
        _refuse_other_documents(variables.get("documents"))
        _refuse_functions(variables.get("tools"))
        self.variables = {name: self._plain(value, 0) for name, value in variables.items()}
        self.messages = [self._message(row, number, mark) for number, row in enumerate(rows)]

    def _message(self, row: Any, number: int, mark: Mark | None) -> dict[str, Any]:
        if mark is not None:
            self._as_text = lambda text: mark(text, number, False)
        message = self._plain(row, 0) if mark is not None or type(row) is not dict else self._copied(row)
        if not isinstance(message, dict):
            kind = type(row).__name__
            text = f'A message must be a dictionary such as {{"role": "user", "content": "Hi"}}, not {kind}.'
            raise InputTypeError("input-type", text, type=kind)
        if mark is not None and isinstance(message.get("role"), str):
            message["role"] = mark(str(message["role"]), number, True)
        for name in _REASONING:
            reasoning = message.get(name)
            if reasoning is not None:
                return {"thinking": reasoning, **message, "reasoning_content": reasoning}
        return message

    def _copied(self, row: dict[Any, Any]) -> dict[Any, Any]:
        """A message that is a dictionary; most hold texts alone."""
        size = 0
        for name, value in row.items():
            if type(name) is not str or type(value) is not str:
                break
            size += len(name) + len(value)
        else:
            self.size += size
            return row.copy()
        copied: dict[Any, Any] = self._plain(row, 0)
        return copied

    def _plain(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str:
            self.size += len(value)
            return value if self._as_text is None else self._as_text(value)
        if kind in _SCALARS:
            return value
        if depth > _MOST_DEPTH:
            message = f"What is given to a template may be {_MOST_DEPTH} deep at most; a list holds itself perhaps."
            raise InputTypeError("input-type", message, type=kind.__name__)
        if kind is dict:
            return {self._plain(name, depth): self._plain(item, depth + 1) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            items = [self._plain(item, depth + 1) for item in value]
            return items if isinstance(value, list) else tuple(items)
        return self._plain(_plainer(value), depth + 1)


def _plainer(value: Any) -> Any:
    """A value of another type as one that is nearer to plain data."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.generic):
        return value.item()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    if callable(getattr(value, "model_dump", None)):
        return value.model_dump()
    return f"<{type(value).__name__}>"


def _rows(messages: object) -> Sequence[Any]:
    if not isinstance(messages, Sequence) or isinstance(messages, (str, bytes)):
        kind = type(messages).__name__
        message = f'messages must be a list such as [{{"role": "user", "content": "Hi"}}], not {kind}.'
        raise InputTypeError("input-type", message, type=kind)
    return messages


def _refuse_other_documents(documents: Any) -> None:
    for document in documents if isinstance(documents, (list, tuple)) else ():
        if not isinstance(document, Mapping):
            kind = type(document).__name__
            message = f'A document must be a dictionary such as {{"title": "a", "text": "b"}}, not {kind}.'
            raise InputTypeError("input-type", message, type=kind)


def _refuse_functions(tools: Any) -> None:
    for tool in tools if isinstance(tools, (list, tuple)) else ():
        if callable(tool):
            name = getattr(tool, "__name__", type(tool).__name__)
            message = f"A tool must be a dictionary, its JSON schema; {name} is a function. Pass its schema."
            raise InputTypeError("input-type", message, type=type(tool).__name__)
