"""Rows of one length: texts cut and filled up as the sections ``truncation`` and ``padding`` of a tokenizer.json say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from .._core.checks import checked_count
from ..errors import FormatError, InputError
from ..metadata import metadata_of
from ..results import Batch
from .specials import ids_around

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..tokenizer import Tokenizer
    from .specials import AddSpecial, Slots

__all__ = ["RaggedRows", "Rows", "rows_of"]

_WIDEST = 1 << 24
"""Maximum ids of a row; a file that asks for more is damaged."""
_MOST, _FILLING = 1 << 28, 1024
"""How many ids all rows together may have; beyond that, how many for each id of the texts themselves."""
_STRATEGIES = ("LongestFirst", "OnlyFirst", "OnlySecond")


class Rows(NamedTuple):
    """Rows of one length: ``mask`` is true where ``ids`` are those of the text, false where they only fill up, and
    ``type_ids`` tell the two texts of a row apart."""

    ids: NDArray[np.uint32]
    mask: NDArray[np.bool_]
    type_ids: NDArray[np.uint32]


class RaggedRows(NamedTuple):
    """Rows that were cut and not filled up, each as long as it is. ``mask`` is 1 everywhere, since nothing fills up."""

    ids: Batch
    mask: Batch
    type_ids: Batch


class _Truncation(NamedTuple):
    most: int
    from_left: bool
    strategy: str


class _Padding(NamedTuple):
    pad_id: int | None
    type_id: int
    fixed: int | None
    multiple: int
    on_left: bool


def rows_of(
    tokenizer: Tokenizer,
    texts: list[Batch],
    add_special: AddSpecial,
    max_length: int | None = None,
    pad_id: int | None = None,
) -> Rows | RaggedRows:
    """The rows of texts, or of pairs of texts, that are ids: cut and filled up as the file says, or as is asked for."""
    if len(texts) == 2 and len(texts[0]) != len(texts[1]):
        message = f"There are {len(texts[0])} texts and {len(texts[1])} pairs; each text needs one."
        raise InputError("argument-value", message, argument="pairs", value=len(texts[1]))
    slots = _slots(tokenizer, len(texts) == 2, add_special)
    added = sum(isinstance(slot, int) for slot, _ in slots)
    metadata = metadata_of(tokenizer._origin)
    truncation = None if metadata.truncation is None else _truncation(metadata.truncation)
    if max_length is not None:
        most = checked_count(max_length, "max_length")
        truncation = (truncation or _Truncation(most, False, "LongestFirst"))._replace(most=most)
    if truncation is not None:
        texts = _cut(texts, truncation, added)
    batch, types = _joined(texts, slots)
    if metadata.truncation is not None and metadata.padding is None and pad_id is None:
        return RaggedRows(batch, Batch(np.ones_like(batch.ids), batch.offsets), Batch(types, batch.offsets))
    padding = _padding(tokenizer)
    if pad_id is not None:
        padding = padding._replace(pad_id=checked_count(pad_id, "pad_id"))
    if max_length is not None and padding.fixed is not None:
        padding = padding._replace(fixed=min(padding.fixed, max_length))
    return _filled((batch, types), padding)


def _slots(tokenizer: Tokenizer, paired: bool, add_special: AddSpecial) -> Slots:
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


def _cut(texts: list[Batch], truncation: _Truncation, added: int) -> list[Batch]:
    """The texts without what is too much of them, where ``added`` ids are going to be put around each row."""
    if truncation.most < added:
        message = f"Rows are cut at {truncation.most} ids, fewer than are put around a text. Pass add_special=False."
        raise InputError("argument-value", message, argument="add_special", value=True)
    most = truncation.most - added
    lengths = [batch.lengths for batch in texts]
    if len(texts) == 1 and truncation.strategy == "OnlySecond" and most and (lengths[0] > most).any():
        _refuse("truncation", "cuts only the second of two texts, and there is one")
    kept = _kept(lengths, most, truncation.strategy)
    return [_shortened(batch, most, truncation.from_left) for batch, most in zip(texts, kept, strict=True)]


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
            f"The file cuts only the {which} text of a pair. In pair {short[0]} that one has {target[short[0]]} ids, and "
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


def _shortened(batch: Batch, kept: NDArray[np.int64], from_left: bool) -> Batch:
    first = batch.offsets[1:] - kept if from_left else batch.offsets[:-1]
    offsets = np.concatenate([[0], np.cumsum(kept)])
    return Batch(batch.ids[_places(first, kept, offsets)], offsets)


def _places(first: NDArray[np.int64], lengths: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers ``first[i]``, ``first[i] + 1`` and so on, ``lengths[i]`` of them, for each row."""
    return np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], lengths)


def _joined(texts: list[Batch], slots: Slots) -> tuple[Batch, NDArray[np.uint32]]:
    """One batch of the rows, and the type id of each of its ids."""
    count = len(texts[0])
    parts = [(None if isinstance(slot, int) else texts["AB".index(slot)], slot, type_id) for slot, type_id in slots]
    sizes = [np.ones(count, np.int64) if part is None else part.lengths for part, _, _ in parts]
    offsets = np.concatenate([[0], np.cumsum(sum(sizes, np.zeros(count, np.int64)))])
    ids, types = np.empty(offsets[-1], np.uint32), np.empty(offsets[-1], np.uint32)
    start = offsets[:-1]
    for (part, slot, type_id), size in zip(parts, sizes, strict=True):
        places = _places(start, size, np.concatenate([[0], np.cumsum(size)]))
        ids[places] = slot if part is None else part.ids
        types[places] = type_id
        start = start + size
    return Batch(ids, offsets), types


def _filled(rows: tuple[Batch, NDArray[np.uint32]], padding: _Padding) -> Rows:
    batch, types = rows
    width = int(batch.lengths.max(initial=0)) if padding.fixed is None else padding.fixed
    width += -width % padding.multiple
    if width * len(batch) > max(_MOST, _FILLING * len(batch.ids)):
        _refuse("padding", f"makes {len(batch)} rows of {width} ids, nearly all of them to fill up")
    side: Any = "left" if padding.on_left else "right"
    ids, mask = batch.padded(padding.pad_id, width, side=side)
    filled = np.full(ids.shape, padding.type_id, np.uint32)
    filled[mask] = types
    return Rows(ids, mask, filled)


def _truncation(section: dict[str, Any]) -> _Truncation:
    strategy = section.get("strategy", "LongestFirst")
    if strategy not in _STRATEGIES:
        _refuse("truncation", f"has the strategy {strategy!r}, which is not known")
    return _Truncation(_number(section, "truncation", "max_length"), _is_left(section, "truncation"), strategy)


def _padding(tokenizer: Tokenizer) -> _Padding:
    """As the section says; without one to the longest, with the vocabulary's own pad piece."""
    section = metadata_of(tokenizer._origin).padding
    if section is None:
        return _Padding(tokenizer.pad_id, 0, None, 1, False)
    strategy = section.get("strategy")
    fixed = _number(strategy, "padding", "Fixed") if isinstance(strategy, dict) else None
    if fixed is None and strategy != "BatchLongest":
        _refuse("padding", f"has the strategy {strategy!r}, which is not known")
    multiple = 1 if section.get("pad_to_multiple_of") is None else _number(section, "padding", "pad_to_multiple_of")
    numbers = [_number(section, "padding", name) for name in ("pad_id", "pad_type_id")]
    return _Padding(numbers[0], numbers[1], fixed, max(multiple, 1), _is_left(section, "padding"))


def _number(section: dict[str, Any], name: str, field: str) -> int:
    value = section.get(field)
    if type(value) is not int or not 0 <= value <= _WIDEST:
        _refuse(name, f"has {value!r} for {field}, and wants a whole number up to {_WIDEST}")
    return value


def _is_left(section: dict[str, Any], name: str) -> bool:
    direction = section.get("direction", "Right")
    if direction not in ("Right", "Left"):
        _refuse(name, f"has the direction {direction!r}, which is not known")
    return bool(direction == "Left")


def _refuse(name: str, what: str) -> NoReturn:
    raise FormatError(
        "json-field", f"the section {name} {what}; mend the file, or use encode_batch(...).padded", field=name
    )
