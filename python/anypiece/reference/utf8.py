"""UTF-8 as SentencePiece reads it: how long a character is, and what one bad byte is.

Every later stage counts in bytes and steps by these two rules. A bad byte stands alone: the next byte gets its own chance
to begin a character, so a broken three-byte sequence is three bad bytes and not one.
"""

from __future__ import annotations

import re

__all__ = ["REPLACEMENT", "character_starts", "lead_length", "of_text", "valid_length"]

REPLACEMENT = "\ufffd".encode()
"""What a bad byte becomes."""

_LEAD_LENGTHS = (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4)
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")


def lead_length(byte: int) -> int:
    """How long a character is that begins with ``byte``, by its upper four bits alone. Continuation bytes count as 1.

    >>> [lead_length(text.encode()[0]) for text in "aé▁😀"]
    [1, 2, 3, 4]
    """
    return _LEAD_LENGTHS[byte >> 4]


def valid_length(text: bytes, start: int) -> int:
    """The length of the valid character at ``start``, or 0 if there is none.

    Overlong forms, surrogates and numbers past U+10FFFF are not valid.

    >>> valid_length("é".encode(), 0), valid_length(b"\\xed\\xa0\\x80", 0), valid_length(b"\\xe2\\x96", 0)
    (2, 0, 0)
    """
    length = lead_length(text[start])
    try:
        text[start : start + length].decode()
    except UnicodeDecodeError:
        return 0
    return length


def of_text(text: str | bytes, stand_in: bytes = b"\xff") -> bytes:
    """The bytes that are tokenized: bytes as they are; of a ``str`` its UTF-8, with ``stand_in`` for each lone surrogate.

    That is a bad byte, unless bad bytes are bytes like all others.

    >>> of_text("a\\ud800b")
    b'a\\xffb'
    """
    if isinstance(text, bytes):
        return text
    return _SURROGATE.sub(stand_in, text.encode("utf-8", "surrogatepass"))


def character_starts(text: str | bytes, stand_in: bytes = b"\xff") -> list[int]:
    """For every byte offset of the text, its end included, the number of the character it lies in.

    A ``str`` knows its characters. In ``bytes`` a bad byte counts as one character, as it becomes one U+FFFD.

    >>> character_starts("aé")
    [0, 1, 1, 2]
    """
    table: list[int] = []
    if isinstance(text, str):
        for number, character in enumerate(text):
            table += [number] * len(of_text(character, stand_in))
        return [*table, len(text)]
    number = 0
    while len(table) < len(text):
        table += [number] * (valid_length(text, len(table)) or 1)
        number += 1
    return [*table, number]
