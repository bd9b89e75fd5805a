"""The sandbox that keeps the knowledge of who wrote a text: the same template, the same result, as ``provenance.Text``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from .compiler import GENERATED_TEXT, TracedGeneration, TracingGenerator
from .provenance import TRUSTED, SafeText, Text, generated, glued, mark_of, runs_of, same_mark
from .sandbox import Bounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jinja2.ext import Extension

__all__ = ["Tracing"]

_SLOWER = 4
"""A step takes longer by so much."""
_RUN = 16
"""What a run of a text costs besides its characters."""
_CUT = 128
"""What a run costs where a text is cut at its runs, and a place where it is cut to put something in."""


class Tracing(Bounded):
    """A bounded environment whose texts are marked. What stands in the template is trusted, and what it makes of that."""

    code_generator_class = TracingGenerator
    generation: ClassVar[type[Extension]] = TracedGeneration

    def __init__(self) -> None:
        super().__init__()
        self.filters[GENERATED_TEXT] = generated
        self.filters["safe"] = self._safe
        self.filters["string"] = self._string

    def renewed(self, budget: int, steps: int) -> None:
        super().renewed(budget, steps // _SLOWER)

    def written(self, text: str) -> Text:
        """A text that stands in the template."""
        return Text.of(text, TRUSTED)

    def text_of(self, value: Any) -> str:
        text = super().text_of(value)
        return text if isinstance(value, str) else Text.of(text, mark_of(value))

    def _string(self, value: Any) -> str:
        return value if isinstance(value, str) else self.shown(value)

    def _safe(self, value: Any) -> str:
        return SafeText.of(self.shown(value))

    def like(self, pattern: str, text: str) -> str:
        return Text.of(text, mark_of(pattern))

    def shown(self, value: Any) -> str:
        self.spend(self.weight(value))
        return self.text_of(value)

    def added(self, *values: Any) -> Any:
        if all(type(value) is Text or type(value) is str for value in values):
            self.spend(sum(map(len, values)))
            return self.glued(values)
        return super().added(*values)

    def joined(self, *values: Any) -> str:
        self.spend(self.weight(values))
        return self.glued([self.text_of(value) for value in values])

    def glued(self, parts: Iterable[str], between: str = "") -> str:
        whole = glued(parts, between)
        self.spend(_RUN * len(whole.runs))
        return whole

    def cut(self, text: str) -> int:
        return _CUT * (len(runs_of(text)) - 1) if text else 0

    def cut_at(self, text: str, old: str = "", new: str = "") -> int:
        return 0 if same_mark(text, new) is not None else self.cut(text) + _CUT * text.count(old)

    def now(self, form: str) -> str:
        return Text.of(super().now(form), mark_of(form))

    def json(self, value: Any, **options: Any) -> str:
        """The plain text decides; the parts of it are marked if they make up the same."""
        plain = super().json(value, **options)
        whole = glued(_written(value, mark_of(value), 0, **options))
        return whole if whole == plain else plain


def _written(
    value: Any,
    around: int,
    depth: int,
    *,
    ensure_ascii: bool,
    indent: int | None,
    separators: tuple[str, str] | None,
    sort_keys: bool,
) -> Iterator[Text]:
    """A value as JSON in parts: texts have their own marks, the rest that of ``around``."""
    options: dict[str, Any] = {"ensure_ascii": ensure_ascii, "indent": indent, "separators": separators}
    options["sort_keys"] = sort_keys
    if isinstance(value, str):
        yield from _quoted(value, around, ensure_ascii)
        return
    if not isinstance(value, (dict, list, tuple)) or not value:
        yield Text.of(json.dumps(value, **options), around)
        return
    comma, colon = separators or ("," if indent is not None else ", ", ": ")
    line = "" if indent is None else "\n" + " " * (indent * (depth + 1))
    last = "" if indent is None else "\n" + " " * (indent * depth)
    first, end = "{}" if isinstance(value, dict) else "[]"
    items: list[Any] = list(value.items()) if isinstance(value, dict) else list(value)
    for number, item in enumerate(sorted(items) if sort_keys and isinstance(value, dict) else items):
        yield Text.of((comma if number else first) + line, around)
        if isinstance(value, dict):
            yield from _key(item[0], around, ensure_ascii)
            yield Text.of(colon, around)
            item = item[1]
        yield from _written(item, around, depth + 1, **options)
    yield Text.of(last + end, around)


def _key(key: Any, around: int, ensure_ascii: bool) -> Iterator[Text]:
    if isinstance(key, str):
        yield from _quoted(key, around, ensure_ascii)
    else:
        yield Text.of(json.dumps({key: 0})[1:-4], around)


def _quoted(text: str, around: int, ensure_ascii: bool) -> Iterator[Text]:
    """A text between quotes."""
    edge = Text.of('"', around)
    yield edge
    at, plain = 0, str.__str__(text)
    for length, own in runs_of(text):
        yield Text.of(json.dumps(plain[at : at + length], ensure_ascii=ensure_ascii)[1:-1], own)
        at += length
    yield edge
