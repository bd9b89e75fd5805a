"""What tiktoken does at the end of a text that may go on: ids that are stable, and the completions of the rest.

The rules are tiktoken's own, shortcuts included: the last chunk is unstable, with the white space before it, and the rest is
completed by every token that begins with some end of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from ...spec import Added

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from ...tokenizer import Tokenizer
    from .core import Encoding

__all__ = ["byte_ids", "completions", "parts", "piece_ids"]

_BLANKS = b" \n\t"


def parts(encoding: Encoding, text: str, allowed: AbstractSet[str]) -> Iterator[str | int]:
    """The texts between the special tokens that are allowed, and the ids of these."""
    names = sorted(encoding._special_tokens, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, names)) if names else "(?!)")
    start = at = 0
    while (found := pattern.search(text, at)) is not None:
        at = found.start() + 1
        if found.group() in allowed:
            yield text[start : found.start()]
            yield encoding._special_tokens[found.group()]
            start = at = found.end()
    yield text[start:]


def _unsplit(encoding: Encoding, whole: bool) -> Tokenizer:
    """The tokenizer without its splitter; ``whole`` says whether a text that is a token is that, however it is merged."""
    made: dict[bool, Tokenizer] = encoding.__dict__.setdefault("_unsplit", {})
    if whole not in made:
        none = {"splitter": None, "split_rules": (), "added": Added.of([])}
        made[whole] = encoding.tokenizer.replace(**none, whole_chunks=whole)
    return made[whole]


def piece_ids(encoding: Encoding, piece: bytes) -> list[int]:
    """The ids of bytes that are not split."""
    return _unsplit(encoding, True)._kernel.encode(piece)


def _merged_ids(encoding: Encoding, piece: bytes) -> list[int]:
    """The ids that merging gives, also where the bytes as a whole are a token."""
    if len(piece) == 1:
        return piece_ids(encoding, piece)
    return _unsplit(encoding, False)._kernel.encode(piece)


def _with_last(encoding: Encoding, text: str, allowed: AbstractSet[str]) -> tuple[list[int], int]:
    """The ids of a text, and how many at its end are unstable: those of the last chunk, and white space before them."""
    ids = encoding._encode(text, allowed)
    *_, tail = parts(encoding, text, allowed)
    chunks = encoding._kernel.chunks(tail, False) if isinstance(tail, str) and tail else []
    if not chunks:
        return ids, 0
    last = len(piece_ids(encoding, chunks[-1][0]))
    if _is_blank(encoding, ids[-last]):
        while last < len(ids) and _is_blank(encoding, ids[-last - 1]):
            last += 1
    return ids, last


def _is_blank(encoding: Encoding, id: int) -> bool:
    return id not in encoding._special_token_values and not encoding._kernel.id_to_bytes(id).strip(_BLANKS)


def completions(encoding: Encoding, text: str, allowed: AbstractSet[str]) -> tuple[list[int], list[list[int]]]:
    """See ``Encoding.encode_with_unstable``."""
    ids, last = _with_last(encoding, text, allowed)
    stable = ids[: len(ids) - last]
    rest = encoding._kernel.decode_bytes(ids[len(ids) - last :]) if last else b""
    if not rest:
        return stable, []
    found: set[tuple[int, ...]] = {(encoding._mergeable_ranks[token],) for token in _beginning_with(encoding, rest)}
    for at in range(1, len(rest)):
        for token in _beginning_with(encoding, rest[at:]):
            found.add(_covering(encoding, rest[:at] + token, len(rest)))
    character = _last_character(rest)
    if character and len(character) < len(rest) and character.decode().isspace():
        found.add(tuple(_merged_ids(encoding, rest[: -len(character)]) + _merged_ids(encoding, character)))
    return stable, [list(way) for way in found]


def _beginning_with(encoding: Encoding, start: bytes) -> Iterator[bytes]:
    """The tokens that begin so."""
    tokens = _sorted_tokens(encoding)
    for at in range(bisect_left(tokens, start), len(tokens)):
        if not tokens[at].startswith(start):
            return
        yield tokens[at]


def _sorted_tokens(encoding: Encoding) -> list[bytes]:
    if "_sorted" not in encoding.__dict__:
        encoding.__dict__["_sorted"] = encoding.token_byte_values()
    found: list[bytes] = encoding.__dict__["_sorted"]
    return found


def _covering(encoding: Encoding, raw: bytes, length: int) -> tuple[int, ...]:
    """As many of the ids of some bytes as are needed for the first ``length`` of them."""
    try:
        ids = encoding._kernel.encode(raw.decode())
    except UnicodeDecodeError:
        ids = _merged_ids(encoding, raw)
    size = 0
    for count, id in enumerate(ids, 1):
        size += len(encoding._kernel.id_to_bytes(id))
        if size >= length:
            return tuple(ids[:count])
    return tuple(ids)


def _last_character(raw: bytes) -> bytes:
    """The last character, or nothing where the end is not UTF-8."""
    for size in range(1, min(len(raw), 4) + 1):
        try:
            raw[-size:].decode()
        except UnicodeDecodeError:
            continue
        return raw[-size:]
    return b""


def byte_ids(encoding: Encoding, raw: bytes) -> list[int]:
    """See ``Encoding._encode_bytes``: what follows the UTF-8 at the beginning is merged with the unstable end of that."""
    try:
        return encoding.encode_ordinary(raw.decode())
    except UnicodeDecodeError as error:
        valid = error.start
    ids, last = _with_last(encoding, raw[:valid].decode(), frozenset())
    rest = encoding._kernel.decode_bytes(ids[len(ids) - last :]) if last else b""
    return ids[: len(ids) - last] + piece_ids(encoding, rest + raw[valid:])
