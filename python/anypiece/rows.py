"""Rows of one length: texts cut and filled up as the sections ``truncation`` and ``padding`` of a tokenizer.json say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from .batch import Batch
from .beside import beside_of
from .errors import FormatError, InputError

if TYPE_CHECKING:
    from .batch import Padded
    from .tokenizer import Tokenizer

__all__ = ["cut", "filled"]

_WIDEST = 1 << 24
"""Rows may have so many ids; a file that asks for more is damaged."""
_MOST, _FILLING = 1 << 28, 1024
"""So many ids may be in all rows; beyond that at most so many for each of the texts' own."""


class _Truncation(NamedTuple):
    most: int
    from_left: bool


class _Padding(NamedTuple):
    pad_id: int
    fixed: int | None
    multiple: int
    on_left: bool


def cut(tokenizer: Tokenizer, batch: Batch, added: int) -> Batch:
    """The rows without what is too much of them, where ``added`` ids are going to be put around each."""
    section = beside_of(tokenizer._origin).truncation
    if section is None:
        return batch
    truncation = _truncation(section)
    if truncation.most < added:
        message = (
            f"The file cuts rows at {truncation.most} ids, fewer than are put around a text. Pass add_special=False."
        )
        raise InputError("argument-value", message, argument="add_special", value=True)
    kept = np.minimum(batch.lengths, truncation.most - added)
    first = batch.offsets[1:] - kept if truncation.from_left else batch.offsets[:-1]
    offsets = np.concatenate([[0], np.cumsum(kept)])
    places = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], kept)
    return Batch(batch.ids[places], offsets)


def filled(tokenizer: Tokenizer, batch: Batch) -> Padded:
    """The rows filled up; without a section to the longest, with the vocabulary's own pad piece."""
    section = beside_of(tokenizer._origin).padding
    if section is None:
        return batch.padded(tokenizer.pad_id)
    padding = _padding(section)
    width = int(batch.lengths.max(initial=0)) if padding.fixed is None else padding.fixed
    width += -width % padding.multiple
    if width * len(batch) > max(_MOST, _FILLING * len(batch.ids)):
        _refuse("padding", f"makes {len(batch)} rows of {width} ids, nearly all of them to fill up")
    return batch.padded(padding.pad_id, width, side="left" if padding.on_left else "right")


def _truncation(section: dict[str, Any]) -> _Truncation:
    if section.get("strategy") == "OnlySecond":
        _refuse("truncation", "cuts only the second of two texts, and there is one")
    return _Truncation(_number(section, "truncation", "max_length"), _is_left(section, "truncation"))


def _padding(section: dict[str, Any]) -> _Padding:
    strategy = section.get("strategy")
    fixed = _number(strategy, "padding", "Fixed") if isinstance(strategy, dict) else None
    if fixed is None and strategy != "BatchLongest":
        _refuse("padding", f"has the strategy {strategy!r}, which is not known")
    multiple = 1 if section.get("pad_to_multiple_of") is None else _number(section, "padding", "pad_to_multiple_of")
    return _Padding(_number(section, "padding", "pad_id"), fixed, max(multiple, 1), _is_left(section, "padding"))


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
