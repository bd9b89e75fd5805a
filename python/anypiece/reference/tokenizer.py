"""The reference tokenizer: the stages in a row, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import template, utf8
from .bpe import Bpe
from .char import Char
from .decode import Decoder, Errors
from .normalize import Normalizer
from .tokens import Token, Tokens, with_char_spans
from .unigram import Unigram
from .word import Word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..spec import Spec

__all__ = ["ReferenceTokenizer"]

_SEGMENTERS: dict[str, type[Unigram | Bpe | Char | Word]] = {
    "unigram": Unigram,
    "bpe": Bpe,
    "char": Char,
    "word": Word,
}


class ReferenceTokenizer:
    """A tokenizer made of a Spec, slow and exact.

    >>> from anypiece.spec import Kind, Pieces, Spec
    >>> tokenizer = ReferenceTokenizer(Spec(Pieces.of([("<unk>", 0, Kind.UNKNOWN), ("▁a", -1, Kind.NORMAL)])))
    >>> tokenizer.encode("a a!"), tokenizer.decode([1, 1])
    ([1, 1, 0], 'a a')
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.normalizer = Normalizer(spec)
        self.segmenter = _SEGMENTERS[spec.segmenter](spec)
        self.tokens = Tokens(spec)
        self.decoder = Decoder(spec)

    def encode(self, text: str | bytes, **options: bool) -> list[int]:
        """The ids of a text. ``options`` are those of the template: reverse, bos, eos, unk."""
        return [token.id for token in self.encode_spans(text, **options)]

    def encode_spans(self, text: str | bytes, *, chars: bool = False, **options: bool) -> list[Token]:
        """The tokens of a text with their spans in it, in bytes or in characters."""
        raw = utf8.of_text(text)
        normalized = self.normalizer.normalize(raw)
        path = self.segmenter.segment(normalized.text)
        tokens = self.tokens.tokens(normalized, path)
        tokens = template.apply(self.spec, tokens, len(raw), **options)
        return with_char_spans(tokens, utf8.character_starts(text)) if chars else tokens

    def normalize(self, text: str | bytes) -> str:
        """The text as the segmenter sees it."""
        return self.normalizer.normalize(utf8.of_text(text)).text.decode()

    def decode(self, ids: Iterable[int], errors: Errors = "replace") -> str:
        """The text of ids."""
        return self.decoder.decode(ids, errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The text of ids as bytes, with byte pieces as they are."""
        return self.decoder.decode_bytes(ids)
