"""What all components share: fields that are JSON, a state in the original's form, and changes that tokenizers notice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from .shown import Struct, Variant, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

__all__ = ["Changes", "Component", "Field", "Listed", "component_of", "dumped", "refuse_python"]


class Changes:
    """Counts the changes of all components: a tokenizer looks at its own only when this number has moved."""

    count: ClassVar[int] = 0

    @classmethod
    def note(cls) -> None:
        """A component has changed."""
        cls.count += 1


class Field:
    """An attribute that is a field of a component's JSON."""

    def __init__(self, name: str, read: Callable[[Any], Any] | None = None, write: Callable[[Any], Any] | None = None):
        self._name = name
        self._read = read
        self._write = write

    def __get__(self, owner: Component | None, kind: type | None = None) -> Any:
        if owner is None:
            return self
        value = owner._fields[self._name]
        return value if self._read is None else self._read(value)

    def __set__(self, owner: Component, value: Any) -> None:
        owner._fields[self._name] = value if self._write is None else self._write(value)
        Changes.note()


class Component:
    """A normalizer, pre-tokenizer, post-processor or decoder. ``_fields`` is what its JSON has besides its type."""

    FAMILY: ClassVar[str] = ""
    KINDS: ClassVar[dict[str, type[Component]]] = {}
    VARIANTS: ClassVar[frozenset[str]] = frozenset()
    """Fields whose values are shown without quotation marks."""
    _fields: dict[str, Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "FAMILY" in cls.__dict__:
            cls.KINDS = {}
        else:
            cls.KINDS[cls.__name__] = cls

    def _json(self) -> dict[str, Any]:
        return {"type": type(self).__name__, **self._fields}

    @classmethod
    def _of(cls, section: dict[str, Any]) -> Self:
        made = cls.__new__(cls)
        made._fields = {name: value for name, value in section.items() if name != "type"}
        return made

    def _tree(self) -> Any:
        rows = [(name, Variant(value) if name in self.VARIANTS else value) for name, value in self._fields.items()]
        return Struct(type(self).__name__, [(name, _pattern(name, value)) for name, value in rows])

    def __getstate__(self) -> bytes:
        return dumped(self._json())

    def __setstate__(self, state: bytes) -> None:
        made = component_of(type(self), json.loads(state))
        self.__dict__.update(made.__dict__)
        Changes.note()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.__getstate__())

    def __repr__(self) -> str:
        return shown(self._tree(), 100, None)

    def __str__(self) -> str:
        return shown(self._tree(), 6, 100)


def _pattern(name: str, value: Any) -> Any:
    if name == "pattern" and isinstance(value, dict):
        kind, source = next(iter(value.items()))
        return Struct(kind, [(None, source)])
    return value


def _restored(cls: type[Component], state: bytes) -> Any:
    return component_of(cls, json.loads(state))


class Listed:
    """A sequence of components, as each family has one: parts can be read and replaced by their number."""

    FIELD: ClassVar[str]
    _parts: list[Any]

    def _json(self) -> dict[str, Any]:
        return {"type": type(self).__name__, self.FIELD: [part._json() for part in self._parts]}

    def _tree(self) -> Any:
        return Struct(type(self).__name__, [(self.FIELD, [part._tree() for part in self._parts])])

    def _hold(self, family: type[Component], parts: Any) -> None:
        self._fields: dict[str, Any] = {}
        self._parts = [checked(family, part) for part in parts]

    def __getitem__(self, index: int) -> Any:
        if not -len(self._parts) <= index < len(self._parts):
            raise IndexError("Index not found")
        return self._parts[index]

    def __setitem__(self, index: int, value: Any) -> None:
        self._parts[index] = value
        Changes.note()

    def __len__(self) -> int:
        return len(self._parts)


def checked(family: type[Component], value: Any) -> Any:
    """``value`` as a component of a family: one of ours, or one of the original library by its state."""
    if isinstance(value, family):
        return value
    state = getattr(value, "__getstate__", lambda: None)()
    if isinstance(state, bytes) and type(value).__module__.startswith("tokenizers"):
        return component_of(family, json.loads(state))
    raise TypeError(f"'{type(value).__name__}' object is not an instance of '{family.__name__}'")


def component_of(family: type[Component], section: dict[str, Any]) -> Any:
    """The component of a section of a tokenizer.json."""
    kind = family.KINDS.get(str(section.get("type")))
    if kind is None:
        raise Exception(f"There is no {family.FAMILY} of type {section.get('type')!r}.")
    return kind._of(section)


def dumped(value: Any) -> bytes:
    """JSON as the original writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def refuse_python(family: str) -> None:
    """Refuse a component that is written in Python."""
    raise NotImplementedError(
        f"A {family} written in Python cannot run in AnyPiece; use the components of this module."
    )
