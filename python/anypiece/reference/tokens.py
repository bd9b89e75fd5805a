"""Tokens: segments of normalized text as tokens with spans in the original text.

Neighbouring unknowns become one token, unless they are whole chunks. With byte fallback they do not: every unknown is
spelled out in byte pieces, all of which stand at its beginning with no width, except the last, which has the whole span.
Where byte pieces match text by their spelling, each of a run of unknowns has the span of that run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..spec import Spec
    from .normalize import Normalized
    from .unigram import Path, Segment
    from .watch import Watch

__all__ = ["Token", "Tokens", "byte_piece", "with_char_spans"]


class Token(NamedTuple):
    """A piece at a place. ``piece`` is its spelling, or for an unknown its normalized text."""

    id: int
    piece: str
    start: int
    end: int


def byte_piece(byte: int) -> bytes:
    """The text of the piece that stands for a byte.

    >>> byte_piece(10)
    b'<0x0A>'
    """
    return f"<0x{byte:02X}>".encode()


class Tokens:
    """The token stage of a Spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.vocabulary = Vocabulary(spec)

    def tokens(self, normalized: Normalized, path: Path, watch: Watch | None = None) -> list[Token]:
        """The tokens of a path, with byte spans."""
        if len(self.spec.merges):
            found = [self._whole(normalized, segment) for segment in path]
            if watch is not None:
                for segment, token in zip(path, found, strict=True):
                    watch.token(segment, "unknown" if segment.id == self.spec.unk_id else "piece", [token])
            return found
        out: list[Token] = []
        after_unknown = False
        run: int | None = None
        for segment in path:
            start, end, piece = segment
            name = normalized.text[start:end]
            unknown = piece == self.vocabulary.unk_id
            shown = name.decode() if unknown else self.spec.pieces.piece(piece)
            token = Token(piece, shown, *normalized.span(start, end))
            spells = self.spec.match_kinds == "spelled"
            if unknown and self.spec.byte_fallback and not (spells and name == self.spec.pieces.bytes(piece)):
                run = len(out) if run is None else run
                out += self._bytes_of(name, token)
                if spells:
                    out[run:] = [one._replace(start=out[run].start, end=token.end) for one in out[run:]]
                if watch is not None:
                    watch.token(segment, "bytes", out[-len(name) :])
                continue
            run = None
            fused = unknown and after_unknown and self._fuses()
            if fused:
                out[-1] = out[-1]._replace(piece=out[-1].piece + token.piece, end=token.end)
            else:
                out.append(token)
            if watch is not None:
                watch.token(segment, "fused" if fused else "unknown" if unknown else "piece", out[-1:])
            after_unknown = unknown
        return out

    def _whole(self, normalized: Normalized, segment: Segment) -> Token:
        """The token of a merged symbol. It has those characters whole that it has a part of."""
        text = normalized.text
        start, end = min(segment.start, len(text)), min(segment.end, len(text))
        unknown = segment.id == self.spec.unk_id
        name = text[start:end] if unknown else self.spec.pieces.bytes(segment.id)
        while start < len(text) and text[start] & 0xC0 == 0x80:
            start -= 1
        while start < end < len(text) and text[end] & 0xC0 == 0x80:
            end += 1
        return Token(segment.id, name.decode("utf-8", "replace"), *normalized.span(start, max(start, end)))

    def _fuses(self) -> bool:
        return self.spec.segmenter not in ("wordpiece", "word-level") and not self.spec.byte_fallback

    def _bytes_of(self, name: bytes, token: Token) -> list[Token]:
        out = [self._byte(byte, token.start) for byte in name]
        out[-1] = out[-1]._replace(end=token.end)
        return out

    def _byte(self, byte: int, place: int) -> Token:
        """``<0xAB>``, or the character itself where every piece can match and only that is a piece."""
        names = [byte_piece(byte), bytes([byte])]
        found = next(name for name in names if self.vocabulary.id_of(name) != self.vocabulary.unk_id)
        return Token(self.vocabulary.id_of(found), found.decode(), place, place)


def with_char_spans(tokens: list[Token], numbers: list[int], whole: bool = False) -> list[Token]:
    """The tokens with spans in characters; ``numbers`` says in which character each byte lies.

    A token that ends inside a character ends before it, or with it if ``whole``.
    """
    ends = [0, *(number + 1 for number in numbers[:-1])] if whole else numbers
    return [token._replace(start=numbers[token.start], end=ends[token.end]) for token in tokens]
