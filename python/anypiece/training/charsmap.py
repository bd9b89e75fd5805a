"""Compiles rules to the precompiled character map of SentencePiece, llama.cpp and tokenizers, and reads its rows back.

Keys are first compiled to a minimal automaton (DAWG) that shares equal suffixes: thanks to it the named rules, 225,000 keys,
take a quarter of a megabyte. The automaton is laid out as a double array in blocks of 256 units. The output does not depend
on the order of the rules. ``anypiece.reference.charsmap`` describes the layout.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np

from ..errors import InputError
from ..reference.charsmap import CharsMap

__all__ = ["compiled", "rows_of"]

_BLOCK = 256  # the children of a node share a block, since they differ from its base in a byte
_ALL = (1 << _BLOCK) - 1
_LEAF = 1 << 31  # no byte equals its label; one with the value 0 fills every unused unit
_HAS_LEAF = 1 << 8
_MAX_UNITS = 1 << 21  # what an offset can address from anywhere
_MAX_TARGETS = (1 << 31) - 1  # what a value can address
_MAX_MATCHES = 32  # readers consider as many keys at a place, the shortest first
_OPEN_BLOCKS = 16  # the last blocks, which are searched for a free place
_HALVES = tuple((1 << power, _ALL // ((1 << (1 << power)) + 1)) for power in range(8))

_Node = tuple[int | None, tuple[tuple[int, int], ...]]
"""The value of a key that ends here, and the transitions with the numbers of their nodes."""


def compiled(rules: list[tuple[bytes, bytes]]) -> bytes:
    """The map of rules; no rules make an empty one."""
    rows = _sorted(rules)
    if not rows:
        return b""
    _check_beginnings(rows)
    places, size = {}, 0
    for target in sorted({target for _, target in rows}):
        places[target] = size
        size += len(target) + 1
    if size > _MAX_TARGETS:
        raise _too_large("targets", size, _MAX_TARGETS)
    units = _laid_out(_automaton([(key, places[target]) for key, target in rows]))
    return b"".join(((4 * len(units)).to_bytes(4, "little"), units.tobytes(), *(target + b"\0" for target in places)))


def rows_of(charsmap: bytes) -> dict[str, str]:
    """Every key of a map and its target, found by walking the units.

    >>> rows_of(compiled([("é".encode(), b"e"), (b"ab", b"")]))
    {'ab': '', 'é': 'e'}
    """
    if not charsmap:
        return {}
    found = CharsMap(charsmap)
    units, targets = found.units, found.targets
    below = [index ^ unit >> 10 << ((unit & 1 << 9) >> 6) for index, unit in enumerate(units)]
    children = defaultdict(list)
    for index, unit in enumerate(units):
        if 0 < unit & (_LEAF | 0xFF) <= 0xFF:
            children[index ^ unit & 0xFF].append(unit & 0xFF)
    rows, waiting = {}, [(b"", below[0])]
    while waiting:
        prefix, base = waiting.pop()
        for byte in children[base]:
            key, place = prefix + bytes((byte,)), base ^ byte
            if units[place] & _HAS_LEAF:
                value = units[below[place]] & ~_LEAF
                rows[key.decode()] = targets[value : targets.index(0, value)].decode()
            waiting.append((key, below[place]))
    return dict(sorted(rows.items()))


def _sorted(rules: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The rules by their keys, each once."""
    for row, (key, target) in enumerate(rules):
        if not key:
            raise _invalid(f"Rule {row} has nothing to look for. Give it at least one character.", row=row)
        if b"\0" in key or b"\0" in target:
            raise _invalid(f"Rule {row} has a NUL character, which ends a text in a map. Remove it.", row=row)
    order = sorted(range(len(rules)), key=lambda row: (rules[row][0], row))
    for one, other in pairwise(order):
        if rules[one][0] == rules[other][0] and rules[one][1] != rules[other][1]:
            message = f"Rules {one} and {other} give {rules[one][0].decode()!r} two targets. Keep one of them."
            raise _invalid(message, row=other, other=one)
    return list(dict(rules[row] for row in order).items())


def _check_beginnings(rows: list[tuple[bytes, bytes]]) -> None:
    """Refuse a key that readers would never find, for all the shorter ones that it begins with."""
    within: list[bytes] = []
    for key, _ in rows:
        while within and not key.startswith(within[-1]):
            within.pop()
        within.append(key)
        if len(within) >= _MAX_MATCHES:
            most = _MAX_MATCHES - 1
            message = f"More than {most} rules begin {key.decode()!r} one within the other. Leave some of them out."
            raise InputError("rule-limit", message, limit=most)


def _automaton(rows: list[tuple[bytes, int]]) -> list[_Node]:
    """The nodes of a minimal automaton of ascending keys, the root last: only those of the last key are not final."""
    numbers: dict[_Node, int] = {}
    values: list[int | None] = [None]
    edges: list[list[tuple[int, int]]] = [[]]
    last, units = b"", 0
    for key, value in [*rows, (b"", 0)]:
        shared = 0
        while shared < len(key) and shared < len(last) and key[shared] == last[shared]:
            shared += 1
        for depth in range(len(last), shared, -1):
            node = (values.pop(), tuple(edges.pop()))
            number = numbers.setdefault(node, len(numbers))
            edges[-1].append((last[depth - 1], number))
            if number == len(numbers) - 1:
                units += len(node[1]) + (node[0] is not None)
                if units > _MAX_UNITS:
                    raise _too_large("units", units, _MAX_UNITS)
        values += [None] * (len(key) - shared)
        edges += [[] for _ in range(len(key) - shared)]
        values[-1], last = value, key
    return [*numbers, (None, tuple(edges[0]))]


class _Array:
    """The double array under construction: of each block which units are free, and which are not the base of a node."""

    def __init__(self) -> None:
        self.free = [_ALL - 1]  # the root is at 0, and no base is: a NUL in a text would lead there
        self.unused = [_ALL - 1]

    def place(self, node: _Node) -> int:
        """The lowest base from which all slots of a node's children are free; they are taken."""
        labels = [] if node[0] is None else [0]
        labels += [label for label, _ in node[1]]
        for block in range(max(0, len(self.free) - _OPEN_BLOCKS), len(self.free)):
            bases = self._bases(block, labels)
            if bases:
                base = (bases & -bases).bit_length() - 1
                break
        else:
            block, base = len(self.free), 0
            if (block + 1) * _BLOCK > _MAX_UNITS:
                raise _too_large("units", (block + 1) * _BLOCK, _MAX_UNITS)
            self.free.append(_ALL)
            self.unused.append(_ALL)
        self.unused[block] &= ~(1 << base)
        for label in labels:
            self.free[block] &= ~(1 << (base ^ label))
        return block * _BLOCK | base

    def _bases(self, block: int, labels: list[int]) -> int:
        bases, free = self.unused[block], self.free[block]
        for label in labels:
            if not bases:
                return 0
            bases &= _permuted(free, label)
        return bases


def _permuted(bits: int, label: int) -> int:
    """Bit ``i`` of the result is bit ``i ^ label`` of ``bits``."""
    for shift, low in _HALVES:
        if label & shift:
            bits = (bits & low) << shift | bits >> shift & low
    return bits


def _laid_out(nodes: list[_Node]) -> np.ndarray:
    """The units of an automaton: the children of each node are placed once, then theirs."""
    array, units, bases = _Array(), {}, [0] * len(nodes)
    root = len(nodes) - 1
    bases[root] = array.place(nodes[root])
    units[0] = bases[root] << 10
    waiting = [root]
    while waiting:
        number = waiting.pop()
        (value, edges), base = nodes[number], bases[number]
        if value is not None:
            units[base] = _LEAF | value
        for label, child in edges:
            if not bases[child]:
                bases[child] = array.place(nodes[child])
                waiting.append(child)
            leaf = 0 if nodes[child][0] is None else _HAS_LEAF
            units[base ^ label] = (base ^ label ^ bases[child]) << 10 | label | leaf
    laid_out = np.full(len(array.free) * _BLOCK, _LEAF, "<u4")
    laid_out[list(units)] = list(units.values())
    return laid_out


def _invalid(message: str, **facts: int) -> InputError:
    return InputError("rule-invalid", message, **facts)


def _too_large(what: str, size: int, limit: int) -> InputError:
    message = f"The {what} of a character map take {size} and may take {limit}. Use fewer rules."
    return InputError("rule-limit", message, size=size, limit=limit)
