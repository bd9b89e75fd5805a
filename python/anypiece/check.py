"""Check: whether two tokenizers give the same ids, and if not, a smallest text that shows it.

Equal fingerprints are a proof. Otherwise texts decide: the caller's, or texts made from both vocabularies, in which every
piece stands at least once beside others; then texts of the special tokens, as text and parsed, and what is put around a
text. That finds differences; that there are none it can only make likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from ._checks import listed_texts
from .errors import InputError, InputTypeError
from .spec import SPACE_MARK, Kind
from .tokenizer import Tokenizer, tokenizer_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Check", "Difference", "check", "check_specials", "texts_of"]

What = Literal["ids", "decoded", "ids with special tokens parsed", "text without special tokens", "ids around a text"]

_BATCH = 2048
_IN_A_TEXT = 24
_TAKEN = (Kind.NORMAL, Kind.USER_DEFINED, Kind.UNUSED)
_DECODINGS: dict[What, bool] = {"decoded": False, "text without special tokens": True}
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


@dataclass(frozen=True)
class Difference:
    """A text that two tokenizers encode or decode differently; no character of it can be left out."""

    text: str
    what: What
    first: Any
    second: Any

    def to_json(self) -> dict[str, Any]:
        """The difference as JSON-ready values."""
        return {"text": self.text, "what": self.what, "first": self.first, "second": self.second}


@dataclass(frozen=True)
class Check:
    """What a check found. True where there is no difference."""

    proved: bool
    """Whether that there is no difference follows from the Specs, for every text."""
    texts: int
    """How many texts were compared."""
    difference: Difference | None
    specials: int | None = None
    """How many texts with special tokens were compared beside them, as text and parsed, and decoded with and without them;
    what is put around a text then was, too. ``None`` where that was not asked for, or a text differed before."""

    @property
    def compared(self) -> str:
        """What was compared, in words."""
        if self.specials is None:
            return f"{self.texts} texts"
        special = f", {self.specials} with special tokens (as text and parsed)," if self.specials else ""
        return f"{self.texts} texts{special} and ids around a text"

    def __bool__(self) -> bool:
        return self.difference is None


def check(
    first: Tokenizer | str | os.PathLike[str],
    second: Tokenizer | str | os.PathLike[str],
    texts: Iterable[str] | None = None,
    *,
    specials: bool = True,
) -> Check:
    """Compare the ids that two tokenizers, or those of two files, give, and the texts that they decode them to.

    ``texts`` are compared in order, and the first that differs is cut down until no character can be left out. Without
    ``texts``, they are made from both vocabularies: every piece beside others, and by itself. Then the special tokens of
    both are compared, as text and parsed, and what ``add_special=True`` puts around a text, unless ``specials`` is false.
    Which tokens are called bos, eos and pad counts only as far as that shows it.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> check(tok, tok).proved
    True
    >>> found = check(tok, tok.replace(add_dummy_prefix=False))
    >>> bool(found), len(found.difference.text)
    (False, 1)
    >>> check(tok, tok.replace(add_eos=False), ["a"]).difference.what
    'ids around a text'
    """
    one, other = tokenizer_of(first), tokenizer_of(second)
    if one.fingerprint == other.fingerprint:
        return Check(True, 0, None)
    found = check_texts(one, other, texts)
    return check_specials(one, other, found.texts) if found and specials else found


def check_texts(first: Tokenizer, second: Tokenizer, texts: Iterable[str] | None = None) -> Check:
    """Compare ordinary text alone."""
    listed = list(texts_of(first, second)) if texts is None else _strings(texts)
    for start in range(0, len(listed), _BATCH):
        part = listed[start : start + _BATCH]
        place = _first_difference(first, second, part)
        if place is not None:
            return Check(False, start + place + 1, _difference(first, second, part[place]))
    return Check(False, len(listed), None)


def _strings(texts: Iterable[str]) -> list[str]:
    """``texts`` as a list. Bytes are refused: a part of a text must be a text, or it cannot be cut down."""
    listed = listed_texts(texts)
    for index, text in enumerate(listed):
        if not isinstance(text, str):
            message = f"texts[{index}] must be str, not {type(text).__name__}; decode bytes first."
            raise InputTypeError("input-type", message, type=type(text).__name__)
    return [str(text) for text in listed]


def _first_difference(first: Tokenizer, second: Tokenizer, texts: Sequence[str]) -> int | None:
    """Where the first text stands that differs. The kernel is asked itself: there may be a quarter of a million texts."""
    decode, other_decode, other_size = first._kernel.decode, second._kernel.decode, second.vocab_size
    rows = zip(first.encode_batch(texts).tolist(), second.encode_batch(texts).tolist(), strict=True)
    for place, (ids, others) in enumerate(rows):
        if ids != others or max(ids, default=0) >= other_size or decode(ids) != other_decode(ids):
            return place
    return None


def check_specials(first: Tokenizer, second: Tokenizer, texts: int = 0, *, both: bool = True) -> Check:
    """Compare what the special and added tokens become in text, as text and where they are permitted, what they are decoded
    to, and what is put around one text and two.

    Without ``both`` only the added tokens and marks of the first count: the second may find more in text. ``texts`` is how
    many others were compared before.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> check_specials(tok, tok.replace(add_eos=False)).difference.what
    'ids around a text'
    """
    names = _special_names(first, second) if both else [text for text, _, _ in first.spec.added]
    for number, text in enumerate(_special_texts(names), 1):
        found = _special_difference(first, second, text)
        if found is not None:
            return Check(False, texts, found, number)
    around, other = _around(first), _around(second)
    if both:
        around, other = around or _bare(first), other or _bare(second)
    if (both or around not in (None, _bare(first))) and around != other:
        return Check(False, texts, Difference("a", "ids around a text", around, other), 2 * len(names))
    return Check(False, texts, None, 2 * len(names))


def _special_names(*tokenizers: Tokenizer) -> list[str]:
    """The spellings of all added tokens, and the control pieces of those that have none."""
    names: dict[str, None] = {}
    for tokenizer in tokenizers:
        names |= dict.fromkeys(text for text, _, _ in tokenizer.spec.added)
        names |= dict.fromkeys(tokenizer._specials())
    return [name for name in names if name]


def _special_texts(names: list[str]) -> Iterator[str]:
    """Each token alone, between words, and beside the next one."""
    for name, after in zip(names, [*names[1:], *names[:1]], strict=True):
        yield name
        yield f"a{name} b {after}{name}\n{name}"


def _special_difference(first: Tokenizer, second: Tokenizer, text: str) -> Difference | None:
    def parsed(part: str) -> list[list[int]]:
        return [tokenizer.encode(part, specials="parse") for tokenizer in (first, second)]

    def decoded(part: str, skip: bool) -> list[str]:
        ids, others = parsed(part)
        return [one.decode(ids, skip_special=skip) for one in (first, second)] if ids == others else []

    if _first_difference(first, second, [text]) is not None:
        return _difference(first, second, text)
    if _unlike(parsed(text)):
        text = shrunk(text, lambda part: _unlike(parsed(part)))
        return Difference(text, "ids with special tokens parsed", *parsed(text))
    for what, skip in _DECODINGS.items():
        if _unlike(decoded(text, skip)):
            text = shrunk(text, lambda part, skip=skip: _unlike(decoded(part, skip)))  # type: ignore[misc]
            return Difference(text, what, *decoded(text, skip))
    return None


def _unlike(pair: Sequence[object]) -> bool:
    return bool(pair) and pair[0] != pair[1]


def _around(tokenizer: Tokenizer) -> list[list[int]] | None:
    """The ids of one text and of two with their marks; None where the vocabulary has none of those that it asks for."""
    try:
        one = tokenizer.encode("a", add_special=True)
    except InputError:
        return None
    pair = tokenizer.encode_pair("a", "b")
    return [one, pair.ids, pair.type_ids]


def _bare(tokenizer: Tokenizer) -> list[list[int]]:
    """The same where nothing is put around a text. A vocabulary that lacks the marks it asks for is as good as that."""
    first, second = tokenizer.encode("a"), tokenizer.encode("b")
    return [first, first + second, [0] * len(first) + [1] * len(second)]


def _difference(first: Tokenizer, second: Tokenizer, text: str) -> Difference:
    if first.encode(text) != second.encode(text):
        text = shrunk(text, lambda part: first.encode(part) != second.encode(part))
        return Difference(text, "ids", first.encode(text), second.encode(text))

    def differs(part: str) -> bool:
        ids = first.encode(part)
        return ids == second.encode(part) and first.decode(ids) != second.decode(ids)

    text = shrunk(text, differs)
    ids = first.encode(text)
    return Difference(text, "decoded", first.decode(ids), second.decode(ids))


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
