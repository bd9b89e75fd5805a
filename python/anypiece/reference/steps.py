"""Normalization as a list of steps, each of which rewrites the text that the one before it left.

A text is a list of characters, and each of them knows the range of bytes in the original that it is from. The steps, and
the ranges they give, are those of ``tokenizers``:

    >>> text = steps_of(b"A e\\xcc\\x81", [{"type": "lowercase"}, {"type": "nfc"}])
    >>> text_of(text), text[-1]
    ('a é', Character(text='é', start=2, end=3))

``Spec.normalizer`` lists them by name:

    nfc nfc-14.0 nfd nfkc nfkd lowercase strip-accents charsmap nmt
    strip(left, right)  prepend(text)  replace(pattern, content)
    bert(clean_text, handle_chinese_chars, strip_accents, lowercase)  words(lowercase, strip_accents)

A pattern is ``{"literal": text}`` or ``{"regex": expression}``. The classes of characters are those of ``unicodedata``;
the kernel has the tables that the library has, so characters that are newer than either may be treated differently here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category, normalize

from . import forms, patterns, utf8
from .bounds import Bounds
from .charsmap import CharsMap
from .graphemes import graphemes

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["Character", "is_white", "size_of", "start", "steps_of", "text_of"]


class Character(NamedTuple):
    """A character, and where in the original it is from."""

    text: str
    start: int
    end: int


def text_of(text: Iterable[Character]) -> str:
    """The text alone."""
    return "".join(character.text for character in text)


def size_of(text: Iterable[Character]) -> int:
    """Its length in UTF-8."""
    return len(text_of(text).encode())


def start(raw: bytes) -> list[Character]:
    """A text as it is; a byte that is no UTF-8 becomes U+FFFD."""
    out: list[Character] = []
    at = 0
    while at < len(raw):
        length = utf8.valid_length(raw, at)
        shown = raw[at : at + length] if length else utf8.REPLACEMENT
        out.append(Character(shown.decode(), at, at + (length or 1)))
        at += length or 1
    return out


def steps_of(
    raw: bytes,
    steps: Sequence[dict[str, Any]],
    charsmap: bytes = b"",
    bounds: Bounds | None = None,
    watch: Watch | None = None,
) -> list[Character]:
    """The text after all steps. ``bounds`` is what it is allowed, if others are to know what is left of that."""
    text = start(raw)
    bounds = bounds or Bounds(len(raw))
    for step in steps:
        bounds.spend(size_of(text))
        options = {name: value for name, value in step.items() if name != "type"}
        if step["type"] == "charsmap":
            options = {"charsmap": CharsMap(charsmap)}
        if step["type"] == "replace":
            found = sum(matched for _, _, matched in patterns.stretches(step["pattern"], text_of(text)))
            bounds.check(found * len(step["content"].encode()))
        text = _STEPS[step["type"]](text, **options)
        bounds.check(size_of(text))
        if watch is not None:
            watch.step(step, text)
    return text


def changed(text: list[Character], changes: Iterable[tuple[str, int]]) -> list[Character]:
    """A text made of characters with their changes.

    0 stands in the place of the next character of the old text, -n does and takes away n behind it, 1 is added behind the
    place that was taken last.
    """
    out: list[Character] = []
    at = 0
    for character, change in changes:
        if change > 0:
            _, begin, end = text[at - 1] if at else Character("", 0, 0)
        else:
            _, begin, end = text[at] if at < len(text) else Character("", 0, 0)
            at += 1 - change
        out.append(Character(character, begin, end))
    return out


# -- steps


def _form(name: str) -> Callable[[list[Character]], list[Character]]:
    return lambda text: changed(text, forms.changes(name, text_of(text)))


def _lowercase(text: list[Character]) -> list[Character]:
    """Each character by itself: a final sigma is a sigma like any other."""
    return [character._replace(text=one) for character in text for one in character.text.lower()]


def _kept(text: list[Character], keep: Callable[[str], bool]) -> list[Character]:
    return [character for character in text if keep(character.text)]


def _blanked(text: list[Character], blank: Callable[[str], bool]) -> list[Character]:
    return [character._replace(text=" ") if blank(character.text) else character for character in text]


def is_white(character: str) -> bool:
    """The property White_Space."""
    return character in patterns.SPACES


def _strip(text: list[Character], left: bool, right: bool) -> list[Character]:
    first, last = 0, len(text)
    while left and first < last and is_white(text[first].text):
        first += 1
    while right and first < last and is_white(text[last - 1].text):
        last -= 1
    return text[first:last]


def _strip_accents(text: list[Character]) -> list[Character]:
    return _kept(text, lambda c: not category(c).startswith("M"))


def _replace(text: list[Character], pattern: dict[str, str], content: str) -> list[Character]:
    """Replace matches; new characters come from where the last character of the match does."""
    out: list[Character] = []
    for begin, end, matched in patterns.stretches(pattern, text_of(text)):
        if matched:
            _, first, last = text[end - 1] if end else Character("", 0, 0)
            out += [Character(character, first, last) for character in content]
        else:
            out += text[begin:end]
    return out


def _prepend(before: list[Character], text: str) -> list[Character]:
    """Nothing is put before nothing."""
    return [before[0]._replace(text=character) for character in text] + before if before else before


def _bert(
    text: list[Character],
    clean_text: bool,
    handle_chinese_chars: bool,
    strip_accents: bool | None,
    lowercase: bool,
) -> list[Character]:
    if clean_text:
        text = _kept(text, _is_clean)
        text = _blanked(text, is_white)
    if handle_chinese_chars:
        text = [one for character in text for one in _spaced(character)]
    if lowercase if strip_accents is None else strip_accents:
        text = _kept(_form("nfd")(text), lambda c: category(c) != "Mn")
    return _lowercase(text) if lowercase else text


def _is_clean(character: str) -> bool:
    if character in "\t\n\r":
        return True
    return character not in "\0\ufffd" and category(character) not in ("Cc", "Cf", "Co")


_CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


def _spaced(character: Character) -> list[Character]:
    if any(first <= ord(character.text) <= last for first, last in _CHINESE):
        return [character._replace(text=" "), character, character._replace(text=" ")]
    return [character]


def _words(text: list[Character], lowercase: bool, strip_accents: bool) -> list[Character]:
    """Signs and Chinese characters stand alone; of what an accented character is made of only the first counts."""
    out: list[Character] = []
    for character in text:
        shown = normalize("NFD", character.text)[0] if strip_accents else character.text
        gone = shown in "\0\ufffd" or category(shown) in ("Cc", "Cf", "Co")
        if is_white(shown):
            out.append(character._replace(text=" "))
        elif not gone and not (strip_accents and category(shown).startswith("M")):
            alone = category(shown).startswith("P") or (shown.isascii() and category(shown).startswith("S"))
            chinese = any(first <= ord(shown) <= last for first, last in _CHINESE)
            lower = "i" if shown == "\u0130" else shown.lower() if len(shown.lower()) == 1 else shown
            parts = [" ", lower if lowercase else shown, " "] if alone or chinese else [lower if lowercase else shown]
            out += [character._replace(text=part) for part in parts]
    return out


_NMT_GONE = frozenset(map(chr, (*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F)))
_NMT_BLANK = frozenset("\t\n\f\r\u1680\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd")


def _nmt(text: list[Character]) -> list[Character]:
    return _blanked(_kept(text, lambda c: c not in _NMT_GONE), lambda c: c in _NMT_BLANK)


def _charsmap(text: list[Character], charsmap: CharsMap) -> list[Character]:
    """Whole graphemes of less than six bytes, or else characters; of the keys that one begins with the shortest counts."""
    changes: list[tuple[str, int]] = []
    found = False
    for grapheme in graphemes(text_of(text)):
        target = _target(charsmap, grapheme) if len(grapheme.encode()) < 6 else None
        for part in [grapheme] if target is not None else grapheme:
            target = _target(charsmap, part)
            found |= target is not None
            _put(changes, part, part if target is None else target)
    return changed(text, changes) if found else text


def _target(charsmap: CharsMap, part: str) -> str | None:
    found = charsmap.matches(part.encode().split(b"\0")[0], 0)
    if not found:
        return None
    value = found[0][1]
    return charsmap.targets[value : charsmap.targets.index(b"\0", value)].decode()


def _put(changes: list[tuple[str, int]], old: str, new: str) -> None:
    """Write a replacement: a longer one adds characters at its end, a shorter one takes some away, if any."""
    changes += [(character, int(place >= len(old))) for place, character in enumerate(new)]
    if len(new) < len(old) and changes:
        character, change = changes[-1]
        changes[-1] = (character, change - (len(old) - len(new)))


_STEPS: dict[str, Callable[..., list[Character]]] = {
    "nfc": _form("nfc"),
    "nfc-14.0": _form("nfc"),
    "nfd": _form("nfd"),
    "nfkc": _form("nfkc"),
    "nfkd": _form("nfkd"),
    "lowercase": _lowercase,
    "strip": _strip,
    "strip-accents": _strip_accents,
    "replace": _replace,
    "prepend": _prepend,
    "bert": _bert,
    "charsmap": _charsmap,
    "nmt": _nmt,
    "words": _words,
}
