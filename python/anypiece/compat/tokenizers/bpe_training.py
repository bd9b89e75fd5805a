"""Merges of characters, counted over words: the most frequent pair is merged, of equal ones that with the lowest ids."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from itertools import pairwise
from typing import Any

__all__ = ["Bpe"]

Pair = tuple[int, int]


class Bpe:
    """A vocabulary of characters that grows by merges."""

    def __init__(self, words: Counter[str], specials: list[str], options: dict[str, Any]) -> None:
        self.vocab: dict[str, int] = {}
        self.names: list[str] = []
        self.merges: list[Pair] = []
        self._options = options
        self._prefix = options["continuing_subword_prefix"] or ""
        self._suffix = options["end_of_word_suffix"] or ""
        for name in specials:
            self._number(name)
        self._alphabet = self._letters(words)
        for letter in sorted(self._alphabet):
            self._number(letter)
        rows = sorted(words.items())
        self._counts = [count for _, count in rows]
        self._places = {word: number for number, (word, _) in enumerate(rows)}
        self._symbols = [self._cut(word) for word, _ in rows]
        self._totals: Counter[Pair] = Counter()
        self._where: dict[Pair, set[int]] = {}
        for number, symbols in enumerate(self._symbols):
            self._note(number, symbols, 1)

    def _number(self, name: str) -> int:
        if name not in self.vocab:
            self.vocab[name] = len(self.names)
            self.names.append(name)
        return self.vocab[name]

    def _letters(self, words: Counter[str]) -> set[str]:
        """The characters that are kept."""
        counts: Counter[str] = Counter()
        for word, count in words.items():
            for letter in word:
                counts[letter] += count
        initial = set(self._options["initial_alphabet"])
        limit = self._options["limit_alphabet"]
        if limit is not None and len(set(counts) | initial) > limit:
            ranked = sorted(set(counts) | initial, key=lambda one: (one not in initial, -counts[one], one))
            return set(ranked[:limit])
        return set(counts) | initial

    def _cut(self, word: str) -> list[int]:
        """The characters of a word, with what stands around them, as ids."""
        last = len(word) - 1
        return [
            self._number((self._prefix if place else "") + letter + (self._suffix if place == last else ""))
            for place, letter in enumerate(word)
            if letter in self._alphabet
        ]

    def _note(self, number: int, symbols: list[int], sign: int) -> list[Pair]:
        pairs = list(pairwise(symbols))
        limit = self._options["max_token_length"]
        if limit is not None:
            pairs = [pair for pair in pairs if self._fits(pair, limit)]
        for pair in pairs:
            self._totals[pair] += sign * self._counts[number]
            if sign > 0:
                self._where.setdefault(pair, set()).add(number)
        return pairs

    def _fits(self, pair: Pair, limit: int) -> bool:
        size = sum(len(self.names[id]) for id in pair)
        return size < limit or size <= 2

    def _joined(self, pair: Pair) -> int:
        left, right = (self.names[id] for id in pair)
        self.merges.append(pair)
        return self._number(left + right.removeprefix(self._prefix))

    def _merge(self, pair: Pair) -> set[Pair]:
        """Merge a pair in all words; the pairs whose counts have changed."""
        made = self._joined(pair)
        changed: set[Pair] = set()
        for number in sorted(self._where.pop(pair, ())):
            symbols = self._symbols[number]
            fresh = _replaced(symbols, pair, made)
            if len(fresh) == len(symbols):
                continue
            changed |= set(self._note(number, symbols, -1))
            self._symbols[number] = fresh
            changed |= set(self._note(number, fresh, 1))
        return changed

    def run(self, size: int) -> None:
        """Merge until there are ``size`` tokens, or no pair is frequent enough."""
        least = max(self._options["min_frequency"], 1)
        heap = [(-count, pair) for pair, count in self._totals.items() if count > 0]
        heapq.heapify(heap)
        while heap and len(self.names) < size:
            count, pair = heapq.heappop(heap)
            if -count != self._totals[pair]:
                if self._totals[pair] > 0:
                    heapq.heappush(heap, (-self._totals[pair], pair))
                continue
            if -count < least:
                break
            for changed in self._merge(pair):
                if self._totals[changed] > 0:
                    heapq.heappush(heap, (-self._totals[changed], changed))

    def run_by_language(
        self, trainer: Any, texts: list[Counter[str]], held_out: list[Counter[str]], ratio: Any
    ) -> None:
        """Merge this many pairs, each the most frequent of the language that has the most tokens for its text."""
        least = max(trainer.min_frequency, 1)
        recent: deque[int] = deque(maxlen=trainer.window_size)
        shares = [1.0] * len(texts) if ratio is None else [float(each) for each in ratio]
        exhausted: set[int] = set()
        while len(self.merges) < trainer.num_merges and len(exhausted) < len(texts):
            rates = [self._rate(each) * share for each, share in zip(held_out, shares, strict=True)]
            open_ones = [number for number in range(len(texts)) if number not in exhausted]
            if trainer.variant == "window" and len(open_ones) > 1:
                most = trainer.alpha * len(recent) / len(texts)
                rested = [number for number in open_ones if not recent or recent.count(number) <= most]
                open_ones = rested or open_ones
            chosen = max(open_ones, key=lambda number: (rates[number], -number))
            pairs = self._pairs(texts[chosen])
            best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
            if best is None or pairs[best] < least:
                exhausted.add(chosen)
                continue
            recent.append(chosen)
            self._merge(best)

    def _rate(self, words: Counter[str]) -> float:
        """How many tokens there are for a character."""
        size = sum(len(word) * count for word, count in words.items())
        tokens = sum(len(self._symbols[self._places[word]]) * count for word, count in words.items())
        return tokens / size if size else 0.0

    def _pairs(self, words: Counter[str]) -> Counter[Pair]:
        found: Counter[Pair] = Counter()
        for word, count in words.items():
            symbols = self._symbols[self._places[word]]
            for pair in pairwise(symbols):
                found[pair] += count
        return found

    def named_merges(self) -> list[tuple[str, str]]:
        """The merges as strings."""
        return [(self.names[left], self.names[right]) for left, right in self.merges]


def _replaced(symbols: list[int], pair: Pair, made: int) -> list[int]:
    found: list[int] = []
    place = 0
    while place < len(symbols):
        if place + 1 < len(symbols) and (symbols[place], symbols[place + 1]) == pair:
            found.append(made)
            place += 2
        else:
            found.append(symbols[place])
            place += 1
    return found
