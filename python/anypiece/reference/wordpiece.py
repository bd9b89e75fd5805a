"""WordPiece: the longest piece that a chunk begins with, then the longest that the rest begins with, to its end.

Pieces that begin a chunk and pieces within one are told apart by their spelling: ``##`` in front of those within, in the
files of BERT (``Spec.continuing_prefix``), or ``▁`` in front of those at the beginning, in the files of llama.cpp
(``Spec.word_prefix``). The first piece may then be the prefix alone. Where no piece fits, or the chunk has more characters
than ``Spec.max_word_chars``, all of it is unknown. The unknown piece is found by its spelling like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..spec import Kind
from . import split
from .unigram import Path, Segment
from .vocabulary import segmented

if TYPE_CHECKING:
    from ..spec import Spec
    from .watch import Watch

__all__ = ["Wordpiece"]

_MATCHED = (Kind.NORMAL, Kind.USER_DEFINED, Kind.UNKNOWN)


class Wordpiece:
    """The WordPiece segmenter of a Spec.

    >>> from anypiece.spec import Pieces, Spec
    >>> rows = [("[UNK]", 0, Kind.UNKNOWN), ("play", 0, Kind.NORMAL), ("##ing", 0, Kind.NORMAL)]
    >>> segmenter = Wordpiece(Spec(Pieces.of(rows), "wordpiece"))
    >>> [segment.id for segment in segmenter.segment(b"playing")], [segment.id for segment in segmenter.segment(b"plays")]
    ([1, 2], [0])
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.ids: dict[bytes, int] = {}
        for index, name, kind in segmented(spec):
            if kind in _MATCHED and not (spec.escape_whitespaces and b" " in name):
                self.ids.setdefault(name, index)

    def segment(self, text: bytes, watch: Watch | None = None) -> Path:
        """The pieces of normalized text."""
        path: Path = []
        for start, end, rule in split.ruled_spans(self.spec.splitter, text):
            if watch is not None:
                watch.chunk(start, end, rule)
            found = self._pieces(text[start:end], watch)
            path += [Segment(start + one, start + other, piece) for one, other, piece in found]
        return path

    def _pieces(self, chunk: bytes, watch: Watch | None) -> Path:
        unknown = [Segment(0, len(chunk), self.spec.unk_id)]
        limit = self.spec.max_word_chars
        if limit is not None and len(chunk.decode()) > limit:
            return unknown
        path: Path = []
        at, prefix = 0, self.spec.word_prefix.encode()
        while not path or at < len(chunk):
            shortest = at if prefix and not path else at + 1
            ends = (end for end in range(len(chunk), shortest - 1, -1) if prefix + chunk[at:end] in self.ids)
            end = next(ends, None)
            if watch is not None:
                found = self.spec.unk_id if end is None else self.ids[prefix + chunk[at:end]]
                watch.match(at, len(chunk), end, found)
            if end is None:
                return unknown
            path.append(Segment(at, end, self.ids[prefix + chunk[at:end]]))
            at, prefix = end, self.spec.continuing_prefix.encode()
        return path
