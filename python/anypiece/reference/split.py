r"""Cutting a text into chunks, as the regular expressions of well-known tokenizers do.

At each place the alternatives of a pattern are tried in order, and the first that matches is the next chunk. Each of them
is a function here: it takes the text and a place and returns where its match ends, or ``None``.

    >>> chunks("gpt2", "Hello  world, it's 2024\n")
    ['Hello', ' ', ' world', ',', ' it', "'s", ' 2024', '\n']
    >>> chunks("o200k", "HelloWorld, it's 2024\n")
    ['Hello', 'World', ',', " it's", ' ', '202', '4', '\n']

Together the chunks are the text. The classes are those of Python's ``unicodedata``: characters that are newer than it, or
newer than Unicode 16, which the kernel knows, may be cut differently.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from unicodedata import category

from .patterns import known

__all__ = ["NAMES", "byte_chunks", "chunks", "ruled", "ruled_spans", "spans"]

Alternative = Callable[[str, int], int | None]

# The property White_Space. Not str.isspace, which has U+001C to U+001F as well.
_SPACES = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}
_NEWLINES = frozenset("\r\n")
_CONTRACTIONS = ("s", "t", "m", "d", "ll", "ve", "re")
_UPPER = frozenset(["Lu", "Lt", "Lm", "Lo", "Mn", "Mc", "Me"])
_LOWER = frozenset(["Ll", "Lm", "Lo", "Mn", "Mc", "Me"])


def chunks(name: str, text: str) -> list[str]:
    """The chunks of a text by the pattern of a name, or by several that cut one after the other."""
    return [chunk for chunk, _ in _ruled(name, text)]


def _ruled(name: str, text: str) -> list[tuple[str, str]]:
    """The chunks, each with the alternative that matched it, or the pattern that cut it off."""
    if name in _IN_A_ROW:
        return _cut_in_a_row(name, text)
    found: list[tuple[str, str]] = []
    start = 0
    while start < len(text):
        ends = ((alternative(text, start), alternative.__name__) for alternative in _PATTERNS[name])
        end, rule = next((end, rule) for end, rule in ends if end is not None)
        found.append((text[start:end], rule.strip("_").replace("_", " ")))
        start = end
    return found


def spans(name: str | None, text: bytes) -> list[tuple[int, int]]:
    """Where the chunks of a text in UTF-8 begin and end, in bytes. Without a pattern all of it is one.

    >>> spans("gpt2", "é b".encode()), spans(None, b"a b"), spans(None, b"")
    ([(0, 2), (2, 4)], [(0, 3)], [])
    """
    return [(start, end) for start, end, _ in ruled_spans(name, text)]


def ruled_spans(name: str | None, text: bytes) -> list[tuple[int, int, str]]:
    """The spans of chunks, each with the rule that made it."""
    found = ruled(name, text)
    ends = [*accumulate(len(chunk) for chunk, _ in found)]
    return [(start, end, rule) for start, end, (_, rule) in zip([0, *ends], ends, found, strict=False)]


def byte_chunks(name: str | None, text: bytes) -> list[bytes]:
    """The chunks of bytes; one that is no UTF-8 is a character of its own. Without a pattern all of the text is one."""
    return [chunk for chunk, _ in ruled(name, text)]


def ruled(name: str | None, text: bytes) -> list[tuple[bytes, str]]:
    """The chunks, each with the rule that made it: what matched, in words, or an expression. Without a pattern, nothing.

    >>> ruled("gpt2", b"It's 12")
    [(b'It', 'blank and letters'), (b"'s", 'contraction'), (b' 12', 'blank and numbers')]
    """
    if name is None:
        return [(text, "")] if text else []
    found = _ruled(name, text.decode("utf-8", "surrogateescape"))
    return [(chunk.encode("utf-8", "surrogateescape"), rule) for chunk, rule in found]


# Classes. Each is asked about a place in the text; behind the end nothing is true.


def _is_letter(text: str, at: int) -> bool:
    return at < len(text) and category(text[at]).startswith("L")


def _is_number(text: str, at: int) -> bool:
    return at < len(text) and category(text[at]).startswith("N")


def _is_space(text: str, at: int) -> bool:
    return at < len(text) and text[at] in _SPACES


def _is_newline(text: str, at: int) -> bool:
    return at < len(text) and text[at] in _NEWLINES


def _is_newline_or_slash(text: str, at: int) -> bool:
    return at < len(text) and text[at] in "\r\n/"


def _is_other(text: str, at: int) -> bool:
    r"""``[^\s\p{L}\p{N}]``"""
    return at < len(text) and not (_is_letter(text, at) or _is_number(text, at) or _is_space(text, at))


def _is_line_feed(text: str, at: int) -> bool:
    return text.startswith("\n", at)


def _is_no_line_feed(text: str, at: int) -> bool:
    return at < len(text) and text[at] != "\n"


def _is_upper(text: str, at: int) -> bool:
    return at < len(text) and category(text[at]) in _UPPER


def _is_lower(text: str, at: int) -> bool:
    return at < len(text) and category(text[at]) in _LOWER


def _may_stand_before_word(text: str, at: int) -> bool:
    r"""``[^\r\n\p{L}\p{N}]``"""
    return at < len(text) and not (_is_newline(text, at) or _is_letter(text, at) or _is_number(text, at))


def _run(text: str, at: int, belongs: Callable[[str, int], bool]) -> int:
    while belongs(text, at):
        at += 1
    return at


def _skip_blank(text: str, at: int) -> int:
    return at + 1 if text.startswith(" ", at) else at


# Alternatives.


def _contraction(text: str, at: int) -> int | None:
    """``'(?:[sdmt]|ll|ve|re)``"""
    for letters in _CONTRACTIONS:
        if text.startswith("'" + letters, at):
            return at + 1 + len(letters)
    return None


def _contraction_in_any_case(text: str, at: int) -> int | None:
    """``'(?i:[sdmt]|ll|ve|re)``, where ``ſ`` is an ``s`` in lower case too."""
    for letters in _CONTRACTIONS:
        end = at + 1 + len(letters)
        if text.startswith("'", at) and text[at + 1 : end].lower().replace("ſ", "s") == letters:
            return end
    return None


def _contraction_of_ascii(text: str, at: int) -> int | None:
    """``'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])``"""
    return None if text.startswith("ſ", at + 1) else _contraction_in_any_case(text, at)


def _blank_and_letters(text: str, at: int) -> int | None:
    r"""`` ?\p{L}+``"""
    start = _skip_blank(text, at)
    return _run(text, start, _is_letter) if _is_letter(text, start) else None


def _blank_and_numbers(text: str, at: int) -> int | None:
    r"""`` ?\p{N}+``"""
    start = _skip_blank(text, at)
    return _run(text, start, _is_number) if _is_number(text, start) else None


def _blank_and_others(text: str, at: int) -> int | None:
    r"""`` ?[^\s\p{L}\p{N}]+``"""
    start = _skip_blank(text, at)
    return _run(text, start, _is_other) if _is_other(text, start) else None


def _others_and_newlines(text: str, at: int) -> int | None:
    r"""`` ?[^\s\p{L}\p{N}]+[\r\n]*``"""
    end = _blank_and_others(text, at)
    return None if end is None else _run(text, end, _is_newline)


def _others_and_newlines_or_slashes(text: str, at: int) -> int | None:
    r"""`` ?[^\s\p{L}\p{N}]+[\r\n/]*``"""
    end = _blank_and_others(text, at)
    return None if end is None else _run(text, end, _is_newline_or_slash)


def _sign_and_letters(text: str, at: int) -> int | None:
    r"""``[^\r\n\p{L}\p{N}]?\p{L}+``"""
    start = at + 1 if _may_stand_before_word(text, at) else at
    return _run(text, start, _is_letter) if _is_letter(text, start) else None


def _one_number(text: str, at: int) -> int | None:
    r"""``\p{N}``"""
    return at + 1 if _is_number(text, at) else None


def _three_numbers(text: str, at: int) -> int | None:
    r"""``\p{N}{1,3}``"""
    return min(_run(text, at, _is_number), at + 3) if _is_number(text, at) else None


def _spaces_to_newline(text: str, at: int) -> int | None:
    r"""``\s*[\r\n]+``: to the last newline of the run."""
    end = _run(text, at, _is_space)
    while end > at and not _is_newline(text, end - 1):
        end -= 1
    return end if end > at else None


def _spaces_at_end(text: str, at: int) -> int | None:
    r"""``\s+$``, nothing given back"""
    end = _run(text, at, _is_space)
    return end if at < end == len(text) else None


def _spaces_but_last(text: str, at: int) -> int | None:
    r"""``\s+(?!\S)``: all of the run at the end of the text, else all but its last character."""
    end = _run(text, at, _is_space)
    if end < len(text):
        end -= 1
    return end if end > at else None


def _spaces(text: str, at: int) -> int | None:
    r"""``\s+``"""
    return _run(text, at, _is_space) if _is_space(text, at) else None


def _word_with_lower(text: str, at: int) -> int | None:
    r"""``[^\r\n\p{L}\p{N}]?U*L+``, with ``U`` for upper and ``L`` for lower case.

    Letters without case and marks are both. What ``U*`` has taken too much, it gives back one by one.
    """
    for start in _word_starts(text, at):
        for lower in range(_run(text, start, _is_upper), start - 1, -1):
            if _is_lower(text, lower):
                return _run(text, lower, _is_lower)
    return None


def _word_with_upper(text: str, at: int) -> int | None:
    r"""``[^\r\n\p{L}\p{N}]?U+L*``"""
    for start in _word_starts(text, at):
        if _is_upper(text, start):
            return _run(text, _run(text, start, _is_upper), _is_lower)
    return None


def _word_starts(text: str, at: int) -> list[int]:
    """Behind a sign, if there is one; then without one, since a mark is a sign and a letter."""
    return [at + 1, at] if _may_stand_before_word(text, at) else [at]


def _lower_and_contraction(text: str, at: int) -> int | None:
    """The first of these with ``(?i:'s|'t|'re|'ve|'m|'ll|'d)?`` behind it."""
    end = _word_with_lower(text, at)
    return None if end is None else _contraction_in_any_case(text, end) or end


def _upper_and_contraction(text: str, at: int) -> int | None:
    """The second of these with the same behind it."""
    end = _word_with_upper(text, at)
    return None if end is None else _contraction_in_any_case(text, end) or end


def _line(text: str, at: int) -> int | None:
    r"""``[^\n]*\n+|[^\n]+``"""
    return _run(text, _run(text, at, _is_no_line_feed), _is_line_feed)


_GPT2: list[Alternative] = [
    _contraction,
    _blank_and_letters,
    _blank_and_numbers,
    _blank_and_others,
    _spaces_but_last,
    _spaces,
]
_CL100K: list[Alternative] = [
    _contraction_in_any_case,
    _sign_and_letters,
    _three_numbers,
    _others_and_newlines,
    _spaces_at_end,
    _spaces_to_newline,
    _spaces_but_last,
    _spaces,
]
_LLAMA3: list[Alternative] = [alternative for alternative in _CL100K if alternative is not _spaces_at_end]
_QWEN2: list[Alternative] = [_one_number if alternative is _three_numbers else alternative for alternative in _LLAMA3]
_O200K: list[Alternative] = [
    _lower_and_contraction,
    _upper_and_contraction,
    _three_numbers,
    _others_and_newlines_or_slashes,
    _spaces_to_newline,
    _spaces_but_last,
    _spaces,
]
_TEKKEN: list[Alternative] = [_word_with_lower, _word_with_upper, _one_number, *_O200K[3:]]
_PATTERNS: dict[str, list[Alternative]] = {
    "gpt2": _GPT2,
    "cl100k": _CL100K,
    "llama3": _LLAMA3,
    "qwen2": _QWEN2,
    "o200k": _O200K,
    "tekken": _TEKKEN,
    "gpt2-15.1": _GPT2,
    "llama3-15.1": [_contraction_of_ascii, *_LLAMA3[1:]],
    "qwen2-15.1": [_contraction_of_ascii, *_QWEN2[1:]],
    "lines": [_line],
}

_IN_A_ROW = {
    "starcoder": (r"\p{N}", r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
    "deepseek-v3": (
        r"\p{N}{1,3}",
        "[一-龥぀-ゟ゠-ヿ]+",
        (
            r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
    ),
}
"""Patterns that cut one after the other; what lies between the matches of one is a text of its own to the next."""


def _cut_in_a_row(name: str, text: str) -> list[tuple[str, str]]:
    parts = [(text, "")] if text else []
    for pattern in _IN_A_ROW[name]:
        parts = [
            (part[begin:end], pattern if matched else rule)
            for part, rule in parts
            for begin, end, matched in known(pattern, part)
        ]
    return parts


NAMES = (*_PATTERNS, *_IN_A_ROW)
"""The patterns there are."""
