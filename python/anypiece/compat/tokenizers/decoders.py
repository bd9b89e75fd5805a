"""Decoders: how tokens become text. ``DecodeStream`` does it as they arrive."""

from __future__ import annotations

from typing import Any, NoReturn

from .component import Component, Field, Listed, component_of, refuse_python
from .normalizers import pattern_of
from .pre_tokenizers import one_character, scheme_of
from .stage import decoded_tokens
from .stream import DecodeStream
from .values import Regex

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "DecodeStream",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
]


class Decoder(Component):
    """The base of all decoders.

    >>> WordPiece().decode(["My", "na", "##me"])
    'My name'
    """

    FAMILY = "decoder"

    def decode(self, tokens: Any) -> str:
        """The text of tokens."""
        if isinstance(tokens, str):
            raise TypeError("Can't extract `str` to `Vec`")
        return decoded_tokens(self._json(), list(tokens))

    @staticmethod
    def custom(decoder: object) -> NoReturn:
        """Refused: a decoder written in Python."""
        refuse_python("Decoder")
        raise AssertionError


class ByteFallback(Decoder):
    """Tokens such as ``<0x61>`` become bytes."""

    def __init__(self) -> None:
        self._fields = {}


class Fuse(Decoder):
    """All tokens become one."""

    def __init__(self) -> None:
        self._fields = {}


class ByteLevel(Decoder):
    """Characters become the bytes that they stand for."""

    def __init__(self, **_rest: Any) -> None:
        self._fields = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}


class Replace(Decoder):
    """In each token, what a pattern matches becomes another text."""

    def __init__(self, pattern: str | Regex, content: str) -> None:
        self._fields = {"pattern": pattern_of(pattern), "content": content}


class WordPiece(Decoder):
    """Tokens with the prefix are joined to what is before them."""

    prefix = Field("prefix")
    cleanup = Field("cleanup")

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        self._fields = {"prefix": prefix, "cleanup": bool(cleanup)}


class Strip(Decoder):
    """Strip a character from both ends of each token, at most a given number of times."""

    content = Field("content", write=one_character)
    start = Field("start")
    stop = Field("stop")

    def __init__(self, content: str = " ", left: int = 0, right: int = 0) -> None:
        self._fields = {"content": one_character(content), "start": int(left), "stop": int(right)}


class Metaspace(Decoder):
    """Marks become spaces, and one that was put in front goes."""

    VARIANTS = frozenset(["prepend_scheme"])
    replacement = Field("replacement", write=one_character)
    prepend_scheme = Field("prepend_scheme", write=scheme_of)
    split = Field("split")

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True) -> None:
        self._fields = {
            "replacement": one_character(replacement),
            "prepend_scheme": scheme_of(prepend_scheme),
            "split": bool(split),
        }

    @classmethod
    def _of(cls, section: dict[str, Any]) -> Metaspace:
        return cls(
            section["replacement"], section.get("prepend_scheme", "always"), section.get("split", True) is not False
        )


class BPEDecoder(Decoder):
    """A suffix becomes a space."""

    suffix = Field("suffix")

    def __init__(self, suffix: str = "</w>") -> None:
        self._fields = {"suffix": suffix}


class CTC(Decoder):
    """Repeated tokens become one, padding goes."""

    pad_token = Field("pad_token")
    word_delimiter_token = Field("word_delimiter_token")
    cleanup = Field("cleanup")

    def __init__(self, pad_token: str = "<pad>", word_delimiter_token: str = "|", cleanup: bool = True) -> None:
        self._fields = {"pad_token": pad_token, "word_delimiter_token": word_delimiter_token, "cleanup": bool(cleanup)}


class Sequence(Listed, Decoder):
    """Decoders one after the other."""

    FIELD = "decoders"

    def __init__(self, decoders: Any) -> None:
        self._hold(Decoder, decoders)

    @classmethod
    def _of(cls, section: dict[str, Any]) -> Sequence:
        return cls([component_of(Decoder, part) for part in section["decoders"]])
