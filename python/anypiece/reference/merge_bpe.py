"""Merge-list BPE: join neighbours that the list of merges has, always the pair that stands first in it, until none is left.

Of equal pairs the leftmost goes first. A chunk begins as one symbol a character (or a byte, where pieces are bytes). A
symbol is spelled as the Spec wants it at its place: with ``symbol_prefix`` in front if it is not the first of its chunk,
with ``end_suffix`` behind if it is the last. What is no piece then is spelled in byte pieces, if there is one for each of
its bytes; otherwise ``Spec.unknown`` says what becomes of it.

All of that comes before merging, so byte pieces and the unknown piece may take part in merges. And one thing is odd: the
unknown piece is put down only when the next symbol that is a piece comes, so that byte pieces overtake it.

A merge that makes a special piece is skipped: no text becomes one, unless the caller permits it.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..spec import AddedFlag, Kind
from . import split
from .tokens import Token, byte_piece
from .unigram import Path, Segment
from .utf8 import lead_length
from .watch import Merge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..spec import Spec
    from .watch import Watch

__all__ = ["MergeBpe"]

_NOTHING = -1
"""Stands for a symbol that leaves no token but keeps its neighbours apart."""


class _Symbol(NamedTuple):
    """A piece, and how many bytes of the chunk it stands for."""

    id: int
    length: int


class MergeBpe:
    """The segmenter of a Spec that has merges.

    >>> from anypiece.spec import Pieces, Spec
    >>> rows = [("<unk>", 0, Kind.UNKNOWN), *[(name, 0, Kind.NORMAL) for name in ("a", "b", "ab", "abb")]]
    >>> bpe = MergeBpe(Spec(Pieces.of(rows), "bpe", merges=[[1, 2, 3], [3, 2, 4]]))
    >>> [segment.id for segment in bpe.segment(b"aabbc")]
    [1, 4, 0]
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.prefix, self.suffix = spec.symbol_prefix.encode(), spec.end_suffix.encode()
        apart = {Kind.CONTROL, Kind.USER_DEFINED} if len(spec.added) else {Kind.CONTROL}
        self.ids = {name: index for index, (name, _, kind) in enumerate(spec.pieces) if kind not in apart and name}
        self.bytes = {name: index for index, (name, _, kind) in enumerate(spec.pieces) if kind == Kind.BYTE}
        special = set(np.flatnonzero(spec.pieces.kinds == Kind.CONTROL).tolist())
        special |= {spec.unk_id} & {id for _, id, flags in spec.added if flags & AddedFlag.SPECIAL}
        rows = enumerate(spec.merges.tolist())
        self.ranks = {(left, right): rank for rank, (left, right, made) in rows if made not in special}
        self.results = spec.merges[:, 2].tolist()

    def tokens(self, text: bytes, watch: Watch | None = None) -> list[Token]:
        """The tokens of a text whose pieces are bytes, with byte spans."""
        tokens = []
        for start, end, id in self.segment(text, watch):
            name = text[start:end] if id == self.spec.unk_id else self.spec.pieces.bytes(id)
            tokens.append(Token(id, name.decode("utf-8", "replace"), min(start, len(text)), min(end, len(text))))
        return tokens

    def segment(self, text: bytes, watch: Watch | None = None) -> Path:
        """The pieces of normalized text. A place is the sum of the lengths before it, whatever was dropped on the way."""
        path: Path = []
        before = 0
        for chunk, rule in split.ruled(self.spec.splitter, text):
            if watch is not None:
                watch.chunk(before, before + len(chunk), rule)
            symbols = self.symbols(chunk, watch)
            for symbol, (start, end) in zip(symbols, self._places(chunk, symbols), strict=True):
                if symbol.id != _NOTHING:
                    path.append(Segment(before + start, before + end, symbol.id))
            before += len(chunk)
        return path

    def _places(self, chunk: bytes, symbols: list[_Symbol]) -> list[tuple[int, int]]:
        """Where each symbol lies. Where bytes can be dropped, lengths are those of the letters that stand for bytes."""
        if self.spec.symbols != "bytes" or self.spec.unknown != "drop":
            ends = list(accumulate((symbol.length for symbol in symbols), initial=0))
            return list(pairwise(ends))
        wide = [byte not in range(0x21, 0x7F) for byte in chunk]
        owners = [place for place, is_wide in enumerate(wide) for _ in range(1 + is_wide)]
        places, at = [], 0
        for symbol in symbols:
            name = self.spec.pieces.bytes(symbol.id)
            end = at + symbol.length + sum(byte not in range(0x21, 0x7F) for byte in name)
            places.append((owners[at], owners[end - 1] + 1))
            at = end
        return places

    def chunks(self, text: bytes) -> list[bytes]:
        """What the splitter cuts."""
        return split.byte_chunks(self.spec.splitter, text)

    def symbols(self, chunk: bytes, watch: Watch | None = None) -> list[_Symbol]:
        """The merged symbols of a chunk."""
        if self.spec.whole_chunks and chunk in self.ids:
            if watch is not None:
                watch.whole(self.ids[chunk])
            return [_Symbol(self.ids[chunk], len(chunk))]
        symbols = self.first(chunk)
        while True:
            if watch is not None:
                watch.symbols([(None if symbol.id == _NOTHING else symbol.id, symbol.length) for symbol in symbols])
            pairs = [(one.id, other.id) for one, other in pairwise(symbols)]
            ranked = [(self.ranks[pair], place) for place, pair in enumerate(pairs) if pair in self.ranks]
            if not ranked:
                return symbols
            if watch is not None:
                watch.choice([Merge(rank, place, self.results[rank]) for rank, place in sorted(ranked)])
            rank, place = min(ranked)
            length = symbols[place].length + symbols[place + 1].length
            symbols[place : place + 2] = [_Symbol(self.results[rank], length)]

    def first(self, chunk: bytes) -> list[_Symbol]:
        """What merging starts from."""
        symbols: list[_Symbol] = []
        waiting = 0
        for name, length in self._spelled(chunk):
            fallback = self._fallback(name)
            if name in self.ids:
                if waiting:
                    symbols.append(_Symbol(self.spec.unk_id, waiting))
                waiting = 0
                symbols.append(_Symbol(self.ids[name], length))
            elif fallback:
                symbols += fallback
            elif self.spec.unknown == "fuse":
                waiting += length
            elif self.spec.unknown == "each":
                if waiting:
                    symbols.append(_Symbol(self.spec.unk_id, waiting))
                waiting = length
            elif self.spec.unknown == "omit":
                symbols.append(_Symbol(_NOTHING, length))
        return [*symbols, _Symbol(self.spec.unk_id, waiting)] if waiting else symbols

    def _spelled(self, chunk: bytes) -> Iterator[tuple[bytes, int]]:
        """Each character or byte as it is looked up, and its length."""
        start = 0
        while start < len(chunk):
            end = start + (1 if self.spec.symbols == "bytes" else lead_length(chunk[start]))
            name = chunk[start:end]
            if start > 0:
                name = self.prefix + name
            if end == len(chunk):
                name += self.suffix
            yield name, end - start
            start = end

    def _fallback(self, name: bytes) -> list[_Symbol]:
        """A symbol in byte pieces, or nothing if one of them is missing."""
        names = [byte_piece(byte) for byte in name]
        return [_Symbol(self.bytes[each], 1) for each in names] if all(each in self.bytes for each in names) else []
