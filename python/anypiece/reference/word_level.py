"""Word level: a chunk is a piece, or unknown. Control and unused pieces are never found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..spec import Kind
from . import split
from .unigram import Path, Segment
from .vocabulary import segmented

if TYPE_CHECKING:
    from ..spec import Spec
    from .watch import Watch

__all__ = ["WordLevel"]


class WordLevel:
    """The word-level segmenter of a Spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.ids: dict[bytes, int] = {}
        for index, name, kind in segmented(spec):
            if kind in (Kind.NORMAL, Kind.USER_DEFINED) and not (spec.escape_whitespaces and b" " in name):
                self.ids[name] = index

    def segment(self, text: bytes, watch: Watch | None = None) -> Path:
        """The chunks of normalized text."""
        path: Path = []
        for start, end, rule in split.ruled_spans(self.spec.splitter, text):
            if watch is not None:
                watch.chunk(start, end, rule)
            path.append(Segment(start, end, self.ids.get(text[start:end], self.spec.unk_id)))
        return path
