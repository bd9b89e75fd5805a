"""One rank file against tiktoken: ids, decoded text and offsets, with special tokens as text and as themselves."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tests.parity.answers import same_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import anypiece as ap
    from tests.parity.tiktoken_reference import Answers

__all__ = ["first_difference", "reading_specials", "valid"]


def valid(texts: Sequence[bytes]) -> list[bytes]:
    """Those that tiktoken can take: it takes strings only."""
    return [text for text in texts if text.decode("utf-8", "ignore").encode() == text]


def _starts(tokens: Sequence[ap.Token], doubled: set[int]) -> list[int]:
    """Where tokens begin in the text that they decode to, as tiktoken has it: a special token with two spellings, like
    200018 of o200k_harmony, decodes to one of them whichever was there.
    """
    starts, shift = [], 0
    for token in tokens:
        starts.append(token.start - shift)
        if token.id in doubled:
            shift += token.end - token.start - len(token.piece)
    return starts


def reading_specials(specials: Iterable[str], texts: Sequence[bytes]) -> Sequence[bytes]:
    """Those texts that may be something else if special tokens are read in them: tiktoken looks for their spellings."""
    some = re.compile(b"|".join(sorted({re.escape(name.encode()[:3]) for name in specials})))
    return [text for text in texts if some.search(text)]


def _same(
    tok: ap.Tokenizer, strings: list[str], rows: list[list[int]], answers: Answers, specials: str, doubled: set[int]
) -> bool:
    """Whether batches have the library's answers; no where that is for single calls to find out."""
    if not doubled.isdisjoint(np.unique(answers.ids).tolist()) or not same_tokens(tok, strings, rows, specials):
        return False
    spans = tok.encode_spans_batch(strings, specials=specials, threads=1)
    decoded = [text.encode() for text in tok.decode_batch(rows)]
    return np.array_equal(spans.starts, answers.offsets) and decoded == answers.decoded


def first_difference(
    tok: ap.Tokenizer, texts: Sequence[bytes], answers: Answers, specials: str, batched: bool = False
) -> str | None:
    """What differs first: an id, the decoded text, a count, or the character that a token begins in. ``batched``: our single
    calls are made only where our batches have other answers than the library.
    """
    doubled = {id for id, count in Counter(tok.spec.added.ids.tolist()).items() if count > 1}
    strings = [text.decode() for text in texts]
    bounds = [0, *np.cumsum(answers.counts, dtype=np.int64).tolist()]
    rows = [answers.ids[begin:end].tolist() for begin, end in pairwise(bounds)]
    if batched and _same(tok, strings, rows, answers, specials, doubled):
        return None
    for place, (string, expected, decoded) in enumerate(zip(strings, rows, answers.decoded, strict=True)):
        starts = answers.offsets[bounds[place] : bounds[place + 1]].tolist()
        tokens = tok.encode_spans(string, specials=specials)
        found = {
            "ids": (tok.encode(string, specials=specials), expected),
            "ids of spans": ([token.id for token in tokens], expected),
            "starts": (_starts(tokens, doubled), starts),
            "text": (tok.decode(expected).encode(), decoded),
            "count": (tok.count(string, specials=specials), len(expected)),
        }
        for what, (ours, theirs) in found.items():
            if ours != theirs:
                return f"{what} of {string[:300]!r} (specials as {specials}): {ours!r:.300} instead of {theirs!r:.300}"
    return None if same_tokens(tok, strings, rows, specials) else "ids, counts or places of the batch"
