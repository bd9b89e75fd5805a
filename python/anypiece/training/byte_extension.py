"""Extension of a byte-level vocabulary: more merges, learned on top of those that are there.

New merges stand behind all others, so that a text is first merged as before, and only then further. What is learned is
therefore counted on chunks that are merged as before: the pairs are those that encoding will meet.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _native
from .._core.checks import raise_native
from ..conversion.extend import appended
from ..errors import InputError
from ..spec import Added, AddedFlag, Kind
from .preparation import Preparation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..results import Batch
    from ..spec import Spec
    from ..tokenizer import Tokenizer
    from .words import WordCounts

__all__ = ["Learned", "can_grow", "learned", "prepared"]

_BATCH = 100_000
_MIN_FREQUENCY = 2
"""As trainers of such vocabularies have it: what occurs once is no piece."""


class Learned(NamedTuple):
    """A tokenizer with more merges."""

    tokenizer: Tokenizer
    spelled: tuple[tuple[int, ...], ...]
    """For each new id the old ids that it is made of."""
    tokens_before: int
    tokens_after: int


def can_grow(spec: Spec) -> bool:
    """Whether it is a vocabulary of merges of bytes."""
    return spec.segmenter == "bpe" and spec.symbols == "bytes" and not spec.end_suffix and not spec.symbol_prefix


def prepared(spec: Spec) -> Preparation:
    """How the tokenizer sees a corpus: in its own chunks, lines with their ends."""
    return Preparation("byte-bpe", spec, "chunks", keep_ends=True)


def learned(
    tokenizer: Tokenizer, counts: WordCounts, amount: int, progress: Callable[[str, int, int], None] | None
) -> Learned:
    """``tokenizer`` with at most ``amount`` more merges. Raises ``InputError`` where there is nothing to merge."""
    spec = tokenizer.spec
    pieces = [raw for raw, _, _ in spec.pieces]
    batches, times = _encoded(tokenizer, counts)
    reserved = [text for text, _, _ in spec.added]
    config = {"merges": amount, "min_frequency": _MIN_FREQUENCY, "reserved": reserved}
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(batch.offsets) for batch in batches]))])
    ids = np.concatenate([batch.ids for batch in batches]).astype("<u4")
    columns = ids.tobytes(), offsets.astype("<u8").tobytes(), times.astype("<u8").tobytes()
    try:
        rows, _ = _native.train_more_bpe(*columns, pieces, json.dumps(config), progress)
    except _native.NativeError as error:
        raise_native(error)
    merges = rows.reshape(-1, 3)
    if not len(merges):
        raise InputError("train-corpus", "The corpus has no piece that the vocabulary lacks. Train on other text.")
    grown = tokenizer.replace(samples=(), **_changes(spec, pieces, merges))
    spelled: list[tuple[int, ...]] = [(id,) for id in range(len(pieces))]
    for left, right, _ in merges.tolist():
        spelled.append(spelled[left] + spelled[right])
    before = int((np.diff(offsets) * times).sum())
    return Learned(grown, tuple(spelled[len(pieces) :]), before, _tokens(grown, counts))


def _changes(spec: Spec, pieces: list[bytes], merges: Any) -> dict[str, Any]:
    """The new pieces, and their merges where the vocabulary lists them; else their ranks are behind all others."""
    names, first = list(pieces), len(pieces)
    lowest = float(spec.pieces.scores.min())
    new: list[tuple[str | bytes, float, int]] = []
    for left, right, made in merges.tolist():
        names.append(names[left] + names[right])
        # Files of ranks have ids for scores.
        rank = min(-float(made), lowest - 1 - (made - first))
        new.append((names[made], 0.0 if len(spec.merges) else rank, Kind.NORMAL))
    changes: dict[str, Any] = {"pieces": appended(spec.pieces, spec.pieces.kinds, new)}
    if len(spec.merges):
        changes["merges"] = np.concatenate([spec.merges, merges]).astype(np.uint32)
    return changes


def _encoded(tokenizer: Tokenizer, counts: WordCounts) -> tuple[list[Batch], Any]:
    """The ids of all chunks, and how often each was seen. Chunks are not cut again, and have no added tokens in them."""
    hidden = Added.of([(text, id, flags | AddedFlag.SPECIAL) for text, id, flags in tokenizer.spec.added])
    alone = tokenizer.replace(splitter=None, split_rules=(), normalizer=(), added=hidden, samples=())
    batches = [alone.encode_batch(words) for words in _batches(counts)]
    return batches, np.array([count for _, count in counts.items()], np.int64)


def _batches(counts: WordCounts) -> Iterator[list[bytes]]:
    some: list[bytes] = []
    for word, _ in counts.items():
        some.append(word)
        if len(some) == _BATCH:
            yield some
            some = []
    if some:
        yield some


def _tokens(tokenizer: Tokenizer, counts: WordCounts) -> int:
    batches, times = _encoded(tokenizer, counts)
    return int((np.concatenate([np.diff(batch.offsets) for batch in batches]) * times).sum())
