"""From the tokens of a call to encodings: truncation, post-processing and padding, in the original's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .encoding import Encoding, merged
from .parts import Slice

if TYPE_CHECKING:
    from .inputs import Inputs
    from .processors import PostProcessor
    from .sources import TextSource

__all__ = ["encodings_of", "padded", "post_processed"]

Settings = dict[str, Any] | None


def encodings_of(inputs: Inputs, source: TextSource) -> list[list[Encoding]]:
    """For each row the encodings of its one or two sequences."""
    bounds, at = source.bounds.tolist(), 0
    rows = []
    for row in inputs.rows:
        parts = []
        for number, size in enumerate(row):
            parts.append(Encoding._of([Slice(source, bounds[at], bounds[at + size], number)]))
            at += size
        rows.append(parts)
    return rows


def post_processed(
    sequences: list[Encoding], processor: PostProcessor | None, truncation: Settings, add_special: bool
) -> Encoding:
    """One or two encodings, which are changed, as one that is cut and has what stands around it."""
    if truncation is not None:
        added = processor._added(len(sequences) == 2) if processor is not None and add_special else 0
        truncate(sequences, truncation, truncation["max_length"] - added)
    if processor is not None:
        return processor._process(sequences, add_special)
    if len(sequences) == 1:
        return sequences[0]
    for number, one in enumerate(sequences):
        one.set_sequence_id(number)
    return merged(sequences, False)


def truncate(sequences: list[Encoding], truncation: dict[str, Any], most: int) -> None:
    """Cut encodings so that they have at most a given number of tokens together."""
    stride, direction = truncation["stride"], truncation["direction"]
    if most <= 0:
        if most < 0:
            raise Exception("Truncation error: max_length is less than the number of special tokens")
        for one in sequences:
            one.truncate(0, stride, direction)
        return
    sizes = [len(one) for one in sequences]
    too_many = sum(sizes) - most
    if too_many <= 0:
        return
    if truncation["strategy"] == "longest_first":
        kept = [most] if len(sizes) == 1 else _shares(sizes[0], sizes[1], most)
        for one, size in zip(sequences, kept, strict=True):
            one.truncate(size, stride, direction)
        return
    which = 0 if truncation["strategy"] == "only_first" else 1
    if which >= len(sequences):
        raise Exception("Truncation error: Second sequence not provided")
    if sizes[which] <= too_many:
        raise Exception("Truncation error: Sequence to truncate too short to respect the provided max_length")
    sequences[which].truncate(sizes[which] - too_many, stride, direction)


def _shares(first: int, second: int, most: int) -> list[int]:
    """How many tokens of two texts stay: the longer one is cut to the length of the other, then both are."""
    short, long = min(first, second), max(first, second)
    long = short if short > most else max(short, most - short)
    if short + long > most:
        short = most // 2
        long = short + most % 2
    return [long, short] if first > second else [short, long]


def padded(encodings: list[Encoding], padding: Settings) -> list[Encoding]:
    """Encodings that are filled up to one length, in place."""
    if padding is None or not encodings:
        return encodings
    length = padding["length"]
    if length is None:
        length = max(map(len, encodings))
    multiple = padding["pad_to_multiple_of"]
    if multiple:
        length += -length % multiple
    for one in encodings:
        one.pad(length, padding["direction"], padding["pad_id"], padding["pad_type_id"], padding["pad_token"])
    return encodings
