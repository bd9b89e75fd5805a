"""Values that hurt, by what a field means: texts, numbers, patterns; and values of a type that does not fit."""

from __future__ import annotations

from random import Random
from typing import Any

__all__ = ["deep", "misfit", "number", "pattern", "size", "text", "with_misfit"]

_TEXTS = (
    "", "a", "aa", "a" * 50, " ", "▁", "Ġ", "##", "</w>", "<0x41>", "<unk>", "<s>", "\0", "\n", "é", "e\u0301",
    "ﬃ", "Ⅷ", "日本", "\u0301\u0323", "\ufb2c", "\u0344", "\ud800", "a\udfffb", "\U0010ffff", "\u200d", "$A",
    "$0", "\\1", "ß", "İ", "ſ",
)  # fmt: skip
_NUMBERS = (
    0,
    1,
    2,
    7,
    255,
    256,
    65_535,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**53,
    2**63,
    2**64,
    10**30,
    -1,
    -(2**31),
    -(2**63),
)
_MISFITS: tuple[Any, ...] = (
    None, True, False, -1, 0, 2**64, 1.5, float("inf"), float("nan"), "", "x", "5", "\ud800", [], [[]], [1], {},
    {"type": "x"}, ["a", 1], {"a": {"b": []}},
)  # fmt: skip


def text(rng: Random) -> str:
    """A text for a field that takes one."""
    return "".join(rng.choice(_TEXTS) for _ in range(rng.choice((1, 1, 1, 2, 4))))


def number(rng: Random) -> int:
    """A number for a field that takes one."""
    return rng.choice(_NUMBERS) if rng.random() < 0.5 else rng.randint(0, 20)


def size(rng: Random) -> int:
    """How often something is repeated: mostly few times, sometimes very often."""
    return rng.choice((1, 1, 2, 2, 3, 5, 10, 30, 60, 300, 3000))


def misfit(rng: Random) -> Any:
    """A value of whatever type."""
    return rng.choice(_MISFITS) if rng.random() < 0.9 else deep(rng, "x")


def deep(rng: Random, inner: Any) -> Any:
    """Something nested to a depth that a recursive reader does not bear."""
    for _ in range(rng.choice((3, 50, 150, 900))):
        inner = [inner] if rng.random() < 0.5 else {"a": inner}
    return inner


def with_misfit(rng: Random, value: Any) -> Any:
    """``value`` with one of the values in it replaced, removed or doubled, wherever that is."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        name = rng.choice(list(value))
        draw = rng.random()
        if draw < 0.15:
            return {key: item for key, item in value.items() if key != name}
        if draw < 0.2:
            return {**value, text(rng): value[name]}
        return {**value, name: with_misfit(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        if rng.random() < 0.2:
            return [*value[:at], *value[at + 1 :]]
        if rng.random() < 0.1:
            return [*value, *[value[at]] * size(rng)]
        return [*value[:at], with_misfit(rng, value[at]), *value[at + 1 :]]
    return misfit(rng)


_ATOMS = (
    "a", "b", ".", r"\w", r"\d", r"\s", r"\S", r"\p{L}", r"\p{N}", r"\p{Han}", r"[^\s\p{L}\p{N}]", "[a-z]", "[^a]",
    "é", "日", r"\b", "^", "$", r"\A", r"\z", r"\X", r"\R", r"\h", "[[:alpha:]]", r"[\w&&[^\d]]", r"(?=a)",
    r"(?!a)", r"(?<=a)", r"(?<!ab)", r"\1", r"\k<n>", "(?<n>a)", r"\u{10FFFF}", r"\x{41}", "", "|", "(?#c)", r"\Q.\E",
    r"\K", r"(?<=a*)b", r"\p{^L}", r"\P{L}",
)  # fmt: skip
_COUNTS = (
    "*", "+", "?", "*?", "+?", "*+", "++", "{2}", "{2,}", "{,3}", "{2,1}", "{0}", "{50}", "{250}", "{1000}", "{1,1000}",
    "{99999999999}", "{0,65535}",
)  # fmt: skip
_KNOWN = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "(a+)+b", "(a*)*c", "(a|aa)+$", "(?:aa)*b|a", "(.*)(.*)(.*)x", "((((((((((a?)?)?)?)?)?)?)?)?)?", "(?:a?){30}a{30}",
    r"(\w+\s*)+:", "(?=(a+))\\1b", "[\U00010000-\U0010ffff]{200}", "(?i)[^k]{100}", r"\p{L}{100}\p{L}{100}",
)  # fmt: skip


def pattern(rng: Random) -> str:
    """A regular expression: a known one, one that backtracks, one that is large once compiled, or one drawn at random."""
    draw = rng.random()
    if draw < 0.25:
        return rng.choice(_KNOWN)
    if draw < 0.35:
        return "|".join(_drawn(rng, 1) for _ in range(size(rng)))
    if draw < 0.42:
        depth = rng.choice((5, 50, 250, 2000))
        return "(" * depth + "a" + rng.choice((")", ")?", ")*", ")+", "){2}")) * depth
    if draw < 0.48:
        return rng.choice((r"\w", r"\p{L}", ".", "[^a]", "(?i)[a-z]")) + rng.choice(
            ("{250}", "{100}", "{500}")
        ) * rng.randint(1, 4)
    if draw < 0.52:
        return "".join(rng.choice("()[]{}|*+?\\^$.-,&ap1") for _ in range(rng.randint(1, 30)))
    return _drawn(rng, rng.choice((1, 2, 3, 5)))


def _drawn(rng: Random, depth: int) -> str:
    parts = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        inner = rng.choice(_ATOMS) if depth <= 1 or rng.random() < 0.4 else _group(rng, _drawn(rng, depth - 1))
        parts.append(inner + (rng.choice(_COUNTS) if rng.random() < 0.4 else ""))
    return ("|" if rng.random() < 0.3 else "").join(parts)


def _group(rng: Random, inner: str) -> str:
    return rng.choice(("(", "(?:", "(?>", "(?i:", "(?=", "(?!", "(?<=", "(?<n>", "(?i)(")) + inner + ")"
