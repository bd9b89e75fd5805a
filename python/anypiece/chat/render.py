"""Conversations as text, by a template. A template is a program of whoever made the file.

It runs in jinja2's sandbox, cannot change what it is given, and is bounded: in its size, in its steps, in all that it makes
on the way and goes over, and in the numbers it computes with. It is compiled once; what it was compiled to is kept with the
environments that ran it, each of which serves one rendering at a time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import AnyPieceError, FormatError, extra_missing
from .variables import Given

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Template

    from .provenance import Text
    from .sandbox import Bounded

__all__ = ["ROLES", "chosen", "rendered", "traced"]

ROLES = frozenset(
    ["assistant", "developer", "environment", "function", "ipython", "model", "observation", "system", "tool", "user"]
)
"""Roles that a template may make special tokens of, as ``<|user|>``. Another is text like what a message says."""

_MOST_STEPS = 20_000_000
_STEPS_OF_A_MESSAGE = 2000
_MOST_OUTPUT = 1 << 24
_MOST_TEMPLATE = 1 << 17
_MOST_KEPT = 16
"""How many compiled templates are kept, and how many environments of each."""


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


def rendered(template: str, messages: object, variables: Mapping[str, Any]) -> str:
    """The text of a conversation. Raises ``FormatError`` with the code ``chat-template``."""
    try:
        from .sandbox import Bounded
    except ImportError:
        raise extra_missing("A chat template", "jinja2", "chat") from None
    return _run(Bounded, template, Given(messages, variables))


def traced(
    template: str, messages: object, variables: Mapping[str, Any], tokens: Mapping[str, str]
) -> tuple[Text, list[Any]]:
    """The text of ``rendered``, of which each part is marked with who wrote it, and the roles of the messages.

    ``tokens`` are the names of special tokens that the tokenizer has; they count as written by the template.
    """
    try:
        from .provenance import MESSAGE, NOBODY, TRUSTED, Text
        from .tracing import Tracing
    except ImportError:
        raise extra_missing("A chat template", "jinja2", "chat") from None

    def mark(text: str, number: int, is_role: bool) -> str:
        trusted = TRUSTED if text in ROLES else NOBODY
        return Text.of(text, trusted if is_role else MESSAGE + number)

    given = Given(messages, variables, mark)
    given.variables |= {name: Text.of(token, TRUSTED) for name, token in tokens.items()}
    text = _run(Tracing, template, given)
    roles = [message.get("role") for message in given.messages]
    return text if isinstance(text, Text) else Text.of(text, NOBODY), roles


def _run(kind: type[Bounded], template: str, given: Given) -> str:
    try:
        if len(template) > _MOST_TEMPLATE:
            raise OverflowError(f"it is longer than {_MOST_TEMPLATE} characters")
        code = _compiled(kind, template)  # type: ignore[arg-type]  # a class is hashable
        environment, program = code.taken()
        steps = _MOST_STEPS + _STEPS_OF_A_MESSAGE * given.count
        environment.renewed(_MOST_OUTPUT + 4 * given.size, steps)
        names = {"tools": None, "documents": None, **given.variables, "messages": given.messages}
        text = environment.glued(program.root_render_func(program.new_context(names)))
        environment.spend(len(text))
        code.given_back(environment, program)
    except AnyPieceError:
        raise
    except Exception as error:  # a template can raise anything
        _refuse(error)
    return text


class _Compiled:
    """The code of a template, and the environments in which it ran that are free."""

    __slots__ = ("_code", "_free", "_kind")

    def __init__(self, kind: type[Bounded], template: str) -> None:
        first = kind()
        self._kind, self._code = kind, first.code_of(template)
        self._free = [(first, self._program(first))]

    def _program(self, environment: Bounded) -> Template:
        return environment.template_class.from_code(environment, self._code, environment.globals)

    def taken(self) -> tuple[Bounded, Template]:
        """An environment that nobody else has, and the template in it."""
        try:
            return self._free.pop()
        except IndexError:
            environment = self._kind()
            return environment, self._program(environment)

    def given_back(self, environment: Bounded, program: Template) -> None:
        """Keeps them for the next; after an error they are left alone instead."""
        if len(self._free) < _MOST_KEPT:
            self._free.append((environment, program))


@lru_cache(_MOST_KEPT)
def _compiled(kind: type[Bounded], template: str) -> _Compiled:
    return _Compiled(kind, template)


def _refuse(error: Exception) -> NoReturn:
    message = f"the chat template failed: {type(error).__name__}: {str(error)[:300]}. Correct it, or pass template="
    raise FormatError("chat-template", message, reason=str(error)[:300]) from None
