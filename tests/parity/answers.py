"""Our answers to many texts by batches: their hash, which ``kept`` keeps, and whether they are a library's.

What is hashed is all that a library's ``first_difference`` compares. That batches give what single calls give is proved by
``test_kept``, and wherever a library is asked text by text: in ``make test``, and for the lines that are rechecked.
"""

from __future__ import annotations

import hashlib
import warnings
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

import anypiece as ap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Errors", "digest_of_answers", "digest_of_folder", "marked", "parts", "same_tokens"]

Errors = Literal["replace", "ignore"]

PART = 4000


def parts(texts: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Texts in runs, so that answers to all of them are never in memory at once."""
    return (texts[at : at + PART] for at in range(0, len(texts), PART))


def marked(tok: ap.Tokenizer, strings: Sequence[str]) -> ap.Batch:
    """Ids with what stands around texts; these spell bos and eos on purpose, of which nobody needs to be warned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ap.SpecialsWarning)
        return tok.encode_batch(strings, specials="parse", add_special=True, threads=1)


def _decoded(texts: Iterable[str]) -> Iterator[bytes]:
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        yield len(raw).to_bytes(8, "little") + raw


def _of_rows(tok: ap.Tokenizer, rows: ap.Batch, errors: Errors) -> Iterator[bytes]:
    yield rows.ids.tobytes()
    yield rows.offsets.tobytes()
    for skip in (False, True):
        yield from _decoded(tok.decode_batch(rows, errors=errors, skip_special=skip))


def _of_texts(tok: ap.Tokenizer, strings: Sequence[str], errors: Errors) -> Iterator[bytes]:
    before: ap.Batch | None = None
    for specials in ("text", "parse"):
        rows = tok.encode_batch(strings, specials=specials, threads=1)
        spans = tok.encode_spans_batch(strings, specials=specials, threads=1)
        yield tok.count_batch(strings, specials=specials, threads=1).tobytes()
        yield from (column.tobytes() for column in (spans.ids, spans.starts, spans.ends, spans.offsets))
        if before and np.array_equal(before.ids, rows.ids) and np.array_equal(before.offsets, rows.offsets):
            yield b"as text"  # and what ids are decoded to depends on nothing else
        else:
            yield from _of_rows(tok, rows, errors)
        before = rows


def _hash(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:32]


def digest_of_answers(tok: ap.Tokenizer, texts: Sequence[bytes], errors: Errors) -> str:
    """Of ids, places, counts and decoded texts, with special tokens as text and as themselves, left out and not."""
    runs = ([text.decode() for text in part] for part in parts(texts))
    return _hash(chain.from_iterable(_of_texts(tok, strings, errors) for strings in runs))


def digest_of_folder(tok: ap.Tokenizer, texts: Sequence[bytes], facts: object) -> str:
    """Of ids, with and without what stands around texts, of pairs too, of the text of ids, and of ``facts``."""

    def answers() -> Iterator[bytes]:
        yield repr(facts).encode()
        for part in parts(texts):
            strings = [text.decode() for text in part]
            plain = tok.encode_batch(strings, specials="parse", threads=1)
            yield plain.ids.tobytes() + plain.offsets.tobytes()
            yield from _of_rows(tok, marked(tok, strings), "replace")
            pairs = [tok.encode_pair(*pair, specials="parse").ids for pair in pairwise(strings[:20]) if all(pair)]
            yield repr([list(map(int, ids)) for ids in pairs]).encode()

    return _hash(answers())


def same_tokens(
    tok: ap.Tokenizer,
    strings: Sequence[str],
    expected: Sequence[Sequence[int]],
    specials: str,
    spans: Sequence[Sequence[tuple[int, int]]] | None = None,
) -> bool:
    """Whether a batch has these ids, counts and, where they are known, places."""
    counts = np.array([len(row) for row in expected], np.int64)
    ids = np.fromiter(chain.from_iterable(expected), np.uint32, int(counts.sum()))
    rows = tok.encode_batch(strings, specials=specials, threads=1)
    places = tok.encode_spans_batch(strings, specials=specials, threads=1)
    own = [rows.lengths, tok.count_batch(strings, specials=specials, threads=1), places.lengths]
    same = all(np.array_equal(mine, counts) for mine in own)
    same = same and np.array_equal(rows.ids, ids) and np.array_equal(places.ids, ids)
    if not same or spans is None:
        return same
    flat = np.fromiter(chain.from_iterable(chain.from_iterable(spans)), np.int64, 2 * len(ids))
    return np.array_equal(flat[::2], places.starts) and np.array_equal(flat[1::2], places.ends)
