"""What happens to documents before they are encoded: long ones are cut, and each goes to a part of the shards.

Both depend on the text, the options and nothing else, so that tasks stay pure functions of the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from .documents import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from .documents import Block, Tally, Texts
    from .inputs import File
    from .options import Options

__all__ = [
    "Documents",
    "chance",
    "chances",
    "hash_of",
    "hashes_of",
    "is_held_out",
    "pieces_of",
    "ranges_of",
    "selected",
]

_WINDOW = 1 << 16
_CONTINUED = 0x80, 0xC0
"""A byte of UTF-8 that is not the first of its character has these bits, of those."""


@dataclass(frozen=True)
class Documents:
    """Documents of one file on their way to shards."""

    texts: Texts
    places: NDArray[np.int64]
    pieces: NDArray[np.int64]
    """The number of a piece within the document that it was cut from."""
    held_out: NDArray[np.bool_]
    """Which ones are for validation."""
    hashes: NDArray[np.uint64] | None = None
    """Both halves of a hash of each text, where duplicates are looked for; pieces of equal texts have equal ones."""

    def kept(self, rows: NDArray[np.int64]) -> Documents:
        """Some of them, by their numbers."""
        texts: Texts = (
            _native.texts_taken(self.texts, rows)
            if isinstance(self.texts, _native.TextColumn)
            else [self.texts[row] for row in rows.tolist()]
        )
        hashes = None if self.hashes is None else self.hashes[rows]
        return Documents(texts, self.places[rows], self.pieces[rows], self.held_out[rows], hashes)


def selected(file: File, block: Block, options: Options, tally: Tally) -> Documents:
    """The documents of a block: long ones cut or left out, and which of them are held out."""
    amount = len(block.texts)
    held_out = np.zeros(amount, bool)
    if options.validation:
        held_out = is_held_out(chances(block.texts, options.seed, "validation"), options)
    hashes = hashes_of(block.texts) if options.dedupe else None
    found = Documents(block.texts, block.places, np.zeros(amount, np.int64), held_out, hashes)
    return _shortened(file, found, options, tally) if options.max_document else found


def chances(texts: Texts, seed: int, use: str) -> NDArray[np.uint64]:
    """A number for each text, by its bytes, the seed and what it is for: below 2^64 and evenly spread.

    >>> chances(["a", b"a"], 0, "validation").tolist() == [chances(["a"], 0, "validation")[0]] * 2
    True
    """
    start = _digest(seed, use)
    numbers = np.empty(len(texts), np.uint64)
    for row, text in enumerate(listed(texts)):
        digest = start.copy()
        digest.update(_raw(text))
        numbers[row] = int.from_bytes(digest.digest(), "little")
    return numbers


def hashes_of(texts: Texts) -> NDArray[np.uint64]:
    """128 bits of BLAKE2b for each text: two of 10^12 different texts are taken for equal with a chance of 10^-15.

    >>> hashes_of(["a", b"a", "b"]).tolist()[0] == hashes_of(["a", b"a", "b"]).tolist()[1]
    True
    """
    return np.concatenate([np.empty((0, 2), np.uint64), *(hash_of([_raw(text)]) for text in listed(texts))])


def hash_of(parts: Iterable[bytes]) -> NDArray[np.uint64]:
    """That of a text which comes in parts, as the only row."""
    digest = blake2b(digest_size=16, person=b"dedupe")
    for part in parts:
        digest.update(part)
    return np.frombuffer(digest.digest(), "<u8").reshape(1, 2).copy()


def _raw(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def chance(parts: Iterable[bytes], seed: int, use: str) -> int:
    """The number of a text that comes in parts, as ``chances`` has it.

    >>> chance([b"a", b"b"], 7, "validation") == int(chances(["ab"], 7, "validation")[0])
    True
    """
    digest = _digest(seed, use)
    for part in parts:
        digest.update(part)
    return int.from_bytes(digest.digest(), "little")


def _digest(seed: int, use: str) -> blake2b:
    return blake2b(digest_size=8, key=seed.to_bytes(8, "little"), person=use.encode())


def is_held_out(number: int | NDArray[np.uint64], options: Options) -> Any:
    """Whether a document with such a number is for validation."""
    return number < np.uint64(int(options.validation * 2**64))


def _shortened(file: File, documents: Documents, options: Options, tally: Tally) -> Documents:
    given = documents.texts
    if isinstance(given, _native.TextColumn) and not (_native.text_sizes(given) > options.max_document).any():
        return documents
    rows: list[int] = []
    texts: list[str | bytes] = []
    pieces: list[int] = []
    for row, text in enumerate(listed(given)):
        if _fits(text, options.max_document):
            parts = [text]
        elif options.long_documents == "skip":
            tally.left_out["too_large"] = tally.left_out.get("too_large", 0) + 1
            continue
        else:
            parts = [*pieces_of(text, options.max_document)]
            tally.cut += 1
        rows += [row] * len(parts)
        texts += parts
        pieces += range(len(parts))
    origin = np.array(rows, np.int64)
    numbers = np.array(pieces, np.int64)
    hashes = documents.hashes
    if hashes is not None:
        hashes = hashes[origin]
        hashes[:, 1] += numbers.astype(np.uint64)
    return Documents(texts, documents.places[origin], numbers, documents.held_out[origin], hashes)


def _fits(text: str | bytes, most: int) -> bool:
    if isinstance(text, bytes) or len(text) > most or text.isascii():
        return len(text) <= most
    return len(text.encode()) <= most


def pieces_of(text: str | bytes, most: int) -> list[bytes]:
    """A text in pieces of at most ``most`` bytes, which begin at lines if they can, else at spaces, else at characters.

    A place to cut at is looked for in the second half of what a piece can hold.

    >>> pieces_of("one two three\\nfour five", 16)
    [b'one two three\\n', b'four five']
    >>> pieces_of("one two three four", 9)
    [b'one two', b' three', b' four']
    """
    raw = _raw(text)
    return [raw[start:end] for start, end in ranges_of(lambda start, end: raw[start:end], len(raw), most)]


def ranges_of(read: Callable[[int, int], bytes], size: int, most: int) -> Iterator[tuple[int, int]]:
    """Where the pieces of a text begin and end. ``read`` gives its bytes from one place to another."""
    start = 0
    while size - start > most:
        end, half = start + most, start + most // 2
        if (line := _last(read, b"\n", half, end)) >= 0:
            end = line + 1
        elif (space := _last(read, b" ", half, end)) >= 0:
            end = space
        else:
            while end > start + 1 and read(end, end + 1)[0] & _CONTINUED[1] == _CONTINUED[0]:
                end -= 1
        yield start, end
        start = end
    yield start, size


def _last(read: Callable[[int, int], bytes], mark: bytes, start: int, end: int) -> int:
    """Where the last mark from one place to another is; -1 for nowhere."""
    while end > start:
        begin = max(start, end - _WINDOW)
        if (found := read(begin, end).rfind(mark)) >= 0:
            return begin + found
        end = begin
    return -1
