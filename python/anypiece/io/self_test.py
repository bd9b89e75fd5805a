"""Self-test samples: sentences that a file carries together with the pieces they must come out as.

A unigram result is compared by the total score of its pieces, since two paths of equal score are equally right; other
segmenters by the pieces themselves. That is the rule under which the files were written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import FormatError
from ..spec import SPACE_MARK, Kind, Sample

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

__all__ = ["PathScores", "SampleFailure", "failed_samples", "made_samples", "refuse_failed_samples"]

_MADE = 16
_PIECES_IN_A_SAMPLE = 8
_CHARACTERS_OF_A_PIECE = 256
"""Of a longer piece a sample has the beginning: 8 pieces of 8,000 bytes, searched from each place, take half a second."""
_TOLERANCE = 1e-7
_UNKNOWN_PENALTY = np.float32(10.0)
_FLT_MIN = np.finfo(np.float32).tiny


@dataclass(frozen=True)
class SampleFailure:
    """A sample that came out otherwise than the file says."""

    sample: Sample
    found: tuple[str, ...]


def failed_samples(tokenizer: Tokenizer) -> list[SampleFailure]:
    """The samples of the tokenizer's Spec that do not come out as they should."""
    failures = []
    for sample in tokenizer.spec.samples:
        found = tuple(tokenizer.encode_pieces(sample.text))
        if not _equivalent(tokenizer, " ".join(found), " ".join(sample.pieces)):
            failures.append(SampleFailure(sample, found))
    return failures


def made_samples(tokenizer: Tokenizer) -> tuple[Sample, ...]:
    """Samples for a file that has none of its own: short texts out of the vocabulary, as they come out today."""
    pieces = tokenizer.spec.pieces
    chosen = np.linspace(0, len(pieces) - 1, _MADE * _PIECES_IN_A_SAMPLE).astype(int).tolist()
    names = [pieces.piece(index).replace(SPACE_MARK, " ")[:_CHARACTERS_OF_A_PIECE] for index in chosen]
    texts = ["".join(names[start::_MADE]) for start in range(_MADE)]
    return tuple(Sample(text, tuple(tokenizer.encode_pieces(text))) for text in texts)


def refuse_failed_samples(tokenizer: Tokenizer, name: str) -> None:
    """Raise ``self-test-failed`` when a sample fails."""
    failures = failed_samples(tokenizer)
    if not failures:
        return
    first = failures[0]
    raise FormatError(
        "self-test-failed",
        f"{name}: {len(failures)} of {len(tokenizer.spec.samples)} self-test samples fail; the first is "
        f"{first.sample.text!r}, which should give {' '.join(first.sample.pieces)!r} but gives {' '.join(first.found)!r}. "
        "The file was changed after training, or needs another dialect; check_samples=False loads it all the same.",
        failed=len(failures),
        samples=len(tokenizer.spec.samples),
    )


def _equivalent(tokenizer: Tokenizer, found: str, expected: str) -> bool:
    if found == expected:
        return True
    if tokenizer.spec.segmenter != "unigram":
        return False
    scores = PathScores(tokenizer)
    return abs(scores.total(found) - scores.total(expected)) <= _TOLERANCE


class PathScores:
    """What pieces add to a path of a unigram vocabulary."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        pieces = tokenizer.spec.pieces
        normal = pieces.scores[pieces.kinds == Kind.NORMAL]
        lowest = np.float32(normal.min()) if len(normal) else np.finfo(np.float32).max
        self.unknown: np.float32 = lowest - _UNKNOWN_PENALTY
        """Of an unknown character: ten less than the lowest score of a normal piece."""
        self._best = max(np.float32(_FLT_MIN), np.float32(normal.max())) if len(normal) else np.float32(_FLT_MIN)

    def user_defined(self, length: int) -> np.float32:
        """The score under which a user-defined piece of ``length`` bytes competes."""
        if self._tokenizer.spec.user_defined_score == "length-bonus":
            return np.float32(0.1 * (length - 1))
        return np.float32(length) * self._best - np.float32(0.1)

    def total(self, pieces: str) -> float:
        """The sum in float, piece by piece, of pieces that are joined by spaces: so the file's own check adds it up."""
        total = np.float32(0)
        for piece in pieces.split(" "):
            total += self._of_piece(piece)
        return float(total)

    def _of_piece(self, piece: str) -> np.float32:
        tokenizer = self._tokenizer
        piece_id = tokenizer.piece_to_id(piece, default=tokenizer.unk_id)
        if piece_id is None or piece_id == tokenizer.unk_id:
            return self.unknown
        if tokenizer.kind(piece_id) == Kind.USER_DEFINED:
            return self.user_defined(len(piece.encode()))
        return np.float32(tokenizer.score(piece_id))
