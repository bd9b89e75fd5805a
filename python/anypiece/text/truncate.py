"""Cutting a text by tokens: the longest prefix of at most n, and strings of at most n each with an overlap.

Each string is measured by its own encoding, as whoever receives it will see it, not by its share of the whole text's. The
kernel finds the prefix of a window; here the window grows until no more text can change the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from .._core.calls import truncated_length
from .._core.checks import checked_count, checked_text
from .._core.vocabulary import longest_piece
from ..errors import InputError

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

__all__ = ["prefix_length", "split", "truncate"]

Text = TypeVar("Text", str, bytes)

_SLACK = 64  # characters that normalization may join or drop at the end of a window; its rules span far fewer


def truncate(tokenizer: Tokenizer, text: Text, n: int) -> Text:
    """See ``Tokenizer.truncate``."""
    checked_text(text)
    return text[: prefix_length(tokenizer, text, checked_count(n, "n"))]


def split(tokenizer: Tokenizer, text: Text, n: int, overlap: int) -> list[Text]:
    """See ``Tokenizer.split``."""
    checked_text(text)
    n, overlap = checked_count(n, "n", 1), checked_count(overlap, "overlap")
    if overlap >= n:
        raise InputError(
            "argument-value", f"overlap must be below n={n}, not {overlap}.", argument="overlap", value=overlap
        )
    parts: list[Text] = []
    start = end = 0
    while end < len(text):
        start, end = _next(tokenizer, text, start, end, n, overlap if parts else 0)
        parts.append(text[start:end])
    return parts


def _next(tokenizer: Tokenizer, text: Text, start: int, end: int, n: int, overlap: int) -> tuple[int, int]:
    """The next part: as far back as the overlap allows while it still reaches past ``end``."""
    for back in _starts(tokenizer, text[start:end], overlap):
        stop = start + back + prefix_length(tokenizer, text, n, start + back, end - start)
        if stop > end:
            return start + back, stop
    character = _first_character(text, end)
    raise InputError(
        "argument-value",
        f"{character!r} alone needs {tokenizer.count(character)} tokens, more than n={n}. Use a larger n.",
        argument="n",
        value=n,
    )


def _starts(tokenizer: Tokenizer, part: Text, overlap: int) -> list[int]:
    """Where the next part may start within this one, the largest overlap first, then none at all."""
    if overlap == 0:
        return [len(part)]
    tokens = tokenizer.encode_spans(part)[-overlap:]
    starts = {token.start for token in tokens if token.start > 0 and not _is_inside_character(part, token.start)}
    return sorted(starts | {len(part)})


def _is_inside_character(text: str | bytes, place: int) -> bool:
    """Whether a character of ``bytes`` goes on here, as far as one byte shows: pieces of bytes may part characters."""
    return isinstance(text, bytes) and place < len(text) and text[place] & 0xC0 == 0x80


def prefix_length(tokenizer: Tokenizer, text: str | bytes, n: int, start: int = 0, guess: int = 0) -> int:
    """The length of the longest prefix of ``text[start:]`` that has at most ``n`` tokens by its own encoding.
    ``guess`` is about how long it is.

    A window is enough when it goes further than its answer by more than a piece. For if a prefix beyond the window had at
    most n tokens, so had the one that ends with its last token inside the window: what comes before a token boundary
    encodes the same without what comes after. That one would then have been the answer, or a longer one.
    """
    margin = _margin(tokenizer, len(text))
    size = max(3 * n, guess + guess // 4) + margin
    while True:
        window = text[start : start + size]
        if isinstance(window, bytes) and start + size < len(text):
            window = _whole_characters(window)
        kept = truncated_length(tokenizer._kernel, window, n)
        if start + size >= len(text) or len(window) - kept > margin:
            return kept
        size += size // 4 + margin


def _margin(tokenizer: Tokenizer, whole: int) -> int:
    """How far a text can matter behind a place. A chunk that WordPiece does not know is one token, however it begins: what
    follows matters until the chunk is too long to be known at all.
    """
    margin = longest_piece(tokenizer) + _SLACK
    if tokenizer.spec.segmenter != "wordpiece":
        return margin
    limit = tokenizer.spec.max_word_chars
    return whole if limit is None else margin + 4 * limit


def _whole_characters(window: bytes) -> bytes:
    """``window`` without an unfinished character at its end, which the cut may have made."""
    for back in range(1, min(4, len(window)) + 1):
        lead = window[-back]
        if lead >= 0xC0:
            return window[:-back]
        if lead < 0x80:
            return window
    return window


def _first_character(text: Text, start: int) -> Text:
    if isinstance(text, str):
        return text[start : start + 1]
    size = 1
    while size < 4 and start + size < len(text) and text[start + size] & 0xC0 == 0x80:
        size += 1
    return text[start : start + size]
