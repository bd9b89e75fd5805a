"""Vocabularies of characters and of words from counts: the most frequent ones, with logarithms of their shares as scores."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from .alphabet import alphabet_of
from .meta import laid_out, word_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import _native
    from ..spec import Spec
    from .options import PieceOptions

__all__ = ["char_spec", "word_spec"]


def char_spec(words: _native.Words, options: PieceOptions, skeleton: Spec) -> Spec:
    """``skeleton`` with the most frequent characters of ``words``; there may be fewer than ``vocab_size``."""
    rows = _alphabet(words, options)
    shares = _shares(rows[: _room(options)], sum(count for _, count in rows))
    return laid_out(replace(options, hard_vocab_limit=False), shares, skeleton.replace(segmenter="char"))


def word_spec(words: _native.Words, options: PieceOptions, skeleton: Spec) -> Spec:
    """``skeleton`` with the most frequent of ``words`` that have only characters of the alphabet."""
    options = word_options(options, skeleton.escape_whitespaces)
    known = {character for character, _ in _alphabet(words, options)}
    reserved = set(options.symbols)
    rows = ((word, count) for word, count in _by_count(words) if known.issuperset(word) and word not in reserved)
    shares = _shares(list(islice(rows, _room(options))), words.total())
    return laid_out(options, shares, skeleton.replace(segmenter="word"))


def _alphabet(words: _native.Words, options: PieceOptions) -> list[tuple[str, int]]:
    options = replace(options, character_coverage=1.0) if options.use_all_vocab else options
    return alphabet_of(words, options, options.symbols)


def _room(options: PieceOptions) -> int | None:
    """How many pieces there may be beside the meta pieces."""
    return None if options.use_all_vocab else options.vocab_size - len(options.symbols)


def _by_count(words: _native.Words) -> Iterator[tuple[str, int]]:
    """The words with their counts, the most frequent first, of equal counts in the order of their bytes."""
    blob, ends, numbers = words.columns()
    offsets, counts = np.frombuffer(ends, "<u8"), np.frombuffer(numbers, "<u8")
    for index in np.argsort(~counts, kind="stable").tolist():
        yield blob[int(offsets[index]) : int(offsets[index + 1])].decode(), int(counts[index])


def _shares(rows: list[tuple[str, int]], total: int) -> list[tuple[bytes, float]]:
    return [(piece.encode(), float(_log(count) - _log(total))) for piece, count in rows]


def _log(count: int) -> np.float32:
    """The logarithm of a float as a float, as SentencePiece has it; of a character that is required but never seen, too."""
    rounded = float(np.float32(count))
    return np.float32(math.log(rounded) if rounded else -math.inf)
