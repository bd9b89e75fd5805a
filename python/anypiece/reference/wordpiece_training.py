"""Training WordPiece as tokenizers does it: BPE over characters that are spelled with ``##`` unless they begin a word.

Only the results of merges are kept, by their ids; how they were made is forgotten, and texts are encoded by the longest
pieces instead.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .bpe_training import joined, pair_counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["alphabet", "train_wordpiece"]


def train_wordpiece(
    words: Mapping[str, int],
    vocab_size: int,
    *,
    special_tokens: Sequence[str] = (),
    initial_alphabet: str = "",
    limit_alphabet: int | None = None,
    listed: Sequence[str] = (),
    min_frequency: int = 0,
    max_token_length: int | None = None,
    prefix: str = "##",
) -> list[str]:
    """The pieces by id: special tokens, characters, characters within words, and merges.

    Of equal counts the pair with the smallest ids goes first. A pair that would be spelled like a piece that is there
    already stays as it is.

    >>> train_wordpiece({"hug": 10, "pug": 5, "hugs": 5}, 11, special_tokens=["[UNK]"])
    ['[UNK]', 'g', 'h', 'p', 's', 'u', '##u', '##g', '##s', '##ug', 'hug']
    """
    ids: dict[str, int] = {}

    def id_of(name: str) -> int:
        return ids.setdefault(name, len(ids))

    for name in (*special_tokens, *alphabet(_counts(words), initial_alphabet, limit_alphabet), *listed):
        id_of(name)
    rows: list[tuple[list[int], int]] = []
    for word, count in sorted(words.items(), key=lambda item: item[0].encode()):
        row = [id_of((prefix if at else "") + char) for at, char in enumerate(word) if char in ids]
        rows.append((row, count))
    sizes = dict.fromkeys(ids.values(), 1)

    def spelled(left: int, right: int) -> str:
        names = list(ids)
        return names[left] + names[right].removeprefix(prefix)

    while len(ids) < vocab_size:
        counts = {
            (left, right): count
            for (left, right), count in pair_counts(rows).items()
            if max_token_length is None or sizes[left] + sizes[right] < max(max_token_length, 3)
        }
        while counts:
            (left, right), count = min(counts.items(), key=lambda item: (-item[1], item[0]))
            if spelled(left, right) not in ids:
                break
            del counts[left, right]
        if not counts or count < max(min_frequency, 1):
            break
        new = id_of(spelled(left, right))
        sizes[new] = sizes[left] + sizes[right]
        rows = [(joined(word, (left, right), new), count) for word, count in rows]
    return list(ids)


def alphabet(counts: Mapping[str, int], initial: str, limit: int | None) -> list[str]:
    """The most frequent characters and the ``initial`` ones, by code point."""
    counts = {**counts, **dict.fromkeys(initial, 2**64)}
    kept = sorted(counts, key=lambda char: (-counts[char], char))[:limit]
    return sorted(kept)


def _counts(words: Mapping[str, int]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for char in word:
            counts[char] += count
    return counts
