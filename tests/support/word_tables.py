"""Tables of words for trainers, from plain dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anypiece import Kind, Pieces, Spec, _native
from anypiece.formats.settings import UNCHANGED

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["byte_skeleton", "line_skeleton", "piece_skeleton", "table"]


def table(words: Mapping[str, int] | Mapping[bytes, int], ordered: bool = False) -> _native.Words:
    """The native table of some words with their counts; an ordered one keeps their order."""
    rows = [(word.encode() if isinstance(word, str) else word, count) for word, count in words.items()]
    offsets = np.zeros(len(rows) + 1, "<u8")
    np.cumsum([len(word) for word, _ in rows], out=offsets[1:])
    counts = np.array([count for _, count in rows], "<u8")
    return _native.Words(b"".join(word for word, _ in rows), offsets.tobytes(), counts.tobytes(), ordered)


_NONE = Pieces.of([("<unk>", 0.0, Kind.UNKNOWN)])


def byte_skeleton(splitter: str = "gpt2") -> Spec:
    """What a byte-level vocabulary has besides its pieces."""
    return Spec(_NONE, segmenter="bpe", symbols="bytes", splitter=splitter, **UNCHANGED)


def piece_skeleton() -> Spec:
    """What SentencePiece's vocabularies have besides their pieces, without a normalizer."""
    return Spec(_NONE)


def line_skeleton() -> Spec:
    """What BytePiece's vocabularies have besides their pieces."""
    return Spec(_NONE, splitter="lines", normalizer=({"type": "nfc-14.0"},), **UNCHANGED)
