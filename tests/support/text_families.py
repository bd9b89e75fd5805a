"""Families of texts by which time is measured: each is one kind of text of any length, so that four times the length is four
times the same.

Most are an opening, a unit that is repeated, and a close. Some are drawn from a seed, and some are made of the pieces or the
special tokens of the file under test.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from anypiece import Kind
from anypiece._core.vocabulary import special_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    import anypiece as ap

__all__ = ["FAMILIES", "family_text"]

REPEATED: dict[str, str | bytes] = {
    "one letter": "a",
    "one capital": "A",
    "one digit": "0",
    "digits": "0123456789",
    "spaces": " ",
    "newlines": "\n",
    "line ends of two": "\r\n",
    "tabs": "\t",
    "mixed blanks": " \n\t",
    "newlines and spaces": "\n  ",
    "letters and spaces": "a ",
    "letters and newlines": "a\n",
    "hyphens": "-",
    "signs": "!?.,;:",
    "apostrophes": "'",
    "contractions": "'s'll don't ",
    "space marks": "▁",
    "space marks and spaces": "▁ ▁a ",
    "byte-like": "<0x0A>",
    "special-looking": "<s></s><unk><|endoftext|>[INST]<|im_start|>",
    "beginnings of specials": "<|",
    "marked letters": "e\u0301\u0323",
    "jamo": "\u1100\u1161\u11a8",
    "hangul": "한국어 ",
    "one ideograph": "一",
    "ideographs": "漢字文献學",
    "kana": "カタカナひらがな、",
    "halfwidth voiced kana": "ｶﾞﾊﾟ",
    "thai": "ภาษาไทย",
    "devanagari": "क्षिप्र",
    "arabic": "العربية ",
    "cyrillic": "русский текст ",
    "emoji sequences": "👩‍👩‍👧‍👦🏳️‍🌈👍🏽",
    "flags": "🇯🇵",
    "joiners": "\u200d",
    "unassigned": "\U000e0fff",
    "NULs": "\0",
    "what becomes longer": "ﷺﬃ½",
    "wide spaces": "\u00a0\u3000",
    "words": "the quick brown fox ",
    "code": "    if x == 0:\n        return None\n",
    "bad bytes": b"\xff",
    "cut characters": b"\xe2\x96",
    "surrogates": b"\xed\xa0\x80",
}
"""Name to what is repeated."""


def _drawn_letters(size: int) -> str:
    return "".join(Random("letters").choices("abcdefghijklmnopqrstuvwxyz", k=size))


def _base64(size: int) -> str:
    return base64.b64encode(Random("base64").randbytes(size)).decode()[:size]


MADE: dict[str, Callable[[int], str | bytes]] = {
    "a mark on each mark": lambda size: "a" + "\u0301\u0323\u0308" * (size // 6),
    "one letter and another": lambda size: "a" * (size - 1) + "b",
    "one word and a space": lambda size: "a" * (size - 1) + " ",
    "drawn letters": _drawn_letters,
    "base64": _base64,
    "drawn bytes": lambda size: Random("bytes").randbytes(size),
}
"""Name to a maker of about this number of bytes."""


def _longest_piece(tok: ap.Tokenizer) -> bytes:
    lengths = np.diff(tok.spec.pieces.offsets.astype(np.int64)) * (tok.spec.pieces.kinds == Kind.NORMAL)
    return tok.decode_bytes([int(lengths.argmax())])


def _drawn_pieces(tok: ap.Tokenizer) -> bytes:
    rng = Random("pieces")
    return tok.decode_bytes([rng.randrange(tok.vocab_size) for _ in range(500)])


def _special_tokens(tok: ap.Tokenizer) -> bytes:
    return "".join(sorted(special_tokens(tok))[:500]).encode()


OF_FILE: dict[str, Callable[[ap.Tokenizer], bytes]] = {
    "the longest piece": _longest_piece,
    "drawn pieces": _drawn_pieces,
    "special tokens": _special_tokens,
}
"""Name to what is repeated of a file's own; where it has none, a letter is."""

FAMILIES = (*REPEATED, *MADE, *OF_FILE)
"""The names of all."""


def _as_text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


@lru_cache(maxsize=8)
def family_text(name: str, tok: ap.Tokenizer, size: int) -> str | bytes:
    """A text of the family, of about ``size`` bytes. The last few are kept, since all entry points are given them."""
    if name in MADE:
        return MADE[name](size)
    unit = REPEATED[name] if name in REPEATED else _as_text(OF_FILE[name](tok) or b"a")
    length = len(unit.encode() if isinstance(unit, str) else unit)
    return unit * max(size // length, 1)
