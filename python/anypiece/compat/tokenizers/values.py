"""Plain values: an added token, a regular expression, and a token of a model."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["AddedToken", "Regex", "Token", "added_rows", "read_added"]

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


class AddedToken:
    """A token that is found in a text before it is segmented.

    >>> AddedToken("<mask>", lstrip=True)
    AddedToken("<mask>", rstrip=False, lstrip=True, single_word=False, normalized=True, special=False)
    """

    __slots__ = ("_normalized", "content", "lstrip", "rstrip", "single_word", "special")

    def __init__(self, content: str | None = None, **options: bool) -> None:
        if content is not None and not isinstance(content, str):
            raise TypeError(f"'{type(content).__name__}' object is not an instance of 'str'")
        unknown = options.keys() - set(_FLAGS)
        if unknown:
            raise TypeError(f"AddedToken has no option {min(unknown)!r}")
        self.content = content or ""
        self.single_word, self.lstrip, self.rstrip, self.special = (
            bool(options.get(name, False)) for name in ("single_word", "lstrip", "rstrip", "special")
        )
        normalized = options.get("normalized")
        self._normalized = None if normalized is None else bool(normalized)

    @property
    def normalized(self) -> bool:
        """Whether it is looked for in normalized text; by default where the token is not special."""
        return not self.special if self._normalized is None else self._normalized

    def _key(self) -> tuple[Any, ...]:
        return (self.content, *(getattr(self, name) for name in _FLAGS))

    def _json(self) -> dict[str, Any]:
        return {"content": self.content, **{name: getattr(self, name) for name in _FLAGS}}

    def _settled(self) -> AddedToken:
        """A copy whose ``normalized`` no longer follows from ``special``."""
        return AddedToken(**self._json())

    def __getstate__(self) -> dict[str, Any]:
        return self._json()

    def __setstate__(self, state: dict[str, Any]) -> None:
        AddedToken.__init__(self, **state)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._json(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AddedToken) and self._key() == other._key()

    def __lt__(self, other: AddedToken) -> bool:
        return self._key() < other._key()

    def __le__(self, other: AddedToken) -> bool:
        return self._key() <= other._key()

    def __hash__(self) -> int:
        return hash(self.content)

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        flags = ("rstrip", "lstrip", "single_word", "normalized", "special")
        return f'AddedToken("{self.content}", {", ".join(f"{name}={getattr(self, name)}" for name in flags)})'


def _made(state: dict[str, Any]) -> AddedToken:
    return AddedToken(**state)


def read_added(tokens: Any, special: bool) -> list[AddedToken]:
    """What ``add_tokens`` was given: strings, or added tokens of ours or of the original."""
    rows = []
    for token in tokens:
        if isinstance(token, str):
            rows.append(AddedToken(token, normalized=not special, special=special))
        elif isinstance(token, AddedToken):
            if special:
                token.special = True
            rows.append(token._settled())
        elif type(token).__name__ == "AddedToken" and hasattr(token, "content"):
            rows.append(AddedToken(token.content, **{name: getattr(token, name) for name in _FLAGS}))
            if special:
                rows[-1].special = True
        else:
            raise TypeError("Input must be a List[Union[str, AddedToken]]")
    return rows


def added_rows(tokens: list[AddedToken]) -> list[dict[str, Any]]:
    """Special tokens of a trainer as JSON."""
    return [token._json() for token in tokens]


class Regex:
    """A regular expression, for components that take a pattern."""

    __slots__ = ("pattern",)

    def __init__(self, s: str) -> None:
        from ... import _native
        from ..._core.checks import raise_native
        from ...errors import AnyPieceError

        try:
            _native.Pattern("regex", s)
        except _native.NativeError as error:
            try:
                raise_native(error)
            except AnyPieceError as refused:
                raise Exception(str(refused)) from None
        self.pattern = s

    def __repr__(self) -> str:
        return f'Regex("{self.pattern}")'


class Token(NamedTuple):
    """A token that a model gives: id, text, and its place in the pre-token."""

    id: int
    value: str
    offsets: tuple[int, int]

    def as_tuple(self) -> tuple[int, str, tuple[int, int]]:
        """The three as a plain tuple."""
        return self.id, self.value, self.offsets
