"""Fields of a tokenizer.json: what type they must have, and the errors that name them.

It knows the shape of JSON and nothing of tokenizers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ...errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "boolean",
    "kind_of",
    "listed",
    "made",
    "mapping",
    "optional_boolean",
    "optional_string",
    "refuse",
    "string",
    "unsupported",
    "whole",
]

Made = TypeVar("Made")


def refuse(field: str, what: str, code: str = "json-field") -> NoReturn:
    """Raise ``json-field``, or another code: the field is not what its format says."""
    message = f"{field} {what}; the file is damaged or was written by hand: write it again with tokenizers"
    raise FormatError(code, message, field=field)


def unsupported(field: str, what: str, remedy: str) -> NoReturn:
    """Raise ``json-unsupported``: the field asks for what is not reproduced."""
    raise FormatError("json-unsupported", f"{field} {what}. {remedy}", field=field)


def made(makers: Mapping[str, Callable[[dict[str, Any]], Made]], kind: str, fields: dict[str, Any], field: str) -> Made:
    """What the maker of a type makes of a section; a type without one is not supported."""
    make = makers.get(kind)
    if make is None:
        unsupported(field, f"is of type {kind!r}, which is not known", f"Known are: {', '.join(makers)}.")
    return make(fields)


def mapping(value: Any, field: str) -> dict[str, Any]:
    """``value`` as an object."""
    if not isinstance(value, dict):
        refuse(field, "is no object")
    return value


def listed(value: Any, field: str) -> list[Any]:
    """``value`` as an array."""
    if not isinstance(value, list):
        refuse(field, "is no array")
    return value


def string(section: Mapping[str, Any], name: str, field: str, default: str | None = None) -> str:
    """A string of a section; ``default`` where it is absent."""
    value = section.get(name, default)
    if not isinstance(value, str):
        refuse(f"{field}.{name}", "is no string")
    return value


def boolean(section: Mapping[str, Any], name: str, field: str, default: bool | None = None) -> bool:
    """A truth value of a section; ``default`` where it is absent."""
    value = section.get(name, default)
    if not isinstance(value, bool):
        refuse(f"{field}.{name}", "is neither true nor false")
    return value


def whole(section: Mapping[str, Any], name: str, field: str, default: int | None = None, limit: int = 2**32 - 1) -> int:
    """A whole number of a section, from 0 to ``limit``; ``default`` where it is absent."""
    value = section.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= limit:
        refuse(f"{field}.{name}", f"is no whole number from 0 to {limit}")
    return value


def optional_string(section: Mapping[str, Any], name: str, field: str) -> str:
    """A string of a section, empty where it is absent or null."""
    return "" if section.get(name) is None else string(section, name, field)


def optional_boolean(section: Mapping[str, Any], name: str, field: str) -> bool:
    """A truth value of a section, false where it is absent or null."""
    return section.get(name) is not None and boolean(section, name, field)


def kind_of(section: Any, field: str) -> tuple[str, dict[str, Any]]:
    """The type of a tagged object, and the object."""
    fields = mapping(section, field)
    return string(fields, "type", field), fields
