"""From ranks, a pattern and special tokens to a Tokenizer, for what tiktoken's constructor accepts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import FormatError
from ...formats.tiktoken import refuse_missing_bytes, spec_of, split_by
from ...formats.wire.rank_lines import RankLines, rank_limit
from ...tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["columns", "dictionary", "tokenizer_of"]


def columns(ranks: Mapping[bytes, int]) -> RankLines:
    """A dictionary of ranks as columns, in its order.

    >>> columns({b"a": 0, b"ab": 1}).offsets.tolist()
    [0, 1, 3]
    """
    sizes = np.fromiter(map(len, ranks), np.int64, len(ranks))
    numbers = np.fromiter(ranks.values(), np.int64, len(ranks))
    return RankLines(b"".join(ranks), np.concatenate([[0], np.cumsum(sizes)]), numbers)


def dictionary(lines: RankLines) -> dict[bytes, int]:
    """The ranks by their bytes.

    >>> dictionary(columns({b"a": 0, b"ab": 1}))
    {b'a': 0, b'ab': 1}
    """
    edges = lines.offsets.tolist()
    pieces = [lines.blob[start:end] for start, end in pairwise(edges)]
    return dict(zip(pieces, lines.ranks.tolist(), strict=True))


def tokenizer_of(lines: RankLines, pattern: str, specials: Mapping[str, int]) -> Tokenizer:
    """The Tokenizer of an encoding. ``NotImplementedError`` for what tiktoken would accept and the kernel cannot hold."""
    if len(np.unique(lines.ranks)) < len(lines.ranks):
        raise ValueError("Two tokens have the same rank; each needs one of its own.")
    try:
        refuse_missing_bytes(lines)
    except FormatError as error:
        missing = error.facts["missing"]
        message = f"mergeable_ranks without all 256 single bytes (0x{missing[0]:02X} has no rank) are not supported"
        raise NotImplementedError(message) from None
    first = _first_names(specials)
    _refuse_other_ids(lines, specials)
    aliases = {text: id for text, id in specials.items() if first[id] != text}
    cut: dict[str, Any] = split_by(pattern)
    return Tokenizer(spec_of(lines, {text: id for id, text in first.items()}, aliases, **cut))


def _first_names(specials: Mapping[str, int]) -> dict[int, str]:
    """The name that each id decodes to: the first that it has."""
    names: dict[int, str] = {}
    for text, id in specials.items():
        names.setdefault(id, text)
    return names


def _refuse_other_ids(lines: RankLines, specials: Mapping[str, int]) -> None:
    limit = rank_limit(len(lines.ranks))
    taken = set(lines.ranks.tolist())
    if lines.ranks.min() < 0 or lines.ranks.max() > limit:
        raise NotImplementedError(f"ranks below 0, or above {limit} for {len(taken)} tokens, are not supported")
    for text, id in specials.items():
        if id in taken:
            raise NotImplementedError(f"special_tokens with the id of a rank ({text!r}: {id}) are not supported")
        if not 0 <= id <= limit:
            raise NotImplementedError(f"special_tokens with an id above {limit} ({text!r}: {id}) are not supported")
        if not text:
            raise NotImplementedError("an empty special token is not supported")
