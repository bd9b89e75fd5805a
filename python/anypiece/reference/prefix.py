"""User-defined pieces at the start of a text: the longest one wins.

Three stages ask this question: the normalizer, to leave such text alone; score-merge BPE, to freeze it into one symbol;
and the char segmenter, to take it as one piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..spec import Kind
from .vocabulary import segmented

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["Prefixes"]

_MAX_MATCHES = 64


class Prefixes:
    """The user-defined pieces of a Spec, as bytes."""

    def __init__(self, spec: Spec) -> None:
        whole = spec.match_kinds != "all"
        self.names = {name for _, name, kind in segmented(spec) if whole and kind == Kind.USER_DEFINED}
        self._most: int | None = _MAX_MATCHES
        if spec.match_kinds == "unused":  # what they begin with counts too
            self.names = {name[: length + 1] for name in self.names for length in range(len(name))}
            self._most = None
        self._longest = max(map(len, self.names), default=0)

    def longest(self, text: bytes, start: int) -> int:
        """The length of the longest user-defined piece at ``start``, or 0. Only the 64 shortest that match count."""
        ends = range(start + 1, min(start + self._longest, len(text)) + 1)
        found = [end - start for end in ends if text[start:end] in self.names]
        return found[: self._most][-1] if found else 0
