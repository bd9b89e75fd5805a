"""Many texts as arrays: cut, with what stands around them, and filled up to one length, without an Encoding for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .post import _shares
from .processors import BertProcessing, ByteLevel, RobertaProcessing, Sequence, TemplateProcessing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .processors import PostProcessor
    from .sources import TextSource

__all__ = ["Arrays", "Slot", "arrays_of", "slots_of"]

Settings = dict[str, Any] | None


class Slot(NamedTuple):
    """A place in a row: the text of this number, or where that is None some ids."""

    text: int | None
    ids: list[int]
    type_id: int


class Arrays(NamedTuple):
    """Rows of one length, all int64."""

    ids: NDArray[np.int64]
    type_ids: NDArray[np.int64]
    attention: NDArray[np.int64]
    special: NDArray[np.int64]


def slots_of(processor: PostProcessor | None, paired: bool, add_special: bool) -> list[Slot] | None:
    """What a row is put together of; None where a post-processor does more than that."""
    texts = [Slot(number, [], number) for number in range(2 if paired else 1)]
    parts = list(processor._parts) if isinstance(processor, Sequence) else [processor]
    rest = [part for part in parts if part is not None and not isinstance(part, ByteLevel)]
    if not rest:
        return texts
    if len(rest) > 1 or rest[0] is not parts[-1]:
        return None
    made = _slots(rest[0], texts)
    if made is None or sorted(slot.text for slot in made if slot.text is not None) != list(range(len(texts))):
        return None
    return [slot for slot in made if add_special or slot.text is not None]


def _slots(part: Any, texts: list[Slot]) -> list[Slot] | None:
    fields = part._fields
    if isinstance(part, TemplateProcessing):
        pieces = [next(iter(piece.items())) for piece in fields["pair" if len(texts) == 2 else "single"]]
        return [
            Slot("AB".index(row["id"]), [], row["type_id"])
            if kind == "Sequence"
            else Slot(None, fields["special_tokens"][row["id"]]["ids"], row["type_id"])
            for kind, row in pieces
        ]
    if not isinstance(part, (BertProcessing, RobertaProcessing)):
        return None
    cls, sep = Slot(None, [fields["cls"][1]], 0), Slot(None, [fields["sep"][1]], 0)
    if isinstance(part, BertProcessing):
        return [cls, texts[0], sep, *([texts[1], sep._replace(type_id=1)] if len(texts) == 2 else [])]
    return [cls, texts[0], sep, *([sep, texts[1]._replace(type_id=0), sep] if len(texts) == 2 else [])]


def arrays_of(source: TextSource, slots: list[Slot], truncation: Settings, padding: Settings) -> Arrays | None:
    """The rows of texts, or of pairs that follow each other; None where they are not of one length, or cannot be cut so."""
    texts = sum(slot.text is not None for slot in slots)
    around = sum(len(slot.ids) for slot in slots)
    starts, ends = source.bounds[:-1].reshape(-1, texts).copy(), source.bounds[1:].reshape(-1, texts).copy()
    if truncation is not None and not _cut(starts, ends, truncation, truncation["max_length"] - around):
        return None
    lengths = (ends - starts).sum(1) + around
    width = int(lengths.max(initial=0))
    if padding is None:
        if len(lengths) and int(lengths.min()) != width:
            return None
    else:
        width = width if padding["length"] is None else max(padding["length"], width)
        if padding["length"] is not None and width > padding["length"]:
            return None
        width += -width % (padding["pad_to_multiple_of"] or 1)
    return _filled(source.ids, slots, starts, ends, lengths, width, padding)


def _cut(starts: NDArray[np.int64], ends: NDArray[np.int64], truncation: dict[str, Any], most: int) -> bool:
    """Move the bounds of texts so that each row has at most a given number of ids."""
    sizes = ends - starts
    long = np.flatnonzero(sizes.sum(1) > most)
    if not len(long):
        return most >= 0
    if most <= 0 or truncation["strategy"] != "longest_first" or truncation["stride"] >= most:
        return False
    if sizes.shape[1] == 1:
        kept = np.minimum(sizes, most)
    else:
        kept = sizes.copy()
        for row in long.tolist():
            kept[row] = np.minimum(_shares(int(sizes[row, 0]), int(sizes[row, 1]), most), sizes[row])
    if truncation["stride"] and (truncation["stride"] >= kept.min(initial=most)):
        return False
    if truncation["direction"] == "left":
        np.subtract(ends, kept, out=starts)
    else:
        np.add(starts, kept, out=ends)
    return True


def _filled(
    ids: NDArray[np.uint32],
    slots: list[Slot],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lengths: NDArray[np.int64],
    width: int,
    padding: Settings,
) -> Arrays:
    shape = (len(lengths), width)
    pad = padding or {"pad_id": 0, "pad_type_id": 0, "direction": "right"}
    found, types = np.full(shape, pad["pad_id"], np.int64), np.full(shape, pad["pad_type_id"], np.int64)
    attention, special = np.zeros(shape, np.int64), np.ones(shape, np.int64)
    is_typed = any(slot.type_id for slot in slots) or pad["pad_type_id"] != 0
    firsts, lasts = starts.tolist(), ends.tolist()
    from_left = pad["direction"] == "left"
    for row, length in enumerate(lengths.tolist()):
        at = width - length if from_left else 0
        line, marks, kinds = found[row], special[row], types[row]
        attention[row, at : at + length] = 1
        for text, fixed, type_id in slots:
            if text is None:
                end = at + len(fixed)
                line[at:end] = fixed
            else:
                first, last = firsts[row][text], lasts[row][text]
                end = at + last - first
                line[at:end] = ids[first:last]
                marks[at:end] = 0
            if is_typed:
                kinds[at:end] = type_id
            at = end
    return Arrays(found, types, attention, special)
