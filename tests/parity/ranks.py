"""One rank file against tiktoken: ids, decoded text and offsets, with special tokens as text and as themselves."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import anypiece as ap
    from tests.parity.tiktoken_reference import Answers

__all__ = ["first_difference", "valid"]


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


def first_difference(tok: ap.Tokenizer, texts: Sequence[bytes], answers: Answers, specials: str) -> str | None:
    """What differs first: an id, the decoded text, a count, or the character that a token begins in."""
    at = 0
    doubled = {id for id, count in Counter(tok.spec.added.ids.tolist()).items() if count > 1}
    for text, count, decoded in zip(texts, answers.counts.tolist(), answers.decoded, strict=True):
        expected = answers.ids[at : at + count].tolist()
        starts = answers.offsets[at : at + count].tolist()
        at += count
        string = text.decode()
        tokens = tok.encode_spans(string, specials=specials)
        found = {
            "ids": (tok.encode(string, specials=specials), expected),
            "ids of spans": ([token.id for token in tokens], expected),
            "starts": (_starts(tokens, doubled), starts),
            "text": (tok.decode(expected).encode(), decoded),
            "count": (tok.count(string, specials=specials), count),
        }
        for what, (ours, theirs) in found.items():
            if ours != theirs:
                return f"{what} of {string[:300]!r} (specials as {specials}): {ours!r:.300} instead of {theirs!r:.300}"
    batch = tok.encode_batch([text.decode() for text in texts], specials=specials)
    return None if batch.ids.tolist() == answers.ids.tolist() else "the ids of the batch"
