"""The environment that chat templates run in: jinja2's sandbox, and a bound on what a template makes and looks at.

Whatever makes a text or a list longer than it was (joining, repeating, replacing, slicing, writing a value out) says before
how much that will be, and pays for it from one budget. So a few lines that double a text thirty times fail at once. What
goes over values and makes none (comparing, searching, sorting, a key of a dictionary) pays from a second one.
"""

from __future__ import annotations

import json
from collections.abc import ItemsView, Iterator, KeysView, Mapping, Set, Sized, ValuesView
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

from jinja2.exceptions import SecurityError
from jinja2.filters import do_indent, make_attrgetter
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from .chat_compiler import MOST_BITS, Generation, Generator, refuse_large_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType

    from jinja2 import Template
    from jinja2.runtime import Context

__all__ = ["Bounded"]

_MOST_NUMBER = 100_000
_MOST_EXPONENT = 64
_MOST_DEPTH = 200
"""How deep lists may lie in lists that are compared or written: Python goes down without a look at its stack."""
_CALL = 32
"""What a call costs, or a literal: what it makes is kept perhaps."""
_IN_A_LIST = 16
"""What an item of a list costs beside its text."""
_LOOKED_AT = 128
"""The same where it is only looked at: weighing it takes as long as so many characters."""
_PART = 64
"""What a part of a text costs that was split, beside its characters."""
_GROWS_BY = 6
"""How many characters one may become: those that HTML writes as a name."""
_LINE = 256
"""So many characters of code are a step."""

_TEXT_METHODS_NAMES = (
    "capitalize casefold count endswith find index isalnum isalpha isascii isdecimal isdigit islower isnumeric isspace "
    "istitle isupper join lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip "
    "split splitlines startswith strip swapcase title upper"
)
_SEARCHES = ("count", "endswith", "find", "index", "rfind", "rindex", "startswith")
_TEXT_METHODS = frozenset(_TEXT_METHODS_NAMES.split())
_GROWING = frozenset(["capitalize", "casefold", "lower", "swapcase", "title", "upper"])
_ASKING = frozenset(name for name in _TEXT_METHODS if name.startswith("is") or name in _SEARCHES)
"""Methods that make no text."""
_QUICK_METHODS = frozenset(["get", "items", "keys", "values"])
_FILTERS_NAMES = (
    "abs attr capitalize count d default dictsort e escape first float groupby indent int items join last length list lower "
    "map max min reject rejectattr replace reverse round safe select selectattr sort string sum title tojson trim truncate "
    "unique upper wordcount"
)
_FILTERS = frozenset(_FILTERS_NAMES.split())
_WRITING = frozenset(["capitalize", "e", "escape", "lower", "safe", "string", "title", "trim", "truncate", "upper"])
_LISTING = frozenset(["list", "map", "reverse", "wordcount"])
_ORDERING = frozenset(["dictsort", "groupby", "max", "min", "sort", "unique"])
_QUICK_TESTS_NAMES = (
    "boolean callable defined escaped false float integer iterable mapping none number sameas sequence string true "
    "undefined"
)
_QUICK_TESTS = frozenset(_QUICK_TESTS_NAMES.split())
_NUMERIC = frozenset(["divisibleby", "even", "odd", "round"])
"""Tests and filters that would format or repeat a text."""
_STRIPPING = frozenset(["lstrip", "rstrip", "strip", "trim"])
_MOST_STRIPPED = 100
"""So many characters may be named that are taken off the ends of a text: each is looked for at each place."""
_LISTS = (list, tuple, set, frozenset, KeysView, ValuesView, ItemsView)
_CLOSED = (int, float, complex, bytes, bytearray, memoryview, type)
"""What has methods that make much of little, and that no template needs."""


class Bounded(ImmutableSandboxedEnvironment):
    """The environment for one rendering, in which a template may make ``budget`` characters."""

    code_generator_class = Generator
    intercepted_binops = frozenset(["+", "-", "*", "/", "//", "%", "**"])

    def __init__(self, budget: int) -> None:
        self.most, self.left, self.work = budget, 4 * budget, 8 * budget
        self.costs = [1]
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,
            finalize=self._finalized,
            extensions=["jinja2.ext.loopcontrols", Generation],
        )
        setattr(self, "concat", self._concatenated)  # noqa: B010
        own: dict[str, Callable[..., Any]] = {"replace": self._replaced, "join": self._joined, "indent": self._indented}
        own |= {"tojson": self._as_json, "sum": self._summed}
        self.filters = {name: own.get(name) or self._counted(name, self.filters[name]) for name in _FILTERS}
        tests: dict[str, Any] = {**self.tests}
        slow = {name: self._weighing(test, name) for name, test in tests.items() if name not in _QUICK_TESTS}
        self.tests = tests | slow
        kept = {name: self.globals[name] for name in ("range", "dict", "namespace", "joiner", "cycler")}
        self.globals = {**kept, "raise_exception": _raise, "strftime_now": _now}

    def compiled(self, template: str) -> Template:
        """The code of a template, and what each line of it costs."""
        tree = self.parse(template)
        refuse_large_tree(tree)
        return self.from_string(tree)

    def _compile(self, source: str, filename: str) -> CodeType:
        self.costs = [1, *(1 + len(line) // _LINE for line in source.split("\n"))]
        return super()._compile(source, filename)

    def spend(self, size: int) -> None:
        """Takes ``size`` characters from the budget."""
        self.left -= size
        if size > self.most or self.left < 0:
            raise SecurityError(f"it makes more than {self.most} characters")

    def look(self, value: Any, times: int = 1) -> None:
        """Pays for going over a value."""
        self.work -= self.weight(value, self.work, _LOOKED_AT) * times
        if self.work < 0:
            raise SecurityError("it compares or searches too much")

    def weight(self, value: Any, most: int | None = None, each: int = _IN_A_LIST) -> int:
        """How long a value is when it is written out, at least; one beyond ``most`` is not looked at to its end."""
        most = self.most if most is None else most
        total, level = 0, [value]
        for _ in range(_MOST_DEPTH):
            inner: list[Any] = []
            for item in level:
                if isinstance(item, str):
                    total += len(item)
                elif isinstance(item, dict):
                    total += each * len(item)
                    inner.extend(item)
                    inner.extend(item.values())
                elif isinstance(item, int):
                    total += item.bit_length() // 3 + 1
                elif isinstance(item, range):
                    total += each * len(item)
                elif isinstance(item, Namespace):
                    inner.append(object.__getattribute__(item, "_Namespace__attrs"))
                elif isinstance(item, _LISTS):
                    total += each * len(item)
                    inner.extend(item)
                if total > most:
                    return total
            if not inner:
                return total
            level = inner
        raise SecurityError(f"lists lie more than {_MOST_DEPTH} deep in lists")

    def weighed(self, value: Any) -> Any:
        """A value that is compared, or is a key."""
        if value is not None and not isinstance(value, (bool, float)):
            self.look(value)
        return value

    def searched(self, value: Any) -> Any:
        """What ``in`` searches; in a dictionary it goes to the place."""
        if isinstance(value, (Mapping, Set)) and not isinstance(value, ItemsView):
            return value
        return self.weighed(self._listed(value))

    def made(self, value: Any) -> Any:
        """A list, tuple or dictionary that stands in the template."""
        self.spend(_CALL + _IN_A_LIST * len(value))
        return value

    def joined(self, values: tuple[Any, ...]) -> str:
        """What ``~`` makes of its operands."""
        self.spend(self.weight(values))
        return "".join(map(str, values))

    def sliced(self, value: Any, start: Any, stop: Any, step: Any) -> Any:
        """What ``value[start:stop:step]`` makes."""
        if isinstance(value, (str, list, tuple)):
            self.spend(len(value) if isinstance(value, str) else _IN_A_LIST * len(value))
        return value[start:stop:step]

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        _refuse_long(left, right)
        sizes = [self.weight(value) for value in (left, right) if isinstance(value, (str, list, tuple))]
        if operator == "%" and isinstance(left, str):
            raise SecurityError("text is formatted by %; use ~ to join")
        if operator in ("*", "**"):
            _refuse_large(left, right)
            if operator == "**" and isinstance(right, int) and right > _MOST_EXPONENT:
                raise SecurityError("a power is too large")
            number = next((value for value in (left, right) if isinstance(value, int)), 1)
            sizes = [size * max(number, 1) for size in sizes]
        if sizes:
            self.spend(sum(sizes) * (_GROWS_BY if hasattr(left, "__html__") or hasattr(right, "__html__") else 1))
        return _refuse_long(super().call_binop(context, operator, left, right))

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, str) and attribute not in _TEXT_METHODS:
            return self.unsafe_undefined(obj, attribute)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, str) and isinstance(argument, str):
            return self.getattr(obj, argument)
        if not isinstance(argument, (str, int)):
            self.look(argument)
        return super().getitem(obj, argument)

    def call(self, context: Context, target: Any, *args: Any, **kwargs: Any) -> Any:
        _refuse_large(*args, *kwargs.values())
        self.spend(_CALL + _IN_A_LIST * (len(args) + len(kwargs)))
        owner = getattr(target, "__self__", None)
        if isinstance(owner, _CLOSED) or (isinstance(owner, str) and target.__name__ not in _TEXT_METHODS):
            raise SecurityError(f"{target.__name__} of {type(owner).__name__} is not for templates")
        if not isinstance(target, Macro):
            args = tuple(map(self._listed, args))
            self.look((args, kwargs))
        if isinstance(owner, str):
            self.spend(self._made(target.__name__, owner, args) * (_GROWS_BY if hasattr(owner, "__html__") else 1))
        elif target is dict or (isinstance(owner, Sized) and target.__name__ not in _QUICK_METHODS):
            self.spend(self.weight((owner, args)))
        return super().call(context, target, *args, **kwargs)

    def _made(self, method: str, text: str, args: tuple[Any, ...]) -> int:
        """At most so much is what a method of a text makes."""
        if method in _STRIPPING:
            _refuse_long_sets(args)
        if method == "replace":
            return _replaced_size(text, *args)
        if method == "join":
            if not (args and isinstance(args[0], (list, tuple, dict, str))):
                raise SecurityError("join takes a list")
            return self.weight(args[0]) + len(text) * len(args[0])
        if method in _ASKING:
            self.look(text)
            return 0
        if method in ("split", "rsplit") and args and isinstance(args[0], str):
            return len(text) + _PART * (text.count(args[0]) + 1)
        return len(text) * (_IN_A_LIST if "split" in method else _GROWS_BY if method in _GROWING else 1)

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A filter that pays for what it may make of what it takes."""

        @wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.spend(_CALL)
            if name == "trim":
                _refuse_long_sets((*args[1:], *kwargs.values()))
            if name in _NUMERIC:
                _refuse_other_than_numbers(args[0])
            if name in ("round", "truncate"):
                _refuse_large(*args[1:], *kwargs.values())
            if name in _WRITING:
                self.spend(_GROWS_BY * self.weight([arg for arg in args if arg is not self]))
            elif name in _LISTING:
                args = tuple(map(self._listed, args)) if name == "list" else args
                self.spend(_IN_A_LIST * _size(args))
            elif name in _ORDERING:
                args = tuple(map(self._listed, args))
                self.spend(_IN_A_LIST * _size(args))
                self.look((args, kwargs), _size(args).bit_length())
            elif name in ("int", "float"):
                self.look(args)
            result = function(*args, **kwargs)
            return _refuse_long(result) if name in ("int", "round") else result

        return counted

    def _weighing(self, test: Callable[..., Any], name: str) -> Callable[..., Any]:
        """A test that pays for what it goes over."""

        @wraps(test)
        def weighing(value: Any, *args: Any) -> Any:
            self.weighed(value)
            if name in _NUMERIC:
                _refuse_other_than_numbers(value)
            return test(value, *map(self.searched if name == "in" else self.weighed, args))

        return weighing

    def _listed(self, value: Any) -> Any:
        """What can be gone over once as a list, each item of which is paid for; others as they are."""
        return list(self._paid(value)) if isinstance(value, Iterator) else value

    def _paid(self, values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            self.spend(_IN_A_LIST)
            yield value

    def _replaced(self, text: Any, old: Any, new: Any, count: int = -1) -> str:
        self.spend(self.weight((text, old, new)))
        self.spend(_replaced_size(str(text), str(old), str(new), count))
        return str(text).replace(str(old), str(new), count)

    def _joined(self, values: Any, between: Any = "", attribute: Any = None) -> str:
        parts = list(values if attribute is None else map(make_attrgetter(self, attribute), values))
        self.spend(self.weight(parts) + self.weight(between) * len(parts))
        return str(between).join(map(str, parts))

    def _indented(self, text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> Any:
        step = len(width) if isinstance(width, str) else width
        self.spend(self.weight(text) + (str(text).count("\n") + 1) * step)
        return do_indent(str(text), width, first, blank)

    def _as_json(
        self,
        value: Any,
        ensure_ascii: bool = False,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        _refuse_large(indent)
        if separators is not None and self.weight(separators) > _MOST_STRIPPED:
            raise SecurityError("what stands between the values is too long")
        self.spend(_GROWS_BY * self.weight(value) * ((indent or 0) + 1))
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def _summed(self, values: Any, attribute: Any = None, start: float = 0) -> float:
        numbers = [value if attribute is None else value[attribute] for value in self._paid(values)]
        if not all(isinstance(number, (int, float)) for number in (*numbers, start)):
            raise SecurityError("sum takes numbers")
        total: float = _refuse_long(sum(numbers, start))
        return total

    def _finalized(self, value: Any) -> Any:
        if not isinstance(value, str):
            self.spend(self.weight(value))
        return value

    def _concatenated(self, parts: Any) -> str:
        listed = []
        for part in parts:
            self.spend(len(part))
            listed.append(part)
        return "".join(listed)


def _refuse_other_than_numbers(value: Any) -> None:
    if not isinstance(value, (int, float)):
        raise SecurityError("a number is needed")


def _refuse_long_sets(values: Iterable[Any]) -> None:
    if any(isinstance(value, str) and len(value) > _MOST_STRIPPED for value in values):
        raise SecurityError(f"more than {_MOST_STRIPPED} characters are to be taken off the ends of a text")


def _size(values: Iterable[Any]) -> int:
    """How many items there are in all that are lists or texts."""
    return sum(len(value) for value in values if isinstance(value, (str, range, dict, *_LISTS)))


def _refuse_long(*values: Any) -> Any:
    """The first of the values, if no number is so long that many would have one hash."""
    if any(isinstance(value, int) and value.bit_length() > MOST_BITS for value in values):
        raise SecurityError(f"a number has more than {MOST_BITS} bits")
    return values[0]


def _refuse_large(*values: object) -> None:
    if any(isinstance(value, int) and abs(value) > _MOST_NUMBER for value in values):
        raise SecurityError(f"a number beyond {_MOST_NUMBER} is given to an operation")


def _replaced_size(text: str, old: str = "", new: str = "", count: int = -1) -> int:
    places = text.count(old)
    return len(text) + len(new) * (places if count < 0 else min(places, count))


def _raise(message: str) -> NoReturn:
    raise ValueError(message)


def _now(form: str) -> str:
    if len(form) > 100:
        raise SecurityError("the form of a date is longer than 100 characters")
    return datetime.now().strftime(form)
