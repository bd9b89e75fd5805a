"""The two strings that components written in Python work on, as far as they are of use without such components."""

from __future__ import annotations

from typing import Any, NoReturn

from . import normalizers
from .normalizers import Normalizer, Replace, Sequence, Strip

__all__ = ["NormalizedString", "PreTokenizedString"]


class NormalizedString:
    """A text and what has become of it.

    >>> made = NormalizedString("Héllo")
    >>> made.nfd(); made.filter(str.isascii); made.uppercase()
    >>> made
    NormalizedString(original="Héllo", normalized="HELLO")
    """

    def __init__(self, sequence: str) -> None:
        self.original = sequence
        self.normalized = sequence

    def _set(self, text: str) -> None:
        self.normalized = text

    def _apply(self, normalizer: Normalizer) -> None:
        self.normalized = normalizer.normalize_str(self.normalized)

    def nfc(self) -> None:
        """Unicode's form NFC."""
        self._apply(normalizers.NFC())

    def nfd(self) -> None:
        """Unicode's form NFD."""
        self._apply(normalizers.NFD())

    def nfkc(self) -> None:
        """Unicode's form NFKC."""
        self._apply(normalizers.NFKC())

    def nfkd(self) -> None:
        """Unicode's form NFKD."""
        self._apply(normalizers.NFKD())

    def lowercase(self) -> None:
        """Lower case."""
        self._apply(Sequence([normalizers.Lowercase()]))

    def uppercase(self) -> None:
        """Upper case."""
        self._set("".join(one.upper() for one in self.normalized))

    def prepend(self, s: str) -> None:
        """Put a text in front."""
        self._set(s + self.normalized)

    def append(self, s: str) -> None:
        """Put a text behind."""
        self._set(self.normalized + s)

    def strip(self) -> None:
        """White space at both ends goes."""
        self._apply(Strip())

    def lstrip(self) -> None:
        """White space in front goes."""
        self._apply(Strip(right=False))

    def rstrip(self) -> None:
        """White space at the end goes."""
        self._apply(Strip(left=False))

    def clear(self) -> None:
        """Nothing is left."""
        self._set("")

    def replace(self, pattern: Any, content: str) -> None:
        """What a pattern matches becomes another text."""
        self._apply(Replace(pattern, content))

    def filter(self, func: Any) -> None:
        """Keep the characters for which a function is true."""
        self._set("".join(one for one in self.normalized if func(one)))

    def map(self, func: Any) -> None:
        """Each character becomes another."""
        self._set("".join(func(one) for one in self.normalized))

    def for_each(self, func: Any) -> None:
        """Call a function with each character."""
        for one in self.normalized:
            func(one)

    def slice(self, range: Any) -> NoReturn:
        """Refused: parts of a text that keep their places."""
        raise NotImplementedError("NormalizedString.slice is not supported.")

    def split(self, pattern: Any, behavior: Any) -> NoReturn:
        """Refused: parts of a text that keep their places."""
        raise NotImplementedError("NormalizedString.split is not supported.")

    def __getitem__(self, index: Any) -> NoReturn:
        self.slice(index)

    def __str__(self) -> str:
        return self.normalized

    def __repr__(self) -> str:
        return f'NormalizedString(original="{self.original}", normalized="{self.normalized}")'


class PreTokenizedString:
    """Refused: the string that pre-tokenizers written in Python work on."""

    def __init__(self, sequence: str) -> None:
        raise NotImplementedError("PreTokenizedString is not supported; use PreTokenizer.pre_tokenize_str.")
