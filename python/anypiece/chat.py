"""Conversations as text, by the template that a folder has for it (extra ``[chat]``: jinja2).

A template is a program of whoever made the file. It runs in jinja2's sandbox, cannot change what it is given, and is
bounded: in its steps, in all the text that it makes on the way, and in the numbers it may hand to operations.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from .errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from .chat_sandbox import Bounded

__all__ = ["chosen", "rendered"]

_MOST_STEPS = 2_000_000
_MOST_OUTPUT = 1 << 24
_MOST_TEMPLATE = 1 << 20


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
    environment = _bounded(messages, variables)
    steps = 0

    def count(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal steps
        steps += 1
        if steps > _MOST_STEPS:
            raise OverflowError("it takes more than two million steps")
        return None if frame.f_globals.get("__name__") == environment.__module__ else count

    parts: list[str] = []
    before = sys.gettrace()
    try:
        if len(template) > _MOST_TEMPLATE:
            raise OverflowError("it is longer than a million characters")
        compiled = environment.from_string(template)
        sys.settrace(count)
        for part in compiled.generate(messages=[dict(message) for message in messages], **variables):
            environment.spend(len(part))
            parts.append(part)
    except Exception as error:  # a template can raise anything
        _refuse(error)
    finally:
        sys.settrace(before)
    return "".join(parts)


def _refuse(error: Exception) -> NoReturn:
    message = f"the chat template failed: {type(error).__name__}: {str(error)[:300]}. Correct it, or pass template="
    raise FormatError("chat-template", message, reason=str(error)[:300]) from None


def _bounded(messages: Sequence[Mapping[str, Any]], variables: Mapping[str, Any]) -> Bounded:
    try:
        from .chat_sandbox import Bounded
    except ImportError:
        message = "chat templates need jinja2: install anypiece[chat]"
        raise InputError("argument-value", message, argument="messages") from None
    return Bounded(_MOST_OUTPUT + 4 * _length([*messages, variables]))


def _length(values: Any) -> int:
    """How many characters the caller gives to the template."""
    if isinstance(values, str):
        return len(values)
    if isinstance(values, Mapping):
        return sum(map(_length, values.values()))
    return sum(map(_length, values)) if isinstance(values, (list, tuple)) else 0
