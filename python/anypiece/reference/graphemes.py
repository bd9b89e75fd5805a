"""Graphemes: what a reader takes for one character, by the main rules of Unicode's annex 29.

    >>> [len(one) for one in graphemes("e\\u0301\\r\\n한")]
    [2, 2, 1]

The properties are taken from general categories, which is right for all but a few signs; the kernel has the full tables.
"""

from __future__ import annotations

from unicodedata import category

__all__ = ["graphemes"]

_JOINER = "\u200d"
_NOT_SPACING = frozenset(
    "\u102b\u102c\u1038\u1062\u1063\u1064\u1067\u1068\u1069\u106a\u106b\u106c\u106d\u1083\u1087\u1088\u1089"
)
_SPACING = frozenset("\u0e33\u0eb3")


def graphemes(text: str) -> list[str]:
    """The graphemes of a text."""
    out: list[str] = []
    for character in text:
        if out and _joins(out[-1], character):
            out[-1] += character
        else:
            out.append(character)
    return out


def _joins(before: str, character: str) -> bool:
    last = before[-1]
    if last == "\r" or _is_control(last) or _is_control(character):
        return last == "\r" and character == "\n"
    if _extends(character) or character == _JOINER or _is_spacing(character):
        return True
    if _hangul(last) + _hangul(character) in ("LL", "LV", "LW", "LX", "VV", "VT", "WV", "WT", "TT", "XT"):
        return True
    if _is_flag(last) and _is_flag(character):
        return len(before) % 2 == 1
    return last == _JOINER and _is_picture(before[0]) and _is_picture(character)


def _is_control(character: str) -> bool:
    return category(character) in ("Cc", "Zl", "Zp") or (
        category(character) == "Cf" and character not in "\u200c\u200d" and not 0xE0020 <= ord(character) <= 0xE007F
    )


def _extends(character: str) -> bool:
    return category(character) in ("Mn", "Me") or character == "\u200c" or 0x1F3FB <= ord(character) <= 0x1F3FF


def _is_spacing(character: str) -> bool:
    return (category(character) == "Mc" and character not in _NOT_SPACING) or character in _SPACING


def _hangul(character: str) -> str:
    """L, V and T as they stand alone, W for a syllable without T, X for one with it; a dash for all others."""
    code = ord(character)
    if 0x1100 <= code <= 0x115F or 0xA960 <= code <= 0xA97C:
        return "L"
    if 0x1160 <= code <= 0x11A7 or 0xD7B0 <= code <= 0xD7C6:
        return "V"
    if 0x11A8 <= code <= 0x11FF or 0xD7CB <= code <= 0xD7FB:
        return "T"
    if 0xAC00 <= code <= 0xD7A3:
        return "W" if (code - 0xAC00) % 28 == 0 else "X"
    return "-"


def _is_flag(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _is_picture(character: str) -> bool:
    return 0x2600 <= ord(character) <= 0x27BF or 0x1F300 <= ord(character) <= 0x1FAFF
