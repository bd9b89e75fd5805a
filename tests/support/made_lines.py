"""Lines of words that are made up: the same on every machine, with frequent words and rare ones."""

from __future__ import annotations

import random

__all__ = ["made_lines"]

_SYLLABLES = {
    "latin": ["ba", "de", "fi", "go", "lu", "ma", "né", "po", "ri", "sta", "ven", "zur", "qui", "eth"],
    "han": list("天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往"),
    "cyrillic": ["да", "не", "про", "сто", "мир", "лю", "ве", "ка", "щё"],
}


def made_lines(seed: int, script: str, lines: int) -> list[str]:
    """``lines`` lines of words of one to four syllables, the frequent ones short; some have numbers."""
    draw = random.Random(seed)
    words = ["".join(draw.choices(_SYLLABLES[script], k=draw.randint(1, 4))) for _ in range(120)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    made = []
    for _ in range(lines):
        found = draw.choices(words, weights, k=draw.randint(3, 14))
        if draw.random() < 0.2:
            found.append(str(draw.randint(0, 2000)))
        made.append(("" if script == "han" else " ").join(found) + ".\n")
    return made
