"""Greedy: always the longest piece that the text goes on with. Pieces are bytes, and every byte is one."""

from __future__ import annotations

from .byte_bpe import ByteBpe

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

    def merged(self, chunk: bytes) -> list[bytes]:
        """The pieces of a chunk."""
        parts: list[bytes] = []
        while chunk:
            end = next(end for end in range(len(chunk), 0, -1) if chunk[:end] in self.ids)
            parts.append(chunk[:end])
            chunk = chunk[end:]
        return parts
