"""Conversations as text, by the template that a folder has for it (extra ``[chat]``: jinja2).

A template is a program of whoever made the file. It runs in jinja2's sandbox, cannot change what it is given, and is
bounded: in its steps, in its output, and in the numbers it may hand to operations that make text longer.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from .errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType

__all__ = ["rendered"]

_MOST_STEPS = 2_000_000
_MOST_OUTPUT = 1 << 24
_MOST_NUMBER = 100_000


def rendered(template: str | None, messages: Sequence[Mapping[str, Any]], variables: Mapping[str, Any]) -> str:
    """The text of a conversation. Raises ``FormatError`` with the code ``chat-template``."""
    if template is None:
        message = "this tokenizer has no chat template; load the folder that has one, or pass template="
        raise FormatError("chat-template", message)
    environment = _environment()
    steps = 0

    def count(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal steps
        steps += 1
        if steps > _MOST_STEPS:
            raise OverflowError("it takes more than two million steps")
        return count

    parts: list[str] = []
    size, before = 0, sys.gettrace()
    try:
        compiled = environment.from_string(template)
        sys.settrace(count)
        for part in compiled.generate(messages=[dict(message) for message in messages], **variables):
            size += len(part)
            if size > _MOST_OUTPUT:
                raise OverflowError("its text is longer than 16 million characters")
            parts.append(part)
    except Exception as error:  # a template can raise anything
        _refuse(error)
    finally:
        sys.settrace(before)
    return "".join(parts)


def _refuse(error: Exception) -> NoReturn:
    message = f"the chat template failed: {type(error).__name__}: {str(error)[:300]}. Correct it, or pass template="
    raise FormatError("chat-template", message, reason=str(error)[:300]) from None


def _environment() -> Any:
    try:
        from jinja2.exceptions import SecurityError
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        message = "chat templates need jinja2: install anypiece[chat]"
        raise InputError("argument-value", message, argument="messages") from None

    def bounded(*values: object) -> None:
        if any(isinstance(value, int) and abs(value) > _MOST_NUMBER for value in values):
            raise SecurityError(f"a number beyond {_MOST_NUMBER} is given to an operation")

    class Bounded(ImmutableSandboxedEnvironment):
        intercepted_binops = frozenset(["*", "**", "%"])

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            if operator == "%" and isinstance(left, str):
                raise SecurityError("text is formatted by %; use ~ to join")
            if operator in ("*", "**"):
                bounded(left, right)
                sizes = [len(value) for value in (left, right) if isinstance(value, (str, list, tuple))]
                if sum(sizes) > _MOST_NUMBER or (operator == "**" and isinstance(right, int) and right > 64):
                    raise SecurityError("a product is too large")
            return super().call_binop(context, operator, left, right)

        def call(self, context: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
            bounded(*args, *kwargs.values())
            return super().call(context, target, *args, **kwargs)

    environment = Bounded(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    for name in ("center", "wordwrap", "format", "xmlattr", "urlize", "filesizeformat", "pprint", "random"):
        environment.filters.pop(name, None)
    plain = environment.filters["indent"]

    def indent(text: str, width: int | str = 4, first: bool = False, blank: bool = False) -> Any:
        bounded(width, len(width) if isinstance(width, str) else 0)
        return plain(text, width, first, blank)

    def tojson(value: Any, indent: int | None = None, ensure_ascii: bool = False, **options: Any) -> str:
        bounded(indent or 0)
        return json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)

    def raise_exception(message: str) -> NoReturn:
        raise ValueError(message)

    environment.filters.update(tojson=tojson, indent=indent)
    environment.globals["raise_exception"] = raise_exception
    return environment
