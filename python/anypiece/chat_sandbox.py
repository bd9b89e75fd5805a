"""The environment that chat templates run in: jinja2's sandbox, and a bound on the text that a template makes.

Whatever makes a text or a list longer than it was (joining, repeating, replacing, slicing, writing a value out) says before
how much that will be, and pays for it from one budget. So a few lines that double a text thirty times fail at once.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

from jinja2 import nodes
from jinja2.compiler import CodeGenerator
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.filters import do_indent, make_attrgetter
from jinja2.sandbox import ImmutableSandboxedEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2.compiler import Frame
    from jinja2.parser import Parser
    from jinja2.runtime import Context

__all__ = ["Bounded"]

_MOST_NUMBER = 100_000
_MOST_EXPONENT = 64
_IN_A_LIST = 16
"""What an item of a list costs beside its text."""
_GROWS_BY = 6
"""How many characters one may become: those that HTML writes as a name."""

_TEXT_METHODS_NAMES = (
    "capitalize casefold count endswith find index isalnum isalpha isascii isdecimal isdigit islower isnumeric isspace "
    "istitle isupper join lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip "
    "split splitlines startswith strip swapcase title upper"
)
_TEXT_METHODS = frozenset(_TEXT_METHODS_NAMES.split())
_FILTERS_NAMES = (
    "abs attr capitalize count d default dictsort e escape first float groupby indent int items join last length list lower "
    "map max min reject rejectattr replace reverse round safe select selectattr sort string sum title tojson trim truncate "
    "unique upper wordcount"
)
_FILTERS = frozenset(_FILTERS_NAMES.split())
_WRITING = frozenset(["capitalize", "e", "escape", "lower", "string", "title", "trim", "truncate", "upper"])
_LISTING = frozenset(["dictsort", "groupby", "list", "map", "reverse", "sort", "unique", "wordcount"])


class _Generator(CodeGenerator):
    """Joins and slices through the environment, which counts them."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        if not isinstance(node.arg, nodes.Slice):
            super().visit_Getitem(node, frame)
            return
        self.write("environment.sliced(")
        self.visit(node.node, frame)
        for bound in (node.arg.start, node.arg.stop, node.arg.step):
            self.write(", ")
            self.visit(bound or nodes.Const(None), frame)
        self.write(")")


class _Generation(Extension):
    """``{% generation %}`` marks what the model wrote; the text is that of its body."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True)).set_lineno(line)


class Bounded(ImmutableSandboxedEnvironment):
    """The environment for one rendering, in which a template may make ``budget`` characters."""

    code_generator_class = _Generator
    intercepted_binops = frozenset(["+", "*", "**", "%"])

    def __init__(self, budget: int) -> None:
        self.most, self.left = budget, 4 * budget
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,
            finalize=self._finalized,
            extensions=["jinja2.ext.loopcontrols", _Generation],
        )
        setattr(self, "concat", self._concatenated)  # noqa: B010
        own: dict[str, Callable[..., Any]] = {"replace": self._replaced, "join": self._joined, "indent": self._indented}
        own |= {"tojson": self._as_json, "sum": _summed}
        self.filters = {name: own.get(name) or self._counted(name, self.filters[name]) for name in _FILTERS}
        kept = {name: self.globals[name] for name in ("range", "dict", "namespace", "joiner", "cycler")}
        self.globals = {**kept, "raise_exception": _raise, "strftime_now": _now}

    def spend(self, size: int) -> None:
        """Takes ``size`` characters from the budget."""
        self.left -= size
        if size > self.most or self.left < 0:
            raise SecurityError(f"it makes more than {self.most} characters")

    def weight(self, value: Any) -> int:
        """How long a value is when it is written out, at least; one beyond the budget is not looked at to its end."""
        total, waiting = 0, [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                total += len(item)
            elif isinstance(item, dict):
                total += _IN_A_LIST * len(item)
                waiting.extend(item)
                waiting.extend(item.values())
            elif isinstance(item, (list, tuple, set, frozenset)):
                total += _IN_A_LIST * len(item)
                waiting.extend(item)
            elif isinstance(item, int):
                total += item.bit_length() // 3 + 1
            if total > self.most:
                self.spend(total)
        return total

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
        return super().call_binop(context, operator, left, right)

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, str) and attribute not in _TEXT_METHODS:
            return self.unsafe_undefined(obj, attribute)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, str) and isinstance(argument, str):
            return self.getattr(obj, argument)
        return super().getitem(obj, argument)

    def call(self, context: Context, target: Any, *args: Any, **kwargs: Any) -> Any:
        _refuse_large(*args, *kwargs.values())
        text = getattr(target, "__self__", None)
        if isinstance(text, str):
            self.spend(self._made(target.__name__, text, args))
        return super().call(context, target, *args, **kwargs)

    def _made(self, method: str, text: str, args: tuple[Any, ...]) -> int:
        """At most so much is what a method of a text makes."""
        if method == "replace":
            return _replaced_size(text, *args)
        if method == "join":
            if not (args and isinstance(args[0], (list, tuple, dict, str))):
                raise SecurityError("join takes a list")
            return self.weight(args[0]) + len(text) * len(args[0])
        return len(text) * (_IN_A_LIST if "split" in method else _GROWS_BY)

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A filter that pays for what it may make of what it takes."""

        @wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            if name in ("round", "truncate"):
                _refuse_large(*args[1:], *kwargs.values())
            if name in _WRITING:
                self.spend(_GROWS_BY * self.weight([arg for arg in args if arg is not self]))
            elif name in _LISTING:
                self.spend(
                    _IN_A_LIST * sum(len(value) for value in args if isinstance(value, (str, list, tuple, dict)))
                )
            return function(*args, **kwargs)

        return counted

    def _replaced(self, text: Any, old: Any, new: Any, count: int = -1) -> str:
        self.spend(self.weight(text))
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
        self.spend(_GROWS_BY * self.weight(value) * ((indent or 0) + 1))
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def _finalized(self, value: Any) -> Any:
        if not isinstance(value, str):
            self.weight(value)
        return value

    def _concatenated(self, parts: Any) -> str:
        listed = []
        for part in parts:
            self.spend(len(part))
            listed.append(part)
        return "".join(listed)


def _refuse_large(*values: object) -> None:
    if any(isinstance(value, int) and abs(value) > _MOST_NUMBER for value in values):
        raise SecurityError(f"a number beyond {_MOST_NUMBER} is given to an operation")


def _replaced_size(text: str, old: str = "", new: str = "", count: int = -1) -> int:
    places = text.count(old)
    return len(text) + len(new) * (places if count < 0 else min(places, count))


def _summed(values: Any, attribute: Any = None, start: float = 0) -> float:
    numbers = [value if attribute is None else value[attribute] for value in values]
    if not all(isinstance(number, (int, float)) for number in (*numbers, start)):
        raise SecurityError("sum takes numbers")
    return sum(numbers, start)


def _raise(message: str) -> NoReturn:
    raise ValueError(message)


def _now(form: str) -> str:
    if len(form) > 100:
        raise SecurityError("the form of a date is longer than 100 characters")
    return datetime.now().strftime(form)
