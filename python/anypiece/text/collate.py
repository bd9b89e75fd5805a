"""Rows that were encoded before, filled up to one length: what a data loader does with the examples of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, InputTypeError
from .call import filling_of
from .layout import filled
from .tensors import checked_tensors, packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..results import Encoded
    from ..tokenizer import Tokenizer

__all__ = ["pad"]

IGNORED = -100
"""What labels are filled up with: the value that losses of torch leave out."""
_FILLERS = {"attention_mask": 0, "special_tokens_mask": 1, "labels": IGNORED, "offset_mapping": 0}


def pad(tokenizer: Tokenizer, examples: Any, sizes: Mapping[str, Any], return_tensors: Any) -> Encoded:
    """See ``Tokenizer.pad``."""
    wanted = checked_tensors(return_tensors)
    columns, is_single = _columns(examples)
    ids = [_row(row, "input_ids") for row in columns["input_ids"]]
    lengths = np.fromiter(map(len, ids), np.int64, len(ids))
    filling = filling_of(tokenizer, sizes)
    if filling is None:
        return packed({**columns, **_mask(columns, lengths)}, wanted, is_single)
    fillers = {"input_ids": filling.pad_id, "token_type_ids": filling.type_id, **_FILLERS}
    width = filling.width_for(lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    made: dict[str, Any] = {}
    for name, rows in {**columns, **_mask(columns, lengths)}.items():
        if name in fillers and _has_lengths(rows, lengths):
            flat = _flat(rows, name)
            made[name] = filled(offsets, width, filling.on_left, [(flat, fillers[name])])[1][0]
        else:
            made[name] = rows
    return packed(made, wanted, is_single)


def _columns(examples: Any) -> tuple[dict[str, Sequence[Any]], bool]:
    """Examples as one list of rows for each name, and whether there was one example alone."""
    if isinstance(examples, Mapping):
        columns = {name: examples[name] for name in examples}
    else:
        try:
            rows = list(examples)
        except TypeError:
            _refuse(type(examples).__name__)
        if not rows or not all(isinstance(row, Mapping) for row in rows):
            _refuse("a list of something else" if rows else "an empty list")
        names = list(rows[0])
        odd = next((name for row in rows for name in {*row} ^ {*names}), None)
        if odd is not None:
            message = f"Some examples have {odd!r} and others have not. Leave it out, or give it to all."
            raise InputError("argument-value", message, argument="examples", value=odd)
        columns = {name: [row[name] for row in rows] for name in names}
    if "input_ids" not in columns:
        message = f"Examples need input_ids to be filled up; they have {', '.join(map(repr, columns)) or 'nothing'}."
        raise InputError("argument-value", message, argument="examples", value="input_ids")
    ids = columns["input_ids"]
    is_single = len(ids) > 0 and np.ndim(ids[0]) == 0
    return ({name: [row] for name, row in columns.items()} if is_single else columns), is_single


def _refuse(found: str) -> Any:
    message = f"pad takes encoded examples: a mapping with input_ids, or a list of such mappings, not {found}."
    raise InputTypeError("input-type", message, type=found)


def _row(row: Any, name: str) -> np.ndarray[Any, Any]:
    array = np.asarray(row)
    if array.ndim == 0 or (array.dtype.kind not in "iu" and array.size):
        message = f"A row of {name} must be integers, not {row!r:.60}."
        raise InputTypeError("input-type", message, type=type(row).__name__)
    return array


def _flat(rows: Sequence[Any], name: str) -> np.ndarray[Any, Any]:
    """All rows one after the other."""
    arrays = [array for array in (_row(row, name) for row in rows) if len(array)]
    return np.concatenate(arrays).astype(np.int64) if arrays else np.zeros(0, np.int64)


def _has_lengths(rows: Sequence[Any], lengths: np.ndarray[Any, Any]) -> bool:
    """Whether rows are as long as the ids, as labels may be and classes are not."""
    return len(rows) == len(lengths) and all(
        np.ndim(row) > 0 and len(row) == length for row, length in zip(rows, lengths.tolist(), strict=True)
    )


def _mask(columns: Mapping[str, Any], lengths: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The mask of rows that came without one."""
    return {} if "attention_mask" in columns else {"attention_mask": [[1] * length for length in lengths.tolist()]}
