"""What must hold for ids that are decoded as they arrive, for any tokenizer.

Joined, what a stream returns is ``decode``'s text; only where a run of byte pieces is not UTF-8 it is what the reference
says of streams. After each push it has returned the longest beginning that no continuation changes. That is compared with
the common beginning of what ``decode`` says of many continuations, chosen so that whatever is open turns out differently.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

import anypiece as ap
from anypiece._core.vocabulary import skipped
from anypiece.reference.decode_steps import decoded
from tests.support.texts import SEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anypiece import Tokenizer

__all__ = ["Continuations", "check_file", "is_prompt", "joined_is_decode", "sequences"]

TEXTS = (
    "Hello, world! It 's not a ' test ' , is it ?",
    "  two  spaces\n\n\tand tabs\r\n",
    "Grüße 世界 こんにちは 🦙🇫🇷 — naïve café",
    "x = [1, 2.5]  # don't we 've they 're I 'm",
    "नमस्ते สวัสดี 안녕하세요 \u200d\ufffd \x00",
)
ENDINGS = ("?", ".", "x", "'", "'s", "s", "m", "re", "e", "ve", " x", " ", "' x", "' s", "' m", "a b", "\n")
FIRST = (0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF)
LAST = (0x80, 0xBF)


def has_byte_runs(tok: Tokenizer) -> bool:
    """Whether bytes that are not UTF-8 change the characters in front of them."""
    return any(step["type"] == "byte-fallback" for step in tok.spec.decoder or ())


def is_well_formed(tok: Tokenizer, ids: Sequence[int]) -> bool:
    """Whether all runs of bytes are UTF-8."""
    try:
        tok.decode(ids, errors="strict")
    except ap.DecodeError:
        return False
    return True


def expected(tok: Tokenizer, ids: Sequence[int]) -> str:
    """What a stream returns of ids, all in all."""
    if not has_byte_runs(tok) or is_well_formed(tok, ids):
        return tok.decode(ids)
    return decoded(tok.spec.decoder or (), map(tok.spec.pieces.bytes, ids), streamed=True).decode()


def joined_is_decode(tok: Tokenizer, parts: Iterable[Sequence[int]], *, skip_special: bool = False) -> None:
    listed = [list(part) for part in parts]
    stream = tok.stream_decoder(skip_special=skip_special)
    shown = "".join([stream.push(part) for part in listed]) + stream.flush()
    ids = [id for part in listed for id in part]
    if skip_special:
        left_out = skipped(tok).ids
        if not has_byte_runs(tok):
            assert shown == tok.decode(ids, skip_special=True)
        ids = [id for id in ids if id not in left_out]
    assert shown == expected(tok, ids), (listed, shown)


class Continuations:
    """Ids that may follow, for one tokenizer: none, texts that begin otherwise, and bytes that complete a character."""

    def __init__(self, tok: Tokenizer, rng: Random) -> None:
        self.bytes = bytes_of(tok)
        self.rows: list[list[int]] = [[], *(tok.encode(text) for text in ENDINGS)]
        self.rows += [[rng.randrange(tok.vocab_size)] for _ in range(12)]
        names = [tok.spec.added.ids.tolist()[:4], self.pieces(tok, "##s", "s", "▁a", "a", ".", "##", "|", "<pad>")]
        self.rows += [[id] for row in names for id in row]
        for first in FIRST:
            self.rows += [[first], *([first, *[last] * more] for last in LAST for more in (1, 2))]
        count = len(self.rows) - len(FIRST) * (1 + 2 * len(LAST))
        spelled = [[self.bytes.get(byte, -1) for byte in row] for row in self.rows[count:]]
        self.rows[count:] = [row for row in spelled if -1 not in row]

    @staticmethod
    def pieces(tok: Tokenizer, *names: str) -> list[int]:
        found = [tok.piece_to_id(name, default=None) for name in names]
        return [id for id in found if id is not None]


def bytes_of(tok: Tokenizer) -> dict[int, int]:
    """The pieces that are bytes: for each byte an id."""
    out: dict[int, int] = {}
    for id in range(tok.vocab_size):
        raw = tok.spec.pieces.bytes(id)
        spelled = re.fullmatch(rb"<0x([0-9A-F]{2})>", raw)
        if tok.spec.symbols == "bytes" and len(raw) == 1:
            out.setdefault(raw[0], id)
        elif spelled and tok.spec.symbols != "bytes":
            out.setdefault(int(spelled[1], 16), id)
    return out


def is_prompt(tok: Tokenizer, ids: Sequence[int], continuations: Continuations) -> None:
    """After each push everything is out that no continuation changes, and nothing else."""
    stream, shown = tok.stream_decoder(), ""
    runs = has_byte_runs(tok)
    for end, id in enumerate(ids, 1):
        shown += stream.push(id)
        begun = list(ids[:end])
        if runs and not begins_well(tok, begun, continuations):
            return
        texts = [
            tok.decode(begun + more) for more in continuations.rows if not runs or is_well_formed(tok, begun + more)
        ]
        common = common_beginning(texts)
        assert shown == common, (begun, shown, common)


def common_beginning(texts: Sequence[str]) -> str:
    """What all of them begin with."""
    least, most = min(texts), max(texts)
    same = next((place for place, pair in enumerate(zip(least, most, strict=False)) if pair[0] != pair[1]), len(least))
    return least[:same]


def begins_well(tok: Tokenizer, ids: list[int], continuations: Continuations) -> bool:
    """Whether some continuation makes all runs of bytes UTF-8."""
    return any(is_well_formed(tok, ids + more) for more in continuations.rows)


def sequences(tok: Tokenizer, rng: Random, count: int) -> list[list[int]]:
    """Ids of texts, any ids, bytes, characters spelled in bytes, special tokens, and mixtures."""
    spelled = bytes_of(tok)
    specials = [*tok.spec.added.ids.tolist(), *range(min(5, tok.vocab_size))]
    texts = [tok.encode(text) for text in TEXTS]
    whole = [[spelled.get(byte, 0) for byte in text.encode()] for text in ("\n\n", "é\n", "世界", "🦙", " a")]

    def part() -> list[int]:
        kind = rng.randrange(6)
        if kind == 0:
            return [rng.randrange(tok.vocab_size) for _ in range(rng.randint(1, 4))]
        if kind == 1 and spelled:
            return [rng.choice(list(spelled.values())) for _ in range(rng.randint(1, 4))]
        if kind == 2 and spelled:
            return rng.choice(whole)
        if kind == 3:
            return [rng.choice(specials)]
        text = rng.choice(texts)
        start = rng.randrange(len(text)) if text else 0
        return text[start : start + rng.randint(1, 6)]

    return [[id for _ in range(rng.randint(1, 4)) for id in part()] for _ in range(count)]


def check_file(tok: Tokenizer, name: str, count: int) -> None:
    """Both laws for ``count`` sequences, and the joined one for the same in parts, without specials and in a batch."""
    rng = Random(f"{SEED} streams {name}")
    continuations = Continuations(tok, rng)
    rows = sequences(tok, rng, count)
    for ids in rows:
        joined_is_decode(tok, [[id] for id in ids])
        joined_is_decode(tok, [ids[: len(ids) // 2], ids[len(ids) // 2 :]])
        joined_is_decode(tok, [[id] for id in ids], skip_special=True)
        is_prompt(tok, ids, continuations)
    batch_is_streams(tok, rows, rng)


def batch_is_streams(tok: Tokenizer, rows: Sequence[Sequence[int]], rng: Random) -> None:
    """Sequences that come and go in one batch give what streams of their own give."""
    streams = tok.batch_stream_decoder()
    waiting = [list(row) for row in rows]
    shown: dict[int, list[str]] = {}
    alone: dict[int, tuple[list[int], list[str], ap.StreamDecoder]] = {}
    while waiting or alone:
        while waiting and len(alone) < 5:
            alone[streams.add()] = (waiting.pop(), [], tok.stream_decoder())
        chosen = [number for number in streams.sequences if rng.random() < 0.7]
        step = [alone[number][0].pop(0) for number in chosen]
        for number, id, text in zip(chosen, step, streams.push_batch(step, chosen), strict=True):
            shown.setdefault(number, []).append(text)
            alone[number][1].append(alone[number][2].push(id))
        for number in [number for number, (left, _, _) in alone.items() if not left]:
            _, texts, stream = alone.pop(number)
            assert [*shown.get(number, []), streams.flush(number)] == [*texts, stream.flush()]
    assert len(streams) == 0
