"""The environment that chat templates run in: jinja2's sandbox, and a bound on what a template makes and looks at.

Whatever makes a text or a list longer than it was (joining, repeating, replacing, slicing, writing a value out) says before
how much that will be, and pays for it from one budget. So a few lines that double a text thirty times fail at once. What
goes over values and makes none (comparing, searching, sorting, a key of a dictionary) pays from a second one, and bodies of
loops and macros from a third. An environment serves one rendering at a time, and the next after ``renewed``.
"""

from __future__ import annotations

import json
from collections.abc import ItemsView, Iterator, KeysView, Mapping, Set, Sized, ValuesView
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from jinja2.exceptions import SecurityError
from jinja2.runtime import LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from .compiler import Generation, Generator, refuse_large_tree
from .filters import bounded_filters, bounded_tests
from .formatting import by_percent, filled_in
from .limits import CALL, GROWS_BY, IN_A_LIST, refuse_large, refuse_long, refuse_long_sets, replaced_size

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType

    from jinja2.ext import Extension
    from jinja2.runtime import Context

__all__ = ["Bounded"]

_MOST_EXPONENT = 64
_MOST_DEPTH = 200
"""How deep lists may lie in lists that are compared or written: Python goes down without a look at its stack."""
_LOOKED_AT = 128
"""A value that is read and not copied counts as this many characters."""
_OBJECT = 512
"""What a namespace costs, or another object."""
_PART = 64
"""What a part of a text costs that was split, besides its characters."""

_TEXT_METHODS_NAMES = (
    "capitalize casefold count endswith find format index isalnum isalpha isascii isdecimal isdigit islower isnumeric "
    "isspace istitle isupper join lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit "
    "rstrip split splitlines startswith strip swapcase title upper"
)
_SEARCHES = ("count", "endswith", "find", "index", "rfind", "rindex", "startswith")
_TEXT_METHODS = frozenset(_TEXT_METHODS_NAMES.split())
_GROWING = frozenset(["capitalize", "casefold", "lower", "swapcase", "title", "upper"])
_ASKING = frozenset(name for name in _TEXT_METHODS if name.startswith("is") or name in _SEARCHES)
"""Methods that make no text."""
_QUICK_METHODS = frozenset(["get", "items", "keys", "values"])
_STRIPPING = frozenset(["lstrip", "rstrip", "strip"])
_LISTS = (list, tuple, set, frozenset, KeysView, ValuesView, ItemsView)
_CLOSED = (int, float, complex, bytes, bytearray, memoryview, type)
"""What has methods that make much of little, and that no template needs."""
_OF_DICTIONARIES = frozenset(dir(dict))
_OF_LOOPS = frozenset(name for name in dir(LoopContext) if not name.startswith("_"))
_ONLY_TEXT = {str}
_PLAIN = (int, float, bool, type(None))


class Bounded(ImmutableSandboxedEnvironment):
    """An environment with limits, set by ``renewed``, on the characters that a template makes and the steps that it runs."""

    code_generator_class = Generator
    intercepted_binops = frozenset(["+", "-", "*", "/", "//", "%", "**"])
    generation: ClassVar[type[Extension]] = Generation

    def __init__(self) -> None:
        self.most = self.left = self.work = self.steps = 0
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,
            extensions=["jinja2.ext.loopcontrols", self.generation],
        )
        setattr(self, "concat", self.concatenated)  # noqa: B010
        self.filters = bounded_filters(self, self.filters)
        tests: dict[str, Any] = {**self.tests}
        self.tests = bounded_tests(self, tests)
        kept = {name: self.globals[name] for name in ("range", "dict", "namespace", "joiner", "cycler")}
        self.globals = {**kept, "raise_exception": _raise, "strftime_now": self.now}

    def code_of(self, template: str) -> CodeType:
        """The code of a template. What is wrong with it is what jinja2 raises, or a ``SecurityError``."""
        tree = self.parse(template)
        refuse_large_tree(tree)
        return self.compile(tree)

    def renewed(self, budget: int, steps: int) -> None:
        """Ready for a rendering that may make ``budget`` characters and take ``steps``."""
        self.most, self.left, self.work, self.steps = budget, 4 * budget, 8 * budget, steps

    # -- what is counted

    def spend(self, size: int) -> None:
        """Takes ``size`` characters from the budget."""
        self.left -= size
        if size > self.most or self.left < 0:
            raise SecurityError(f"it makes more than {self.most} characters")

    def step(self, size: int) -> None:
        """Takes ``size`` steps."""
        self.steps -= size
        if self.steps < 0:
            raise SecurityError("it takes too many steps")

    def paced(self, values: Iterable[Any], size: int = 1) -> Iterator[Any]:
        """The values, each of which takes ``size`` steps."""
        for value in values:
            self.steps -= size
            if self.steps < 0:
                self.step(0)
            yield value

    def look(self, value: Any, times: int = 1) -> None:
        """Pays for going over a value."""
        self.work -= self.weight(value, self.work, _LOOKED_AT) * times
        if self.work < 0:
            raise SecurityError("it compares or searches too much")

    def weight(self, value: Any, most: int | None = None, each: int = IN_A_LIST) -> int:
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

    # -- what the code of a template calls

    def shown(self, value: Any) -> str:
        """What ``{{ value }}`` writes."""
        if type(value) is str:
            self.left -= len(value)
            if self.left < 0:
                self.spend(0)
            return value
        self.spend(self.weight(value))
        return self.text_of(value)

    def text_of(self, value: Any) -> str:
        """A value as text; what is none yet is paid for."""
        if not isinstance(value, str):
            self.spend(self.weight(value))
        return str(value)

    def like(self, pattern: str, text: str) -> str:
        """A text that was made of ``pattern``."""
        return text

    def weighed(self, value: Any) -> Any:
        """A value that is compared, or is a key."""
        kind = type(value)
        if kind is str:
            self.work -= len(value)
            if self.work < 0:
                self.look(0)
        elif kind not in _PLAIN:
            self.look(value)
        return value

    def searched(self, value: Any) -> Any:
        """What ``in`` searches; in a dictionary it goes to the place."""
        if type(value) is dict:
            return value
        if type(value) is str:
            return self.weighed(value)
        if isinstance(value, (Mapping, Set)) and not isinstance(value, ItemsView):
            return value
        return self.weighed(self.listed(value))

    def made(self, value: Any) -> Any:
        """A list, tuple or dictionary that stands in the template."""
        self.spend(CALL + IN_A_LIST * len(value))
        return value

    def joined(self, *values: Any) -> str:
        """What ``~`` makes of its operands."""
        self.spend(self.weight(values))
        return "".join(map(str, values))

    def added(self, *values: Any) -> Any:
        """What ``+`` makes of two or more."""
        if set(map(type, values)) == _ONLY_TEXT:
            total = sum(map(len, values))
            self.left -= total
            if total > self.most or self.left < 0:
                self.spend(total)
            return "".join(values)
        result = values[0]
        for value in values[1:]:
            result = self.binary("+", result, value)
        return result

    def sliced(self, value: Any, start: Any, stop: Any, step: Any) -> Any:
        """What ``value[start:stop:step]`` makes."""
        if isinstance(value, (str, list, tuple)):
            self.spend(len(value) + self.cut(value) if isinstance(value, str) else IN_A_LIST * len(value))
        return value[start:stop:step]

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        return self.binary(operator, left, right)

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        """What an operator makes of two values."""
        refuse_long(left, right)
        if operator == "%" and isinstance(left, str):
            return by_percent(self, left, right if isinstance(right, (tuple, dict)) else (right,))
        sizes = [_own_size(value) for value in (left, right) if isinstance(value, (str, list, tuple))]
        if operator in ("*", "**"):
            refuse_large(left, right)
            if operator == "**" and isinstance(right, int) and right > _MOST_EXPONENT:
                raise SecurityError("a power is too large")
            number = next((value for value in (left, right) if isinstance(value, int)), 1)
            sizes = [size * max(number, 1) for size in sizes]
        if sizes:
            self.spend(sum(sizes) * (GROWS_BY if hasattr(left, "__html__") or hasattr(right, "__html__") else 1))
        return refuse_long(self.binop_table[operator](left, right))

    def getattr(self, obj: Any, attribute: str) -> Any:
        kind = type(obj)
        if kind is dict and attribute not in _OF_DICTIONARIES:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        if kind is LoopContext and attribute in _OF_LOOPS:
            return getattr(obj, attribute)
        if kind is Namespace and not attribute.startswith("_"):
            names = object.__getattribute__(obj, "_Namespace__attrs")
            return names[attribute] if attribute in names else self.undefined(obj=obj, name=attribute)
        if isinstance(obj, str):
            return getattr(obj, attribute) if attribute in _TEXT_METHODS else self.unsafe_undefined(obj, attribute)
        return super().getattr(obj, attribute)

    def wrap_str_format(self, value: Any) -> None:
        """Filling in is a method of texts like any other, which ``method`` and ``call`` know."""

    def getitem(self, obj: Any, argument: Any) -> Any:
        kind = type(obj)
        if kind is dict and isinstance(argument, str):
            if argument in obj:
                return obj[argument]
        elif kind is list and type(argument) is int:
            if -len(obj) <= argument < len(obj):
                return obj[argument]
        elif isinstance(obj, str) and isinstance(argument, str):
            return self.getattr(obj, argument)
        if not isinstance(argument, (str, int)):
            self.look(argument)
        return super().getitem(obj, argument)

    def method(self, context: Context, obj: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """What ``obj.name(...)`` gives."""
        if isinstance(obj, str) and name in _TEXT_METHODS:
            return self._of_text(obj, name, args, kwargs)
        if type(obj) is dict and name == "get" and not kwargs and args and type(args[0]) is str:
            self.spend(CALL)
            return obj.get(*args)
        return self.call(context, self.getattr(obj, name), *args, **kwargs)

    def call(self, context: Context, target: Any, *args: Any, **kwargs: Any) -> Any:
        owner = getattr(target, "__self__", None)
        if isinstance(owner, str) and target.__name__ in _TEXT_METHODS:
            return self._of_text(owner, target.__name__, args, kwargs)
        if isinstance(target, Macro):
            self.spend(CALL + IN_A_LIST * (len(args) + len(kwargs)))
            return target(context.eval_ctx, *args, **kwargs)
        refuse_large(*args, *kwargs.values())
        self.spend((_OBJECT if isinstance(target, type) else CALL) + IN_A_LIST * (len(args) + len(kwargs)))
        if isinstance(owner, (str, *_CLOSED)):
            raise SecurityError(f"{target.__name__} of {type(owner).__name__} is not for templates")
        args = tuple(map(self.listed, args))
        for value in (*args, *kwargs.values()):
            self.weighed(value)
        self.work -= _LOOKED_AT
        if target is dict or (isinstance(owner, Sized) and target.__name__ not in _QUICK_METHODS):
            self.spend(self.weight((owner, args)))
        return super().call(context, target, *args, **kwargs)

    def _of_text(self, text: str, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a method of a text gives."""
        if method == "format":
            return filled_in(self, text, args, kwargs)
        refuse_large(*args, *kwargs.values())
        args = tuple(map(self.listed, args)) if method == "join" else args
        for value in args:
            self.weighed(value)
        if kwargs:
            self.look(kwargs)
        size = CALL + self._made(method, text, args)
        if method not in _ASKING:
            size += self.cut_at(text, *args[:2]) if method == "replace" else self.cut(text)
        self.spend(size * (GROWS_BY if type(text) is not str and hasattr(text, "__html__") else 1))
        return getattr(text, method)(*args, **kwargs)

    def _made(self, method: str, text: str, args: tuple[Any, ...]) -> int:
        """At most so much is what a method of a text makes."""
        if method in _ASKING:
            if method not in ("startswith", "endswith"):
                self.look(text)
            return 0
        if method in _STRIPPING:
            refuse_long_sets(args)
        if method == "replace":
            return replaced_size(text, *args)
        if method == "join":
            if not (args and isinstance(args[0], (list, tuple, dict, str))):
                raise SecurityError("join takes a list")
            return self.weight(args[0]) + len(text) * len(args[0])
        if method in ("split", "rsplit") and args and isinstance(args[0], str):
            return len(text) + _PART * (text.count(args[0]) + 1)
        return len(text) * (IN_A_LIST if "split" in method else GROWS_BY if method in _GROWING else 1)

    def cut(self, text: str) -> int:
        """What it costs to make another text of one, besides its characters: nothing, unless texts are more than those."""
        return 0

    def cut_at(self, text: str, old: str = "", new: str = "") -> int:
        """What it costs to replace something in a text, besides the characters."""
        return 0

    # -- what filters share

    def listed(self, value: Any) -> Any:
        """What can be gone over once as a list, each item of which is paid for; others as they are."""
        return list(self.paid(value)) if isinstance(value, Iterator) else value

    def paid(self, values: Iterable[Any]) -> Iterator[Any]:
        """The values, each of which is kept."""
        for value in values:
            self.spend(IN_A_LIST)
            yield value

    def concatenated(self, parts: Iterable[str]) -> str:
        """The text of a macro, or of a block that is kept."""
        listed = list(parts)
        self.spend(sum(map(len, listed)))
        return self.glued(listed)

    def json(self, value: Any, **options: Any) -> str:
        """A value as JSON."""
        return json.dumps(value, **options)

    def glued(self, parts: Iterable[str], between: str = "") -> str:
        """Texts as one."""
        return between.join(parts)

    def now(self, form: str) -> str:
        """The time, as ``strftime_now`` of a template asks for it."""
        if len(form) > 100:
            raise SecurityError("the form of a date is longer than 100 characters")
        return datetime.now().strftime(form)


def _own_size(value: Any) -> int:
    return len(value) if isinstance(value, str) else IN_A_LIST * len(value)


def _raise(message: str) -> NoReturn:
    raise ValueError(message)
