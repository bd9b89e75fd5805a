"""Options of the trainers that make SentencePiece's kinds of vocabularies, under SentencePiece's names.

``PieceOptions`` refuses what cannot work when it is made, and says which value would. What an option means is the
trainer's business; where meta pieces go is that of ``meta``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from ..errors import InputError

__all__ = ["PieceOptions"]

_RANGES: dict[str, tuple[float, float]] = {
    "vocab_size": (1, 2**31 - 1),
    "character_coverage": (0.0, 1.0),
    "shrinking_factor": (0.05, 0.99),
    "num_sub_iterations": (1, 100),
    "seed_sentencepiece_size": (1, 2**31 - 1),
    "max_sentencepiece_length": (1, 512),
    "self_test_sample_size": (0, 1000),
    "unk_id": (0, 2**31 - 1),
    "bos_id": (-1, 2**31 - 1),
    "eos_id": (-1, 2**31 - 1),
    "pad_id": (-1, 2**31 - 1),
}
_MAX_PIECE_BYTES = 7999
"""SentencePiece refuses to load a piece of 8000 bytes."""


@dataclass(frozen=True)
class PieceOptions:
    """What a vocabulary is to be like. Names and defaults are those of SentencePiece's trainer.

    Ranges are wider than SentencePiece's where nothing speaks against it: ``character_coverage`` from 0,
    ``shrinking_factor`` from 0.05 to 0.99, ``num_sub_iterations`` up to 100.

    >>> PieceOptions(vocab_size=32000, byte_fallback=True, pad_id=3).pad_piece
    '<pad>'
    """

    vocab_size: int = 8000
    """All pieces, meta pieces and characters included."""
    character_coverage: float = 0.9995
    """The most frequent characters are pieces until they cover this share of the text."""
    required_chars: str = ""
    """Characters that are pieces however rare they are."""
    seed_sentencepiece_size: int = 1_000_000
    """How many strings a unigram vocabulary is cut down from."""
    seed_sentencepieces: tuple[tuple[str, int], ...] | None = None
    """Strings with frequencies to begin with, in the place of those found in the text."""
    seed_prefixes: bool = True
    """Where a repeated string cannot be a piece, whether its longest part from the beginning that can be is taken.
    SentencePiece takes none: a string that one and the same character always follows is lost with it."""
    shrinking_factor: float = 0.75
    """The share of pieces that a round of pruning keeps."""
    num_sub_iterations: int = 2
    """How often scores are estimated between two rounds of pruning."""
    max_sentencepiece_length: int = 16
    """In characters."""
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    split_digits: bool = False
    split_by_whitespace: bool = True
    treat_whitespace_as_suffix: bool = False
    allow_whitespace_only_pieces: bool = False
    pretokenization_delimiter: str = ""
    """A string that pieces do not cross in training and that is then gone."""
    control_symbols: tuple[str, ...] = ()
    user_defined_symbols: tuple[str, ...] = ()
    byte_fallback: bool = False
    hard_vocab_limit: bool = True
    """Whether fewer pieces than ``vocab_size`` are an error."""
    use_all_vocab: bool = False
    """For char and word: every character or word, whatever ``vocab_size`` says."""
    unk_id: int = 0
    bos_id: int = 1
    eos_id: int = 2
    pad_id: int = -1
    unk_piece: str = "<unk>"
    bos_piece: str = "<s>"
    eos_piece: str = "</s>"
    pad_piece: str = "<pad>"
    unk_surface: str = " \u2047 "
    self_test_sample_size: int = 0
    """How many words of the text the file is to be tested with when it is loaded."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, list):
                value = tuple(tuple(row) if isinstance(row, list) else row for row in value)
                object.__setattr__(self, field.name, value)
            _check_type(field.name, value, field.default)
        for name, (low, high) in _RANGES.items():
            _check_range(name, getattr(self, name), low, high)
        for name in ("unk_piece", "bos_piece", "eos_piece", "pad_piece"):
            _check_symbol(name, getattr(self, name))
        for name in ("control_symbols", "user_defined_symbols"):
            for symbol in getattr(self, name):
                _check_symbol(name, symbol)
        _check_text("required_chars", self.required_chars)
        _check_text("unk_surface", self.unk_surface)
        _check_seeds(self.seed_sentencepieces)
        # A wrong layout is better known now than after an hour.
        from .meta import meta_pieces

        meta_pieces(self)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The spellings of all meta pieces in the order of their ids; text that looks like one is not trained on."""
        from .meta import meta_pieces

        placed = meta_pieces(self)
        return tuple(placed[id][0] for id in sorted(placed))

    def kernel(self) -> dict[str, Any]:
        """What the trainers of the kernel read beside the alphabet and ``reserved``, ready for JSON."""
        shape = (
            "max_sentencepiece_length", "split_by_unicode_script", "split_by_number", "split_digits",
            "split_by_whitespace", "treat_whitespace_as_suffix", "allow_whitespace_only_pieces",
        )  # fmt: skip
        unigram = (
            "seed_sentencepiece_size", "seed_sentencepieces", "seed_prefixes", "shrinking_factor", "num_sub_iterations",
        )  # fmt: skip
        return {
            **{name: getattr(self, name) for name in unigram},
            "shape": {name: getattr(self, name) for name in shape},
            # SentencePiece stops pruning at ten percent more pieces than are asked for, and takes those of the best scores.
            "desired": self.vocab_size + self.vocab_size // 10,
        }


def _fail(name: str, message: str, **facts: Any) -> InputError:
    return InputError("train-option", message, option=name, **facts)


def _check_type(name: str, value: object, default: object) -> None:
    if name == "seed_sentencepieces":
        if value is not None and not isinstance(value, tuple):
            raise _fail(name, "seed_sentencepieces must be pairs of a string and its frequency, or None.")
        return
    wanted: tuple[type, ...] = (type(default),)
    if isinstance(default, float):
        wanted = (float, int)
    if not isinstance(value, wanted) or (isinstance(value, bool) and not isinstance(default, bool)):
        raise _fail(name, f"{name} must be {wanted[0].__name__}, not {type(value).__name__}.")
    if isinstance(default, tuple) and not all(isinstance(symbol, str) for symbol in value):  # type: ignore[attr-defined]
        raise _fail(name, f"{name} must be strings.")


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        nearest = low if math.isnan(value) or value < low else high
        code = "train-vocab-size" if name == "vocab_size" else "train-option"
        message = f"{name} must be from {low} to {high}, not {value}; the nearest value that works is {nearest}."
        raise InputError(code, message, option=name, value=value, nearest=nearest)


def _check_text(name: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _fail(name, f"{name} has half of a surrogate pair, which no file can hold; remove it.") from None


def _check_symbol(name: str, symbol: str) -> None:
    _check_text(name, symbol)
    if not symbol or "\0" in symbol or len(symbol.encode()) > _MAX_PIECE_BYTES:
        message = f"{name} must have 1 to {_MAX_PIECE_BYTES} bytes and no NUL: {symbol[:20]!r}. Rename the piece."
        raise _fail(name, message, piece=symbol[:100])


def _check_seeds(seeds: tuple[tuple[str, int], ...] | None) -> None:
    for row in seeds or ():
        good = isinstance(row, tuple) and len(row) == 2 and isinstance(row[0], str) and isinstance(row[1], int)
        if not good or not 0 < row[1] < 2**63:
            raise _fail(
                "seed_sentencepieces",
                f"seed_sentencepieces must be pairs of a string and a frequency above 0, not {row!r}.",
            )
        _check_text("seed_sentencepieces", row[0])
