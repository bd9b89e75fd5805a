"""A unigram tokenizer of given pieces, and all paths of a text by enumeration."""

from __future__ import annotations

import numpy as np

import anypiece as ap
from anypiece import Kind, Pieces, Spec

PLAIN = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}


def tokenizer(rows: dict[str, float], **settings: bool) -> ap.Tokenizer:
    listed = [("<unk>", 0.0, Kind.UNKNOWN), *((piece, score, Kind.NORMAL) for piece, score in rows.items())]
    return ap.Tokenizer(Spec(Pieces.of(listed), **(PLAIN | settings)))


def all_paths(rows: dict[str, float], text: str) -> list[tuple[float, tuple[str, ...]]]:
    """Score and pieces of every segmentation, the best first; unknown characters stand for themselves."""
    unknown = float(np.float32(min(rows.values())) - np.float32(10))
    found: list[tuple[float, tuple[str, ...]]] = []

    def go(at: int, score: float, before: tuple[str, ...]) -> None:
        if at == len(text):
            found.append((score, before))
            return
        for end in range(at + 1, len(text) + 1):
            piece = text[at:end]
            if piece in rows:
                go(end, score + rows[piece], (*before, piece))
            elif end == at + 1:
                go(end, score + unknown, (*before, piece))

    go(0, 0.0, ())
    return sorted(found, key=lambda row: -row[0])
