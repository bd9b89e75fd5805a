"""Char: one piece per character, except that a user-defined piece is taken whole.

Every kind of piece but control pieces is found here, unused ones too, if it is a single character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .prefix import Prefixes
from .unigram import Path, Segment
from .utf8 import lead_length
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..spec import Spec
    from .watch import Watch

__all__ = ["Char"]


class Char:
    """The char segmenter of a Spec."""

    def __init__(self, spec: Spec) -> None:
        self.vocabulary = Vocabulary(spec)
        self.prefixes = Prefixes(spec)

    def segment(self, text: bytes, watch: Watch | None = None) -> Path:
        """The characters of normalized text."""
        path: Path = []
        start = 0
        while start < len(text):
            end = start + (self.prefixes.longest(text, start) or lead_length(text[start]))
            path.append(Segment(start, end, self.vocabulary.symbol_id(text[start:end])))
            start = end
        return path
