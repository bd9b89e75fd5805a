"""Vocabularies of characters and of words from counts: the most frequent ones, with logarithms of their shares as scores."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .. import _native
from .._core.checks import raise_native
from .meta import laid_out, word_options

if TYPE_CHECKING:
    from ..spec import Spec
    from .options import PieceOptions

__all__ = ["char_spec", "word_spec"]


def char_spec(words: _native.Words, options: PieceOptions, skeleton: Spec) -> Spec:
    """``skeleton`` with the most frequent characters of ``words``; there may be fewer than ``vocab_size``."""
    trained = _trained(words, options, whole=False)
    return laid_out(replace(options, hard_vocab_limit=False), trained, skeleton.replace(segmenter="char"))


def word_spec(words: _native.Words, options: PieceOptions, skeleton: Spec) -> Spec:
    """``skeleton`` with the most frequent of ``words`` that have only characters of the alphabet."""
    options = word_options(options, skeleton.escape_whitespaces)
    trained = _trained(words, options, whole=True)
    return laid_out(options, trained, skeleton.replace(segmenter="word"))


def _trained(words: _native.Words, options: PieceOptions, *, whole: bool) -> list[tuple[bytes, float]]:
    config = options.kernel() | {"use_all_vocab": options.use_all_vocab}
    try:
        rows, total = _native.train_lookup(words, json.dumps(config), whole)
    except _native.NativeError as error:
        raise_native(error)
    return [(piece, float(_log(count) - _log(total))) for piece, count in rows]


def _log(count: int) -> np.float32:
    """The logarithm of a float as a float, as SentencePiece has it; of a character that is required but never seen, too."""
    rounded = float(np.float32(count))
    return np.float32(math.log(rounded) if rounded else -math.inf)
