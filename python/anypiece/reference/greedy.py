"""Greedy: always the longest piece that the text goes on with. Pieces are bytes, and every byte is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .byte_bpe import ByteBpe

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["Greedy"]


class Greedy(ByteBpe):
    """The greedy segmenter of a Spec whose pieces are bytes.

    >>> from anypiece.spec import Kind, Pieces, Spec
    >>> rows = [(bytes([byte]), 0, Kind.NORMAL) for byte in range(256)] + [("ab", 0, Kind.NORMAL), ("bbb", 0, Kind.NORMAL)]
    >>> spec = Spec(Pieces.of(rows), "greedy", "bytes", add_dummy_prefix=False, remove_extra_whitespaces=False,
    ...             escape_whitespaces=False)
    >>> [token.id for token in Greedy(spec).tokens(b"abbbb")]
    [256, 257]
    """

    def merged(self, chunk: bytes, watch: Watch | None = None) -> list[bytes]:
        """The pieces of a chunk."""
        parts: list[bytes] = []
        at, whole = 0, len(chunk)
        while chunk:
            end = next(end for end in range(len(chunk), 0, -1) if chunk[:end] in self.ids)
            if watch is not None:
                watch.match(at, whole, at + end, self.ids[chunk[:end]])
            at += end
            parts.append(chunk[:end])
            chunk = chunk[end:]
        return parts
