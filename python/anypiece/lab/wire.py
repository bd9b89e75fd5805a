"""JSON of requests and answers. The kernel unescapes long strings of a request and writes columns of integers, without the
interpreter's lock, so that a text of a megabyte keeps no other request waiting.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import _native
from .refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["Spelled", "parsed", "written"]

_LONG = 1 << 12
"""Bytes of a string above which the kernel unescapes it."""
_STRINGS = 1 << 12


class Spelled:
    """A list of strings that are JSON already, such as the pieces of many tokens."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = rows


def parsed(body: bytes, depth: int) -> Any:
    """The value of a body; what is no JSON, or lies deeper than ``depth``, is refused with 400.

    >>> parsed(b'{"text": "a"}', 8)
    {'text': 'a'}
    >>> parsed(b"[" * 100000, 8)
    Traceback (most recent call last):
    anypiece.lab.refusals.Refused: The body is nested too deeply.
    """
    try:
        value, left = _value(body)
    except RecursionError:
        raise Refused(400, "The body is nested too deeply.") from None
    except UnicodeDecodeError:
        raise Refused(400, "The body is not UTF-8.") from None
    except ValueError as error:
        where = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Refused(400, f"The body is not JSON{where}.") from None
    # No more lists and objects than may lie in each other: a list of a million ids need not be gone through.
    if left.count(b"[") + left.count(b"{") > depth and _is_deeper(value, depth):
        raise Refused(400, "The body is nested too deeply.")
    return value


def _value(body: bytes) -> tuple[Any, bytes]:
    """The value of a body, and the part of it that Python parsed: all but long strings."""
    found = _native.json_long_strings(body, _LONG) if len(body) > _LONG else None
    if found is not None:
        left, strings = found
        following = iter(strings)
        with suppress(ValueError):  # is said of the whole body, with the places there
            return json.loads(left.decode(), parse_constant=lambda _: next(following)), left
    return json.loads(body.decode(), parse_constant=_refuse_constant), body


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _is_deeper(value: Any, depth: int) -> bool:
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(depth):
        inner: list[Any] = []
        for one in level:
            inner += [
                part for part in (one.values() if isinstance(one, dict) else one) if isinstance(part, (dict, list))
            ]
        level = inner
        if not level:
            return False
    return True


def written(value: Any) -> bytes:
    """A value as JSON in UTF-8. Arrays of signed integers, and of unsigned ones up to 32 bits, are written without the lock.

    >>> written({"ids": np.array([5, 10, 0], np.uint32), "text": "é", "none": None}).decode()
    '{"ids":[5,10,0],"text":"é","none":null}'
    """
    return b"".join(_parts(value))


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, dict):
        yield b"{"
        for number, (name, one) in enumerate(value.items()):
            yield (b"," if number else b"") + _plain(str(name)) + b":"
            yield from _parts(one)
        yield b"}"
    elif isinstance(value, np.ndarray):
        yield from _numbers(value)
    elif isinstance(value, Spelled):
        yield b"["
        for start in range(0, len(value.rows), _STRINGS):
            joined = ",".join(value.rows[start : start + _STRINGS])
            yield (b"," if start else b"") + _utf8(joined)
        yield b"]"
    elif isinstance(value, (list, tuple)) and _is_composed(value):
        yield b"["
        for number, one in enumerate(value):
            if number:
                yield b","
            yield from _parts(one)
        yield b"]"
    else:
        yield _plain(value)


def _is_composed(value: Sequence[Any]) -> bool:
    return any(isinstance(one, (np.ndarray, Spelled, dict, list, tuple)) for one in value)


def _plain(value: Any) -> bytes:
    return _utf8(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can only spell
        return "".join(f"\\u{ord(one):04x}" if "\ud800" <= one <= "\udfff" else one for one in text).encode()


def _numbers(array: NDArray[Any]) -> Iterator[bytes]:
    if array.dtype.kind == "f":
        yield _plain([round(one, 9) if np.isfinite(one) else None for one in array.tolist()])
        return
    if array.dtype.kind == "u" and array.dtype.itemsize <= 4:
        yield _native.json_integers(np.ascontiguousarray(array, np.uint32))
    elif array.dtype.kind == "i":
        yield _native.json_integers(np.ascontiguousarray(array, np.int64))
    else:
        yield _plain(array.tolist())
