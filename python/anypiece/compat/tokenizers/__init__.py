"""A face of the library tokenizers, release 0.23: the same names and results over AnyPiece's kernel.

``from anypiece.compat import tokenizers`` stands in for ``import tokenizers``. Components are plain data; ids, offsets
and decoded text are those of the original. See ``docs/compat/tokenizers.md`` for what is not reproduced.
"""

from enum import Enum

from . import decoders, models, normalizers, pre_tokenizers, processors, trainers
from .encoding import Encoding
from .implementations import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    CharBPETokenizer,
    SentencePieceBPETokenizer,
    SentencePieceUnigramTokenizer,
)
from .strings import NormalizedString, PreTokenizedString
from .tokenizer import Tokenizer
from .values import AddedToken, Regex, Token

__all__ = [
    "AddedToken",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "EncodeInput",
    "Encoding",
    "InputSequence",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SplitDelimiterBehavior",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "Tokenizer",
    "__version__",
    "decoders",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "trainers",
]

__version__ = "0.23.3"

Offsets = tuple[int, int]
TextInputSequence = str
PreTokenizedInputSequence = list[str] | tuple[str, ...]
TextEncodeInput = str | tuple[str, str] | list[str]
PreTokenizedEncodeInput = PreTokenizedInputSequence | tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]
InputSequence = TextInputSequence | PreTokenizedInputSequence
EncodeInput = TextEncodeInput | PreTokenizedEncodeInput


class OffsetReferential(Enum):
    """Which text places are in."""

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(Enum):
    """What places count."""

    BYTE = "byte"
    CHAR = "char"


class SplitDelimiterBehavior(Enum):
    """What becomes of what a splitter matches."""

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"
