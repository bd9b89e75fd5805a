"""Rows of one length: texts cut and filled up as the sections ``truncation`` and ``padding`` of a tokenizer.json say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from .._core.checks import checked_count
from ..errors import FormatError, InputError
from ..metadata import metadata_of
from ..results import Batch
from .layout import STRATEGIES, Truncation, cut, joined, slots_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..tokenizer import Tokenizer
    from .specials import AddSpecial

__all__ = ["RaggedRows", "Rows", "rows_of"]

_WIDEST = 1 << 24
"""Maximum ids of a row; a file that asks for more is damaged."""
_MOST, _FILLING = 1 << 28, 1024
"""How many ids all rows together may have; beyond that, how many for each id of the texts themselves."""


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
    slots = slots_of(tokenizer, len(texts) == 2, add_special)
    added = sum(isinstance(slot, int) for slot, _ in slots)
    metadata = metadata_of(tokenizer._origin)
    truncation = None if metadata.truncation is None else _truncation(metadata.truncation)
    if max_length is not None:
        most = checked_count(max_length, "max_length")
        truncation = (truncation or Truncation(most, False, "LongestFirst"))._replace(most=most)
    if truncation is not None:
        if (
            len(texts) == 1
            and truncation.strategy == "OnlySecond"
            and (texts[0].lengths + added > truncation.most).any()
        ):
            _refuse("truncation", "cuts only the second of two texts, and there is one")
        texts = cut(texts, truncation, added)
    batch, types, _ = joined(texts, slots)
    if metadata.truncation is not None and metadata.padding is None and pad_id is None:
        return RaggedRows(batch, Batch(np.ones_like(batch.ids), batch.offsets), Batch(types, batch.offsets))
    padding = _padding(tokenizer)
    if pad_id is not None:
        padding = padding._replace(pad_id=checked_count(pad_id, "pad_id"))
    if max_length is not None and padding.fixed is not None:
        padding = padding._replace(fixed=min(padding.fixed, max_length))
    return _filled((batch, types), padding)


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


def _truncation(section: dict[str, Any]) -> Truncation:
    strategy = section.get("strategy", "LongestFirst")
    if strategy not in STRATEGIES:
        _refuse("truncation", f"has the strategy {strategy!r}, which is not known")
    return Truncation(_number(section, "truncation", "max_length"), _is_left(section, "truncation"), strategy)


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
