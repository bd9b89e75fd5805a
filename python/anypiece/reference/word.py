"""Word: one piece per word. A word begins at each "▁", whether the mark stands in front of words or behind them.

Every kind of piece but control pieces is found here, unused ones too; user-defined pieces have no privilege.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..spec import SPACE_MARK
from .unigram import Path, Segment
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..spec import Spec
    from .watch import Watch

__all__ = ["Word"]

_MARK = SPACE_MARK.encode()
_WORD = re.compile(rb"(?s:.)(?s:(?!" + _MARK + rb").)*")


class Word:
    """The word segmenter of a Spec."""

    def __init__(self, spec: Spec) -> None:
        self.vocabulary = Vocabulary(spec)

    def segment(self, text: bytes, watch: Watch | None = None) -> Path:
        """The words of normalized text."""
        found = (word.span() for word in _WORD.finditer(text))
        return [Segment(start, end, self.vocabulary.symbol_id(text[start:end])) for start, end in found]
