"""Texts with places to fill in, ``%`` and ``format``, in a bounded form: places are few, narrow and of the usual kinds."""

from __future__ import annotations

import re
from string import Formatter
from typing import TYPE_CHECKING, Any

from jinja2.exceptions import SecurityError

from .limits import CALL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .sandbox import Bounded

__all__ = ["by_percent", "filled_in"]

_MOST_PLACES = 1000
_MOST_WIDTH = 1000
_PERCENT = re.compile(r"%(?:\((?P<name>[^()]*)\))?(?P<form>[-#0 +]*\d*(?:\.\d*)?[hlL]?(?P<kind>.))", re.DOTALL)
_NUMBER = re.compile(r"\d+")
_REPR_GROWS_BY = 10
"""How many characters one may become where a value is shown as Python would write it: ``\\\\U0001f600``."""


def by_percent(environment: Bounded, form: str, values: tuple[Any, ...] | Mapping[str, Any]) -> str:
    """What ``form % values`` gives."""
    parts: list[str] = []
    end = place = 0
    for found in _PERCENT.finditer(form):
        parts.append(form[end : found.start()])
        end = found.end()
        if found["kind"] == "%":
            parts.append(environment.like(form, "%"))
            continue
        if found["name"] is not None:
            value = _named(values, found["name"])
        elif place < (len(values) if isinstance(values, tuple) else 1):
            value = values[place] if isinstance(values, tuple) else values
            place += 1
        else:
            raise TypeError("not enough arguments for format string")
        parts.append(_shown(environment, "%" + found["form"], value))
        _refuse_many(parts)
    if isinstance(values, tuple) and place < len(values):
        raise TypeError("not all arguments converted during string formatting")
    if "%" in form[end:]:
        raise ValueError("incomplete format")
    parts.append(form[end:])
    environment.spend(CALL + sum(map(len, parts)))
    return environment.glued(parts)


def filled_in(environment: Bounded, form: str, values: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """What ``form.format(*values, **named)`` gives. Places name a value, and nothing inside of it."""
    parts: list[str] = []
    place = 0
    for literal, name, spec, conversion in Formatter().parse(form):
        parts.append(environment.like(form, literal))
        if name is None:
            continue
        if spec and ("{" in spec or conversion):
            raise SecurityError("a place that is filled in has a form that is itself filled in")
        if not re.fullmatch(r"\w*", name):
            raise SecurityError("a place that is filled in may name a value, and nothing inside of it")
        if name.isdecimal() or not name:
            value = values[int(name) if name else place]
            place += not name
        else:
            value = named[name]
        shown = "%r" if conversion == "r" else "%s"
        _refuse_wide(spec or "")
        parts.append(format(_bounded(environment, value), spec) if spec else _shown(environment, shown, value))
        _refuse_many(parts)
    environment.spend(CALL + sum(map(len, parts)))
    return environment.glued(parts)


def _named(values: tuple[Any, ...] | Mapping[str, Any], name: str) -> Any:
    if isinstance(values, tuple):
        raise TypeError("format requires a mapping")
    return values[name]


def _shown(environment: Bounded, form: str, value: Any) -> str:
    """A value by one place of a form."""
    _refuse_wide(form)
    if form == "%s":
        return value if isinstance(value, str) else environment.text_of(value)
    return form % (_bounded(environment, value),)


def _bounded(environment: Bounded, value: Any) -> Any:
    environment.spend(_REPR_GROWS_BY * environment.weight(value))
    return value


def _refuse_wide(form: str) -> None:
    if len(form) > 40 or any(int(number) > _MOST_WIDTH for number in _NUMBER.findall(form)):
        raise SecurityError(f"a place that is filled in is wider than {_MOST_WIDTH} characters")


def _refuse_many(parts: list[str]) -> None:
    if len(parts) > 2 * _MOST_PLACES:
        raise SecurityError(f"a text has more than {_MOST_PLACES} places to fill in")
