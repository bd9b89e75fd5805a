"""Counting words: normalize each text, cut it at spaces, add up."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..spec import SPACE_MARK

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["count_words", "cut"]


def cut(text: str, suffix: bool = False, runs: bool = False) -> list[str]:
    """A normalized text cut at its spaces: each begins a word, or ends one; with ``runs``, a run of them does.

    >>> cut("▁to▁▁be"), cut("to▁▁be▁", suffix=True)
    (['▁to', '▁', '▁be'], ['to▁', '▁', 'be▁'])
    >>> cut("▁to▁▁be", runs=True), cut("to▁▁be▁", suffix=True, runs=True)
    (['▁to', '▁▁be'], ['to▁▁', 'be▁'])
    """
    words = [""]
    for before, now in zip("." + text, text, strict=False):
        was, is_space = before == SPACE_MARK, now == SPACE_MARK
        begins = (was and not (runs and is_space)) if suffix else (is_space and not (runs and was))
        if begins and words[-1]:
            words.append("")
        words[-1] += now
    return [word for word in words if word]


def parted(text: str, breaks: Iterable[str]) -> list[str]:
    """A text without strings that part it, the longest first where several begin at one place.

    >>> parted("a<s>b<sep>c", ["<s>", "<sep>", "<"])
    ['a', 'b', 'c']
    """
    ordered = sorted(filter(None, breaks), key=len, reverse=True)
    parts, at = [""], 0
    while at < len(text):
        found = next((one for one in ordered if text.startswith(one, at)), "")
        if found:
            parts.append("")
        else:
            parts[-1] += text[at]
        at += len(found) or 1
    return [part for part in parts if part]


def count_words(normalized: Iterable[str], breaks: Iterable[str] = (), **how: bool) -> dict[str, int]:
    """The words of normalized texts with their counts, in the order of their bytes.

    >>> count_words(["▁a▁b", "▁b"])
    {'▁a': 1, '▁b': 2}
    """
    broken = tuple(breaks)
    counts = Counter(word for text in normalized for part in parted(text, broken) for word in cut(part, **how))
    return dict(sorted(counts.items(), key=lambda row: row[0].encode()))
