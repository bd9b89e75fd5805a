"""Byte BPE: cut the text into chunks, then join neighbours inside each, beginning with its bytes.

Always the pair whose joined bytes are the piece of highest score is merged, the leftmost of equals first, until no two
neighbours make a piece. A chunk that is a piece itself may be taken as it is (``Spec.whole_chunks``), even if no merges lead
to it. Nothing is unknown, since every byte is a piece, and nothing is normalized.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..spec import Kind
from . import split
from .tokens import Token
from .watch import Merge

if TYPE_CHECKING:
    from ..spec import Spec
    from .watch import Watch

__all__ = ["ByteBpe"]


class ByteBpe:
    """The segmenter and decoder of a Spec whose pieces are bytes.

    >>> from anypiece.spec import Pieces, Spec
    >>> rows = [(bytes([byte]), 0, Kind.NORMAL) for byte in range(256)] + [("ab", -256, Kind.NORMAL)]
    >>> spec = Spec(Pieces.of(rows), "bpe", "bytes", "gpt2", add_dummy_prefix=False, remove_extra_whitespaces=False,
    ...             escape_whitespaces=False)
    >>> [token.id for token in ByteBpe(spec).tokens(b"abba")]
    [256, 98, 97]
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.ids = {name: index for index, (name, _, kind) in enumerate(spec.pieces) if kind == Kind.NORMAL}
        self.scores = spec.pieces.scores.tolist()

    def tokens(self, text: bytes, watch: Watch | None = None) -> list[Token]:
        """The tokens of a text with byte spans."""
        out: list[Token] = []
        at = 0
        for chunk, rule in split.ruled(self.spec.splitter, text):
            if watch is not None:
                watch.chunk(at, at + len(chunk), rule)
            for part in self.merged(chunk, watch):
                out.append(Token(self.ids[part], part.decode("utf-8", "replace"), at, at + len(part)))
                at += len(part)
        return out

    def chunks(self, text: bytes) -> list[bytes]:
        """What the splitter cuts."""
        return split.byte_chunks(self.spec.splitter, text)

    def merged(self, chunk: bytes, watch: Watch | None = None) -> list[bytes]:
        """The pieces of a chunk."""
        if self.spec.whole_chunks and chunk in self.ids:
            if watch is not None:
                watch.whole(self.ids[chunk])
            return [chunk]
        parts = [bytes([byte]) for byte in chunk]
        while True:
            if watch is not None:
                watch.symbols([(self.ids[part], len(part)) for part in parts])
            joined = [self.ids.get(one + other) for one, other in pairwise(parts)]
            pairs = [(self.scores[piece], -place) for place, piece in enumerate(joined) if piece is not None]
            if not pairs:
                return parts
            if watch is not None:
                found = [(place, piece) for place, piece in enumerate(joined) if piece is not None]
                watch.choice(sorted(Merge(-self.scores[piece], place, piece) for place, piece in found))
            place = -max(pairs)[1]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]

    def decode_bytes(self, ids: list[int]) -> bytes:
        """The bytes of ids; a control piece is its spelling, or nothing."""
        shown = [id for id in ids if self.spec.decoding != "unmarked" or self.spec.pieces.kinds[id] != Kind.CONTROL]
        return b"".join(self.spec.pieces.bytes(piece) for piece in shown)
