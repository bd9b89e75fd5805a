"""What must hold for any tokenizer and any text, as functions that raise where it does not.

The same laws are driven by hypothesis over hand-made vocabularies and by seeded texts over real files. Each takes a
tokenizer and what it is applied to; nothing here draws or loads.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from anypiece.errors import InputError
from anypiece.spec import Kind
from tests.property import stream_laws
from tests.support.ours import reference_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from anypiece import Token, Tokenizer

__all__ = [
    "TEXT_LAWS",
    "batch_is_map",
    "split_parts_fit",
    "stream_decoder_is_decode",
    "stream_encoder_is_encode",
    "truncate_is_the_longest_prefix",
]

Text = TypeVar("Text", str, bytes)

MANY_THREADS = (2, 3, 7)


def array_is_encode(tok: Tokenizer, text: str | bytes) -> None:
    assert tok.encode_array(text).tolist() == tok.encode(text)


def reference_is_encode(tok: Tokenizer, text: str | bytes) -> None:
    """Without cut points, unit cache or threads."""
    assert reference_ids(tok, text) == tok.encode(text)


def warm_is_cold(tok: Tokenizer, text: str | bytes) -> None:
    assert tok.encode(text) == tok.encode(text) == tok.encode(text)


def any_thread_count_is_one(tok: Tokenizer, text: str | bytes) -> None:
    ids = tok.encode(text)
    for threads in MANY_THREADS:
        assert tok.encode_array(text, threads=threads).tolist() == ids
        assert tok.encode(text, threads=threads) == ids


def count_is_length(tok: Tokenizer, text: str | bytes) -> None:
    length = len(tok.encode(text))
    assert tok.count(text) == length
    for limit in {0, 1, length // 2, max(length - 1, 0), length, length + 1}:
        assert tok.count(text, limit) == min(length, limit + 1)


def bytes_are_str(tok: Tokenizer, text: str | bytes) -> None:
    if isinstance(text, str):
        assert tok.encode(text.encode()) == tok.encode(text)
        assert tok.normalize(text.encode()) == tok.normalize(text)


def spans_are_encode(tok: Tokenizer, text: str | bytes) -> None:
    tokens = tok.encode_spans(text)
    assert [token.id for token in tokens] == tok.encode(text)
    _assert_ordered(tokens, len(text))


def _assert_ordered(tokens: Sequence[Token], end: int) -> None:
    """Spans go forward and stay inside the text."""
    places = [place for token in tokens for place in (token.start, token.end)]
    assert all(0 <= place <= end for place in places)
    assert all(token.start <= token.end for token in tokens)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)


def character_spans_are_byte_spans(tok: Tokenizer, text: str | bytes) -> None:
    """A piece of bytes that begins or ends inside a character has the whole of it."""
    if isinstance(text, str):
        place = list(accumulate((len(character.encode()) for character in text), initial=0))
        in_bytes = [(token.start, token.end) for token in tok.encode_spans(text, "byte")]
        if tok.spec.symbols == "bytes":
            in_bytes = [(place[bisect_right(place, a) - 1], place[bisect_left(place, b)]) for a, b in in_bytes]
        in_chars = [(place[token.start], place[token.end]) for token in tok.encode_spans(text, "char")]
        assert in_chars == in_bytes


def pieces_tile_the_normalized_text(tok: Tokenizer, text: str | bytes) -> None:
    """Joined in order they are it, a byte piece standing for its byte.

    A byte piece may also be matched as the text it is written as (by word, when a whole word is ``<0x41>``), so every way
    to read it is followed. Pieces that are bytes are the text itself. With merges pieces may be longer than what they stand
    for, and something may stand for nothing.
    """
    if len(tok.spec.merges) or tok.spec.split_rules:
        return
    if tok.spec.symbols == "bytes":
        raw = text.encode() if isinstance(text, str) else text
        assert b"".join(map(tok.id_to_bytes, tok.encode(text))) == tok.decode_bytes(tok.encode(text)) == raw
        return
    normalized = tok.normalize(text).encode()
    reached = {0}
    for token in tok.encode_spans(text, "byte"):
        forms = _spelled(tok, token.piece)
        if tok.kind(token.id) == Kind.BYTE:
            forms.append(bytes([int(token.piece[3:5], 16)]))
        reached = {at + len(form) for at in reached for form in forms if normalized.startswith(form, at)}
    assert len(normalized) in reached


def _spelled(tok: Tokenizer, piece: str) -> list[bytes]:
    """What a piece may stand for: for WordPiece without one of its prefixes."""
    prefixes = (tok.spec.word_prefix, tok.spec.continuing_prefix) if tok.spec.segmenter == "wordpiece" else ()
    return [piece.encode(), *[piece.removeprefix(prefix).encode() for prefix in prefixes]]


TEXT_LAWS: tuple[Callable[[Tokenizer, str | bytes], None], ...] = (
    reference_is_encode,
    array_is_encode,
    warm_is_cold,
    any_thread_count_is_one,
    count_is_length,
    bytes_are_str,
    spans_are_encode,
    character_spans_are_byte_spans,
    pieces_tile_the_normalized_text,
)
"""Every law about one text. ``str`` texts have no lone surrogates here."""


def batch_is_map(tok: Tokenizer, texts: Sequence[str | bytes]) -> None:
    rows = [tok.encode(text) for text in texts]
    for threads in (1, *MANY_THREADS, None):
        batch = tok.encode_batch(texts, threads=threads)
        assert len(batch) == len(texts)
        assert [batch[index].tolist() for index in range(len(texts))] == rows
        assert batch.ids.tolist() == [number for row in rows for number in row]
        assert tok.count_batch(texts, threads=threads).tolist() == [len(row) for row in rows]


def spans_batch_is_map(tok: Tokenizer, texts: Sequence[str | bytes]) -> None:
    """For texts of one type, for both together and by either unit."""
    kinds = [(str, bytes), (str,), (bytes,)]
    for some in ([text for text in texts if isinstance(text, kind)] for kind in kinds):
        for unit in (None, "char", "byte"):
            wanted = [[(token.id, token.start, token.end) for token in tok.encode_spans(text, unit)] for text in some]
            assert tok.encode_spans_batch(some, unit).tolist() == wanted


def stream_encoder_is_encode(tok: Tokenizer, parts: Sequence[Text], empty: Text) -> None:
    stream = tok.stream_encoder()
    ids = [number for part in parts for number in stream.push(part)]
    assert ids + stream.flush() == tok.encode(empty.join(parts))


def stream_decoder_is_decode(tok: Tokenizer, parts: Iterable[Sequence[int]]) -> None:
    """Since the parts joined must be the whole, a U+FFFD for a character that is not finished yet cannot hide."""
    stream_laws.joined_is_decode(tok, parts)


def truncate_is_the_longest_prefix(tok: Tokenizer, text: str, n: int) -> None:
    fitting = [end for end in range(len(text) + 1) if len(tok.encode(text[:end])) <= n]
    assert tok.truncate(text, n) == text[: max(fitting)]
    assert tok.truncate(text.encode(), n) == text[: max(fitting)].encode()


def split_parts_fit(tok: Tokenizer, text: Text, n: int, overlap: int, characters: Sequence[Text]) -> None:
    """Parts of at most ``n`` tokens that cover the text; refused only where one character alone has more."""
    try:
        parts = tok.split(text, n, overlap)
    except InputError:
        assert any(tok.count(character) > n for character in characters)
        return
    assert all(tok.count(part) <= n for part in parts)
    if overlap == 0:
        assert text[:0].join(parts) == text
    _assert_covered(text, parts)


def _assert_covered(text: Text, parts: Sequence[Text]) -> None:
    """Each part goes on where the one before ended, or repeats some of it, and always gets further."""
    ends = {0}
    for part in parts:
        ends = {
            start + len(part)
            for end in ends
            for start in range(max(0, end - len(part) + 1), end + 1)
            if text[start : start + len(part)] == part
        }
        assert ends
    assert len(text) in ends
