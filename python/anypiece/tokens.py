"""What calls give out besides lists of ids: tokens with their places, and two texts as one sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

__all__ = ["KeepsBytes", "Pair", "Token", "tokens_of"]


class KeepsBytes:
    """A named tuple with a ``piece`` that remembers the bytes of it where they are not UTF-8. They are no item of it."""

    piece: str

    @property
    def piece_bytes(self) -> bytes:
        """The bytes of the piece. Where they are not UTF-8, ``piece`` shows U+FFFD in the place of what is not."""
        held = self.__dict__.get("_piece_bytes")
        return self.piece.encode() if held is None else held

    def with_bytes(self, raw: bytes) -> Self:
        """``self``, with these as the bytes of its piece."""
        self.__dict__["_piece_bytes"] = raw
        return self

    def _replace(self, **changes: Any) -> Self:
        made: Self = super()._replace(**changes)  # type: ignore[misc]
        if "piece" not in changes:
            made.__dict__.update(self.__dict__)
        return made


class _Token(NamedTuple):
    id: int
    piece: str
    start: int
    end: int


class Token(KeepsBytes, _Token):
    """One occurrence of a piece in a text. ``start`` and ``end`` are a half-open range of the text as it was given.

    A tuple of those four; ``piece_bytes`` is an attribute besides.

    >>> from anypiece import Pieces, Spec, Tokenizer
    >>> rows = [(bytes([byte]), 0, 1) for byte in range(256)]
    >>> plain = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    >>> tok = Tokenizer(Spec(Pieces.of(rows), segmenter="bpe", symbols="bytes", unk_surface="", **plain))
    >>> [(token.piece, token.piece_bytes) for token in tok.encode_spans("é")]
    [('�', b'\\xc3'), ('�', b'\\xa9')]
    """


def tokens_of(rows: Sequence[tuple[int, str, int, int]], lost: Sequence[tuple[int, bytes]]) -> list[Token]:
    """Rows as tokens, where ``lost`` has the bytes of those by number whose pieces are not UTF-8."""
    tokens = list(map(Token._make, rows))
    for number, raw in lost:
        tokens[number].with_bytes(raw)
    return tokens


class Pair(NamedTuple):
    """Two texts as one sequence: ``type_ids[i]`` says what ``ids[i]`` belongs to."""

    ids: list[int]
    type_ids: list[int]
