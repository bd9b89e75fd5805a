"""Conversations as text, by the template that a folder has for it (extra ``[chat]``: jinja2).

A template is a program of whoever made the file. It runs in jinja2's sandbox, cannot change what it is given, and is
bounded: in its size, in its steps, in all that it makes on the way and goes over, and in the numbers it computes with.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence, ValuesView
from typing import TYPE_CHECKING, Any, NoReturn

from .errors import FormatError, InputTypeError, extra_missing

if TYPE_CHECKING:
    from types import FrameType

    from .chat_sandbox import Bounded

__all__ = ["chosen", "rendered"]

_MOST_STEPS = 2_000_000
_MOST_OUTPUT = 1 << 24
_MOST_TEMPLATE = 1 << 17
_MOST_DEPTH = 500


def chosen(templates: Mapping[str, str], given: str | None, *, has_tools: bool) -> str:
    """The template that is meant: the one of the name ``given``, ``given`` itself, or the one for tools or the default.

    >>> chosen({"default": "a", "tool_use": "b"}, None, has_tools=True), chosen({"default": "a"}, "{{ x }}", has_tools=True)
    ('b', '{{ x }}')
    """
    if given is not None:
        return templates.get(given, given)
    for name in ("tool_use", "default") if has_tools else ("default",):
        if name in templates:
            return templates[name]
    message = "this tokenizer has no chat template; load the folder that has one, or pass template="
    if templates:
        message = f"there is no default chat template; pass template= with a name: {', '.join(templates)}"
    raise FormatError("chat-template", message)


def rendered(template: str, messages: Sequence[Mapping[str, Any]], variables: Mapping[str, Any]) -> str:
    """The text of a conversation. Raises ``FormatError`` with the code ``chat-template``."""
    given = _checked(messages)
    environment = _bounded(given, variables)
    steps = 0

    def count(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal steps
        steps += 1
        if steps > _MOST_STEPS:
            raise OverflowError("it takes more than two million steps")
        if frame.f_code.co_filename == "<template>":
            return count_line
        return None if frame.f_globals.get("__name__") == environment.__module__ else count

    def count_line(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal steps
        steps += environment.costs[frame.f_lineno] - 1
        count(frame, event, arg)
        return count_line

    parts: list[str] = []
    before = sys.gettrace()
    try:
        if len(template) > _MOST_TEMPLATE:
            raise OverflowError(f"it is longer than {_MOST_TEMPLATE} characters")
        compiled = environment.compiled(template)
        sys.settrace(count)
        for part in compiled.generate(messages=given, **variables):
            environment.spend(len(part))
            parts.append(part)
    except Exception as error:  # a template can raise anything
        _refuse(error)
    finally:
        sys.settrace(before)
    return "".join(parts)


def _checked(messages: object) -> list[dict[str, Any]]:
    """The messages as a list of dictionaries."""
    if not isinstance(messages, Sequence) or isinstance(messages, (str, bytes)):
        kind = type(messages).__name__
        message = f'messages must be a list such as [{{"role": "user", "content": "Hi"}}], not {kind}.'
        raise InputTypeError("input-type", message, type=kind)
    for message in messages:
        if not isinstance(message, Mapping):
            kind = type(message).__name__
            text = f'A message must be a dictionary such as {{"role": "user", "content": "Hi"}}, not {kind}.'
            raise InputTypeError("input-type", text, type=kind)
    return [dict(message) for message in messages]


def _refuse(error: Exception) -> NoReturn:
    message = f"the chat template failed: {type(error).__name__}: {str(error)[:300]}. Correct it, or pass template="
    raise FormatError("chat-template", message, reason=str(error)[:300]) from None


def _bounded(messages: Sequence[Mapping[str, Any]], variables: Mapping[str, Any]) -> Bounded:
    try:
        from .chat_sandbox import Bounded
    except ImportError:
        raise extra_missing("A chat template", "jinja2", "chat") from None
    return Bounded(_MOST_OUTPUT + 4 * _length([*messages, variables]))


def _length(values: Any) -> int:
    """How many characters the caller gives to the template."""
    total, level = 0, [values]
    for _ in range(_MOST_DEPTH):
        if not level or len(level) > _MOST_OUTPUT:
            break
        total += sum(len(value) for value in level if isinstance(value, str))
        inner = [
            value.values() if isinstance(value, Mapping) else value for value in level if not isinstance(value, str)
        ]
        level = [item for value in inner if isinstance(value, (list, tuple, ValuesView)) for item in value]
    return total
