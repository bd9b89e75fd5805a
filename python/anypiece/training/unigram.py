"""Unigram vocabularies from counts of words. The algorithm is told in ``docs/algorithms/unigram-training.md``."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._core.checks import raise_native
from ..reference.unigram_training import finished
from .alphabet import kernel_options
from .meta import laid_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spec import Spec
    from .options import PieceOptions

__all__ = ["pruned_pieces", "train_pieces", "unigram_memory", "unigram_spec"]


def train_pieces(
    words: _native.Words,
    options: PieceOptions,
    threads: int = 1,
    report: Callable[[str, int, int], object] | None = None,
) -> tuple[list[tuple[bytes, float]], dict[str, Any]]:
    """The pieces of a vocabulary that are not meta pieces, the best first, with their scores, and facts about the training.

    There may be fewer than were asked for. ``report(stage, done, total)`` is called a few times a second and ends the
    training by raising. The result is the same for any number of threads.
    """
    if report is not None:
        report("alphabet", 0, len(words))
    config, alphabet = kernel_options(words, options)
    pieces, facts = pruned_pieces(words, config, threads, report)
    best = finished(pieces, [character for character, _ in alphabet], options.vocab_size - len(options.symbols))
    return [(piece.encode(), score) for piece, score in best], facts


def pruned_pieces(
    words: _native.Words,
    config: dict[str, Any],
    threads: int,
    report: Callable[[str, int, int], object] | None = None,
) -> tuple[dict[str, float], dict[str, Any]]:
    """The pieces that are left when pruning ends, with their scores, and facts about the training."""
    try:
        blob, ends, scores, facts = _native.train_unigram(words, json.dumps(config), threads, report)
    except _native.NativeError as error:
        raise_native(error)
    pieces = [blob[start:end].decode() for start, end in pairwise(np.frombuffer(ends, "<u4").tolist())]
    return dict(zip(pieces, np.frombuffer(scores, "<f8").tolist(), strict=True)), json.loads(facts)


def unigram_spec(
    words: _native.Words,
    options: PieceOptions,
    skeleton: Spec,
    threads: int = 1,
    report: Callable[[str, int, int], object] | None = None,
) -> Spec:
    """``skeleton`` with the vocabulary that ``words`` give; its normalizer must be the one that they were counted with.

    Raises ``InputError`` (``train-vocab-size``) where the text has fewer pieces than asked for.
    """
    trained, _ = train_pieces(words, options, threads, report)
    return laid_out(options, trained, skeleton.replace(segmenter="unigram"))


def unigram_memory(words: _native.Words, options: PieceOptions, threads: int = 1) -> int:
    """How many bytes training needs at most besides the words; it takes about a tenth of the time of training."""
    try:
        return _native.unigram_memory(words, json.dumps(kernel_options(words, options)[0]), threads)
    except _native.NativeError as error:
        raise_native(error)
