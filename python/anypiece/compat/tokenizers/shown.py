"""Components and tokenizers as text, in the words of the original: ``repr`` is long, ``str`` leaves out what is long."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

__all__ = ["Struct", "Variant", "shown"]


class Struct(NamedTuple):
    """A name with named values, or with one that has no name."""

    name: str
    rows: list[tuple[str | None, Any]]


class Variant(NamedTuple):
    """A name that stands for itself."""

    name: str


def shown(value: Any, elements: int, length: int | None) -> str:
    """``value`` as text: lists and tables have fewer than ``elements`` items, strings at most ``length`` bytes.

    >>> shown(Struct("Split", [("behavior", Variant("Removed")), ("names", ["a", 0.5, 1.0, None])]), 4, None)
    'Split(behavior=Removed, names=["a", 0.5, 1, ...])'
    """
    if isinstance(value, Struct):
        rows = [
            f"{name}={shown(item, elements, length)}" if name else shown(item, elements, length)
            for name, item in value.rows
        ]
        return f"{value.name}({', '.join(rows)})"
    if isinstance(value, Variant):
        return value.name
    if isinstance(value, dict):
        pairs = [
            f"{shown(name, elements, length)}:{shown(item, elements, length)}"
            for name, item in _first(value.items(), elements)
        ]
        return f"{{{_joined(pairs, len(value), elements)}}}"
    if isinstance(value, (list, tuple)):
        items = [shown(item, elements, length) for item in _first(value, elements)]
        opened, closed = "[]" if isinstance(value, list) else "()"
        return f"{opened}{_joined(items, len(value), elements)}{closed}"
    if isinstance(value, str):
        raw = value.encode()
        cut = length is not None and len(raw) > length
        return f'"{raw[:length].decode("utf-8", "ignore")}..."' if cut else f'"{value}"'
    return _plain(value)


def _first(items: Any, elements: int) -> Any:
    return [item for item, _ in zip(items, range(elements - 1), strict=False)]


def _joined(items: list[str], count: int, elements: int) -> str:
    return ", ".join([*items, "..."] if count >= elements else items)


def _plain(value: Any) -> str:
    if isinstance(value, float):
        text = f"{Decimal(repr(value)):f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value)
