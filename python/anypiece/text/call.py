"""A tokenizer as a function: texts to rows that a model takes, cut, filled up and as tensors, as a call asks for it.

The names and values of arguments are those that users of transformers know. What a call leaves open is taken from the file:
the pad piece, the sides and the length that a model can take.
"""

from __future__ import annotations

import difflib
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

import numpy as np

from .._core.checks import checked_count, listed
from ..errors import InputError, InputTypeError
from ..metadata import metadata_of
from ..results import Batch, Encoded
from .encoding import batch_of
from .layout import Truncation, filled, joined, kept_lengths, shortened, slots_of
from .spans import encode_spans_batch
from .specials import checked_specials
from .tensors import Tensors, checked_tensors, packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ..tokenizer import Tokenizer
    from .specials import AddSpecial, Specials

__all__ = ["Filling", "Paddings", "Side", "Truncations", "encode_call", "filling_of", "pad_of", "refuse_unknown"]

Paddings = Literal["longest", "max_length", "do_not_pad"] | bool
Truncations = Literal["longest_first", "only_first", "only_second", "do_not_truncate"] | bool
Side = Literal["right", "left"]

_STRATEGIES = {
    True: "LongestFirst",
    "longest_first": "LongestFirst",
    "only_first": "OnlyFirst",
    "only_second": "OnlySecond",
    False: None,
    "do_not_truncate": None,
}
_PADDINGS = {True: "longest", "longest": "longest", "max_length": "max_length", False: None, "do_not_pad": None}
_UNLIMITED = 1 << 24
"""A length that a file names and no model takes, such as 1e30, stands for none."""
_MOST = 1 << 28
"""How many ids rows may have together once they are filled up."""
_NAMED_OTHERWISE = {
    "add_special_tokens": "add_special",
    "text": "texts",
    "text_pair": "pairs",
    "pad_token_id": "pad_id",
    "split_special_tokens": 'specials, which is "text" unless told otherwise',
}
_ABSENT = {
    "is_split_into_words": "Pass texts as they are.",
    "return_overflowing_tokens": "Tokenizer.split cuts a text into parts with an overlap.",
    "stride": "Tokenizer.split cuts a text into parts with an overlap.",
    "text_target": "Call the tokenizer for the targets too.",
}


class Filling(NamedTuple):
    """How rows are made as long as each other: what fills up, to which length at least, on which side."""

    pad_id: int
    type_id: int
    width: int | None
    multiple: int
    on_left: bool

    def width_for(self, lengths: NDArray[np.int64]) -> int:
        """How long rows of these lengths become; too many ids together are refused."""
        width = max(int(lengths.max(initial=0)), self.width or 0)
        width += -width % self.multiple
        if width * len(lengths) > _MOST:
            message = (
                f"{len(lengths)} rows of {width} ids are more than {_MOST} ids. Pass a smaller max_length or batch."
            )
            raise InputError("argument-value", message, argument="max_length", value=width)
        return width


def encode_call(
    tokenizer: Tokenizer,
    texts: Any,
    pairs: Any,
    add_special: AddSpecial,
    specials: Specials,
    sizes: Mapping[str, Any],
    returned: Mapping[str, Any],
    threads: int | None,
) -> Encoded:
    """See ``Tokenizer.__call__``."""
    is_single, given = _given(texts, pairs)
    wanted = checked_tensors(returned["return_tensors"])
    truncation = _truncation(tokenizer, sizes)
    filling = filling_of(tokenizer, sizes)
    slots = slots_of(tokenizer, len(given) == 2, add_special)
    added = sum(isinstance(slot, int) for slot, _ in slots)
    names = checked_specials(specials)
    columns = _columns(tokenizer, given, names, threads, bool(returned["return_offsets_mapping"]))
    if truncation is not None:
        kept = kept_lengths([batch.lengths for batch in columns[0]], truncation, added)
        columns = [
            [shortened(batch, most, truncation.from_left) for batch, most in zip(part, kept, strict=True)]
            for part in columns
        ]
    rows = joined(columns[0], slots)
    has_types = returned["return_token_type_ids"]
    made: dict[str, tuple[NDArray[Any], int]] = {"input_ids": (rows.batch.ids, filling.pad_id if filling else 0)}
    if len(given) == 2 if has_types is None else has_types:
        made["token_type_ids"] = rows.types, filling.type_id if filling else 0
    if returned["return_attention_mask"]:
        made["attention_mask"] = np.ones(len(rows.special), np.int64), 0
    if returned["return_special_tokens_mask"]:
        made["special_tokens_mask"] = rows.special, 1
    if len(columns) > 1:
        nowhere = [(slot if isinstance(slot, str) else 0, type_id) for slot, type_id in slots]
        starts, ends = (joined(part, nowhere).batch.ids for part in columns[1:])
        made["offset_mapping"] = np.stack([starts, ends], 1), 0
    return _finished(made, rows.batch.offsets, filling, wanted, is_single, bool(returned["return_length"]))


def _finished(
    columns: dict[str, tuple[NDArray[Any], int]],
    offsets: NDArray[np.int64],
    filling: Filling | None,
    wanted: Tensors,
    is_single: bool,
    has_length: bool,
) -> Encoded:
    """The rows by name: lists, or tensors where they are asked for."""
    lengths = np.diff(offsets)
    if filling is not None:
        width = filling.width_for(lengths)
        _, arrays = filled(offsets, width, filling.on_left, list(columns.values()))
        found: dict[str, Any] = dict(zip(columns, arrays, strict=True))
        lengths = np.full(len(lengths), width)
    else:
        found = {name: _rows(values, offsets) for name, (values, _) in columns.items()}
    if has_length:
        found["length"] = lengths
    return packed(found, wanted, is_single)


def _rows(values: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[Any] | list[Any]:
    """Rows that nothing fills up: one array if all are of one length, else a list."""
    lengths = np.diff(offsets)
    if len(lengths) == 0 or (lengths == lengths[0]).all():
        width = int(lengths[0]) if len(lengths) else 0
        return values.reshape(len(lengths), width, *values.shape[1:]).astype(np.int64)
    flat = values.astype(np.int64).tolist()
    return [flat[start:end] for start, end in pairwise(offsets.tolist())]


def _given(texts: Any, pairs: Any) -> tuple[bool, list[list[Any]]]:
    """Whether one text was given, and the texts, with their pairs if there are any."""
    is_single = isinstance(texts, (str, bytes))
    if pairs is not None and is_single != isinstance(pairs, (str, bytes)):
        raise InputTypeError(
            "input-type", "A text has a pair that is a text, and a list of texts a list.", type=type(pairs).__name__
        )
    if is_single:
        return True, [[texts]] if pairs is None else [[texts], [pairs]]
    if isinstance(texts, (int, float)) or texts is None:
        kind = type(texts).__name__
        message = (
            f"texts must be a text or a list of texts, not {kind}. For ids to text use decode; to fill up ids, pad."
        )
        raise InputTypeError("input-type", message, type=kind)
    first = listed(texts, "texts")
    if pairs is None:
        if first and all(isinstance(one, (tuple, list)) and len(one) == 2 for one in first):
            return False, [[one for one, _ in first], [other for _, other in first]]
        return False, [first]
    second = listed(pairs, "pairs")
    if len(first) != len(second):
        message = f"There are {len(first)} texts and {len(second)} pairs; each text needs one."
        raise InputError("argument-value", message, argument="pairs", value=len(second))
    return False, [first, second]


def _columns(
    tokenizer: Tokenizer, given: list[list[Any]], specials: Specials, threads: int | None, has_spans: bool
) -> list[list[Batch]]:
    """The ids of each list of texts, and where they are asked for the starts and ends."""
    if not has_spans:
        return [[batch_of(tokenizer, part, specials, threads) for part in given]]
    found = [encode_spans_batch(tokenizer, part, None, False, specials, threads) for part in given]
    return [
        [Batch(part.ids, part.offsets) for part in found],
        [Batch(part.starts, part.offsets) for part in found],  # type: ignore[arg-type]
        [Batch(part.ends, part.offsets) for part in found],  # type: ignore[arg-type]
    ]


def _choice(value: object, known: Mapping[Any, Any], name: str) -> Any:
    try:
        if isinstance(value, (bool, str)):
            return known[value]
    except KeyError:
        pass
    shown = ", ".join(repr(one) for one in known)
    raise InputError(
        "argument-value", f"{name} must be one of {shown}, not {value!r:.40}.", argument=name, value=repr(value)
    )


def _side(value: object, said: object, name: str) -> bool:
    """Whether rows are filled up or cut on the left: as asked for, or as the file says."""
    if value is None:
        return isinstance(said, str) and said.lower() == "left"
    return bool(_choice(value, {"right": False, "left": True}, name))


def _length(tokenizer: Tokenizer, given: Any, argument: str) -> int | None:
    """The length that rows are cut at or filled up to, where that is needed."""
    if given is not None:
        return checked_count(given, "max_length")
    metadata = metadata_of(tokenizer._origin)
    known = [metadata.config.get("model_max_length"), (metadata.truncation or {}).get("max_length")]
    found = [int(one) for one in known if isinstance(one, (int, float)) and 0 < one < _UNLIMITED]
    if not found:
        message = f"{argument} needs a length, and the file names none. Pass max_length=..."
        raise InputError("argument-value", message, argument="max_length", value=None)
    return found[0]


def _truncation(tokenizer: Tokenizer, sizes: Mapping[str, Any]) -> Truncation | None:
    asked, most = sizes["truncation"], sizes["max_length"]
    if asked is None:
        # A length without anything else is one that rows are cut at.
        asked = most is not None and _choice(sizes["padding"], _PADDINGS, "padding") is None
    strategy = _choice(asked, _STRATEGIES, "truncation")
    metadata = metadata_of(tokenizer._origin)
    said = metadata.config.get("truncation_side") or (metadata.truncation or {}).get("direction")
    from_left = _side(sizes["truncation_side"], said, "truncation_side")
    if strategy is None:
        return None
    return Truncation(_length(tokenizer, most, f"truncation={asked!r}") or 0, from_left, strategy)


def filling_of(tokenizer: Tokenizer, sizes: Mapping[str, Any]) -> Filling | None:
    """How rows are filled up, if they are."""
    padding = _choice(sizes["padding"], _PADDINGS, "padding")
    multiple = sizes["pad_to_multiple_of"]
    multiple = 1 if multiple is None else checked_count(multiple, "pad_to_multiple_of", 1)
    metadata = metadata_of(tokenizer._origin)
    section = metadata.padding or {}
    said = metadata.config.get("padding_side") or section.get("direction")
    on_left = _side(sizes["padding_side"], said, "padding_side")
    if padding is None:
        return None
    width = _length(tokenizer, sizes["max_length"], 'padding="max_length"') if padding == "max_length" else None
    type_id = section.get("pad_type_id", 0)
    return Filling(pad_of(tokenizer, sizes["pad_id"]), type_id if type(type_id) is int else 0, width, multiple, on_left)


def pad_of(tokenizer: Tokenizer, given: Any) -> int:
    """The id that rows are filled up with: the one asked for, that of the vocabulary or that of the file."""
    if given is not None:
        return checked_count(given, "pad_id")
    said = (metadata_of(tokenizer._origin).padding or {}).get("pad_id")
    found = said if tokenizer.pad_id is None else tokenizer.pad_id
    if type(found) is int:
        return found
    message = (
        "This vocabulary has no pad piece to fill rows up with. Pass pad_id=... to this call, or name a piece: "
        'load(path, roles={"pad": "..."}) or tok.replace(pad_id=tok.eos_id).'
    )
    raise InputError("special-missing", message, special="pad")


def refuse_unknown(names: Iterable[str], known: Iterable[str]) -> NoReturn:
    """Refuse keywords that a call does not have: what cannot be done, what is called otherwise, what is misspelled."""
    name = next(iter(names))
    if name in _ABSENT:
        raise NotImplementedError(f"{name} is not an argument here. {_ABSENT[name]}")
    near = difflib.get_close_matches(name, list(known), n=1)
    other = _NAMED_OTHERWISE.get(name) or (near[0] if near else "")
    hint = f" It is called {other}." if name in _NAMED_OTHERWISE else f" Did you mean {other}?" if other else ""
    message = f"A call has no argument {name!r}.{hint} Known are {', '.join(known)}."
    raise InputTypeError("input-type", message, type=name)
