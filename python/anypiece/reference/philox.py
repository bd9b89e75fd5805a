"""Random numbers as a function of a key and a place: Philox with four words of 64 bits and ten rounds.

A round multiplies two of the four words by constants, into 128 bits each, and mixes the halves with the other two words and
the key; after each round the key takes a step. Nothing is kept from one block to the next but the count of blocks, so any
number can be had without those before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Numbers", "limit", "philox"]

_MASK = 2**64 - 1
_MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
_STEPS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_ROUNDS = 10
_SHARING = 16


def philox(key: tuple[int, int], counter: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """One block of four numbers.

    >>> f"{philox((0, 0), (0, 0, 0, 0))[0]:x}"
    '16554d9eca36314c'
    """
    (key0, key1), (a, b, c, d) = key, counter
    for _ in range(_ROUNDS):
        one, other = _MULTIPLIERS[0] * a, _MULTIPLIERS[1] * c
        a, b, c, d = (other >> 64) ^ b ^ key0, other & _MASK, (one >> 64) ^ d ^ key1, one & _MASK
        key0, key1 = key0 + _STEPS[0] & _MASK, key1 + _STEPS[1] & _MASK
    return a, b, c, d


@dataclass
class Numbers:
    """The numbers of one place of a text: the key is (seed, index), the counter (block, place, epoch, fragment)."""

    seed: int
    epoch: int = 0
    index: int = 0
    place: int = 0
    fragment: int = 0
    _ready: list[int] = field(default_factory=list)
    _block: int = 0

    def behind(self, count: int) -> Numbers:
        """Those of the place so far behind this one."""
        return Numbers(self.seed, self.epoch, self.index, self.place + count, self.fragment)

    def first(self) -> int:
        """The first number of the place, of 16 bits, from a block that 16 places share: a quarter of a word for each.

        >>> f"{philox((7, 0), (2**64 - 1, 1, 0, 0))[1]:x}", f"{Numbers(7, place=16 + 4 + 3).first():x}"
        ('2c27a1cc2d242fcc', '2fcc')
        """
        counter = (_MASK, self.place // _SHARING, self.epoch, self.fragment)
        word = philox((self.seed, self.index), counter)[self.place % _SHARING // 4]
        return word >> 48 - 16 * (self.place % 4) & 0xFFFF

    def draw(self) -> int:
        """The next number of 32 bits: the words of blocks in order, the high half of each first."""
        if not self._ready:
            counter = (self._block, self.place, self.epoch, self.fragment)
            words = philox((self.seed, self.index), counter)
            self._ready = [half for word in words for half in (word >> 32, word & 0xFFFFFFFF)]
            self._block += 1
        return self._ready.pop(0)

    def draw64(self) -> int:
        """The next number of 64 bits."""
        return self.draw() << 32 | self.draw()

    def uniform(self) -> float:
        """The next number as one above 0 and below 1."""
        return min(((self.draw64() >> 11) + 0.5) / 2**53, 1 - 2**-53)


def limit(share: float) -> int:
    """What a number of 64 bits must be below, for something to happen with this probability."""
    return min(int(share * 2.0**64), _MASK)
