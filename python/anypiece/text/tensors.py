"""Rows as lists, as arrays or as tensors of torch, which is imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import InputError, extra_missing
from ..results import Encoded

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Tensors", "checked_tensors", "packed", "tensor_of"]

Tensors = Literal["np", "pt"] | None


def checked_tensors(value: Any) -> Tensors:
    """``return_tensors`` as one that can be made. That of another library is a ``NotImplementedError``."""
    value = getattr(value, "value", value)  # transformers has an enumeration of them
    if value is None or value in ("np", "pt"):
        return value  # type: ignore[no-any-return]
    if value in ("tf", "jax", "mlx"):
        raise NotImplementedError(
            f'return_tensors={value!r} is not made here. Pass "np" and convert the arrays, or "pt".'
        )
    message = f'return_tensors must be "np", "pt" or None, not {value!r:.40}.'
    raise InputError("argument-value", message, argument="return_tensors", value=repr(value))


def packed(found: Mapping[str, Any], wanted: Tensors, is_single: bool = False) -> Encoded:
    """Rows by name, which are arrays or where their lengths differ lists, as asked for. One text without tensors has no
    dimension for the batch."""
    if wanted is not None:
        return Encoded({name: tensor_of(values, wanted, name) for name, values in found.items()})
    plain = {name: values.tolist() if isinstance(values, np.ndarray) else values for name, values in found.items()}
    return Encoded({name: values[0] for name, values in plain.items()} if is_single else plain)


def tensor_of(values: Any, wanted: Tensors, name: str) -> Any:
    """An array of int64, or of what else numbers there are, or a tensor of the same."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = None
    if array is None or array.dtype == object:
        message = (
            f"The rows of {name} have different lengths, and a tensor needs one. "
            "Pass padding=True, and truncation=True with max_length=... if some are too long."
        )
        raise InputError("argument-value", message, argument="return_tensors", value=wanted)
    if array.dtype.kind in "ui":
        array = array.astype(np.int64, copy=False)
    if wanted == "np":
        return array
    try:
        import torch
    except ImportError:
        raise extra_missing('return_tensors="pt"', "torch") from None
    return torch.from_numpy(np.ascontiguousarray(array))
