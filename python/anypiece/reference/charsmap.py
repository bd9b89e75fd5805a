"""The precompiled character map: a trie of byte strings to replacement texts, read straight from the blob in the file.

    4 bytes, little-endian     the size of the trie in bytes
    32-bit units               a double array in the layout of Darts-clone
    texts, each ended by NUL   the replacements; the trie's value is the offset of one

A unit is either a node or a leaf. A node's label is the byte that leads to it; its offset, xored with its own index, is
where its children are; the child for byte b is at that place xor b. A node at which a key ends has its leaf at the place
itself (as if b were 0), and the leaf holds the value. A leaf's top bit is set, so no byte is ever equal to its label.
"""

from __future__ import annotations

import numpy as np

from ..errors import SpecError

__all__ = ["CharsMap"]

_MAX_MATCHES = 32
_MAX_TARGET = 256  # bytes of a text; a longer one would make a short text huge


class CharsMap:
    """The map of one blob. The blob is checked once; after that no look-up can leave the array."""

    def __init__(self, blob: bytes) -> None:
        trie, self.targets = _parts(blob)
        self.units: list[int] = np.frombuffer(trie, "<u4").tolist()
        self._check_units()

    def longest(self, text: bytes, start: int) -> tuple[int, bytes] | None:
        """The longest key that ``text`` holds at ``start``: its length and what replaces it.

        Only the first 32 keys found on the way count, and they are found shortest first. Trained files keep to that
        limit; a file made otherwise would see longer keys ignored, and so they are ignored here.
        """
        found = self.matches(text, start)[:_MAX_MATCHES]
        if not found:
            return None
        length, value = found[-1]
        return length, self.targets[value : self.targets.index(b"\0", value)]

    def matches(self, text: bytes, start: int) -> list[tuple[int, int]]:
        """Every key at ``start`` as (length, value), shortest first."""
        found = []
        place = _offset(self.units[0])
        for position in range(start, len(text)):
            place ^= text[position]
            unit = self.units[place]
            if _label(unit) != text[position]:
                break
            place ^= _offset(unit)
            if _has_leaf(unit):
                found.append((position + 1 - start, _value(self.units[place])))
        return found

    def _check_units(self) -> None:
        """What SentencePiece 0.2.2 checks, and that no value points into the middle of a character."""
        count = len(self.units)
        root = self.units[0]
        if _label(root) != 0 or _has_leaf(root) or _offset(root) == 0 or _offset(root) | 0xFF >= count:
            raise _damaged("the root of the trie is not one")
        for index, unit in enumerate(self.units[1:], 1):
            if _label(unit) <= 0xFF:
                if (index ^ _offset(unit)) | 0xFF >= count:
                    raise _damaged(f"unit {index} of the trie points outside of it")
            elif _value(unit) >= len(self.targets):
                raise _damaged(f"unit {index} of the trie points outside of the texts")
            elif self.targets[_value(unit)] & 0xC0 == 0x80:
                raise _damaged(f"unit {index} of the trie points into the middle of a character")


def _parts(blob: bytes) -> tuple[bytes, bytes]:
    """The trie and the texts of a blob, with the checks on sizes."""
    if len(blob) <= 4:
        raise _damaged("it has no more than 4 bytes")
    size = int.from_bytes(blob[:4], "little")
    if size >= len(blob) - 4:
        raise _damaged("the trie is larger than the map")
    if size < 1024 or size % 1024:
        raise _damaged("the size of the trie is not a multiple of 1024")
    trie, targets = blob[4 : 4 + size], blob[4 + size :]
    if targets[-1] != 0:
        raise _damaged("the last text is not ended by NUL")
    try:
        targets.decode()
    except UnicodeDecodeError as error:
        raise _damaged(f"the texts are not UTF-8 at byte {error.start}") from None
    if any(len(target) > _MAX_TARGET for target in targets.split(b"\0")):
        raise _damaged(f"a text has more than {_MAX_TARGET} bytes")
    return trie, targets


def _damaged(why: str) -> SpecError:
    return SpecError(
        "spec-charsmap", f"the precompiled character map is damaged: {why}; take it from an intact file", why=why
    )


def _label(unit: int) -> int:
    return unit & 0x800000FF


def _has_leaf(unit: int) -> bool:
    return unit >> 8 & 1 == 1


def _offset(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)


def _value(unit: int) -> int:
    return unit & 0x7FFFFFFF
