"""A batch call that wants tensors: arrays straight from the kernel's ids, in the place of lists that become arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..tokenizers.inputs import Inputs
from ..tokenizers.post import encodings_of, padded, post_processed
from ..tokenizers.rows import arrays_of, slots_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tokenizers.encoding import Encoding
    from .backend import Backend

__all__ = ["tensor_batch"]


class Encodings(Sequence["Encoding"]):
    """The encodings of a batch, made when one is asked for."""

    def __init__(self, size: int, make: Callable[[], list[Encoding]]) -> None:
        self._size, self._make = size, make
        self._made: list[Encoding] | None = None

    def _all(self) -> list[Encoding]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self._all(),)


def _texts(text: Any, pair: Any) -> Inputs | None:
    """The texts of a batch, those of pairs one after the other; None for anything else."""
    if type(text) is not list or not text or not all(type(one) is str for one in text):
        return None
    if pair is None:
        return Inputs(text, [(1,)] * len(text), False)
    if type(pair) is not list or len(pair) != len(text) or not all(type(one) is str for one in pair):
        return None
    return Inputs([one for both in zip(text, pair, strict=True) for one in both], [(1, 1)] * len(text), False)


def tensor_batch(tokenizer: Any, backend: Backend, text: Any, pair: Any, options: dict[str, Any]) -> Any:
    """The ``BatchEncoding`` of a call; None where it asks for more than ids and masks as tensors."""
    wanted = getattr(options.get("return_tensors"), "value", options.get("return_tensors"))
    if wanted not in ("np", "pt") or options.get("is_split_into_words"):
        return None
    if (
        options.get("return_overflowing_tokens")
        or options.get("return_offsets_mapping")
        or options.get("sanitize_control_tokens")
    ):
        return None
    inputs = _texts(text, pair)
    engine = None if inputs is None else backend.engine()
    if inputs is None or engine is None:
        return None
    add_special = options.get("add_special_tokens", True)
    slots = slots_of(backend._processor, pair is not None, add_special)
    if slots is None:
        return None
    original = backend._original
    _set_up(tokenizer, original, options)
    truncation, padding, processor = original.truncation, original.padding, backend._processor
    source = engine.source(inputs.texts, original.encode_special_tokens)
    arrays = arrays_of(source, slots, truncation, padding)
    if arrays is None:
        return None

    def encodings() -> list[Encoding]:
        rows = encodings_of(inputs, source)
        return padded([post_processed(row, processor, truncation, add_special) for row in rows], padding)

    names = tokenizer.model_input_names
    types, masks = options.get("return_token_type_ids"), options.get("return_attention_mask")
    data: dict[str, Any] = {"input_ids": arrays.ids}
    if "token_type_ids" in names if types is None else types:
        data["token_type_ids"] = arrays.type_ids
    if "attention_mask" in names if masks is None else masks:
        data["attention_mask"] = arrays.attention
    if options.get("return_special_tokens_mask"):
        data["special_tokens_mask"] = arrays.special
    if options.get("return_length"):
        import numpy as np

        data["length"] = np.full(len(arrays.ids), arrays.ids.shape[1], np.int64)
    for row in arrays.ids[:1]:
        tokenizer._eventual_warn_about_too_long_sequence(row, options.get("max_length"), options.get("verbose", True))
    return _batch(data, Encodings(len(arrays.ids), encodings), wanted, 1 if pair is None else 2)


def _set_up(tokenizer: Any, original: Any, options: dict[str, Any]) -> None:
    """Truncation and padding on the original, as the call would set them."""
    names = ("padding_strategy", "truncation_strategy", "max_length", "stride", "pad_to_multiple_of", "padding_side")
    tokenizer.set_truncation_and_padding(**{name: options[name] for name in names})
    split = options.get("split_special_tokens")
    split = tokenizer.split_special_tokens if split is None else split
    if original.encode_special_tokens != split:
        original.encode_special_tokens = split


def _batch(data: dict[str, Any], encodings: Encodings, wanted: str, sequences: int) -> Any:
    from transformers import BatchEncoding

    if wanted == "pt":
        import torch

        data = {name: torch.from_numpy(array) for name, array in data.items()}
    return BatchEncoding(data, encodings, n_sequences=sequences)
