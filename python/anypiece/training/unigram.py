"""Unigram vocabularies from counts of words. The algorithm is told in ``docs/algorithms/unigram-training.md``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._checks import raise_native
from .meta import laid_out, too_large

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spec import Spec
    from .options import PieceOptions

__all__ = ["train_pieces", "unigram_spec"]


def train_pieces(
    words: _native.Words,
    options: PieceOptions,
    threads: int = 1,
    report: Callable[[str, int, int], object] | None = None,
) -> tuple[list[tuple[bytes, float]], dict[str, Any]]:
    """The pieces of a vocabulary that are not meta pieces, the best first, with their scores, and facts about the training.

    ``report(stage, done, total)`` is called a few times a second and ends the training by raising.
    """
    try:
        blob, ends, scores, facts = _native.train_unigram(words, json.dumps(options.kernel()), threads, report)
    except _native.NativeError as error:
        raise_native(error)
    offsets = np.frombuffer(ends, "<u4").tolist()
    pieces = (blob[start:end] for start, end in zip(offsets, offsets[1:], strict=False))
    return list(zip(pieces, np.frombuffer(scores, "<f8").tolist(), strict=True)), json.loads(facts)


def unigram_spec(
    words: _native.Words,
    options: PieceOptions,
    skeleton: Spec,
    threads: int = 1,
    report: Callable[[str, int, int], object] | None = None,
) -> Spec:
    """``skeleton`` with the vocabulary that ``words`` give. Its normalizer must be the one that the words were counted with."""
    trained, _ = train_pieces(words, options, threads, report)
    meta = len(options.symbols)
    if options.hard_vocab_limit and meta + len(trained) < options.vocab_size:
        raise too_large(options, meta + len(trained))
    return laid_out(options, trained, skeleton.replace(segmenter="unigram"))
