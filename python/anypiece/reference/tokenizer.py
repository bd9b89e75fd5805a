"""The reference tokenizer: the stages in a row, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import template, utf8
from .bpe import Bpe
from .byte_bpe import ByteBpe
from .char import Char
from .decode import Decoder, Errors, repaired
from .decode_steps import decoded
from .greedy import Greedy
from .merge_bpe import MergeBpe
from .normalize import Normalized, Normalizer
from .plamo import Plamo
from .rules import chunks_of
from .steps import Character, steps_of, text_of
from .tokens import Token, Tokens, with_char_spans
from .unigram import Unigram
from .word import Word
from .word_level import WordLevel
from .wordpiece import Wordpiece

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..spec import Spec

__all__ = ["ReferenceTokenizer"]

_SEGMENTERS: dict[str, type[Unigram | Bpe | Char | Word | Wordpiece | WordLevel | Plamo]] = {
    "unigram": Unigram,
    "bpe": Bpe,
    "char": Char,
    "word": Word,
    "wordpiece": Wordpiece,
    "word-level": WordLevel,
    "plamo": Plamo,
}
_OF_BYTES: dict[str, type[ByteBpe]] = {"bpe": ByteBpe, "greedy": Greedy}


class ReferenceTokenizer:
    """A tokenizer made of a Spec, slow and exact.

    >>> from anypiece.spec import Kind, Pieces, Spec
    >>> tokenizer = ReferenceTokenizer(Spec(Pieces.of([("<unk>", 0, Kind.UNKNOWN), ("▁a", -1, Kind.NORMAL)])))
    >>> tokenizer.encode("a a!"), tokenizer.decode([1, 1])
    ([1, 1, 0], 'a a')
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.merges = MergeBpe(spec) if len(spec.merges) else None
        self.bytes = _OF_BYTES[spec.segmenter](spec) if spec.symbols == "bytes" else None
        self.lone_surrogate = utf8.REPLACEMENT if self.bytes else b"\xff"
        self.staged = bool(spec.normalizer or spec.split_rules)
        self.normalizer = Normalizer(spec)
        self.segmenter = None if self.bytes else _SEGMENTERS[spec.segmenter](spec)
        self.tokens = Tokens(spec)
        self.decoder = Decoder(spec)

    def encode(self, text: str | bytes, **options: bool) -> list[int]:
        """The ids of a text. ``options`` are those of the template: reverse, bos, eos, unk."""
        return [token.id for token in self.encode_spans(text, **options)]

    def encode_spans(self, text: str | bytes, *, chars: bool = False, **options: bool) -> list[Token]:
        """The tokens of a text with their spans in it, in bytes or in characters."""
        raw = utf8.of_text(text, self.lone_surrogate)
        if self.staged:
            tokens = [token for chunk in self.chunks(raw) for token in self._chunk_tokens(chunk)]
        elif self.segmenter is None:
            assert self.bytes is not None
            tokens = (self.merges or self.bytes).tokens(raw)
        else:
            normalized = self.normalizer.normalize(raw)
            path = (self.merges or self.segmenter).segment(normalized.text)
            tokens = self.tokens.tokens(normalized, path)
        tokens = template.apply(self.spec, tokens, len(raw), **options)
        if not chars:
            return tokens
        return with_char_spans(tokens, utf8.character_starts(text, self.lone_surrogate), whole=self.bytes is not None)

    def chunks(self, raw: bytes) -> list[Normalized]:
        """What the steps and rules of the Spec make of a text: its chunks, or all of it where there are no rules."""
        text = steps_of(raw, self.spec.normalizer, self.spec.charsmap)
        bytes_wanted = self.spec.symbols == "bytes"
        return [
            _encoded(chunk, bytes_wanted) for chunk in chunks_of(text, self.spec.split_rules, bytes_wanted=bytes_wanted)
        ]

    def _chunk_tokens(self, chunk: Normalized) -> list[Token]:
        if self.segmenter is not None:
            return self.tokens.tokens(chunk, (self.merges or self.segmenter).segment(chunk.text))
        assert self.bytes is not None
        tokens = (self.merges or self.bytes).tokens(chunk.text)
        spans = [chunk.span(token.start, token.end) for token in tokens]
        return [token._replace(start=start, end=end) for token, (start, end) in zip(tokens, spans, strict=True)]

    def normalize(self, text: str | bytes) -> str:
        """The text as the segmenter sees it, or as the rules that split it see it."""
        raw = utf8.of_text(text, self.lone_surrogate)
        if self.staged:
            return text_of(steps_of(raw, self.spec.normalizer, self.spec.charsmap))
        if self.bytes:
            return repaired(raw, "replace").decode()
        return self.normalizer.normalize(raw).text.decode()

    def decode(self, ids: Iterable[int], errors: Errors = "replace") -> str:
        """The text of ids."""
        if self.spec.decoder is not None:
            return decoded(self.spec.decoder, map(self.spec.pieces.bytes, ids), errors).decode()
        if self.bytes and self.spec.decoding == "surface":
            return self.bytes.decode_bytes(list(ids)).decode("utf-8", errors)
        return self.decoder.decode(ids, errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The text of ids as bytes, with byte pieces as they are."""
        if self.spec.decoder is not None:
            return decoded(self.spec.decoder, map(self.spec.pieces.bytes, ids), "keep")
        if self.bytes and self.spec.decoding == "surface":
            return self.bytes.decode_bytes(list(ids))
        return self.decoder.decode_bytes(ids)


def _encoded(chunk: list[Character], is_bytes: bool) -> Normalized:
    """A chunk in UTF-8, or as the bytes that its characters are."""
    names = [character.text.encode("latin-1" if is_bytes else "utf-8") for character in chunk]
    starts = [character.start for character, name in zip(chunk, names, strict=True) for _ in name]
    ends = [character.end for character, name in zip(chunk, names, strict=True) for _ in name]
    return Normalized(b"".join(names), [*starts, ends[-1] if ends else 0], ends)
