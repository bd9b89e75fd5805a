"""Splitting as a list of rules, each of which cuts the chunks that the one before it left.

A chunk is a list of characters with their places in the original (see ``steps``); a rule may leave some out or put some in:

    >>> [text_of(chunk) for chunk in chunks_of(start(b"Hi, you"), [{"type": "bert"}])]
    ['Hi', ',', 'you']

``Spec.split_rules`` lists them by name; they are the pre-tokenizers of ``tokenizers``, and one of llama.cpp's:

    whitespace whitespace-split bert unicode-scripts number-groups(cut)
    split(pattern, behavior, invert)  punctuation(behavior)  digits(individual)  char-delimiter(delimiter)
    fixed-length(length)  metaspace(replacement, prepend_scheme, split)  byte-level(add_prefix_space, use_regex)

A behavior is what becomes of a match: ``removed``, ``isolated``, ``merged-with-previous``, ``merged-with-next`` or
``contiguous``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unicodedata import category

from .. import _native
from . import patterns, split
from .bounds import Bounds
from .patterns import Stretch
from .steps import Character, is_white, size_of, start, text_of

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["byte_of", "chunks_of", "start", "text_of"]

Cut = tuple[int, int]


@dataclass
class _Chunk:
    text: list[Character]
    leads: bool
    """Whether it is from the beginning of the original."""


def chunks_of(
    text: list[Character],
    rules: Sequence[dict[str, Any]],
    *,
    first: bool = True,
    bytes_wanted: bool = False,
    bounds: Bounds | None = None,
    watch: Watch | None = None,
) -> list[list[Character]]:
    """The chunks of a text. ``first``: the whole begins with it. ``bytes_wanted``: characters that stand for bytes are to be
    made those bytes (as characters below 256) in the end. ``bounds``: what is left of what the text is allowed."""
    chunks = [_Chunk(text, first and text[0].start == 0)] if text else []
    bounds = bounds or Bounds(size_of(text))
    for rule in rules:
        bounds.spend(sum(size_of(chunk.text) for chunk in chunks) + 4 * len(chunks))
        options = {name: value for name, value in rule.items() if name != "type"}
        chunks = [part for chunk in chunks for part in _RULES[rule["type"]](chunk, **options)]
        bounds.check(sum(size_of(chunk.text) for chunk in chunks))
        if watch is not None:
            watch.rule(rule, [chunk.text for chunk in chunks])
    found = [chunk.text for chunk in chunks]
    if bytes_wanted and any(rule["type"] == "byte-level" for rule in rules):
        return [[c._replace(text=chr(byte_of(c.text))) for c in chunk] for chunk in found]
    return [_as_bytes(chunk) for chunk in found] if bytes_wanted else found


def _as_bytes(chunk: list[Character]) -> list[Character]:
    return [character._replace(text=chr(byte)) for character in chunk for byte in character.text.encode()]


def _cut(chunk: _Chunk, cuts: list[Cut]) -> list[_Chunk]:
    """Parts of a chunk; empty ones go. A part leads if the original begins where it is from."""
    parts = [chunk.text[begin:end] for begin, end in cuts]
    return [_Chunk(part, chunk.leads and part[0].start == 0) for part in parts if part]


# -- what becomes of matches


def _chunks_at(found: list[Stretch], behavior: str, invert: bool = False) -> list[Cut]:
    found = [(begin, end, matched != invert) for begin, end, matched in found]
    if behavior == "removed":
        return [(begin, end) for begin, end, matched in found if not matched]
    if behavior == "isolated":
        return [(begin, end) for begin, end, _ in found]
    if behavior == "contiguous":
        return _merged(found, lambda matched, before: matched == before)
    if behavior == "merged-with-previous":
        return _merged(found, lambda matched, before: matched and not before)
    return _merged(found[::-1], lambda matched, before: matched and not before)[::-1]


def _merged(found: list[Stretch], joins: Callable[[bool, bool], bool]) -> list[Cut]:
    out: list[Cut] = []
    before = False
    for begin, end, matched in found:
        if out and joins(matched, before):
            out[-1] = (min(out[-1][0], begin), max(out[-1][1], end))
        else:
            out.append((begin, end))
        before = matched
    return out


# -- rules


def _split(chunk: _Chunk, pattern: dict[str, str], behavior: str, invert: bool) -> list[_Chunk]:
    return _cut(chunk, _chunks_at(patterns.stretches(pattern, text_of(chunk.text)), behavior, invert))


def _at(chunk: _Chunk, wanted: Callable[[str], bool], behavior: str) -> list[_Chunk]:
    """At each character that is wanted."""
    out: list[Stretch] = []
    for place, character in enumerate(chunk.text):
        matched = wanted(character.text)
        if out and not matched and not out[-1][2]:
            out[-1] = (out[-1][0], place + 1, False)
        else:
            out.append((place, place + 1, matched))
    return _cut(chunk, _chunks_at(out, behavior))


def _whitespace(chunk: _Chunk) -> list[_Chunk]:
    out: list[tuple[int, int, str]] = []
    for place, character in enumerate(chunk.text):
        kind = _word_kind(character.text)
        if out and out[-1][2] == kind:
            out[-1] = (out[-1][0], place + 1, kind)
        else:
            out.append((place, place + 1, kind))
    return _cut(chunk, [(begin, end) for begin, end, kind in out if kind != "white"])


def _word_kind(character: str) -> str:
    if is_white(character):
        return "white"
    found = patterns.known(r"[\w]", character)
    return "word" if found[0][2] or character in "\u200c\u200d" else "sign"


def _whitespace_split(chunk: _Chunk) -> list[_Chunk]:
    return _at(chunk, is_white, "removed")


def _bert(chunk: _Chunk) -> list[_Chunk]:
    return [part for word in _whitespace_split(chunk) for part in _punctuation(word, "isolated")]


def _punctuation(chunk: _Chunk, behavior: str) -> list[_Chunk]:
    return _at(chunk, lambda c: c in "$+<=>^`|~" or category(c).startswith("P"), behavior)


def _digits(chunk: _Chunk, individual: bool) -> list[_Chunk]:
    return _at(chunk, lambda c: category(c).startswith("N"), "isolated" if individual else "contiguous")


def _number_groups(chunk: _Chunk, cut: str) -> list[_Chunk]:
    """Groups of three numbers, counted from the end of a run, each with what stands before it.

    Cut is behind each group, or before each whole one, and then only digits of ASCII are numbers.
    """
    text = "".join(character.text for character in chunk.text)
    runs = re.finditer("[0-9]+", text) if cut == "before" else _runs_of_numbers(text)
    places = {0, len(text)}
    for run in runs:
        begin, end = run.span()
        groups = set(range(end, begin, -3))
        places |= groups if cut == "behind" else {place - 3 for place in groups if place - 3 >= begin}
    return _cut(chunk, list(pairwise(sorted(places))))


def _runs_of_numbers(text: str) -> Iterator[re.Match[str]]:
    return re.finditer("1+", "".join("1" if category(c).startswith("N") else "0" for c in text))


def _char_delimiter(chunk: _Chunk, delimiter: str) -> list[_Chunk]:
    return _at(chunk, lambda c: c == delimiter, "removed")


def _unicode_scripts(chunk: _Chunk) -> list[_Chunk]:
    """Characters of no script go with what is before them; where nothing is, they go away.

    Which script a character is of is not in Python, so this one table is the kernel's.
    """
    places: list[int] = []
    before = 0
    for place, character in enumerate(chunk.text):
        number = _native.script(character.text)
        if number not in (0, before):
            places.append(place)
            before = number
    return _cut(chunk, list(zip(places, [*places[1:], len(chunk.text)], strict=True)) if places else [])


def _fixed_length(chunk: _Chunk, length: int) -> list[_Chunk]:
    return _cut(chunk, [(begin, begin + length) for begin in range(0, len(chunk.text), length)])


def _metaspace(chunk: _Chunk, replacement: str, prepend_scheme: str, split: bool) -> list[_Chunk]:
    text = [c._replace(text=replacement) if c.text == " " else c for c in chunk.text]
    puts = prepend_scheme == "always" or (prepend_scheme == "first" and chunk.leads)
    if puts and text[0].text != replacement:
        text.insert(0, text[0]._replace(text=replacement))
    whole = _Chunk(text, chunk.leads)
    return _at(whole, lambda c: c == replacement, "merged-with-next") if split else [whole]


def _byte_level(chunk: _Chunk, add_prefix_space: bool, use_regex: bool) -> list[_Chunk]:
    text = chunk.text
    if add_prefix_space and text[0].text != " ":
        text = [text[0]._replace(text=" "), *text]
    cuts: list[Cut] = [(0, len(text))]
    if use_regex:
        ends = [0]
        for part in split.chunks("gpt2", text_of(text)):
            ends.append(ends[-1] + len(part))
        cuts = list(pairwise(ends))
    parts = _cut(_Chunk(text, chunk.leads), cuts) if use_regex else [_Chunk(text, chunk.leads)]
    return [_Chunk([c._replace(text=chr_of(ord(c.text))) for c in _as_bytes(part.text)], part.leads) for part in parts]


# -- bytes as characters

_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = [byte for byte in range(256) if byte not in _PRINTABLE]


def chr_of(byte: int) -> str:
    """The character that is written for a byte: itself in Latin 1 if it can be seen, else one from U+0100 on.

    >>> chr_of(0x41), chr_of(0x20)
    ('A', 'Ġ')
    """
    return chr(0x100 + _HIDDEN.index(byte)) if byte in _HIDDEN else chr(byte)


def byte_of(character: str) -> int:
    """The byte that a character was written for.

    >>> byte_of("Ġ")
    32
    """
    return ord(character) if ord(character) < 256 else _HIDDEN[ord(character) - 256]


_RULES: dict[str, Callable[..., list[_Chunk]]] = {
    "split": _split,
    "whitespace": _whitespace,
    "whitespace-split": _whitespace_split,
    "bert": _bert,
    "metaspace": _metaspace,
    "digits": _digits,
    "number-groups": _number_groups,
    "punctuation": _punctuation,
    "char-delimiter": _char_delimiter,
    "unicode-scripts": _unicode_scripts,
    "fixed-length": _fixed_length,
    "byte-level": _byte_level,
}
