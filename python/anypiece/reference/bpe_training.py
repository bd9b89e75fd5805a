"""Training BPE: count all pairs of neighbours in all words, join the most frequent one everywhere, and begin again.

Slow on purpose: nothing is remembered from one merge to the next. What counts is which pair goes first of several with one
count, and that is an argument.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

__all__ = ["train_byte_bpe", "train_more_bpe", "train_score_bpe"]

Symbol = TypeVar("Symbol", int, str)


def joined(word: Sequence[Symbol], pair: tuple[Symbol, Symbol], made: Symbol) -> list[Symbol]:
    """``word`` with ``made`` in the place of ``pair``, from left to right.

    >>> joined(list("aaab"), ("a", "a"), "aa")
    ['aa', 'a', 'b']
    """
    out: list[Symbol] = []
    at = 0
    while at < len(word):
        found = tuple(word[at : at + 2]) == pair
        out.append(made if found else word[at])
        at += 2 if found else 1
    return out


def pair_counts(words: Sequence[tuple[Sequence[Symbol], int]]) -> Counter[tuple[Symbol, Symbol]]:
    """How often two symbols are adjacent; of three equal ones, the one in the middle counts on both sides."""
    counts: Counter[tuple[Symbol, Symbol]] = Counter()
    for word, count in words:
        for pair in pairwise(word):
            counts[pair] += count
    return counts


def train_byte_bpe(
    words: Mapping[bytes, int],
    order: Sequence[int],
    merges: int,
    *,
    min_frequency: int = 1,
    max_length: int | None = None,
    reserved: Collection[bytes] = (),
    first_seen: bool = False,
) -> list[tuple[int, int, int]]:
    """Merges ``(left, right, made)``. The symbol of a byte is its place in ``order``; what is merged is numbered from 256.

    Of equal counts the pair with the smallest symbols goes first, or that which is seen first: words are in the order in
    which they were read. What is made of more than two bytes has fewer than ``max_length``, and is never one of
    ``reserved``.

    >>> train_byte_bpe({b"hug": 10, b"pug": 5, b"hugs": 5}, range(256), 3)
    [(117, 103, 256), (104, 256, 257), (112, 256, 258)]
    >>> train_byte_bpe({b"hat": 1, b"cat": 1, b"dog": 1}, range(256), 3, first_seen=True)
    [(97, 116, 256), (104, 256, 257), (99, 256, 258)]
    """
    symbols = {byte: symbol for symbol, byte in enumerate(order)}
    spellings = [bytes([byte]) for byte in order]
    rows = [([symbols[byte] for byte in word if byte in symbols], count) for word, count in words.items()]
    made: list[tuple[int, int, int]] = []

    def allowed(left: int, right: int) -> bool:
        spelling = spellings[left] + spellings[right]
        is_short = max_length is None or len(spelling) == 2 or len(spelling) < max_length
        return is_short and spelling not in reserved

    while len(made) < merges:
        counts = {pair: count for pair, count in pair_counts(rows).items() if allowed(*pair)}
        if not counts:
            break
        # A dict keeps the order in which pairs came, and the first of the largest is what max gives.
        best = (
            max(counts, key=counts.__getitem__) if first_seen else min(counts, key=lambda pair: (-counts[pair], pair))
        )
        left, right = best
        if counts[best] < min_frequency:
            break
        new = 256 + len(made)
        spellings.append(spellings[left] + spellings[right])
        rows = [(joined(word, (left, right), new), count) for word, count in rows]
        made.append((left, right, new))
    return made


def train_more_bpe(
    rows: Sequence[tuple[Sequence[int], int]],
    pieces: Sequence[bytes],
    merges: int,
    *,
    min_frequency: int = 1,
    reserved: Collection[bytes] = (),
) -> list[tuple[int, int, int]]:
    """More merges of words that are ids of pieces; what is made is no piece that is there, nor one of ``reserved``.

    >>> train_more_bpe([([0, 1, 1], 3), ([0, 1], 2)], [b"low", b"er"], 2)
    [(0, 1, 2), (2, 1, 3)]
    """
    words = [(list(ids), count) for ids, count in rows]
    spellings = list(pieces)
    made: list[tuple[int, int, int]] = []
    while len(made) < merges:
        known = {*spellings, *reserved}
        counts = pair_counts(words)
        found = [pair for pair in counts if spellings[pair[0]] + spellings[pair[1]] not in known]
        best = min(found, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < min_frequency:
            break
        new = len(spellings)
        spellings.append(spellings[best[0]] + spellings[best[1]])
        made.append((*best, new))
        words = [(joined(word, best, new), count) for word, count in words]
    return made


def train_score_bpe(
    words: Mapping[str, int],
    alphabet: Sequence[str],
    wanted: int,
    allows: Callable[[str], bool],
    reserved: Collection[str] = (),
    first_seen: bool = False,
) -> list[str]:
    """Pieces in the order in which they are merged, and then the characters of the alphabet, as SentencePiece has them.

    Of equal counts the shortest goes first, then the first in the order of code points; or that which is seen first, with
    words in the order in which they were read. Characters outside the alphabet part a word.

    >>> train_score_bpe({"▁hug": 10, "▁pug": 5, "▁hugs": 5}, "▁ughps", 3, lambda piece: "▁" not in piece[1:])
    ['ug', '▁h', '▁hug', '▁', 'u', 'g', 'h', 'p', 's']
    """
    rows: list[tuple[list[str], int]] = []
    for word, count in words.items():
        known = "".join(char if char in alphabet else "\0" for char in word)
        rows += [(list(part), count) for part in known.split("\0")]
    pieces: list[str] = []
    while len(pieces) < wanted:
        counts = pair_counts(rows)
        found = [pair for pair in counts if allows("".join(pair)) and "".join(pair) not in {*pieces, *reserved}]
        if not found:
            break
        if first_seen:
            best = max(found, key=counts.__getitem__)
        else:
            best = min(found, key=lambda pair: (-counts[pair], len("".join(pair)), "".join(pair)))
        pieces.append("".join(best))
        rows = [(joined(word, best, pieces[-1]), count) for word, count in rows]
    return pieces + list(alphabet)
