"""Pre-tokenizers: how a normalized text is split. They are data; the kernel runs them."""

from __future__ import annotations

from typing import Any, NoReturn

from ...formats.huggingface.stages import BEHAVIORS
from .component import Component, Field, Listed, component_of, refuse_python
from .normalizers import pattern_of
from .stage import ALPHABET, pre_tokens
from .values import Regex

__all__ = [
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "PreTokenizer",
    "Punctuation",
    "Sequence",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
]

_BEHAVIORS = {name.replace("-", "_"): written for written, name in BEHAVIORS.items()}
SCHEMES = ("first", "never", "always")


def behavior_of(name: Any) -> str:
    """A behavior as JSON writes it."""
    name = getattr(name, "value", name)
    if name not in _BEHAVIORS:
        known = "removed, isolated, merged_with_previous, merged_with_next, contiguous"
        raise ValueError(f"Wrong value for SplitDelimiterBehavior, expected one of: `{known}`")
    return _BEHAVIORS[name]


def shown_behavior(written: str) -> str:
    """A behavior as Python names it."""
    return BEHAVIORS[written].replace("-", "_")


def one_character(value: str) -> str:
    """``value``, if it is one character."""
    if not isinstance(value, str):
        raise TypeError(f"'{type(value).__name__}' object is not an instance of 'str'")
    if len(value) != 1:
        raise ValueError("expected a string of length 1")
    return value


def scheme_of(name: str) -> str:
    """A prepend scheme, if there is one of that name."""
    if name not in SCHEMES:
        raise ValueError(f"{name} is an unknown variant, should be one of ['first', 'never', 'always']")
    return name


class PreTokenizer(Component):
    """The base of all pre-tokenizers.

    >>> Sequence([Whitespace(), Digits(individual_digits=True)]).pre_tokenize_str("Call 911!")
    [('Call', (0, 4)), ('9', (5, 6)), ('1', (6, 7)), ('1', (7, 8)), ('!', (8, 9))]
    """

    FAMILY = "pre_tokenizer"

    def pre_tokenize_str(self, s: str) -> list[tuple[str, tuple[int, int]]]:
        """The pre-tokens of a text, each with its place in it."""
        if not isinstance(s, str):
            raise TypeError(f"'{type(s).__name__}' object is not an instance of 'str'")
        return pre_tokens(self._json(), s)

    def pre_tokenize(self, pretok: object) -> NoReturn:
        """Refused: a ``PreTokenizedString`` is changed by components written in Python."""
        raise NotImplementedError("PreTokenizer.pre_tokenize is not supported; use pre_tokenize_str.")

    @staticmethod
    def custom(pretok: object) -> NoReturn:
        """Refused: a pre-tokenizer written in Python."""
        refuse_python("PreTokenizer")
        raise AssertionError


class _Plain(PreTokenizer):
    def __init__(self) -> None:
        self._fields = {}


class BertPreTokenizer(_Plain):
    """At white space, and around punctuation."""


class UnicodeScripts(_Plain):
    """Where the script changes."""


class Whitespace(_Plain):
    """Words, and runs of other characters that are no white space."""


class WhitespaceSplit(_Plain):
    """At white space."""


class ByteLevel(PreTokenizer):
    """Words by GPT-2's pattern, in the characters that stand for bytes."""

    add_prefix_space = Field("add_prefix_space")
    trim_offsets = Field("trim_offsets")
    use_regex = Field("use_regex")

    def __init__(
        self, add_prefix_space: bool = True, trim_offsets: bool = True, use_regex: bool = True, **_rest: Any
    ) -> None:
        self._fields = {
            "add_prefix_space": bool(add_prefix_space),
            "trim_offsets": bool(trim_offsets),
            "use_regex": bool(use_regex),
        }

    @staticmethod
    def alphabet() -> list[str]:
        """The 256 characters that stand for bytes."""
        return list(ALPHABET)


class Split(PreTokenizer):
    """By a pattern."""

    VARIANTS = frozenset(["behavior"])
    behavior = Field("behavior", shown_behavior, behavior_of)
    invert = Field("invert")

    def __init__(self, pattern: str | Regex, behavior: str, invert: bool = False) -> None:
        self._fields = {"pattern": pattern_of(pattern), "behavior": behavior_of(behavior), "invert": bool(invert)}

    @property
    def pattern(self) -> NoReturn:
        """Cannot be read, as in the original."""
        raise Exception("Cannot get pattern")

    @pattern.setter
    def pattern(self, pattern: object) -> NoReturn:
        raise Exception("Cannot set pattern, please instantiate a new split pattern instead")


class Punctuation(PreTokenizer):
    """Around punctuation."""

    VARIANTS = frozenset(["behavior"])
    behavior = Field("behavior", shown_behavior, behavior_of)

    def __init__(self, behavior: str = "isolated") -> None:
        self._fields = {"behavior": behavior_of(behavior)}


class Digits(PreTokenizer):
    """Around numbers, or around each digit."""

    individual_digits = Field("individual_digits")

    def __init__(self, individual_digits: bool = False) -> None:
        self._fields = {"individual_digits": bool(individual_digits)}


class CharDelimiterSplit(PreTokenizer):
    """At a character, which goes."""

    delimiter = Field("delimiter", write=one_character)

    def __init__(self, delimiter: str) -> None:
        self._fields = {"delimiter": one_character(delimiter)}


class FixedLength(PreTokenizer):
    """Into parts of a fixed number of characters."""

    length = Field("length")

    def __init__(self, length: int = 5) -> None:
        self._fields = {"length": int(length)}


class Metaspace(PreTokenizer):
    """SentencePiece's marks for spaces, and words that begin with them."""

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


class Sequence(Listed, PreTokenizer):
    """Pre-tokenizers one after the other."""

    FIELD = "pretokenizers"

    def __init__(self, pretokenizers: Any) -> None:
        self._hold(PreTokenizer, pretokenizers)

    @classmethod
    def _of(cls, section: dict[str, Any]) -> Sequence:
        return cls([component_of(PreTokenizer, part) for part in section["pretokenizers"]])
