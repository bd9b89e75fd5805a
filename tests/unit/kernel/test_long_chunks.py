"""Chunks long enough to be searched instead of merged: the ids of merging, and the longest prefix that fits."""

from __future__ import annotations

from functools import lru_cache
from random import Random

import pytest

import anypiece as ap
from tests.support.merge_lists import MERGE_SPECS
from tests.support.ours import reference_ids
from tests.support.vocabularies import BYTE_SPECS, SPECS, alphabet

ALL = {name: SPECS[name] for name in ("bpe", "bpe-ties", "bpe-bytes", "bpe-no-escape")} | BYTE_SPECS | MERGE_SPECS
every_vocabulary = pytest.mark.parametrize("name", ALL)

RUNS = ["a", "ab", "abc", "-", "'", " ", "日", "日本", "▁", "\0", "e", "A", "aB", "7", "\n", "é", "日A", "a'"]
ENDS = ["", " the", "\n", "'s x", "日", "B"]


@lru_cache
def tokenizer(name: str) -> ap.Tokenizer:
    return ap.Tokenizer(ALL[name])


def run(random: Random, letters: str, size: int) -> str:
    return "".join(random.choices(letters, k=size))


@every_vocabulary
def test_the_ids_are_those_of_merging(name: str) -> None:
    tok, random = tokenizer(name), Random(f"long chunks {name}")
    pieces = [piece for piece in alphabet(tok.spec) if piece.strip() == piece and piece.isalpha()] or ["a", "b"]
    texts = [run(random, letters, 3000) for letters in RUNS]
    texts += ["".join(random.choices(pieces, k=1500)) for _ in range(5)]
    texts += ["".join(random.choices(random.choices(pieces, k=4), k=1500)) for _ in range(10)]
    for text in texts:
        assert tok.encode(text) == reference_ids(tok, text), text[:40]


@every_vocabulary
def test_truncate_is_the_longest_prefix(name: str) -> None:
    tok, random = tokenizer(name), Random(f"truncated {name}")
    for letters in random.sample(RUNS, 7):
        text = random.choice(ENDS) + run(random, letters, 300) + random.choice(ENDS)
        counts = [tok.count(text[:end]) for end in range(len(text) + 1)]
        for n in random.sample(range(counts[-1] + 1), min(5, counts[-1])):
            end = max(end for end, count in enumerate(counts) if count <= n)
            assert tok.truncate(text, n) == text[:end], (n, letters)
