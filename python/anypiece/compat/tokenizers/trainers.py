"""Trainers: the options of training. ``Tokenizer.train`` and ``train_from_iterator`` run them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .trainer_options import BpeTrainer, Trainer, UnigramTrainer, WordLevelTrainer, WordPieceTrainer
from .training import train_parity

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

__all__ = ["BpeTrainer", "ParityBpeTrainer", "Trainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer"]


class ParityBpeTrainer:
    """Options for training BPE on several languages, where the one that is compressed least decides the next merge.

    Merges follow the published rule; where several pairs or languages are equal they may differ from the original's.
    """

    _DEFAULTS: ClassVar[dict[str, Any]] = {
        "num_merges": 32000,
        "variant": "base",
        "min_frequency": 0,
        "ratio": None,
        "global_merges": 0,
        "window_size": 100,
        "alpha": 2.0,
        "total_symbols": False,
        "special_tokens": None,
        "show_progress": True,
        "limit_alphabet": None,
        "initial_alphabet": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "max_token_length": None,
    }

    def __init__(self, **options: Any) -> None:
        unknown = options.keys() - self._DEFAULTS.keys()
        if unknown:
            raise TypeError(f"ParityBpeTrainer has no option {min(unknown)!r}")
        self.__dict__.update({**self._DEFAULTS, **options})
        if self.__dict__["variant"] not in ("base", "window"):
            raise ValueError(f"Unknown variant: {self.__dict__['variant']}")

    def train_from_iterator(
        self,
        tokenizer: Tokenizer,
        train_iterators: Any,
        dev_iterators: Any = None,
        ratio: Any = None,
    ) -> None:
        """Train the BPE of a tokenizer on texts of several languages, an iterator for each."""
        train_parity(self, tokenizer, list(train_iterators), dev_iterators, ratio)
