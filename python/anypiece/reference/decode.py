"""Decode: ids back to text.

Pieces are put one after the other with "▁" turned into a space; control pieces leave no trace; the unknown piece prints
its surface. Two things need care:

- Byte pieces are collected until a piece of another kind comes (a control piece too), and only then read as UTF-8. A byte
  that is no part of a character is replaced, each on its own.
- The mark that normalizing put in front is taken away again: from the first piece that prints anything, one "▁"; if extra
  spaces were removed on the way in, then from every piece until something has been printed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ..errors import DecodeError, UnknownIdError
from ..spec import SPACE_MARK, Kind
from . import utf8
from .charsmap import CharsMap
from .tokens import byte_piece

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..spec import Spec

__all__ = ["Decoder", "cleaned", "repaired"]

Errors = Literal["replace", "ignore", "strict", "keep"]

_MARK = SPACE_MARK.encode()


class Decoder:
    """The decoder of a Spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.charsmap = CharsMap(spec.denormalizer) if spec.denormalizer else None
        self.bytes_of = {byte_piece(byte): byte for byte in range(256)}

    def decode(self, ids: Iterable[int], errors: Errors = "replace") -> str:
        """The text of ``ids``; ``errors`` says what becomes of byte pieces that are not UTF-8."""
        return self._denormalize(self._text(ids, errors)).decode()

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Decode to bytes, with byte pieces as they are."""
        return self._denormalize(self._text(ids, "keep"))

    def _text(self, ids: Iterable[int], errors: Errors) -> bytes:
        if self.spec.decoding in ("literal", "unspaced"):
            return self._literal(ids, errors)
        out, pending = bytearray(), bytearray()
        in_front = True
        for piece in ids:
            name, kind = self._piece(piece)
            if kind == Kind.BYTE:
                pending.append(self.bytes_of[name])
                continue
            out += repaired(pending, errors)
            pending.clear()
            if kind == Kind.CONTROL:
                continue
            in_front = in_front and not out
            text, had_mark = self._strip(name) if in_front else (name, False)
            out += self._surface(kind, text)
            in_front = in_front and not out and (not had_mark or self.spec.remove_extra_whitespaces)
        return bytes(out + repaired(pending, errors))

    def _literal(self, ids: Iterable[int], errors: Errors) -> bytes:
        """Each piece by itself, one after the other, and then what is not UTF-8 replaced."""
        out = bytearray()
        loses_space = self.spec.add_dummy_prefix or self.spec.decoding == "unspaced"
        for place, piece in enumerate(ids):
            name, kind = self._piece(piece)
            shown = self._by_itself(name, kind)
            out += shown.removeprefix(b" ") if place == 0 and loses_space else shown
        text = bytes(out) if errors == "keep" else bytes(out).decode("utf-8", errors).encode()
        return cleaned(text) if self.spec.clean_spaces else text

    def _by_itself(self, name: bytes, kind: Kind) -> bytes:
        if kind == Kind.BYTE:
            return bytes([self.bytes_of[name]])
        if kind == Kind.UNUSED:
            return b""
        marked = kind == Kind.NORMAL and self.spec.symbols == "characters"
        return name.replace(_MARK, b" ") if marked else name

    def _piece(self, piece: int) -> tuple[bytes, Kind]:
        size = len(self.spec.pieces)
        if not 0 <= piece < size:
            message = f"id {piece} is outside this vocabulary of {size} pieces; were the ids made with another one?"
            raise UnknownIdError("id-out-of-range", message, id=piece, vocab_size=size)
        return self.spec.pieces.bytes(piece), Kind(int(self.spec.pieces.kinds[piece]))

    def _strip(self, name: bytes) -> tuple[bytes, bool]:
        """``name`` without one mark in front, and whether it had one. Nothing is stripped if nothing can have been added."""
        if self.spec.add_dummy_prefix or self.spec.remove_extra_whitespaces:
            return name.removeprefix(_MARK), name.startswith(_MARK)
        return name, False

    def _surface(self, kind: Kind, name: bytes) -> bytes:
        if kind == Kind.UNKNOWN:
            return self.spec.unk_surface.encode()
        return name.replace(_MARK, b" ")

    def _denormalize(self, text: bytes) -> bytes:
        """Replace by the denormalizer's map, longest key first, and copy the rest."""
        if self.charsmap is None:
            return text
        out, start = bytearray(), 0
        while start < len(text):
            length = utf8.valid_length(text, start) or 1
            length, target = self.charsmap.longest(text, start) or (length, text[start : start + length])
            out += target
            start += length
        return bytes(out)


def cleaned(text: bytes) -> bytes:
    """``text`` without the spaces that a tokenizer for words puts where none belong.

    >>> cleaned(b"it 's not , ' is it ' ? don 't")
    b"it's not,'is it '? don 't"
    """
    text = re.sub(rb" (?=[?!.,])", b"", text)
    text = re.sub(rb" ' ", b"'", text)
    return re.sub(rb" (?='(?:s|m|re|ve))", b"", text)


def repaired(raw: bytes | bytearray, errors: Errors) -> bytes:
    """``raw`` as valid UTF-8, one bad byte at a time; ``keep`` leaves it as it is.

    >>> repaired(b"a\\xe2\\x96", "replace").decode()
    'a��'
    """
    raw = bytes(raw)
    if errors == "keep":
        return raw
    out, start = bytearray(), 0
    while start < len(raw):
        length = utf8.valid_length(raw, start)
        if not length and errors == "strict":
            message = f'byte piece {byte_piece(raw[start]).decode()} is no part of a character; pass errors="replace"'
            raise DecodeError("decode-invalid", message, byte=raw[start])
        out += raw[start : start + length] if length else utf8.REPLACEMENT if errors == "replace" else b""
        start += length or 1
    return bytes(out)
