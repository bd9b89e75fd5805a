"""Vocabularies that are tried in many hands at once, and texts for them."""

from __future__ import annotations

from tests.support import adversarial
from tests.support.vocabularies import SPECS, alphabet

NAMES = ["unigram", "unigram-bytes", "unigram-near-ties", "bpe", "char", "word"]


def some_texts(name: str, count: int = 300) -> list[bytes]:
    return adversarial.strings(f"sharing {name}", count, adversarial.Soup(alphabet(SPECS[name]), ["<sep>", "<s>"]))
