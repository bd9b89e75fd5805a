"""BytePiece's vocabularies from counts of lines. The algorithm is told in ``docs/algorithms/bytepiece-training.md``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _native
from .._core.checks import raise_native
from ..formats.settings import UNCHANGED
from ..spec import Kind, Pieces
from . import checks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..spec import Spec

__all__ = ["BytePieceOptions", "bytepiece_spec", "bytepiece_specs"]

_SPECIALS = ("<pad>", "<bos>", "<eos>")
_LEAST = 256 + len(_SPECIALS)
_MOST_ORDER = 7
_LONGEST = 7999


@dataclass(frozen=True)
class BytePieceOptions:
    """What a BytePiece vocabulary is to be like, under BytePiece's names.

    >>> BytePieceOptions(max_vocab_size=(8000, 4000)).order
    6
    """

    max_vocab_size: int | tuple[int, ...] = 10000
    """The most pieces, special ones included; of several sizes each vocabulary is cut from the next larger one."""
    order: int = 6
    """How many bytes are looked at together, from 1 to 7."""
    max_piece_length: int = 36
    """In bytes."""
    min_count: int = 2
    """Pieces of several bytes that occur less often are given up."""
    isolate_digits: bool = False
    """Whether each digit stays by itself."""
    ensure_unicode: bool = True
    """Whether pieces of several bytes begin where characters begin."""

    def __post_init__(self) -> None:
        if isinstance(self.max_vocab_size, list):
            object.__setattr__(self, "max_vocab_size", tuple(self.max_vocab_size))
        if not self.sizes:
            raise checks.refuse("max_vocab_size", "max_vocab_size must be a number, or several; it is empty.")
        for size in self.sizes:
            checks.check_whole("max_vocab_size", size, _LEAST)
        checks.check_whole("order", self.order, 1, _MOST_ORDER)
        checks.check_whole("max_piece_length", self.max_piece_length, 1, _LONGEST)
        checks.check_whole("min_count", self.min_count, 1, checks.LARGEST_COUNT)
        checks.check_flag("isolate_digits", self.isolate_digits)
        checks.check_flag("ensure_unicode", self.ensure_unicode)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes, the largest first."""
        given = self.max_vocab_size
        return tuple(sorted(given, reverse=True)) if isinstance(given, tuple) else (given,)


def bytepiece_specs(
    words: _native.Words,
    options: BytePieceOptions,
    skeleton: Spec,
    report: Callable[[str, int, int], object] | None = None,
) -> list[Spec]:
    """``skeleton`` with the pieces that ``words``, lines of text, give: one Spec for each size, the largest first.

    ``report(stage, done, total)`` is called a few times a second and ends the training by raising.
    """
    same = ("order", "max_piece_length", "min_count", "isolate_digits", "ensure_unicode")
    config = {name: getattr(options, name) for name in same} | {"max_vocab_sizes": options.sizes}
    try:
        made = _native.train_bytepiece(words, json.dumps(config), report)
    except _native.NativeError as error:
        raise_native(error)
    return [_laid_out(rows, skeleton) for rows in made]


def bytepiece_spec(
    words: _native.Words,
    options: BytePieceOptions,
    skeleton: Spec,
    report: Callable[[str, int, int], object] | None = None,
) -> Spec:
    """The one vocabulary of ``options``, or the largest of several."""
    return bytepiece_specs(words, options, skeleton, report)[0]


def _laid_out(rows: Sequence[tuple[bytes, int]], skeleton: Spec) -> Spec:
    counts = np.array([count for _, count in rows], np.float64)
    scores = np.concatenate([np.zeros(len(_SPECIALS)), np.log(counts) - np.log(float(sum(count for _, count in rows)))])
    names = [(name, 0.0, Kind.CONTROL) for name in _SPECIALS]
    made = Pieces.of([*names, *((piece, 0.0, Kind.NORMAL) for piece, _ in rows)])
    roles = {"bos_id": 1, "eos_id": 2, "pad_id": 0}
    pieces = Pieces(made.blob, made.offsets, scores, made.kinds)
    return skeleton.replace(
        pieces=pieces,
        segmenter="unigram",
        symbols="bytes",
        arithmetic="f64",
        decoding="unmarked",
        **UNCHANGED,
        **roles,
    )
