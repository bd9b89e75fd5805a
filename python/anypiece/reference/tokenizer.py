"""The reference tokenizer: the stages one after the other, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core.calls import trimmed
from . import template, utf8
from .bounds import Bounds
from .bpe import Bpe
from .byte_bpe import ByteBpe
from .byte_unigram import ByteUnigram
from .char import Char
from .decode import Decoder, Errors, repaired
from .decode_steps import decoded
from .greedy import Greedy
from .merge_bpe import MergeBpe
from .normalize import Normalized, Normalizer
from .plamo import Plamo
from .rules import chunks_of
from .specials import parts
from .steps import Character, steps_of, text_of
from .tokens import Token, Tokens, with_char_spans
from .unigram import Segment, Unigram
from .word import Word
from .word_level import WordLevel
from .wordpiece import Wordpiece

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ..spec import Spec
    from .watch import Watch

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
_OF_BYTES: dict[str, type[ByteBpe]] = {"bpe": ByteBpe, "greedy": Greedy, "unigram": ByteUnigram}


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

    def encode(self, text: str | bytes, **options: Any) -> list[int]:
        """The ids of a text. ``options`` are those of the template: reverse, bos, eos, unk."""
        return [token.id for token in self.encode_spans(text, **options)]

    def encode_spans(
        self,
        text: str | bytes,
        *,
        chars: bool = False,
        permitted: Collection[int] = (),
        watch: Watch | None = None,
        **options: bool,
    ) -> list[Token]:
        """The tokens of a text with their spans in it, in bytes or in characters.

        ``permitted`` are the ids of special tokens that may be found; ``watch`` is told every step.
        """
        raw = utf8.of_text(text, self.lone_surrogate)
        text_of_bytes = raw.decode("utf-8", "surrogateescape")
        tokens: list[Token] = []
        for part in parts(text_of_bytes, self.spec.added, self.spec.matching, permitted):
            start, end = _bytes_before(text_of_bytes, part.start), _bytes_before(text_of_bytes, part.end)
            if watch is not None:
                watch.part(start, end, part.id)
            if part.id is not None:
                tokens.append(self._added(part.id, raw[start:end].decode("utf-8", "replace"), start, end))
                continue
            found = self._fragment(raw[start:end], start == 0, permitted, watch)
            tokens += [token._replace(start=token.start + start, end=token.end + start) for token in found]
        length = len(raw)
        if chars:
            numbers = utf8.character_starts(text, self.lone_surrogate)
            tokens, length = with_char_spans(tokens, numbers, whole=self.bytes is not None), numbers[-1]
        tokens = [Token(*row) for row in trimmed(self.spec, tokens, chars)]
        return template.apply(self.spec, tokens, length, **options)

    def _added(self, id: int, found: str, start: int, end: int) -> Token:
        """An added token; where spans lose spaces it has the text that was found, in which they are looked for."""
        return Token(id, self.spec.pieces.piece(id) if self.spec.trim_spans == "none" else found, start, end)

    def _fragment(self, raw: bytes, is_first: bool, permitted: Collection[int], watch: Watch | None) -> list[Token]:
        """The tokens of a text without added tokens, but for those that are looked for in normalized text."""
        if self.staged:
            return self._staged(raw, is_first, permitted, watch)
        if self.segmenter is None:
            assert self.bytes is not None
            normalized = Normalized(raw, [*range(len(raw) + 1)])
        else:
            normalized = self.normalizer.normalize(raw)
        if watch is not None:
            watch.normalized(normalized)
        text = normalized.text.decode("utf-8", "surrogateescape")
        tokens: list[Token] = []
        for part in parts(text, self.spec.added, self.spec.matching, permitted, normalized=self.normalize):
            start, end = _bytes_before(text, part.start), _bytes_before(text, part.end)
            if watch is not None:
                watch.inner(start, end, part.id)
            if part.id is not None:
                found = normalized.text[start:end].decode("utf-8", "replace")
                tokens.append(self._added(part.id, found, normalized.offsets[start], normalized.offsets[end]))
            else:
                piece = Normalized(normalized.text[start:end], normalized.offsets[start : end + 1])
                tokens += self._chunk_tokens(piece, watch)
        return tokens

    def _staged(self, raw: bytes, is_first: bool, permitted: Collection[int], watch: Watch | None) -> list[Token]:
        """The tokens of a text by a Spec with steps or rules."""
        bounds = Bounds(len(raw))
        characters = steps_of(raw, self.spec.normalizer, self.spec.charsmap, bounds, watch)
        if watch is not None:
            watch.normalized(characters)
        tokens: list[Token] = []
        found = parts(text_of(characters), self.spec.added, self.spec.matching, permitted, normalized=self.normalize)
        for part in found:
            if watch is not None:
                watch.inner(part.start, part.end, part.id)
            inside = characters[part.start : part.end]
            if part.id is not None:
                tokens.append(self._added(part.id, text_of(inside), inside[0].start, inside[-1].end))
            else:
                chunks = self._chunks_of(inside, is_first, bounds, watch)
                tokens += [token for chunk in chunks for token in self._chunk_tokens(chunk, watch)]
        return tokens

    def chunks(self, raw: bytes) -> list[Normalized]:
        """What the steps and rules of the Spec make of a text: its chunks, or all of it where there are no rules."""
        bounds = Bounds(len(raw))
        return self._chunks_of(steps_of(raw, self.spec.normalizer, self.spec.charsmap, bounds), True, bounds)

    def _chunks_of(
        self, text: list[Character], is_first: bool, bounds: Bounds, watch: Watch | None = None
    ) -> list[Normalized]:
        is_bytes = self.spec.symbols == "bytes"
        rules = self.spec.split_rules
        found = chunks_of(text, rules, first=is_first, bytes_wanted=is_bytes, bounds=bounds, watch=watch)
        return [_encoded(chunk, is_bytes) for chunk in found]

    def _chunk_tokens(self, chunk: Normalized, watch: Watch | None) -> list[Token]:
        if watch is not None:
            watch.text(chunk)
        if self.segmenter is not None:
            path = (self.merges or self.segmenter).segment(chunk.text, watch)
            if watch is not None:
                watch.path(path)
            return self.tokens.tokens(chunk, path, watch)
        assert self.bytes is not None
        tokens = (self.merges or self.bytes).tokens(chunk.text, watch)
        if watch is not None:
            watch.path([Segment(token.start, token.end, token.id) for token in tokens])
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
        if self.bytes and self.spec.decoding not in ("literal", "unspaced"):
            return self.bytes.decode_bytes(list(ids)).decode("utf-8", errors)
        return self.decoder.decode(ids, errors)

    def streamed(self, ids: Iterable[int]) -> str:
        """The text of ids that arrive one by one: ``decode``, but a character that was complete is not taken back."""
        if self.spec.decoder is None:
            return self.decode(ids)
        return decoded(self.spec.decoder, map(self.spec.pieces.bytes, ids), streamed=True).decode()

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The text of ids as bytes, with byte pieces as they are."""
        if self.spec.decoder is not None:
            return decoded(self.spec.decoder, map(self.spec.pieces.bytes, ids), "keep")
        if self.bytes and self.spec.decoding not in ("literal", "unspaced"):
            return self.bytes.decode_bytes(list(ids))
        return self.decoder.decode_bytes(ids)


def _encoded(chunk: list[Character], is_bytes: bool) -> Normalized:
    """A chunk in UTF-8, or as the bytes that its characters are."""
    names = [character.text.encode("latin-1" if is_bytes else "utf-8") for character in chunk]
    starts = [character.start for character, name in zip(chunk, names, strict=True) for _ in name]
    ends = [character.end for character, name in zip(chunk, names, strict=True) for _ in name]
    return Normalized(b"".join(names), [*starts, ends[-1] if ends else 0], ends)


def _bytes_before(text: str, place: int) -> int:
    return len(text[:place].encode("utf-8", "surrogateescape"))
