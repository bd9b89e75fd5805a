"""What sentencepiece returns besides lists: a text with its pieces and their places, as an object and as protobuf bytes.

A ``Row`` is one piece; places count bytes, as in the serialized form. The immutable objects of 0.2.1 count characters.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from ...formats.wire.protobuf import bytes_field, float_field, varint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "ImmutableNBestSentencePieceText",
    "ImmutableSentencePieceText",
    "ImmutableSentencePieceText_ImmutableSentencePiece",
    "Row",
    "Rows",
    "in_characters",
    "serialized",
    "serialized_all",
]

Item = TypeVar("Item")


class Row(NamedTuple):
    """One piece of a text. Bytes of a character that is no piece have no surface, but for the last."""

    piece: bytes
    id: int
    surface: bytes | None
    begin: int
    end: int


class Rows(NamedTuple):
    """A text with its pieces, and a score where one was asked for."""

    text: bytes
    rows: Sequence[Row]
    score: float | None = None


class _Numbers(dict[int, bytes]):
    """A tag with a number behind it; those of usual texts are kept."""

    def __init__(self, tag: bytes) -> None:
        super().__init__()
        self.tag = tag

    def __missing__(self, number: int) -> bytes:
        found = self.tag + varint(number)
        if 0 <= number < 1 << 14:
            self[number] = found
        return found


_PIECE, _ID, _SURFACE, _BEGIN, _END, _ROW = (
    _Numbers(tag) for tag in (b"\x0a", b"\x10", b"\x1a", b"\x20", b"\x28", b"\x12")
)


def serialized(rows: Rows) -> bytes:
    """A ``SentencePieceText``."""
    parts = [bytes_field(1, rows.text)]
    for piece, id, surface, begin, end in rows.rows:
        shown = b"" if surface is None else _SURFACE[len(surface)] + surface
        message = _PIECE[len(piece)] + piece + _ID[id] + shown + _BEGIN[begin] + _END[end]
        parts += (_ROW[len(message)], message)
    return b"".join(parts if rows.score is None else [*parts, float_field(3, rows.score)])


def serialized_all(texts: Sequence[Rows]) -> bytes:
    """An ``NBestSentencePieceText``."""
    return b"".join(bytes_field(1, serialized(rows)) for rows in texts)


def in_characters(rows: Rows) -> Rows:
    """These rows with places that count characters; a byte that is no UTF-8 is one."""
    if rows.text.isascii():
        return rows
    characters = rows.text.decode("utf-8", "surrogateescape")
    sizes = (len(character.encode("utf-8", "surrogateescape")) for character in characters)
    places = {byte: number for number, byte in enumerate(accumulate(sizes, initial=0))}
    moved = [row._replace(begin=places.get(row.begin, -1), end=places.get(row.end, -1)) for row in rows.rows]
    return rows._replace(rows=moved)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


class ImmutableSentencePieceText_ImmutableSentencePiece:  # noqa: N801 (sentencepiece's name)
    """One piece of a text."""

    __slots__ = ("_row",)

    def __init__(self, row: Row | None = None) -> None:
        self._row = row or Row(b"", 0, None, 0, 0)

    @property
    def piece(self) -> str:
        """Its spelling; the text itself where that is unknown."""
        return _text(self._row.piece)

    @property
    def piece_as_bytes(self) -> bytes:
        return self._row.piece

    @property
    def surface(self) -> str:
        """The part of the text that it stands for."""
        return _text(self.surface_as_bytes)

    @property
    def surface_as_bytes(self) -> bytes:
        return self._row.surface or b""

    @property
    def id(self) -> int:
        return self._row.id

    @property
    def begin(self) -> int:
        """Where the surface begins in the text."""
        return self._row.begin

    @property
    def end(self) -> int:
        return self._row.end

    def __str__(self) -> str:
        names = (f'piece: "{self.piece}"', f"id: {self.id}", f'surface: "{self.surface}"')
        return "\n".join([*names, f"begin: {self.begin}", f"end: {self.end}", ""])

    __repr__ = __str__

    def _key(self) -> tuple[Any, ...]:
        return self.piece_as_bytes, self.id, self.surface_as_bytes, self.begin, self.end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImmutableSentencePieceText_ImmutableSentencePiece) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class _Items(Generic[Item]):
    """Items of a proto as a sequence; each is made when it is asked for."""

    __slots__ = ("_made", "_name", "_rows")

    def __init__(self, rows: Sequence[Any], made: Callable[[Any], Item], name: str) -> None:
        self._rows = rows
        self._made = made
        self._name = name

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._made(row) for row in self._rows[index]]
        if not -len(self._rows) <= index < len(self._rows):
            raise IndexError(f"{self._name} index is out of range")
        return self._made(self._rows[index])

    def __iter__(self) -> Iterator[Item]:
        return map(self._made, self._rows)

    def __str__(self) -> str:
        return "\n".join(f"{self._name} {{\n{item}}}" for item in self)

    __repr__ = __str__


class _Proto:
    """What both protos share: equality, hash and bytes are those of the serialized form."""

    __slots__ = ()

    def SerializeAsString(self) -> bytes:  # noqa: N802 (sentencepiece's name)
        """The bytes of the message."""
        raise NotImplementedError

    def SerializeToString(self) -> bytes:  # noqa: N802 (protobuf's name)
        """The bytes of the message."""
        return self.SerializeAsString()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Proto) and self.SerializeAsString() == other.SerializeAsString()

    def __hash__(self) -> int:
        return hash(self.SerializeAsString())


class ImmutableSentencePieceText(_Proto):
    """A text with its pieces."""

    __slots__ = ("_rows",)

    def __init__(self, rows: Rows | None = None) -> None:
        self._rows = rows or Rows(b"", [])

    @property
    def text(self) -> str:
        return _text(self._rows.text)

    @property
    def text_as_bytes(self) -> bytes:
        return self._rows.text

    @property
    def score(self) -> float:
        return self._rows.score or 0.0

    @property
    def pieces(self) -> _Items[ImmutableSentencePieceText_ImmutableSentencePiece]:
        return _Items(self._rows.rows, ImmutableSentencePieceText_ImmutableSentencePiece, "pieces")

    def SerializeAsString(self) -> bytes:  # noqa: N802
        return serialized(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImmutableSentencePieceText) and self._rows == other._rows

    __hash__ = _Proto.__hash__

    def __str__(self) -> str:
        return f'text: "{self.text}"\nscore: {self.score}\n{self.pieces}'

    __repr__ = __str__


class ImmutableNBestSentencePieceText(_Proto):
    """A text in several segmentations."""

    __slots__ = ("_texts",)

    def __init__(self, texts: Sequence[Rows] = ()) -> None:
        self._texts = texts

    @property
    def nbests(self) -> _Items[ImmutableSentencePieceText]:
        return _Items(self._texts, ImmutableSentencePieceText, "nbests")

    def SerializeAsString(self) -> bytes:  # noqa: N802
        return serialized_all(self._texts)

    def __str__(self) -> str:
        return str(self.nbests)

    __repr__ = __str__
