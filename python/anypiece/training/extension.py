"""Vocabulary extension: a vocabulary with more pieces, learned from a corpus; the old ids stay as they are.

The words of the corpus are counted as the tokenizer sees them, a vocabulary of its kind is trained from the counts, and the
pieces that are new are joined to the old ones: as far as they are used then, the most used first. Scores of a unigram
vocabulary are estimated from that use; in one of merges by score, new merges come behind all others. Byte-level vocabularies
learn merges on top of their own (``byte_extension``).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..conversion.extend import appended
from ..corpus.readers import Corpus
from ..errors import InputError
from ..io.paths import write_bytes
from ..loading import tokenizer_of
from ..spec import SPACE_MARK, Kind
from . import byte_extension
from .bpe import score_bpe_spec
from .options import PieceOptions
from .preparation import BOUNDARY, Preparation
from .report import usage
from .unigram import unigram_spec
from .words import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..corpus.readers import Source
    from ..spec import Spec
    from ..tokenizer import Tokenizer
    from .words import WordCounts

__all__ = ["Growth", "grow_on"]

_MORE = 3
"""Candidates for each piece asked for: many are pieces already, or are not used together with them."""
_ROUNDS = 2
_DIGITS = re.compile(rb"[0-9].|.[0-9]", re.DOTALL)
"""Where no piece has a digit next to something else, new ones have none either."""


@dataclass(frozen=True)
class Growth:
    """A vocabulary that has grown."""

    tokenizer: Tokenizer
    first: int
    """The first new id; all from it on are new."""
    spelled: tuple[tuple[int, ...], ...]
    """For each new id, the old ids that its text was before: the mean of their embeddings is a beginning for its own."""
    tokens_before: int
    """Tokens of the corpus with the old vocabulary."""
    tokens_after: int

    def save_map(self, path: str | os.PathLike[str]) -> None:
        """Write the new ids with the old ids that they stand for, as JSON."""
        rows = {str(self.first + place): list(ids) for place, ids in enumerate(self.spelled)}
        table = {"first": self.first, "vocab_size": self.tokenizer.vocab_size, "spelled": rows}
        write_bytes(Path(path), (json.dumps(table) + "\n").encode())


def grow_on(
    tokenizer: Tokenizer | str | os.PathLike[str],
    corpus: Source,
    amount: int,
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **reading: Any,
) -> Growth:
    """``tokenizer`` with at most ``amount`` more pieces, learned from a corpus.

    For unigram vocabularies and merges by score, as SentencePiece's files have them, and for merges of bytes. ``reading`` is
    ``format``, ``field``, ``whole`` and ``input_sentence_size`` with what belongs to it, as in ``train``.

    >>> import anypiece as ap
    >>> from anypiece.training import grow_on
    >>> old = ap.train(["low lower lowest"] * 9, vocab_size=14)
    >>> grown = grow_on(old, ["slow slower slowest"] * 9, 2)
    >>> grown.first, grown.tokens_after < grown.tokens_before
    (14, True)
    >>> grown.tokenizer.encode("lower") == old.encode("lower")
    True
    """
    tokenizer = tokenizer_of(tokenizer)
    spec = tokenizer.spec
    _check(spec, amount)
    of_bytes = byte_extension.can_grow(spec)
    preparation = byte_extension.prepared(spec) if of_bytes else _prepared(spec)
    counts = counted(
        Corpus(corpus, **reading), preparation, threads=threads, max_memory=max_memory, report=progress, share=1 / 13
    )
    counts.refuse_empty()
    if of_bytes:
        grown, spelled, before, after = byte_extension.learned(tokenizer, counts, amount, progress)
        return Growth(grown, tokenizer.vocab_size, spelled, before, after)
    rows = _candidates(tokenizer, counts, amount, progress)
    before = int(usage(tokenizer, counts)[0].sum())
    chosen = _chosen(tokenizer, counts, rows, amount)
    grown = _joined(tokenizer, chosen)
    after = int(usage(grown, counts)[0].sum())
    plain = tokenizer.replace(add_dummy_prefix=False, remove_extra_whitespaces=False, charsmap=b"")
    spelled = tuple(tuple(plain.encode(piece.replace(SPACE_MARK, " "))) for piece, _ in chosen)
    return Growth(grown, tokenizer.vocab_size, spelled, before, after)


def _check(spec: Spec, amount: int) -> None:
    if isinstance(amount, bool) or not isinstance(amount, int) or amount < 1:
        raise InputError("train-option", f"The number of new pieces must be 1 or more, not {amount!r}.", option="grow")
    if byte_extension.can_grow(spec):
        return
    plain = spec.symbols == "characters" and not spec.normalizer and not spec.split_rules and not len(spec.merges)
    if not plain or spec.segmenter not in ("unigram", "bpe") or not spec.escape_whitespaces:
        message = (
            "Only unigram vocabularies and merges by score, as SentencePiece's files have them, and merges of bytes can be "
            "grown by training. Add tokens to others with extend()."
        )
        raise InputError("train-option", message, option="grow")


def _prepared(spec: Spec) -> Preparation:
    """How the tokenizer sees a corpus; spaces part words if no piece goes across one."""
    meta = [name for name, _, kind in spec.pieces if kind in (Kind.CONTROL, Kind.USER_DEFINED, Kind.BYTE)]
    mark = SPACE_MARK.encode()
    inside = any(mark in name[1:-1] for name, _, kind in spec.pieces if kind == Kind.NORMAL and name.strip(mark))
    cutting = "texts" if inside else "suffix" if spec.whitespace_as_suffix else "prefix"
    breaks = tuple(sorted({name.decode() for name in meta} | {BOUNDARY}))
    return Preparation(str(spec.segmenter), spec, cutting, breaks)  # type: ignore[arg-type]


def _candidates(
    tokenizer: Tokenizer, counts: WordCounts, amount: int, progress: Callable[[str, int, int], None] | None
) -> list[tuple[str, float]]:
    """Pieces that a vocabulary trained on the corpus alone has and this one has not, the best first."""
    spec = tokenizer.spec
    alphabet = len({character for word, _ in counts.items() for character in word.decode("utf-8", "replace")})
    options = PieceOptions(
        vocab_size=_MORE * amount + alphabet + 1000,
        hard_vocab_limit=False,
        treat_whitespace_as_suffix=spec.whitespace_as_suffix,
        split_by_whitespace=counts.preparation.cutting != "texts",
        split_digits=not any(_DIGITS.search(name) for name, _, kind in spec.pieces if kind == Kind.NORMAL),
    )
    made = _trained(counts, options, spec, progress)
    known = {name for name, _, _ in spec.pieces}
    rows = [(name.decode(), score) for name, score, kind in made.pieces if kind == Kind.NORMAL and name not in known]
    if not rows:
        message = "The corpus has no piece that the vocabulary lacks. Train on other text."
        raise InputError("train-corpus", message)
    return rows


def _trained(counts: WordCounts, options: PieceOptions, spec: Spec, progress: Any) -> Spec:
    if spec.segmenter == "unigram":
        return unigram_spec(counts.words, options, spec, 1, progress)
    return score_bpe_spec(counts.words, options, spec, progress)


def _chosen(
    tokenizer: Tokenizer, counts: WordCounts, rows: list[tuple[str, float]], amount: int
) -> list[tuple[str, float]]:
    """Those used together with the old pieces, the most used first. New scores change what is used, hence rounds."""
    first = tokenizer.vocab_size
    for _ in range(_ROUNDS):
        used = usage(_joined(tokenizer, rows), counts)[0]
        rows = _rescored(tokenizer.spec, rows, used[first:], int(used.sum()))
    kept = sorted(range(len(rows)), key=lambda place: (-used[first + place], place))[:amount] if rows else []
    return [rows[place] for place in (sorted(kept) if tokenizer.spec.segmenter == "bpe" else kept)]


def _rescored(
    spec: Spec, rows: list[tuple[str, float]], used: NDArray[np.int64], total: int
) -> list[tuple[str, float]]:
    if spec.segmenter == "bpe":
        return rows
    return [(piece, math.log(max(int(times), 1) / total)) for (piece, _), times in zip(rows, used, strict=True)]


def _joined(tokenizer: Tokenizer, rows: list[tuple[str, float]]) -> Tokenizer:
    """The tokenizer with new pieces at its end; merges by score come behind all others."""
    pieces = tokenizer.spec.pieces
    lowest = float(pieces.scores.min())
    unigram = tokenizer.spec.segmenter == "unigram"
    new: list[tuple[str | bytes, float, int]] = [
        (piece, score if unigram else lowest - 1 - place, Kind.NORMAL) for place, (piece, score) in enumerate(rows)
    ]
    return tokenizer.replace(pieces=appended(pieces, pieces.kinds, new), samples=())
