"""Sentences to train on: words of made-up frequencies and endings, the same every time."""

from __future__ import annotations

import random

__all__ = ["sentences"]

_STEMS = [
    "the", "of", "and", "a", "to", "in", "is", "cat", "mountain", "river", "walk", "talk", "quick", "slow", "bright",
    "build", "train", "token", "number", "letter", "house", "garden", "winter", "summer", "open", "close", "carry",
    "follow", "small", "large", "green", "yellow", "paper", "stone", "music", "light", "water", "forest", "table",
    "window", "answer", "question",
]  # fmt: skip
_ENDINGS = ("", "", "", "s", "ed", "ing", "er", "ly", "ness")
_OTHERS = (
    "Zürich",
    "naïve",
    "狐は森",
    "東京都",
    "в лесу",
    "don't",
    "e-mail",
    "3.14",
    "2026",
    "C++",
    "—",
    "(see below)",
)


def sentences(amount: int, seed: int = 1) -> list[str]:
    """Some sentences."""
    chance = random.Random(seed)
    rows = []
    for _ in range(amount):
        words = []
        for _ in range(chance.randrange(3, 14)):
            rank = min(int(chance.paretovariate(0.7)) - 1, len(_STEMS) - 1)
            words.append(_STEMS[rank] + (chance.choice(_ENDINGS) if rank > 6 else ""))
        if chance.random() < 0.2:
            words.append(chance.choice(_OTHERS))
        if chance.random() < 0.3:
            words.append(str(chance.randrange(1000)))
        rows.append(" ".join(words).capitalize() + chance.choice(".!?,"))
    return rows
