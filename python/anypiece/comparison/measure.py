"""The figures of one tokenizer on one text: amounts, how evenly pieces are used, what comes back, and how sure it
is."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..spec import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..tokenizer import Tokenizer

__all__ = ["DRAWS", "ORDER", "SURE", "Parts", "Row", "measured", "partial_pieces", "renyi_entropy"]

DRAWS = 1000
"""How many texts are drawn for an interval."""
SURE = 0.95
"""The share of them that an interval holds."""
ORDER = 2.5
"""The order of the Rényi entropy."""
_GROUPS = 1000
"""Lines are drawn in groups, if there are more."""
_FEWEST = 20
_SEED = 20_180_429


@dataclass(frozen=True)
class Row:
    """One tokenizer on one text."""

    tokenizer: str
    text: str
    bytes: int
    characters: int
    words: int
    """Parts between white space."""
    tokens: int
    unknown: int
    """Tokens that are the unknown piece."""
    partial: int
    """Tokens that are bytes of a character, not whole ones: byte fallback, or pieces of bytes."""
    seconds: float
    """CPU time of one pass on one thread, after a first one."""
    vocab_size: int
    used: int
    """Pieces of the vocabulary that are in the text."""
    renyi: float
    """The Rényi entropy of order 2.5 of the tokens, in nats."""
    lines: int
    returned: int
    """Lines that decode to what they were, without their ends."""
    interval: tuple[float, float] | None
    """Where bytes per token lies in 95 of 100 texts of such lines, by bootstrap; None for less than 20 lines."""

    @property
    def bytes_per_token(self) -> float:
        """How much text a token holds."""
        return self.bytes / max(1, self.tokens)

    @property
    def tokens_per_word(self) -> float:
        """Fertility."""
        return self.tokens / max(1, self.words)

    @property
    def renyi_efficiency(self) -> float:
        """The Rényi entropy divided by the most there could be, that of pieces which are all used alike."""
        return self.renyi / math.log(self.vocab_size) if self.vocab_size > 1 else 0.0

    @property
    def loses(self) -> bool:
        """Whether so much is unknown, more than a token in a hundred, that few tokens are no merit."""
        return 100 * self.unknown > self.tokens

    @property
    def megabytes_per_second(self) -> float:
        """Speed on one thread."""
        return self.bytes / 1e6 / self.seconds if self.seconds else 0.0


def partial_pieces(tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """Which ids are bytes of a character, not whole ones."""
    pieces = tokenizer.spec.pieces
    found: NDArray[np.bool_] = pieces.kinds == Kind.BYTE
    if tokenizer.spec.symbols == "bytes":
        for index in np.flatnonzero(pieces.kinds == Kind.NORMAL):
            try:
                pieces.bytes(int(index)).decode()
            except UnicodeDecodeError:
                found[index] = True
    return found


class Parts:
    """A text by lines, each with its end: what is measured of it for every tokenizer, made once.

    >>> parts = Parts("a rose\\nis a rose")
    >>> parts.lines, parts.places.tolist()
    (['a rose\\n', 'is a rose'], [0, 7])
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [line for line in re.split(r"(?<=\n)", text) if line]
        lengths = [len(line) for line in self.lines]
        self.places = np.cumsum([0, *lengths[:-1]])
        sizes = np.array([len(line.encode("utf-8", "replace")) for line in self.lines], np.int64)
        self.bytes = int(sizes.sum())
        self.groups = np.linspace(0, len(self.lines), min(len(self.lines), _GROUPS) + 1).astype(np.int64)[:-1]
        self.sizes = np.add.reduceat(sizes, self.groups)
        """Bytes of groups of lines."""

    @cached_property
    def draws(self) -> NDArray[np.int64]:
        """Which groups are in each drawn text. The same for every tokenizer, so that their results can be compared."""
        count = len(self.groups)
        return np.random.default_rng(_SEED).integers(0, count, (DRAWS, count))

    def interval(self, starts: NDArray[np.int64]) -> tuple[float, float] | None:
        """The interval of bytes per token, by where the tokens begin."""
        if len(self.groups) < _FEWEST:
            return None
        owners = np.searchsorted(self.places, starts, "right") - 1
        tokens = np.add.reduceat(np.bincount(owners, minlength=len(self.lines)), self.groups)
        ratios = self.sizes[self.draws].sum(axis=1) / np.maximum(1, tokens[self.draws].sum(axis=1))
        low, high = np.quantile(ratios, [(1 - SURE) / 2, (1 + SURE) / 2])
        return float(low), float(high)


def renyi_entropy(counts: NDArray[np.int64], order: float = ORDER) -> float:
    """The Rényi entropy of what was counted, in nats.

    >>> renyi_entropy(np.array([5, 5, 0])) == math.log(2)
    True
    """
    if not counts.any():
        return 0.0
    shares = counts[counts > 0] / counts.sum()
    return max(0.0, float(np.log((shares**order).sum()) / (1 - order)))


def measured(name: str, tokenizer: Tokenizer, partial: NDArray[np.bool_], title: str, parts: Parts) -> Row:
    """One tokenizer on one text."""
    text = parts.text
    spans = tokenizer.encode_spans_batch([text], threads=1)
    ids = spans.ids
    began = time.process_time()
    tokenizer.encode_array(text, threads=1)
    seconds = time.process_time() - began
    unk = tokenizer.spec.unk_id
    counts = np.bincount(ids, minlength=tokenizer.vocab_size)
    lines = [line.removesuffix("\n") for line in parts.lines]
    decoded = tokenizer.decode_batch(tokenizer.encode_batch(lines))
    return Row(
        tokenizer=name,
        text=title,
        bytes=parts.bytes,
        characters=len(text),
        words=len(text.split()),
        tokens=len(ids),
        unknown=int((ids == unk).sum()) if unk >= 0 else 0,
        partial=int(partial[ids].sum()),
        seconds=seconds,
        vocab_size=tokenizer.vocab_size,
        used=int(np.count_nonzero(counts)),
        renyi=renyi_entropy(counts),
        lines=len(lines),
        returned=sum(line == again for line, again in zip(lines, decoded, strict=True)),
        interval=parts.interval(spans.starts),
    )
