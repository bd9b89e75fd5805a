"""A normalizer, pre-tokenizer or decoder by itself: what it makes of one text or of some tokens."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..._core.bridge import compiled
from ..._core.calls import call
from ...errors import AnyPieceError, FormatError
from ...formats.huggingface.added import OFF
from ...formats.huggingface.decoder import read_decoder
from ...formats.huggingface.model import BYTE_CHARACTERS
from ...formats.huggingface.stages import read_stages
from ...reference.decode_steps import decoded
from ...spec import Kind, Pieces, Spec
from .component import dumped

if TYPE_CHECKING:
    from ... import _native
    from ...formats.huggingface.stages import Stages

__all__ = ["ALPHABET", "decoded_tokens", "letters", "normalized_text", "pre_tokens", "refused"]

ALPHABET = [chr(character) for character in BYTE_CHARACTERS]
"""The character that stands for each byte in byte-level vocabularies."""


def letters(raw: bytes) -> str:
    """Bytes as the characters that stand for them."""
    return "".join([ALPHABET[byte] for byte in raw])


def refused(error: AnyPieceError) -> Exception:
    """The error for a component that is not reproduced, or that is wrong in itself."""
    if isinstance(error, FormatError) and error.code == "json-unsupported":
        return NotImplementedError(str(error))
    return Exception(str(error))


def normalized_text(section: dict[str, Any], text: str) -> str:
    """What a normalizer makes of a text."""
    stages, kernel = _normalizer(dumped(section))
    found = text if kernel is None else call(kernel.normalize, text)
    return letters(found.encode()) if stages.mapped else found


@lru_cache(64)
def _normalizer(section: bytes) -> tuple[Stages, _native.Tokenizer | None]:
    import json

    try:
        stages = read_stages(json.loads(section), None)
        spec = Spec(_WORD, segmenter="word-level", normalizer=stages.steps, charsmap=stages.charsmap, **OFF)
        return stages, compiled(spec, 0) if stages.steps else None
    except AnyPieceError as error:
        raise refused(error) from None


def pre_tokens(section: dict[str, Any], text: str) -> list[tuple[str, tuple[int, int]]]:
    """The pre-tokens of a text, each with its place in it."""
    byte_level, kernel = _pre_tokenizer(dumped(section))
    rows = call(kernel.chunks, text, True) if text else []
    return [(letters(raw) if byte_level else raw.decode(), (start, end)) for raw, start, end in rows]


@lru_cache(64)
def _pre_tokenizer(section: bytes) -> tuple[bool, _native.Tokenizer]:
    import json

    try:
        stages = read_stages(None, json.loads(section))
        rest: dict[str, Any] = (
            {"segmenter": "bpe", "symbols": "bytes"} if stages.byte_level else {"segmenter": "word-level"}
        )
        pieces = _BYTES if stages.byte_level else _WORD
        return stages.byte_level, compiled(Spec(pieces, **rest, **stages.settings(), **OFF), 0)
    except AnyPieceError as error:
        raise refused(error) from None


_WORD = Pieces.of([("?", 0.0, Kind.UNKNOWN)])
_BYTES = Pieces.of([(bytes([byte]), -float(byte), Kind.NORMAL) for byte in range(256)])


def decoded_tokens(section: dict[str, Any] | None, tokens: list[str]) -> str:
    """What a decoder makes of tokens; without one, spaces stand between them."""
    try:
        steps = read_decoder(section, False, dict) or ()
        return decoded(steps, [token.encode() for token in tokens], has_empty=True).decode("utf-8", "replace")
    except AnyPieceError as error:
        raise refused(error) from None
