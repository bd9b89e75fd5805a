"""JSON of files: UTF-8, strings that are text, numbers that are finite. Whatever else stands there is a ``ValueError``."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["is_text", "parsed"]

_CONTAINERS = (dict, list, tuple)
_MAX_DEPTH = 128
"""Levels of arrays and objects, as many as the readers of the tokenizers library take: deeper values can be parsed, but not
pickled or written again."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""The escape of half a pair, which may have its other half."""


def parsed(data: bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of a JSON text; ``pairs`` makes something else of the members of an object than a dictionary.

    Other readers of these files refuse strings with halves of a surrogate pair, and such a string cannot be written as
    UTF-8; numbers that are none, or have no end, are not JSON. All of it is a ``ValueError`` here, deep nesting too.

    >>> parsed(b'{"a": [1, "\\\\u00e9"]}')
    {'a': [1, '\u00e9']}
    >>> parsed(b'["\\\\ud800"]')
    Traceback (most recent call last):
    ValueError: a string has half of a surrogate pair
    """
    text = data.decode("utf-8-sig")
    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_float=_finite, parse_constant=_refused)
        if _SURROGATE.search(data) and not is_text(json.dumps(value, ensure_ascii=False)):
            raise ValueError("a string has half of a surrogate pair")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if _is_deeper(value, _MAX_DEPTH):
        raise ValueError(f"it is nested too deeply, in more than {_MAX_DEPTH} levels")
    return value


def _is_deeper(value: Any, depth: int) -> bool:
    """Whether a value has more than ``depth`` levels of lists and dictionaries."""
    level = [value]
    for _ in range(depth):
        members = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, _CONTAINERS))
        level = [one for row in members for one in row if isinstance(one, _CONTAINERS)]
        if not level:
            return False
    return True


def is_text(text: str) -> bool:
    """Whether a string has no lone surrogates.

    >>> is_text("caf\u00e9"), is_text("caf\\ud800")
    (True, False)
    """
    return text.isascii() or text == text.encode("utf-8", "replace").decode()


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        _refused(number)
    return value


def _refused(number: str) -> NoReturn:
    raise ValueError(f"{number[:40]} is no finite number")
