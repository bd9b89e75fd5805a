"""Encoding and counting: what the methods of ``Tokenizer`` do when more is asked for than one call of the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._core.calls import call, call_batch, counts_characters, span_rows, text_length, trimmed
from .._core.checks import checked_count, checked_threads
from .._core.columns import count_column, id_column, texts_of
from ..results import Batch, Pair, Token, TokenList, framed, tokens_of
from .padding import rows_of
from .specials import TEXT, batch_permit, checked_specials, ids_around, joined, permit, template_ids
from .warnings import warn_of_nothing, warn_of_two

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from .._core.calls import Unit
    from .._core.columns import Column, Out, Texts
    from .._native import ArrowColumn
    from ..tokenizer import Tokenizer
    from .padding import RaggedRows, Rows
    from .specials import AddSpecial, Specials

__all__ = [
    "batch_of",
    "count",
    "count_batch",
    "encode",
    "encode_array",
    "encode_batch",
    "encode_pair",
    "encode_rows",
    "encode_spans",
    "encode_trusted",
    "frame_ids",
    "framed_tokens",
    "tokens",
]


def encode(
    tokenizer: Tokenizer,
    text: str | bytes,
    add_special: AddSpecial,
    specials: Specials,
    reverse: bool,
    threads: int | None,
) -> list[int]:
    """See ``Tokenizer.encode``."""
    before, after = frame_ids(tokenizer, add_special)
    ids = call(tokenizer._kernel.encode, text, checked_threads(threads), permit(tokenizer, text, specials))
    if add_special is not False and specials is not TEXT:
        warn_of_two(tokenizer, (before, after), ids)
    return before + (ids[::-1] if reverse else ids) + after


def encode_array(
    tokenizer: Tokenizer,
    text: str | bytes,
    add_special: AddSpecial,
    specials: Specials,
    reverse: bool,
    threads: int | None,
) -> NDArray[np.uint32]:
    """See ``Tokenizer.encode_array``."""
    before, after = frame_ids(tokenizer, add_special)
    ids = call(tokenizer._kernel.encode_array, text, checked_threads(threads), permit(tokenizer, text, specials))
    if add_special is not False and specials is not TEXT:
        warn_of_two(tokenizer, (before, after), ids)
    ids = ids[::-1] if reverse else ids
    return np.concatenate([before, ids, after], dtype=np.uint32, casting="unsafe") if before or after else ids


def encode_batch(
    tokenizer: Tokenizer,
    texts: Iterable[str | bytes] | Column,
    add_special: AddSpecial,
    specials: Specials,
    reverse: bool,
    threads: int | None,
    out: Out = None,
) -> Batch | ArrowColumn:
    """See ``Tokenizer.encode_batch``."""
    given = texts_of(texts, out)
    before, after = frame_ids(tokenizer, add_special)
    batch = framed(batch_of(tokenizer, given, specials, threads), before, after, reverse)
    return batch if out is None else id_column(batch.ids, batch.offsets, given)


def batch_of(tokenizer: Tokenizer, texts: Texts, specials: Specials, threads: int | None) -> Batch:
    """The ids of texts, with nothing around them."""
    permitted = batch_permit(tokenizer, texts, specials)
    return Batch(*call_batch(tokenizer._kernel.encode_batch, texts, checked_threads(threads), permitted))


def encode_rows(
    tokenizer: Tokenizer,
    texts: Iterable[str | bytes],
    pairs: Iterable[str | bytes] | None,
    add_special: AddSpecial,
    specials: Specials,
    max_length: int | None,
    pad_id: int | None,
) -> Rows | RaggedRows:
    """See ``Tokenizer.encode_rows``."""
    given = [texts] if pairs is None else [texts, pairs]
    names = checked_specials(specials)
    batches = [batch_of(tokenizer, texts_of(part, None), names, None) for part in given]
    return rows_of(tokenizer, batches, add_special, max_length, pad_id)


def encode_spans(
    tokenizer: Tokenizer,
    text: str | bytes,
    unit: Unit | None,
    unk_piece: bool,
    add_special: AddSpecial,
    specials: Specials,
) -> list[Token]:
    """See ``Tokenizer.encode_spans``."""
    chars = counts_characters(text, unit)
    before, after = frame_ids(tokenizer, add_special)
    rows, lost = span_rows(tokenizer._kernel, text, chars, permit(tokenizer, text, specials))
    found = tokens_of(trimmed(tokenizer.spec, rows, chars), lost)
    unk_id = tokenizer.unk_id
    if unk_piece and unk_id is not None:
        marked = [_token(tokenizer, one.start, one.end, one.id) if one.id == unk_id else one for one in found]
        found = TokenList(marked)
    return framed_tokens(tokenizer, text, chars, found, before, after)


def framed_tokens(
    tokenizer: Tokenizer, text: str | bytes, chars: bool, found: list[Token], before: list[int], after: list[int]
) -> TokenList:
    """Tokens with what stands around their text: at 0, and behind it at its end unless a template says so."""
    end = text_length(tokenizer._kernel, text, chars) if after and tokenizer.spec.single is None else 0
    around = ([_token(tokenizer, 0, 0, id) for id in before], [_token(tokenizer, end, end, id) for id in after])
    return TokenList([*around[0], *found, *around[1]])


def tokens(
    tokenizer: Tokenizer,
    text: str | bytes,
    unk_piece: bool,
    add_special: AddSpecial,
    specials: Specials,
    reverse: bool,
) -> list[Token]:
    """The tokens of ``text`` in the order that is asked for; what ``add_special`` puts around them has no place."""
    before, after = frame_ids(tokenizer, add_special)
    found = encode_spans(tokenizer, text, "byte", unk_piece, False, specials)
    around = [[_token(tokenizer, 0, 0, id) for id in ids] for ids in (before, after)]
    return around[0] + (found[::-1] if reverse else found) + around[1]


def encode_trusted(
    tokenizer: Tokenizer, parts: Iterable[tuple[str | bytes, bool]], add_special: AddSpecial
) -> list[int]:
    """See ``Tokenizer.encode_trusted``."""
    text, ranges = joined(parts, tokenizer._kernel.lone_surrogate)
    before, after = frame_ids(tokenizer, add_special)
    ids = call(tokenizer._kernel.encode, text, 1, ranges if len(tokenizer.spec.added) else None)
    if add_special is not False:
        warn_of_two(tokenizer, (before, after), ids)
    return before + ids + after


def encode_pair(
    tokenizer: Tokenizer, first: str | bytes, second: str | bytes, add_special: bool, specials: Specials
) -> Pair:
    """See ``Tokenizer.encode_pair``."""
    names = checked_specials(specials)
    texts = [encode(tokenizer, text, False, names, False, 1) for text in (first, second)]
    slots = (("A", 0), ("B", 1)) if tokenizer.spec.pair is None else tokenizer.spec.pair
    slots = slots if add_special else tuple(slot for slot in slots if isinstance(slot[0], str))
    return Pair(*template_ids(slots, texts))


def count(
    tokenizer: Tokenizer, text: str | bytes, limit: int | None, add_special: AddSpecial, specials: Specials
) -> int:
    """See ``Tokenizer.count``."""
    before, after = frame_ids(tokenizer, add_special)
    most = None if limit is None else checked_count(limit, "limit")
    around = len(before) + len(after)
    room = None if most is None else max(most - around, 0)
    found = around + call(tokenizer._kernel.count, text, room, permit(tokenizer, text, specials))
    return found if most is None else min(found, most + 1)


def count_batch(
    tokenizer: Tokenizer,
    texts: Iterable[str | bytes] | Column,
    add_special: AddSpecial,
    specials: Specials,
    threads: int | None,
    out: Out = None,
) -> NDArray[np.int64] | ArrowColumn:
    """See ``Tokenizer.count_batch``."""
    given = texts_of(texts, out)
    permitted = batch_permit(tokenizer, given, specials)
    before, after = frame_ids(tokenizer, add_special)
    counts = call_batch(tokenizer._kernel.count_batch, given, checked_threads(threads), permitted)
    counts += len(before + after)
    return counts if out is None else count_column(counts, given)


def _token(tokenizer: Tokenizer, start: int, end: int, id: int) -> Token:
    return Token(id, tokenizer.id_to_piece(id), start, end).with_bytes(tokenizer.id_to_bytes(id))


def frame_ids(tokenizer: Tokenizer, add_special: AddSpecial) -> tuple[list[int], list[int]]:
    """What stands around a text; warns where nothing does."""
    if add_special is False:
        return [], []  # a mapped file has no Spec yet
    before, after = ids_around(tokenizer.spec, add_special)
    if not (before or after):
        warn_of_nothing(tokenizer, add_special)
    return before, after
