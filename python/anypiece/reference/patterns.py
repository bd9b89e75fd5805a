r"""Patterns: a literal text, or a regular expression.

    >>> stretches({"regex": r"\p{Lu}"}, "aBc")
    [(0, 1, False), (1, 2, True), (2, 3, False)]

A pattern that a file supplies runs in the kernel's engine, which gives up in time: Python's ``re`` has no bound on its
steps. That engine is compared with the ones the formats have (``tests/parity``) and with ``re`` (``tests/unit``).

``known`` is for the expressions of this package. They are in Oniguruma's language and run in ``re``, with every class
spelled out from ``unicodedata``: ``^`` and ``$`` are about lines, and ``\w`` has the superscripts and fractions of Latin 1
in it, but only outside of a class.
"""

from __future__ import annotations

import re
import sys
from functools import cache, lru_cache
from unicodedata import category

from .._core.checks import raise_native
from .._native import NativeError, Pattern

__all__ = ["SPACES", "known", "stretches"]

SPACES = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}
"""The property White_Space. Not ``str.isspace``, which has U+001C to U+001F as well."""

Stretch = tuple[int, int, bool]

_SCRIPTS = {
    "Han": r"々〇〡-〩〸-〻㐀-䶿一-\u9fff豈-\ufaff\U00020000-\U000323af\u2e80-\u2fd5",
    "Hiragana": "ぁ-ゖゝ-ゟ",
    "Katakana": "ァ-ヺヽ-ヿㇰ-ㇿｦ-ｯｱ-ﾝ",
    "Hangul": "ᄀ-ᇿ㄰-㆏가-힣",
}
_LETTERS_OF_OTHERS = "\u0345\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189"
_WORD_CATEGORIES = ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc")


def stretches(pattern: dict[str, str], text: str) -> list[Stretch]:
    """The matches of a pattern, and what lies between them; in an empty text nothing matches."""
    [(kind, source)] = pattern.items()
    try:
        return _engine(kind, source).stretches(text)
    except NativeError as error:
        raise_native(error)


@lru_cache(maxsize=64)
def _engine(kind: str, source: str) -> Pattern:
    return Pattern(kind, source)


def known(expression: str, text: str) -> list[Stretch]:
    """The matches of an expression that this package wrote itself, by Python's ``re``.

    >>> known(r"[\\w]+", "a b")
    [(0, 1, True), (1, 2, False), (2, 3, True)]
    """
    out: list[Stretch] = []
    before = 0
    for begin, end in _matches(expression, text) if text else []:
        if before < begin:
            out.append((before, begin, False))
        out.append((begin, end, True))
        before = end
    return [*out, (before, len(text), False)] if before < len(text) else out


def _matches(source: str, text: str) -> list[tuple[int, int]]:
    """One of nothing right behind another does not count."""
    expression = _compiled(source)
    out: list[tuple[int, int]] = []
    at = 0
    while at <= len(text) and (found := expression.search(text, at)):
        if found.end() > found.start() or not out or out[-1][1] != found.end():
            out.append(found.span())
            at = found.end()
        else:
            at += 1
    return out


@cache
def _compiled(source: str) -> re.Pattern[str]:
    out = ""
    at = 0
    in_class = False
    while at < len(source):
        character = source[at]
        if character == "\\":
            part, at = _escape(source, at + 1, in_class)
            out += part
            continue
        if not in_class and character in "^$":
            character = r"(?:\A|(?<=\n)(?!\Z))" if character == "^" else r"(?=\n|\Z)"
        in_class = character == "[" or (in_class and character != "]")
        out += character
        at += 1
    return re.compile(out.replace("{,", "{0,"))


def _escape(source: str, at: int, in_class: bool) -> tuple[str, int]:
    """What an escape is in ``re``, and where it ends."""
    letter = source[at]
    if letter in "pP":
        end = source.index("}", at)
        return _class(_property(source[at + 2 : end]), letter == "P", in_class), end + 1
    if letter == "b" and not in_class:
        word = _class(_word(False), False, False)
        return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))", at + 1
    if letter == "z":
        return r"\Z", at + 1
    classes = {"s": "".join(map(re.escape, SPACES)), "d": _property("Nd"), "h": "0-9A-Fa-f", "w": _word(in_class)}
    if letter.lower() in classes:
        return _class(classes[letter.lower()], letter.isupper(), in_class), at + 1
    return "\\" + letter, at + 1


def _class(members: str, negated: bool, in_class: bool) -> str:
    if in_class:
        return _others(members) if negated else members
    return f"[{'^' if negated else ''}{members}]"


@cache
def _others(members: str) -> str:
    """Members of a class, spelled out, that are not the ones given."""
    inside = re.compile(f"[{members}]")
    return _ranges([code for code in range(sys.maxunicode + 1) if not inside.match(chr(code))])


@cache
def _property(name: str) -> str:
    if name in _SCRIPTS:
        return _SCRIPTS[name]
    return "".join(_categories()[found] for found in _categories() if found.startswith(name))


def _word(in_class: bool) -> str:
    members = "".join(_property(name) for name in _WORD_CATEGORIES) + _LETTERS_OF_OTHERS
    return members if in_class else members + "²³¹¼½¾"


@cache
def _categories() -> dict[str, str]:
    """The members of each category."""
    members: dict[str, list[int]] = {}
    for code in range(sys.maxunicode + 1):
        members.setdefault(category(chr(code)), []).append(code)
    return {name: _ranges(codes) for name, codes in members.items()}


def _ranges(codes: list[int]) -> str:
    out = ""
    first = before = codes[0]
    for code in [*codes[1:], -1]:
        if code != before + 1:
            out += re.escape(chr(first)) if first == before else f"{re.escape(chr(first))}-{re.escape(chr(before))}"
            first = code
        before = code
    return out
