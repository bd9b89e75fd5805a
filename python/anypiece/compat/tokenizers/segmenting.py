"""Models over one pre-token in plain Python, for what the kernel does not run: random merges, incomplete vocabularies."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

__all__ = ["Segmenter", "bpe", "unigram", "word_level", "wordpiece"]

Row = tuple[int, str, tuple[int, int]]
Segmenter = Callable[[str], list[Row]]
"""From a pre-token to tokens: id, name and place in the pre-token."""

_UNKNOWN_PENALTY = 10.0


def _bytes_of(text: str, vocab: dict[str, int]) -> list[tuple[int, str]] | None:
    """The byte tokens of a text, if all are in the vocabulary."""
    names = [f"<0x{byte:02X}>" for byte in text.encode()]
    return [(vocab[name], name) for name in names] if all(name in vocab for name in names) else None


def bpe(
    vocab: dict[str, int], names: dict[int, str], merges: list[tuple[str, str]], fields: dict[str, Any]
) -> Segmenter:
    """Merges, with dropout if it is asked for."""
    prefix, suffix = fields["continuing_subword_prefix"] or "", fields["end_of_word_suffix"] or ""
    ranks = {
        (vocab[left], vocab[right]): (rank, vocab[left + right.removeprefix(prefix) if prefix else left + right])
        for rank, (left, right) in enumerate(merges)
    }
    unknown, dropout = fields["unk_token"], fields["dropout"] or 0.0

    def symbols(word: str) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        fused = False
        for place, character in enumerate(word):
            name = (prefix if place else "") + character + (suffix if place + 1 == len(word) else "")
            raw = None if name in vocab or not fields["byte_fallback"] else _bytes_of(name, vocab)
            if name in vocab or raw is not None:
                ids = [vocab[name]] if raw is None else [id for id, _ in raw]
                found += [(id, place, place + 1) for id in ids]
                fused = False
            elif unknown is not None:
                if unknown not in vocab:
                    raise Exception("Error while tokenizing: The `unk_token` is not in the vocabulary")
                if fused and fields["fuse_unk"]:
                    found[-1] = (found[-1][0], found[-1][1], place + 1)
                else:
                    found.append((vocab[unknown], place, place + 1))
                fused = True
        return found

    def merged(word: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        while True:
            pairs = [(ranks[word[at][0], word[at + 1][0]], at) for at in range(len(word) - 1)
                     if (word[at][0], word[at + 1][0]) in ranks]  # fmt: skip
            kept = [(rank, at, id) for (rank, id), at in pairs if not dropout or random.random() >= dropout]
            if not kept:
                return word
            _, at, id = min(kept)
            word[at : at + 2] = [(id, word[at][1], word[at + 1][2])]

    def segmented(word: str) -> list[Row]:
        if fields["ignore_merges"] and word in vocab:
            return [(vocab[word], word, (0, len(word)))]
        return [(id, names[id], (start, end)) for id, start, end in merged(symbols(word))]

    return segmented


def wordpiece(vocab: dict[str, int], fields: dict[str, Any]) -> Segmenter:
    """The longest match from the left; a word that is not covered is unknown as a whole."""

    def segmented(word: str) -> list[Row]:
        found: list[Row] = []
        start = 0
        while start < len(word) <= fields["max_input_chars_per_word"]:
            front = fields["continuing_subword_prefix"] if start else ""
            end = next((end for end in range(len(word), start, -1) if front + word[start:end] in vocab), None)
            if end is None:
                break
            name = front + word[start:end]
            found.append((vocab[name], name, (start, end)))
            start = end
        if start == len(word):
            return found
        unknown = fields["unk_token"]
        if unknown not in vocab:
            raise Exception("WordPiece error: Missing [UNK] token from the vocabulary")
        return [(vocab[unknown], unknown, (0, len(word)))]

    return segmented


def word_level(vocab: dict[str, int], fields: dict[str, Any]) -> Segmenter:
    """The word itself, or unknown."""

    def segmented(word: str) -> list[Row]:
        name = word if word in vocab else fields["unk_token"]
        if name not in vocab:
            raise Exception("WordLevel error: Missing [UNK] token from the vocabulary")
        return [(vocab[name], name, (0, len(word)))]

    return segmented


def unigram(
    rows: list[tuple[str, float]], vocab: dict[str, int], unk_id: int | None, byte_fallback: bool, alpha: float
) -> Segmenter:
    """The best path, or with ``alpha`` a path drawn with its probability to that power."""
    scores = [score for _, score in rows]
    longest = max((len(name) for name, _ in rows), default=1)
    unknown_score = min(scores, default=0.0) - _UNKNOWN_PENALTY

    def edges(word: str, start: int) -> list[tuple[int, float]]:
        """Ends of the pieces from a place on, with scores; a character that is no piece is unknown."""
        found = []
        for end in range(start + 1, min(start + longest, len(word)) + 1):
            id = vocab.get(word[start:end])
            if id is not None:
                found.append((end, scores[id]))
        if not found or found[0][0] != start + 1:
            found.insert(0, (start + 1, unknown_score))
        return found

    def best(word: str) -> list[int]:
        """The starts of the tokens of the best path, by their ends."""
        reached: list[tuple[float, int] | None] = [(0.0, 0), *[None] * len(word)]
        for start in range(len(word)):
            score = reached[start][0]  # type: ignore[index]  # each character is an edge
            for end, more in edges(word, start):
                old = reached[end]
                if old is None or score + more > old[0]:
                    reached[end] = (score + more, start)
        return [0 if row is None else row[1] for row in reached]

    def drawn(word: str) -> list[int]:
        ways: list[list[tuple[int, float]]] = [[] for _ in range(len(word) + 1)]
        sums = [0.0] + [-math.inf] * len(word)
        for start in range(len(word)):
            for end, more in edges(word, start):
                value = sums[start] + alpha * more
                ways[end].append((start, value))
                high, low = max(sums[end], value), min(sums[end], value)
                sums[end] = high + math.log1p(math.exp(low - high))
        return [
            random.choices([start for start, _ in way], [math.exp(value - sums[end]) for _, value in way])[0]
            if way
            else 0
            for end, way in enumerate(ways)
        ]

    def segmented(word: str) -> list[Row]:
        starts = drawn(word) if alpha else best(word)
        spans: list[tuple[int, int]] = []
        end = len(word)
        while end:
            spans.append((starts[end], end))
            end = starts[end]
        return _named(word, _fused(word, spans[::-1], vocab, unk_id))

    def _named(word: str, spans: list[tuple[int, int]]) -> list[Row]:
        found: list[Row] = []
        for start, end in spans:
            text = word[start:end]
            raw = _bytes_of(text, vocab) if byte_fallback and text not in vocab else None
            if raw is not None:
                found += [(id, name, (start, end)) for id, name in raw]
            elif text in vocab:
                found.append((vocab[text], text, (start, end)))
            elif unk_id is None:
                raise Exception("Encountered an unknown token but `unk_id` is missing")
            else:
                found.append((unk_id, text, (start, end)))
        return found

    return segmented


def _fused(word: str, spans: list[tuple[int, int]], vocab: dict[str, int], unk_id: int | None) -> list[tuple[int, int]]:
    """Adjacent unknown characters as one."""
    found: list[tuple[int, int]] = []
    unknown_before = False
    for start, end in spans:
        unknown = vocab.get(word[start:end], unk_id) == unk_id
        if unknown and unknown_before:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        unknown_before = unknown
    return found
