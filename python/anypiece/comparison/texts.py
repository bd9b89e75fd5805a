"""The texts that a check is made on: sentences, every piece of a vocabulary, special tokens; and a smallest text that shows
what a longer one showed."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from .._core.checks import listed_texts
from .._core.vocabulary import special_tokens
from ..errors import InputTypeError
from ..spec import SPACE_MARK, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..tokenizer import Tokenizer

__all__ = ["shrunk", "special_texts", "strings", "texts_of"]

_IN_A_TEXT = 24
_TAKEN = (Kind.NORMAL, Kind.USER_DEFINED, Kind.UNUSED)
_SENTENCES = (
    "",
    " ",
    "  two  spaces ",
    "\n\r\n\t tab\u00a0and\u3000wide \u2028",
    "It's 1,234.5% of what we've had; DON'T PANIC!?",
    "naïve café Straße ﬁn Ⅷ ½ ＡＢＣ ｶﾞ e\u0301 ñ n\u0303",
    "def f(x):\n    return {'a': [x ** 2, -1e-9]}  # 注释\n",
    "日本語も読めますし、絵文字🦊👩‍👩‍👧も失われません。",
    "中文分词，没有空格。１２３",
    "Привет, мир! Γειά σου Κόσμε. שָׁלוֹם עולם. مرحبا بالعالم",
    "नमस्ते दुनिया ประเทศไทย 한국어 각 ᄀ\u1161",
    "\x00\x01\x7f\ufffd\ufeff\u200b\u200d\u2581▁\U0010ffff",
    "<s></s><unk><pad><|endoftext|>[CLS][SEP]<0x41>",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
)


def texts_of(*tokenizers: Tokenizer) -> Iterator[str]:
    """Texts that show what vocabularies do: sentences of many scripts, all their pieces in a shuffled order, always the
    same for the same vocabularies, and each piece by itself."""
    yield from _SENTENCES
    pieces: dict[str, None] = {}
    for tokenizer in tokenizers:
        for raw, _, kind in tokenizer.spec.pieces:
            if kind in _TAKEN and raw:
                pieces[raw.decode("utf-8", "ignore").replace(SPACE_MARK, " ")] = None
    names = list(pieces)
    Random(len(names)).shuffle(names)
    for start in range(0, len(names), _IN_A_TEXT):
        group = names[start : start + _IN_A_TEXT]
        yield "".join(group)
        yield " ".join(group)
    yield from names


def special_texts(first: Tokenizer, second: Tokenizer, *, both: bool = True) -> list[str]:
    """Each special or added token alone, between words, and next to the next one. Without ``both`` the added tokens of the
    first alone."""
    names: dict[str, None] = dict.fromkeys(text for text, _, _ in first.spec.added)
    if both:
        for tokenizer in (first, second):
            names |= dict.fromkeys(text for text, _, _ in tokenizer.spec.added)
            names |= dict.fromkeys(special_tokens(tokenizer))
    listed = [name for name in names if name]
    neighbours = zip(listed, [*listed[1:], *listed[:1]], strict=True)
    return [text for name, after in neighbours for text in (name, f"a{name} b {after}{name}\n{name}")]


def strings(texts: Iterable[str]) -> list[str]:
    """``texts`` as a list. Bytes are refused: a part of a text must be a text, or it cannot be cut down."""
    listed = listed_texts(texts)
    for index, text in enumerate(listed):
        if not isinstance(text, str):
            message = f"texts[{index}] must be str, not {type(text).__name__}; decode bytes first."
            raise InputTypeError("input-type", message, type=type(text).__name__)
    return [str(text) for text in listed]


def shrunk(text: str, holds: Callable[[str], bool]) -> str:
    """A part of ``text``, its characters in order, for which ``holds`` and which loses that with any character less.

    >>> shrunk("some words, and a comma", lambda part: "," in part)
    ','
    """
    size = max(len(text) // 2, 1)
    while True:
        at, before = 0, len(text)
        while at < len(text):
            shorter = text[:at] + text[at + size :]
            if holds(shorter):
                text = shorter
            else:
                at += size
        if size == 1 and len(text) == before:
            return text
        size = max(size // 2, 1)
