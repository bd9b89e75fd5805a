"""WordPiece from counts of words: merges of characters, of which only the results are kept.

The algorithm is told in ``docs/algorithms/wordpiece-training.md``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _native
from .._core.checks import raise_native
from ..formats.settings import UNCHANGED
from ..reference.wordpiece_training import alphabet
from ..spec import Added, AddedFlag, Kind, Pieces
from . import checks
from .alphabet import characters_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spec import Spec

__all__ = ["WordPieceOptions", "wordpiece_spec"]

_ROLES = {"bos_id": "[CLS]", "eos_id": "[SEP]", "pad_id": "[PAD]"}


@dataclass(frozen=True)
class WordPieceOptions:
    """What a WordPiece vocabulary is to be like, under the names of tokenizers' trainer.

    >>> WordPieceOptions(vocab_size=8000, limit_alphabet=500).continuing_subword_prefix
    '##'
    """

    vocab_size: int = 30522
    """All pieces, special tokens included."""
    special_tokens: tuple[str, ...] = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    """They have the first ids. ``[CLS]``, ``[SEP]`` and ``[PAD]`` are bos, eos and pad."""
    unk_token: str = "[UNK]"
    """What stands for words that are not known; one of the special tokens."""
    min_frequency: int = 0
    """Pairs that occur less often are not merged."""
    max_token_length: int | None = None
    """Pieces of more than two characters have fewer characters than this."""
    initial_alphabet: str = ""
    """Characters that are pieces though they may never occur."""
    limit_alphabet: int | None = 1000
    """How many characters there are at most. The rarest are left out of their words, and what they parted is joined."""
    continuing_subword_prefix: str = "##"
    """What stands in front of pieces within a word."""
    listed: tuple[str, ...] = ()
    """Pieces that have the ids behind the alphabet, in this order; ties between pairs go by ids. Default: as they come in
    the words, which are in the order of their bytes."""
    hard_vocab_limit: bool = False
    """Whether fewer pieces than ``vocab_size`` are an error."""

    def __post_init__(self) -> None:
        for name in ("special_tokens", "listed"):
            value = getattr(self, name)
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))
            elif not isinstance(value, tuple):
                raise checks.refuse(name, f"{name} must be a tuple of strings.")
            checks.check_names(name, getattr(self, name))
        checks.check_text("unk_token", self.unk_token)
        if self.unk_token not in self.special_tokens:
            message = f"unk_token is {self.unk_token!r}, which is no special token; put it into special_tokens."
            raise checks.refuse("unk_token", message)
        checks.check_whole("vocab_size", self.vocab_size, len(self.special_tokens) + 1)
        checks.check_whole("min_frequency", self.min_frequency, 0, checks.LARGEST_COUNT)
        for name in ("max_token_length", "limit_alphabet"):
            if getattr(self, name) is not None:
                checks.check_whole(name, getattr(self, name), 1)
        checks.check_text("initial_alphabet", self.initial_alphabet)
        checks.check_text("continuing_subword_prefix", self.continuing_subword_prefix)
        checks.check_flag("hard_vocab_limit", self.hard_vocab_limit)


def wordpiece_spec(
    words: _native.Words,
    options: WordPieceOptions,
    skeleton: Spec,
    report: Callable[[str, int, int], object] | None = None,
) -> Spec:
    """``skeleton`` with the pieces that ``words`` give.

    ``report(stage, done, total)`` is called a few times a second and ends the training by raising.
    """
    chars = alphabet(characters_of(words), options.initial_alphabet, options.limit_alphabet)
    config = {
        "vocab_size": options.vocab_size,
        "min_frequency": options.min_frequency,
        "max_token_length": options.max_token_length,
        "listed": [*options.special_tokens, *chars, *options.listed],
        "prefix": options.continuing_subword_prefix,
    }
    try:
        names = [name.decode() for name in _native.train_spelled_bpe(words, json.dumps(config), report)]
    except _native.NativeError as error:
        raise_native(error)
    if len(names) > options.vocab_size:
        raise checks.too_small(options.vocab_size, len(names), "special tokens and characters")
    if options.hard_vocab_limit and len(names) < options.vocab_size:
        raise checks.too_few(options.vocab_size, len(names))
    return _laid_out(names, options, skeleton)


def _laid_out(names: list[str], options: WordPieceOptions, skeleton: Spec) -> Spec:
    kinds = dict.fromkeys(options.special_tokens, Kind.CONTROL) | {options.unk_token: Kind.UNKNOWN}
    ids = {name: id for id, name in enumerate(options.special_tokens)}
    changes: dict[str, Any] = {role: ids.get(name) for role, name in _ROLES.items()}
    first, last = changes["bos_id"], changes["eos_id"]
    if first is not None and last is not None:
        single = ((first, 0), ("A", 0), (last, 0))
        changes |= {"single": single, "pair": (*single, ("B", 1), (last, 1))}
    prefix = options.continuing_subword_prefix
    # The order of added tokens is BERT's, so that a vocab.txt says the same.
    usual = {name: place for place, name in enumerate(("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"))}
    added = sorted(options.special_tokens, key=lambda name: usual.get(name, len(usual)))
    return skeleton.replace(
        pieces=Pieces.of((name, 0.0, kinds.get(name, Kind.NORMAL)) for name in names),
        added=Added.of([(name, ids[name], AddedFlag.SPECIAL) for name in added]),
        segmenter="wordpiece",
        symbols="characters",
        word_prefix="",
        continuing_prefix=prefix,
        decoder=({"type": "wordpiece", "prefix": prefix, "cleanup": True},),
        **{**UNCHANGED, "unk_surface": options.unk_token},
        **changes,
    )
