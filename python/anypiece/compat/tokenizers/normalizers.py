"""Normalizers: what is done to a text before it is split. They are data; the kernel runs them."""

from __future__ import annotations

import base64
from typing import Any, NoReturn

from .component import Component, Field, Listed, refuse_python
from .stage import normalized_text
from .values import Regex

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "BertNormalizer",
    "ByteLevel",
    "Lowercase",
    "Nmt",
    "Normalizer",
    "Precompiled",
    "Prepend",
    "Replace",
    "Sequence",
    "Strip",
    "StripAccents",
    "unicode_normalizer_from_str",
]


class Normalizer(Component):
    """The base of all normalizers.

    >>> Sequence([NFD(), StripAccents(), Lowercase()]).normalize_str("Héllo")
    'hello'
    """

    FAMILY = "normalizer"

    def normalize_str(self, sequence: str) -> str:
        """What becomes of a text."""
        if not isinstance(sequence, str):
            raise TypeError(f"'{type(sequence).__name__}' object is not an instance of 'str'")
        return normalized_text(self._json(), sequence)

    def normalize(self, normalized: Any) -> None:
        """Normalize a ``NormalizedString`` in place."""
        normalized._set(self.normalize_str(normalized.normalized))

    @staticmethod
    def custom(obj: object) -> NoReturn:
        """Refused: a normalizer written in Python."""
        refuse_python("Normalizer")
        raise AssertionError


class _Plain(Normalizer):
    def __init__(self) -> None:
        self._fields = {}


class NFC(_Plain):
    """Unicode's form NFC."""


class NFD(_Plain):
    """Unicode's form NFD."""


class NFKC(_Plain):
    """Unicode's form NFKC."""


class NFKD(_Plain):
    """Unicode's form NFKD."""


class Lowercase(_Plain):
    """Lower case."""


class StripAccents(_Plain):
    """Marks are left out; it goes after NFD or NFKD."""


class Nmt(_Plain):
    """Control characters go, spaces of all kinds become a space."""


class ByteLevel(_Plain):
    """Each byte becomes the character that stands for it."""


class BertNormalizer(Normalizer):
    """What BERT does to text."""

    clean_text = Field("clean_text")
    handle_chinese_chars = Field("handle_chinese_chars")
    strip_accents = Field("strip_accents")
    lowercase = Field("lowercase")

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        self._fields = {
            "clean_text": bool(clean_text),
            "handle_chinese_chars": bool(handle_chinese_chars),
            "strip_accents": strip_accents,
            "lowercase": bool(lowercase),
        }


class Strip(Normalizer):
    """White space at the ends goes."""

    left = Field("strip_left")
    right = Field("strip_right")

    def __init__(self, left: bool = True, right: bool = True) -> None:
        self._fields = {"strip_left": bool(left), "strip_right": bool(right)}


class Prepend(Normalizer):
    """A text is put in front of what is not empty."""

    prepend = Field("prepend")

    def __init__(self, prepend: str = "▁") -> None:
        self._fields = {"prepend": prepend}


def pattern_of(pattern: str | Regex) -> dict[str, str]:
    """A pattern as JSON."""
    if isinstance(pattern, str):
        return {"String": pattern}
    if isinstance(pattern, Regex):
        return {"Regex": pattern.pattern}
    raise TypeError(f"A pattern is a str or a Regex, not {type(pattern).__name__}")


class Replace(Normalizer):
    """What a pattern matches becomes another text."""

    content = Field("content")

    def __init__(self, pattern: str | Regex, content: str) -> None:
        self._fields = {"pattern": pattern_of(pattern), "content": content}

    @property
    def pattern(self) -> NoReturn:
        """Cannot be read, as in the original."""
        raise Exception("Cannot get pattern")

    @pattern.setter
    def pattern(self, pattern: object) -> NoReturn:
        raise Exception("Cannot set pattern, please instantiate a new replace pattern instead")


class Precompiled(Normalizer):
    """SentencePiece's precompiled character map."""

    def __init__(self, precompiled_charsmap: bytes) -> None:
        self._fields = {"precompiled_charsmap": base64.b64encode(precompiled_charsmap).decode()}


class Sequence(Listed, Normalizer):
    """Normalizers one after the other."""

    FIELD = "normalizers"

    def __init__(self, normalizers: Any) -> None:
        self._hold(Normalizer, normalizers)

    @classmethod
    def _of(cls, section: dict[str, Any]) -> Sequence:
        from .component import component_of

        return cls([component_of(Normalizer, part) for part in section["normalizers"]])


_FORMS = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """The normalizer of a form of Unicode by its name in lower case."""
    if normalizer not in _FORMS:
        raise ValueError(f"{normalizer} is not a known unicode normalizer. Available are {_FORMS.keys()}")
    return _FORMS[normalizer]()
