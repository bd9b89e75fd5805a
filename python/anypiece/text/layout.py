"""Rows put together: what stands around the texts of a row, how much of each text stays, and the row itself.

Everything here is arithmetic on the offsets of a batch. Who asks for it, a file or a call, is for ``padding`` and ``call``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..results import Batch
from .specials import ids_around

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..tokenizer import Tokenizer
    from .specials import AddSpecial, Slots

__all__ = ["STRATEGIES", "Joined", "Truncation", "cut", "filled", "joined", "kept_lengths", "shortened", "slots_of"]

STRATEGIES = ("LongestFirst", "OnlyFirst", "OnlySecond")


class Truncation(NamedTuple):
    """Rows of at most ``most`` ids: from which side, and of which text of a pair."""

    most: int
    from_left: bool
    strategy: str


def slots_of(tokenizer: Tokenizer, paired: bool, add_special: AddSpecial) -> Slots:
    """What a row is put together of."""
    spec = tokenizer.spec
    if paired and not isinstance(add_special, bool):
        message = f"Around a pair of texts stands what the file says, or nothing: add_special is {add_special!r}."
        raise InputError("argument-value", message, argument="add_special", value=add_special)
    own = (spec.pair or (("A", 0), ("B", 1))) if paired else spec.single
    if own is not None and isinstance(add_special, bool):
        return [slot for slot in own if add_special or isinstance(slot[0], str)]
    before, after = ids_around(spec, add_special)
    return [*((id, 0) for id in before), ("A", 0), *((id, 0) for id in after)]


def cut(texts: list[Batch], truncation: Truncation, added: int) -> list[Batch]:
    """The texts without what is too much of them, where ``added`` ids are going to be put around each row."""
    kept = kept_lengths([batch.lengths for batch in texts], truncation, added)
    return [shortened(batch, most, truncation.from_left) for batch, most in zip(texts, kept, strict=True)]


def kept_lengths(lengths: list[NDArray[np.int64]], truncation: Truncation, added: int) -> list[NDArray[np.int64]]:
    """How many ids of each text stay, where ``added`` ids are going to be put around each row."""
    if truncation.most < added:
        message = (
            f"Rows are cut at {truncation.most} ids, fewer than the {added} that are put around a text. "
            "Pass add_special=False."
        )
        raise InputError("argument-value", message, argument="add_special", value=True)
    most = truncation.most - added
    if len(lengths) == 1 and truncation.strategy == "OnlySecond" and most and (lengths[0] > most).any():
        message = "Only the second text of a pair is to be cut, and there is one text. Cut the first, or the longest."
        raise InputError("argument-value", message, argument="truncation", value=truncation.strategy)
    return _kept(lengths, most, truncation.strategy)


def _kept(lengths: list[NDArray[np.int64]], most: int, strategy: str) -> list[NDArray[np.int64]]:
    """How many ids of each text stay, so that a row has at most ``most``."""
    if len(lengths) == 1 or most == 0:
        return [np.minimum(length, most) for length in lengths]
    first, second = lengths
    too_many = np.maximum(first + second - most, 0)
    if strategy == "LongestFirst":
        return _both_cut(first, second, most)
    target = first if strategy == "OnlyFirst" else second
    short = np.flatnonzero((too_many > 0) & (target <= too_many))
    if len(short):
        which = "first" if strategy == "OnlyFirst" else "second"
        message = (
            f"Only the {which} text of a pair is cut. In pair {short[0]} that one has {target[short[0]]} ids, and "
            f"{too_many[short[0]]} are too many. Shorten the other text."
        )
        raise InputError("argument-value", message, argument="pairs", index=int(short[0]))
    return [first - too_many, second] if strategy == "OnlyFirst" else [first, second - too_many]


def _both_cut(first: NDArray[np.int64], second: NDArray[np.int64], most: int) -> list[NDArray[np.int64]]:
    """The longer text is cut until it is as long as the other, then both are."""
    less, more = np.minimum(first, second), np.maximum(first, second)
    left = np.where(less > most, less, np.maximum(less, most - less))
    halves = less + left > most
    less_kept = np.where(halves, most // 2, less)
    more_kept = np.where(halves, most // 2 + most % 2, left)
    fits = first + second <= most
    less_kept, more_kept = np.where(fits, less, less_kept), np.where(fits, more, more_kept)
    swapped = first > second
    return [
        np.minimum(first, np.where(swapped, more_kept, less_kept)),
        np.minimum(second, np.where(swapped, less_kept, more_kept)),
    ]


def shortened(batch: Batch, kept: NDArray[np.int64], from_left: bool) -> Batch:
    first = batch.offsets[1:] - kept if from_left else batch.offsets[:-1]
    offsets = np.concatenate([[0], np.cumsum(kept)])
    return Batch(batch.ids[_places(first, kept, offsets)], offsets)


def _places(first: NDArray[np.int64], lengths: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers ``first[i]``, ``first[i] + 1`` and so on, ``lengths[i]`` of them, for each row."""
    return np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], lengths)


class Joined(NamedTuple):
    """Rows put together, and for each id its type id and whether the template has put it there."""

    batch: Batch
    types: NDArray[np.uint32]
    special: NDArray[np.bool_]


def joined(texts: list[Batch], slots: Slots) -> Joined:
    """The rows of texts, with the ids of a template around them."""
    count = len(texts[0])
    parts = [(None if isinstance(slot, int) else texts["AB".index(slot)], slot, type_id) for slot, type_id in slots]
    sizes = [np.ones(count, np.int64) if part is None else part.lengths for part, _, _ in parts]
    offsets = np.concatenate([[0], np.cumsum(sum(sizes, np.zeros(count, np.int64)))])
    ids = np.empty(offsets[-1], texts[0].ids.dtype)
    types, special = np.empty(offsets[-1], np.uint32), np.empty(offsets[-1], bool)
    start = offsets[:-1]
    for (part, slot, type_id), size in zip(parts, sizes, strict=True):
        places = _places(start, size, np.concatenate([[0], np.cumsum(size)]))
        ids[places] = slot if part is None else part.ids
        types[places], special[places] = type_id, part is None
        start = start + size
    return Joined(Batch(ids, offsets), types, special)


def filled(
    offsets: NDArray[np.int64], width: int, on_left: bool, columns: list[tuple[NDArray[Any], int]]
) -> tuple[NDArray[np.bool_], list[NDArray[np.int64]]]:
    """Columns of rows as arrays of ``width``, each with its own filler, and where the rows are."""
    lengths = np.diff(offsets)[:, None]
    place = np.arange(width)[None, :]
    mask = place >= width - lengths if on_left else place < lengths
    made = []
    for values, filler in columns:
        out = np.full((len(lengths), width, *values.shape[1:]), filler, np.int64)
        out[mask] = values
        made.append(out)
    return mask, made
