"""A precompiled character map from rules, for tests: a plain builder of the double array that ``charsmap`` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_BLOCK = 256
_FREE = 0x80000000
"""An unused unit: a leaf, so that no byte leads to it."""


def build(rules: Mapping[str | bytes, str | bytes]) -> bytes:
    """The blob of ``{key: replacement}``; keys and replacements may be bytes that are not UTF-8."""
    if not rules:
        return b""
    keys = {_raw(key): _raw(target) for key, target in rules.items()}
    # A value of 0 would look like a unit that is free.
    targets, values = bytearray(b"\0"), {}
    for key, target in keys.items():
        values[key] = len(targets)
        targets += target + b"\0"
    trie = b"".join(unit.to_bytes(4, "little") for unit in _Array(values).units)
    return len(trie).to_bytes(4, "little") + trie + bytes(targets)


def _raw(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


class _Array:
    def __init__(self, values: dict[bytes, int]) -> None:
        self.values = values
        self.units = [0] + [_FREE] * (_BLOCK - 1)
        self.bases: set[int] = {0}
        self._place(b"", 0)

    def _place(self, prefix: bytes, index: int) -> None:
        """Give the node of ``prefix`` a base that leaves room for its children, then do the same for these."""
        labels = sorted({key[len(prefix)] for key in self.values if key.startswith(prefix) and key != prefix})
        slots = [0, *labels] if prefix in self.values else labels
        base = self._base(slots)
        offset = index ^ base
        assert offset < 1 << 21, "too many rules for this builder"
        self.units[index] |= offset << 10 | (0x100 if prefix in self.values else 0)
        for label in labels:
            self.units[base ^ label] = label
        if prefix in self.values:
            self.units[base] = 0x80000000 | self.values[prefix]
            self.bases.add(base)
        for label in labels:
            self._place(prefix + bytes([label]), base ^ label)

    def _base(self, slots: list[int]) -> int:
        base = 1
        while base in self.bases or any(self._taken(base ^ slot) for slot in slots):
            base += 1
        self.bases.add(base)
        return base

    def _taken(self, place: int) -> bool:
        while place >= len(self.units):
            self.units += [_FREE] * _BLOCK
        return place == 0 or self.units[place] != _FREE
