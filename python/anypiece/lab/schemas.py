"""Shapes of requests and answers: JSON Schema as the OpenAPI document has it, and the check of a request by it.

One description serves both, so that the document cannot say other than the server does. Only the part of JSON Schema that
the routes need is known here.
"""

from __future__ import annotations

from typing import Any

from .refusals import Refused

__all__ = [
    "ANY",
    "BOOL",
    "INT",
    "NUMBER",
    "TEXT",
    "array",
    "checked",
    "either",
    "integer",
    "null_or",
    "number",
    "record",
]

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
BOOL: Schema = {"type": "boolean"}
INT: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
ANY: Schema = {}

_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def array(items: Schema, **more: Any) -> Schema:
    """A list."""
    return {"type": "array", "items": items, **more}


def integer(least: int, most: int, default: int | None = None, about: str = "") -> Schema:
    """A whole number within bounds."""
    found: Schema = {"type": "integer", "minimum": least, "maximum": most}
    return _described(found, default, about)


def number(least: float, most: float, default: float | None = None, about: str = "") -> Schema:
    """A number within bounds."""
    return _described({"type": "number", "minimum": least, "maximum": most}, default, about)


def either(*shapes: Schema, default: Any = None, about: str = "") -> Schema:
    """One of some shapes."""
    return _described({"anyOf": list(shapes)}, default, about)


def null_or(shape: Schema) -> Schema:
    """A shape, or null."""
    return {"anyOf": [shape, {"type": "null"}]}


def record(required: dict[str, Schema], optional: dict[str, Schema] | None = None, *, closed: bool = True) -> Schema:
    """An object with named fields; ``closed`` ones have no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": not closed,
    }


def _described(schema: Schema, default: Any, about: str) -> Schema:
    if default is not None:
        schema["default"] = default
    if about:
        schema["description"] = about
    return schema


def checked(schema: Schema, value: Any, path: str = "") -> Any:
    """``value`` with the defaults of what it leaves out; what does not fit is refused with 400, or 413 if it is too much.

    >>> shape = record({"text": TEXT}, {"n": integer(1, 9, default=3)})
    >>> checked(shape, {"text": "a"})
    {'text': 'a', 'n': 3}
    >>> checked(shape, {"text": 5})
    Traceback (most recent call last):
    anypiece.lab.refusals.Refused: text must be string, not integer.
    """
    if "anyOf" in schema:
        return _one_of(schema["anyOf"], value, path)
    if "enum" in schema and value not in schema["enum"]:
        raise _wrong(path, f"must be one of {', '.join(map(str, schema['enum']))}")
    kind = schema.get("type")
    if kind is not None and not _is(kind, value):
        raise _wrong(path, f"must be {kind}, not {_name(value)}")
    if kind == "object" and "properties" in schema:
        return _object(schema, value, path)
    if kind == "array":
        return _array(schema, value, path)
    if kind in ("integer", "number"):
        _bounded(schema, value, path)
    if kind == "string" and len(value) > schema.get("maxLength", len(value)):
        raise _much(path, f"has {len(value):,} characters; at most {schema['maxLength']:,} are allowed")
    return value


def _is(kind: str, value: Any) -> bool:
    name = _name(value)
    return name == kind or (kind == "number" and name == "integer")


def _name(value: Any) -> str:
    return "null" if value is None else _NAMES.get(type(value), type(value).__name__)


def _one_of(shapes: list[Schema], value: Any, path: str) -> Any:
    fitting = [shape for shape in shapes if "type" not in shape or _is(shape["type"], value)]
    if not fitting:
        names = " or ".join(str(shape["type"]) for shape in shapes)
        raise _wrong(path, f"must be {names}, not {_name(value)}")
    refused: Refused | None = None
    for shape in fitting:
        try:
            return checked(shape, value, path)
        except Refused as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _object(schema: Schema, value: dict[str, Any], path: str) -> dict[str, Any]:
    known = schema["properties"]
    missing = [name for name in schema["required"] if name not in value]
    if missing:
        raise _wrong(_joined(path, missing[0]), "is missing")
    if not schema.get("additionalProperties", True):
        strange = [name for name in value if name not in known]
        if strange:
            raise _wrong(_joined(path, str(strange[0])[:40]), f"is not known; fields are {', '.join(known)}")
    found = {name: checked(known.get(name, ANY), one, _joined(path, name)) for name, one in value.items()}
    for name, shape in known.items():
        if name not in found and "default" in shape:
            found[name] = shape["default"]
    return found


def _array(schema: Schema, value: list[Any], path: str) -> list[Any]:
    if len(value) > schema.get("maxItems", len(value)):
        raise _much(path, f"has {len(value):,} items; at most {schema['maxItems']:,} are allowed")
    if len(value) < schema.get("minItems", 0):
        raise _wrong(path, f"must have at least {schema['minItems']} items")
    items = schema["items"]
    if items == INT:  # a list of a million ids: types are all that can be wrong
        if set(map(type, value)) - {int}:
            raise _wrong(path, "must be a list of integers")
        return value
    return [checked(items, one, f"{path}[{number}]") for number, one in enumerate(value)]


def _bounded(schema: Schema, value: float, path: str) -> None:
    most, least = schema.get("maximum"), schema.get("minimum")
    if most is not None and value > most:
        raise (
            _much(path, f"is {value}; at most {most:,} is allowed")
            if most > 1
            else _wrong(path, f"must be at most {most}")
        )
    if least is not None and value < least:
        raise _wrong(path, f"must be at least {least}")


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _wrong(path: str, what: str) -> Refused:
    return Refused(400, f"{path or 'The body'} {what}.", param=path or None)


def _much(path: str, what: str) -> Refused:
    return Refused(413, f"{path or 'The body'} {what}.", param=path or None)
