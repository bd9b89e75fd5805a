"""BPE from counts of words, of both kinds: merges of bytes, and pieces of characters with ranks as scores.

The algorithm is told in ``docs/algorithms/bpe-training.md``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from .. import _native
from .._core.checks import raise_native
from ..formats.settings import UNCHANGED
from ..spec import Added, AddedFlag, Kind, Pieces
from . import checks
from .alphabet import kernel_options
from .meta import laid_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spec import Spec
    from .options import PieceOptions

__all__ = ["PLAIN_SPECIALS", "ByteBpeOptions", "ScoreTies", "byte_bpe_spec", "byte_order", "score_bpe_spec"]

PLAIN_SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")
"""The usual four, in the order of their ids."""

Ties = Literal["tokenizers", "rustbpe", "first-seen"]
_ROLES = ("bos", "eos", "pad")


@dataclass(frozen=True)
class ByteBpeOptions:
    """What a byte-level vocabulary is to be like.

    >>> ByteBpeOptions(vocab_size=50257, specials=("<|endoftext|>",), specials_at="end").ties
    'tokenizers'
    """

    vocab_size: int = 32000
    """All pieces: special tokens, bytes and merges."""
    specials: tuple[str, ...] = PLAIN_SPECIALS
    """Special tokens. No merge makes a piece that is spelled like one."""
    specials_at: Literal["front", "end"] = "front"
    """Whether special tokens have the first ids or the last."""
    bos: str | None = None
    """The special token that begins a text. Default: ``<bos>``, if it is one."""
    eos: str | None = None
    """The special token that ends a text. Default: ``<eos>``, if it is one."""
    pad: str | None = None
    """The special token that fills up. Default: ``<pad>``, if it is one."""
    min_frequency: int = 1
    """Pairs that occur less often are not merged."""
    max_token_length: int | None = None
    """Pieces of more than two bytes have fewer bytes than this, as in tokenizers."""
    initial_alphabet: bytes | None = None
    """Bytes that are pieces though they may never occur; None: all 256, and b"": only those that occur."""
    limit_alphabet: int | None = None
    """How many bytes are pieces at most. The rarest are left out of the text, and what they parted is joined."""
    ties: Ties = "tokenizers"
    """Which pair is merged first of several with one count: the one whose left, then right piece has the lowest id, or the
    one that is seen first in the corpus (``first-seen``). The ids of bytes are in the order of the characters that GPT-2
    shows them as (``tokenizers``), or their values (``rustbpe``, ``first-seen``)."""
    hard_vocab_limit: bool = True
    """Whether fewer pieces than ``vocab_size`` are an error."""

    def __post_init__(self) -> None:
        if isinstance(self.specials, list):
            object.__setattr__(self, "specials", tuple(self.specials))
        if not isinstance(self.specials, tuple):
            raise checks.refuse("specials", "specials must be a tuple of strings.")
        checks.check_names("specials", self.specials)
        checks.check_choice("specials_at", self.specials_at, ("front", "end"))
        checks.check_choice("ties", self.ties, get_args(Ties))
        checks.check_whole("vocab_size", self.vocab_size, len(self.specials) + 1)
        checks.check_whole("min_frequency", self.min_frequency, 0, checks.LARGEST_COUNT)
        checks.check_flag("hard_vocab_limit", self.hard_vocab_limit)
        for name in ("max_token_length", "limit_alphabet"):
            if getattr(self, name) is not None:
                checks.check_whole(name, getattr(self, name), 1)
        if self.initial_alphabet is not None and not isinstance(self.initial_alphabet, bytes):
            raise checks.refuse("initial_alphabet", "initial_alphabet must be bytes, or None for all of them.")
        if self.vocab_size < self.least_size:
            raise checks.too_small(self.vocab_size, self.least_size, "special tokens and bytes")
        for role in _ROLES:
            named = getattr(self, role)
            if named is not None and named not in self.specials:
                message = f"{role} is {named!r}, which is no special token; put it into specials."
                raise checks.refuse(role, message, piece=named)

    @property
    def least_size(self) -> int:
        """The size of the vocabulary without merges, as far as it is known before the text: bytes of it may come to it."""
        given = 256 if self.initial_alphabet is None else len(set(self.initial_alphabet))
        return len(self.specials) + min(given, self.limit_alphabet or given)

    def roles(self, first: int) -> dict[str, int | None]:
        """The ids of bos, eos and pad, where the special tokens begin at ``first``."""
        ids = {name: first + place for place, name in enumerate(self.specials)}
        return {f"{role}_id": ids.get(getattr(self, role) or f"<{role}>") for role in _ROLES}


def byte_order(ties: Ties) -> list[int]:
    """The bytes in the order of their ids.

    >>> byte_order("tokenizers")[:3], byte_order("tokenizers")[-1], byte_order("rustbpe")[:3]
    ([33, 34, 35], 173, [0, 1, 2])
    """
    if ties != "tokenizers":
        return list(range(256))
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    # GPT-2 shows these as themselves, and the others as the characters from U+0100 on.
    return shown + [byte for byte in range(256) if byte not in set(shown)]


def byte_bpe_spec(
    words: _native.Words,
    options: ByteBpeOptions,
    skeleton: Spec,
    report: Callable[[str, int, int], object] | None = None,
) -> Spec:
    """``skeleton`` with the bytes and merges that ``words``, chunks of its splitter, give.

    ``report(stage, done, total)`` is called a few times a second and ends the training by raising.
    """
    kept = _alphabet(words, options)
    least = len(options.specials) + len(kept)
    if options.vocab_size < least:
        raise checks.too_small(options.vocab_size, least, "special tokens and bytes")
    order = byte_order(options.ties)
    symbols: list[int | None] = [None] * 256
    for symbol, byte in enumerate(order):
        symbols[byte] = symbol if byte in kept else None
    config = {
        "symbols": symbols,
        "merges": options.vocab_size - least,
        "min_frequency": options.min_frequency,
        "max_length": options.max_token_length,
        "reserved": list(options.specials),
        "first_seen": options.ties == "first-seen",
    }
    try:
        rows, _ = _native.train_byte_bpe(words, json.dumps(config), report)
    except _native.NativeError as error:
        raise_native(error)
    merges = rows.reshape(-1, 3)
    if options.hard_vocab_limit and least + len(merges) < options.vocab_size:
        raise checks.too_few(options.vocab_size, least + len(merges))
    if not len(merges) and len(kept) < 256:
        raise checks.too_small(options.vocab_size, least + 1, "special tokens, bytes and a merge")
    return _laid_out([byte for byte in order if byte in kept], order, merges, options, skeleton)


def _alphabet(words: _native.Words, options: ByteBpeOptions) -> set[int]:
    """The bytes that are pieces."""
    given = set(range(256)) if options.initial_alphabet is None else set(options.initial_alphabet)
    if len(given) == 256 and options.limit_alphabet is None:
        return given
    blob, offsets, counts = words.columns()
    sizes = np.diff(np.frombuffer(offsets, "<u8").astype(np.int64))
    weights = np.repeat(np.frombuffer(counts, "<u8"), sizes)
    total = np.zeros(256, np.float64)
    np.add.at(total, np.frombuffer(blob, np.uint8), weights.astype(np.float64))
    total[list(given)] = np.inf
    place = {byte: symbol for symbol, byte in enumerate(byte_order(options.ties))}
    ranked = sorted((byte for byte in range(256) if total[byte] > 0), key=lambda byte: (-total[byte], place[byte]))
    return set(ranked[: options.limit_alphabet])


def _laid_out(alphabet: list[int], order: list[int], merges: Any, options: ByteBpeOptions, skeleton: Spec) -> Spec:
    """The Spec: special tokens, bytes by their order, merges as they were made."""
    in_front = options.specials_at == "front"
    first = len(options.specials) if in_front else 0
    special_at = 0 if in_front else len(alphabet) + len(merges)
    spellings = [bytes([byte]) for byte in order]
    for left, right, _ in merges.tolist():
        spellings.append(spellings[left] + spellings[right])
    # Trained symbols count all 256 bytes, ids only those that are kept.
    ids = np.zeros(256 + len(merges), np.uint32)
    ids[[order.index(byte) for byte in alphabet]] = np.arange(len(alphabet)) + first
    ids[256:] = np.arange(len(merges)) + first + len(alphabet)
    specials: list[tuple[str | bytes, float, int]] = [(name, 0.0, Kind.CONTROL) for name in options.specials]
    normal: list[tuple[str | bytes, float, int]] = [(bytes([byte]), 0.0, Kind.NORMAL) for byte in alphabet]
    normal += [(spelling, 0.0, Kind.NORMAL) for spelling in spellings[256:]]
    added = [(name, special_at + place, AddedFlag.SPECIAL) for place, name in enumerate(options.specials)]
    return skeleton.replace(
        pieces=Pieces.of(specials + normal if in_front else normal + specials),
        merges=ids[merges] if len(merges) else merges,
        added=Added.of(added),
        segmenter="bpe",
        symbols="bytes",
        whole_chunks=False,
        unknown="drop" if len(merges) else skeleton.unknown,  # without merges all bytes are pieces
        **UNCHANGED,
        **options.roles(special_at),
    )


@dataclass(frozen=True)
class ScoreTies:
    """Which pair of characters is merged first.

    >>> ScoreTies().ties
    'sentencepiece'
    """

    ties: Literal["sentencepiece", "first-seen"] = "sentencepiece"
    """Of pairs with one count: the one with the fewest characters, then the first in the order of code points
    (``sentencepiece``), or the one that is seen first in the corpus (``first-seen``)."""

    def __post_init__(self) -> None:
        checks.check_choice("ties", self.ties, ("sentencepiece", "first-seen"))


def score_bpe_spec(
    words: _native.Words,
    options: PieceOptions,
    skeleton: Spec,
    report: Callable[[str, int, int], object] | None = None,
    ties: Literal["sentencepiece", "first-seen"] = "sentencepiece",
) -> Spec:
    """``skeleton`` with the pieces that ``words`` give, as SentencePiece trains BPE: ranks as scores, characters last."""
    config, alphabet = kernel_options(words, options)
    merges = options.vocab_size - len(options.symbols) - len(alphabet)
    try:
        made = _native.train_score_bpe(
            words, json.dumps(config | {"merges": merges, "first_seen": ties == "first-seen"}), report
        )
    except _native.NativeError as error:
        raise_native(error)
    pieces = made + [character.encode() for character, _ in alphabet]
    trained = [(piece, -float(rank)) for rank, piece in enumerate(pieces)]
    return laid_out(options, trained, skeleton.replace(segmenter="bpe"))
