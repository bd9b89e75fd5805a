"""Filters and tests of chat templates: jinja2's, each of which pays for what it may make of what it is given.

A name that is not here is refused when it is reached, not before: a template may have it where it never goes.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from jinja2.exceptions import SecurityError
from jinja2.filters import make_attrgetter

from .formatting import by_percent
from .limits import CALL, GROWS_BY, IN_A_LIST, MOST_STRIPPED, refuse_large, refuse_long, refuse_long_sets, replaced_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .sandbox import Bounded

__all__ = ["bounded_filters", "bounded_tests"]

_FILTERS_NAMES = (
    "abs capitalize count d default dictsort e escape first float groupby int items last length list lower map max min "
    "reject rejectattr reverse round safe select selectattr sort string title trim truncate unique upper wordcount"
)
_FILTERS = frozenset(_FILTERS_NAMES.split())
_WRITING = frozenset(["capitalize", "e", "escape", "lower", "safe", "string", "title", "trim", "truncate", "upper"])
_LISTING = frozenset(["list", "reverse", "wordcount"])
_LAZY = frozenset(["map", "reject", "rejectattr", "select", "selectattr"])
_ORDERING = frozenset(["dictsort", "groupby", "max", "min", "sort", "unique"])
_FREE = frozenset(["count", "d", "default", "length"])
_QUICK_TESTS_NAMES = (
    "boolean callable defined escaped false float integer iterable mapping none number sameas sequence string true "
    "undefined"
)
_QUICK_TESTS = frozenset(_QUICK_TESTS_NAMES.split())
_NUMERIC = frozenset(["divisibleby", "even", "odd", "round"])
"""Tests and filters that would format or repeat a text."""


class _Known(dict[str, Any]):
    """What templates may use by name; anything else fails where it is used."""

    def __missing__(self, name: str) -> Callable[..., Any]:
        def absent(*args: Any, **kwargs: Any) -> Any:
            raise SecurityError(f"{name!r} is no filter or test that is known, or none for templates")

        return absent

    def get(self, name: str, default: Any = None) -> Any:
        return self[name]


def bounded_filters(environment: Bounded, filters: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """The filters of templates."""
    own = _Own(environment)
    named = {"replace": own.replaced, "join": own.joined, "indent": own.indented, "tojson": own.as_json}
    named |= {"sum": own.summed, "format": own.formatted, "attr": own.attribute}
    return _Known({name: _counted(environment, name, filters[name]) for name in _FILTERS} | named)


def bounded_tests(environment: Bounded, tests: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """The tests of templates."""
    slow = {name: _weighing(environment, test, name) for name, test in tests.items() if name not in _QUICK_TESTS}
    return _Known({**tests, **slow})


def _counted(environment: Bounded, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that pays for what it may make of what it takes."""
    if name in _FREE:
        return function
    if name == "trim":
        return _trimming(environment, function)

    @wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        if name in _NUMERIC:
            _refuse_other_than_numbers(args[0])
        if name in ("round", "truncate"):
            refuse_large(*args[1:], *kwargs.values())
        environment.spend(CALL)
        if name in _WRITING:
            cut = sum(environment.cut(value) for value in args if isinstance(value, str))
            environment.spend(GROWS_BY * environment.weight(args) + cut)
        elif name in _LISTING:
            args = tuple(map(environment.listed, args)) if name == "list" else args
            environment.spend(IN_A_LIST * _size(args))
        elif name in _ORDERING:
            args = tuple(map(environment.listed, args))
            environment.spend(IN_A_LIST * _size(args))
            environment.look((args, kwargs), _size(args).bit_length())
        elif name in ("int", "float"):
            environment.look(args)
        elif name in _LAZY and len(args) > 1 and args[1]:  # after the context
            if isinstance(args[1], (list, tuple, dict, str)):
                environment.step(CALL * len(args[1]))
            else:
                args = (args[0], environment.paced(args[1], CALL), *args[2:])
        result = function(*args, **kwargs)
        return refuse_long(result) if name in ("int", "round") else result

    return counted


def _trimming(environment: Bounded, function: Callable[..., Any]) -> Callable[..., Any]:
    def trim(value: Any, chars: str | None = None) -> Any:
        if not isinstance(value, str) or (type(value) is not str and hasattr(value, "__html__")):
            environment.spend(GROWS_BY * environment.weight(value))
        if chars is not None:
            refuse_long_sets([chars])
        environment.spend(CALL + len(value) + environment.cut(value) if isinstance(value, str) else CALL)
        return function(value, chars)

    return trim


def _weighing(environment: Bounded, test: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A test that pays for what it goes over."""

    weighed, searched = environment.weighed, environment.searched if name == "in" else environment.weighed

    @wraps(test)
    def weighing(value: Any, *args: Any) -> Any:
        if len(args) == 1 and type(value) is type(args[0]) is str:
            environment.work -= len(value) + len(args[0])
            if environment.work >= 0:
                return test(value, args[0])
        weighed(value)
        if name in _NUMERIC:
            _refuse_other_than_numbers(value)
        return test(value, *map(searched, args))

    return weighing


class _Own:
    """The filters whose result is longer than what they take, written so that it is known before."""

    def __init__(self, environment: Bounded) -> None:
        self.environment = environment

    def replaced(self, text: Any, old: Any, new: Any, count: int | None = None) -> str:
        spend, most = self.environment.spend, -1 if count is None else count
        spend(self.environment.weight((text, old, new)))
        shown, old, new = str(text), str(old), str(new)
        spend(replaced_size(shown, old, new, most) + self.environment.cut_at(shown, old, new))
        return shown.replace(old, new, most)

    def joined(self, values: Any, between: Any = "", attribute: Any = None) -> str:
        environment = self.environment
        parts = list(environment.paced(values))
        if attribute is not None:
            parts = list(map(make_attrgetter(environment, attribute), parts))
        environment.spend(environment.weight(parts) + environment.weight(between) * len(parts))
        return environment.glued([environment.text_of(part) for part in parts], environment.text_of(between))

    def indented(self, text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> Any:
        environment = self.environment
        refuse_large(width)
        shown = environment.text_of(text)
        step = width if isinstance(width, str) else " " * width
        environment.spend(len(shown) + (shown.count("\n") + 1) * len(step))
        lines = (shown + "\n").splitlines()
        rest = [environment.glued([step, line]) if line or blank else line for line in lines[1:]]
        return environment.glued([step if first else "", environment.glued([lines[0], *rest], "\n")])

    def as_json(
        self,
        value: Any,
        ensure_ascii: bool = False,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        environment = self.environment
        refuse_large(indent)
        if separators is not None and environment.weight(separators) > MOST_STRIPPED:
            raise SecurityError("what stands between the values is too long")
        environment.spend(CALL + GROWS_BY * environment.weight(value) * ((indent or 0) + 1))
        return environment.json(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    def summed(self, values: Any, attribute: Any = None, start: float = 0) -> float:
        environment = self.environment
        listed = list(environment.paid(values))
        numbers = listed if attribute is None else list(map(make_attrgetter(environment, attribute), listed))
        if not all(isinstance(number, (int, float)) for number in (*numbers, start)):
            raise SecurityError("sum takes numbers")
        total: float = refuse_long(sum(numbers, start))
        return total

    def attribute(self, value: Any, name: Any) -> Any:
        environment = self.environment
        if type(value) is dict or not isinstance(name, str) or not hasattr(value, name):
            return environment.undefined(obj=value, name=name)
        return environment.getattr(value, name)

    def formatted(self, form: Any, *args: Any, **kwargs: Any) -> str:
        if args and kwargs:
            raise ValueError("can't handle positional and keyword arguments at the same time")
        return by_percent(self.environment, self.environment.text_of(form), kwargs or args)


def _refuse_other_than_numbers(value: Any) -> None:
    if not isinstance(value, (int, float)):
        raise SecurityError("a number is needed")


def _size(values: Iterable[Any]) -> int:
    """How many items there are in all that can be counted."""
    return sum(len(value) for value in values if hasattr(value, "__len__") and hasattr(value, "__iter__"))
