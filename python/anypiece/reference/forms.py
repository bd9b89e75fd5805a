"""The four forms of Unicode, as changes: which character stands where another stood, and which ones are added or go.

>>> changes("nfd", "é"), changes("nfc", "e\\u0301")
([('e', 0), ('́', 1)], [('é', -1)])
"""

from __future__ import annotations

from unicodedata import combining, decomposition, normalize

__all__ = ["changes"]

Change = tuple[str, int]


def changes(form: str, text: str) -> list[Change]:
    """The changes that put a text into ``nfc``, ``nfd``, ``nfkc`` or ``nfkd``."""
    found = _ordered([part for character in text for part in _decomposed(character, form.startswith("nfk"))])
    return _composed(found) if form.endswith("c") else found


def _decomposed(character: str, compatible: bool) -> list[Change]:
    """The parts of a character: the first is in its place, the others are added."""
    parts = _parts(character, compatible)
    return [(part, int(place > 0)) for place, part in enumerate(parts)]


def _parts(character: str, compatible: bool) -> str:
    if "가" <= character <= "힣":
        return normalize("NFD", character)
    mapping = decomposition(character)
    if not mapping or (mapping.startswith("<") and not compatible):
        return character
    codes = [code for code in mapping.split() if not code.startswith("<")]
    return "".join(_parts(chr(int(code, 16)), compatible) for code in codes)


def _ordered(found: list[Change]) -> list[Change]:
    """Marks in the order of their classes; starters stay where they are."""
    out: list[Change] = []
    marks: list[Change] = []
    for change in found:
        if combining(change[0]):
            marks.append(change)
            continue
        out += [*sorted(marks, key=_class), change]
        marks = []
    return out + sorted(marks, key=_class)


def _class(change: Change) -> int:
    return combining(change[0])


def _composed(found: list[Change]) -> list[Change]:
    """Each starter takes up what follows and can be joined with it, unless a mark of its class or more is between."""
    out: list[Change] = []
    starter: int | None = None
    last = 0
    for character, change in found:
        number = combining(character)
        if starter is not None and (last < number or starter == len(out) - 1):
            base, before = out[starter]
            joined = normalize("NFC", base + character)
            if len(joined) == 1:
                out[starter] = (joined, before + change - 1)
                continue
        if number == 0:
            starter = len(out)
        out.append((character, change))
        last = number
    return out
