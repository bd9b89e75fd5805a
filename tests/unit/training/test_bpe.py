"""Trained merges and pieces are those of the slow trainer: ties, long words, large counts, whatever is kept on the way."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece import InputError, Kind, Tokenizer, _native
from anypiece.reference.bpe_training import train_byte_bpe, train_score_bpe
from anypiece.training.bpe import ByteBpeOptions, byte_bpe_spec, byte_order, score_bpe_spec
from anypiece.training.lookup import char_spec, word_spec
from anypiece.training.options import PieceOptions
from tests.support.word_tables import byte_skeleton, piece_skeleton, table

HUGS = {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}


def native_merges(words: dict[bytes, int], order: Any = range(256), **changes: Any) -> list[tuple[int, ...]]:
    symbols: list[int | None] = [None] * 256
    for symbol, byte in enumerate(order):
        symbols[byte] = symbol
    config = {"symbols": symbols, "merges": 20, "min_frequency": 1, "max_length": None, "reserved": []} | changes
    rows, _ = _native.train_byte_bpe(table(words), json.dumps(config))
    return [tuple(row) for row in rows.reshape(-1, 3).tolist()]


words_of_bytes = st.dictionaries(
    st.lists(st.sampled_from(b"aab"), min_size=1, max_size=12).map(bytes), st.integers(1, 4), min_size=1, max_size=12
)


def test_merges_by_hand() -> None:
    # u+g 20, then u+n 16, then h+ug 15.
    assert native_merges(HUGS, merges=3) == [(117, 103, 256), (117, 110, 257), (104, 256, 258)]


@given(words_of_bytes, st.sampled_from(["tokenizers", "rustbpe"]), st.sampled_from([None, 1, 3, 10**9]))
def test_merges_are_those_of_the_slow_trainer(words: dict[bytes, int], ties: Any, first: int | None) -> None:
    order = byte_order(ties)
    assert native_merges(words, order, first_floor=first) == train_byte_bpe(words, order, 20)


@given(words_of_bytes, st.integers(0, 6), st.integers(1, 6), st.sets(st.sampled_from(["aa", "ab", "aab", "ba"])))
def test_limits_are_those_of_the_slow_trainer(
    words: dict[bytes, int], least: int, longest: int, reserved: set[str]
) -> None:
    found = native_merges(words, min_frequency=least, max_length=longest, reserved=sorted(reserved))
    names = {name.encode() for name in reserved}
    assert found == train_byte_bpe(
        words, range(256), 20, min_frequency=max(least, 1), max_length=longest, reserved=names
    )


def test_many_words_with_many_ties() -> None:
    draw = random.Random(5)
    words = {bytes(draw.choices(b"etaoin shr", k=draw.randint(1, 9))): draw.randint(1, 9) for _ in range(400)}
    wanted = train_byte_bpe(words, range(256), 150)
    for first in (None, 1, 7, 10**6):
        assert native_merges(words, merges=150, first_floor=first) == wanted


@pytest.mark.parametrize("word", [b"a" * 1001, b"ab" * 500, b"aab" * 333, b"abcab" * 200, bytes(range(256)) * 4])
def test_runs_and_periods_within_one_word(word: bytes) -> None:
    words = {word: 3, word[1:]: 2}
    assert native_merges(words, merges=12) == train_byte_bpe(words, range(256), 12)


def test_a_run_of_a_million_is_halved_each_time() -> None:
    rows, counts = _native.train_byte_bpe(
        table({b"a" * (1 << 20): 1}),
        json.dumps({"symbols": list(range(256)), "merges": 30, "min_frequency": 1, "max_length": None, "reserved": []}),
    )
    assert counts.tolist() == [(1 << 20 - step) - 1 for step in range(20)]
    assert rows.reshape(-1, 3)[1:, 0].tolist() == list(range(256, 275))


def test_a_word_of_a_megabyte_of_chance() -> None:
    draw = random.Random(6)
    word = bytes(draw.choices(b"abcdefgh", k=1 << 20))
    found = native_merges({word: 1}, merges=2000)
    assert len(found) == 2000
    counts = Counter(pairwise(word))
    assert found[0][:2] == min(counts, key=lambda pair: (-counts[pair], pair))
    assert found == native_merges({word: 1}, merges=2000, first_floor=1)


def test_counts_beyond_32_bits_and_the_limit_of_64() -> None:
    large = 2**62
    assert native_merges({b"ab": large, b"cd": large - 1, b"ef": large + 1}, merges=3) == [
        (101, 102, 256),
        (97, 98, 257),
        (99, 100, 258),
    ]
    with pytest.raises(_native.NativeError, match="2\\^64"):
        native_merges({b"abc": 2**63})
    with pytest.raises(InputError, match="divide") as caught:
        byte_bpe_spec(table({b"abc": 2**63}), ByteBpeOptions(vocab_size=300), byte_skeleton())
    assert caught.value.code == "words-table"


def test_nothing_to_merge() -> None:
    assert native_merges({}) == []
    assert native_merges({b"a": 5}) == []
    assert native_merges({b"ab": 5}, min_frequency=6) == []
    assert native_merges({b"ab": 5}, merges=0) == []


def test_a_vocabulary_of_bytes_alone() -> None:
    tok = Tokenizer(byte_bpe_spec(table(HUGS), ByteBpeOptions(vocab_size=260), byte_skeleton()))
    assert tok.vocab_size == 260
    assert tok.decode(tok.encode("hug é")) == "hug é"
    assert len(tok.encode("hug é")) == 6
    few = ByteBpeOptions(vocab_size=9, specials=("<s>",), initial_alphabet=b"", hard_vocab_limit=False)
    with pytest.raises(InputError, match="a merge") as caught:
        byte_bpe_spec(table({b"a": 1, b"b": 2}), few, byte_skeleton())
    assert caught.value.facts["nearest"] == 4


def test_a_report_ends_the_training() -> None:
    seen = []

    def report(stage: str, done: int, total: int) -> None:
        seen.append((stage, done, total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        byte_bpe_spec(table(HUGS), ByteBpeOptions(vocab_size=262), byte_skeleton(), report)
    assert seen == [("merges", 0, 2)]


# -- Specs of bytes


@pytest.mark.parametrize("at", ["front", "end"])
@pytest.mark.parametrize("ties", ["tokenizers", "rustbpe"])
def test_special_tokens_stand_in_front_or_at_the_end(at: Any, ties: Any) -> None:
    options = ByteBpeOptions(vocab_size=264, specials_at=at, ties=ties)
    tok = Tokenizer(byte_bpe_spec(table(HUGS), options, byte_skeleton()))
    first = 0 if at == "front" else 260
    assert [tok.piece_to_id(name) for name in options.specials] == list(range(first, first + 4))
    assert (tok.pad_id, tok.bos_id, tok.eos_id) == (first, first + 2, first + 3)
    assert tok.encode("<eos>", specials="parse") == [first + 3]
    assert tok.encode_pieces("hugs pun") == ["hug", "s", " ", "pun"]
    assert tok.id_to_bytes(4 if at == "front" else 0) == (b"!" if ties == "tokenizers" else b"\0")
    assert tok.decode(tok.encode("no <eos> ÿ\0")) == "no <eos> ÿ\0"


def test_no_merge_spells_a_special_token() -> None:
    options = ByteBpeOptions(vocab_size=258, specials=("ug",), hard_vocab_limit=False)
    spec = byte_bpe_spec(table(HUGS), options, byte_skeleton())
    assert spec.pieces.bytes(257) == b"pu"
    assert Tokenizer(spec).encode_pieces("ug") == ["u", "g"]


def test_alphabets_of_fewer_bytes() -> None:
    options = ByteBpeOptions(vocab_size=8, specials=(), initial_alphabet=b"", hard_vocab_limit=False)
    spec = byte_bpe_spec(table(HUGS), options, byte_skeleton())
    assert [spec.pieces.bytes(id) for id in range(8)] == [b"b", b"g", b"h", b"n", b"p", b"s", b"u", b"ug"]
    assert Tokenizer(spec).encode_pieces("hug?s") == ["h", "ug", "s"]
    # Bytes that are left out part nothing: with u and g left, h u g is u g too.
    limited = ByteBpeOptions(vocab_size=3, specials=(), initial_alphabet=b"", limit_alphabet=2)
    spec = byte_bpe_spec(table({b"hug": 10, b"uhg": 3, b"ug": 1}), limited, byte_skeleton())
    assert [spec.pieces.bytes(id) for id in range(3)] == [b"g", b"u", b"ug"]
    assert spec.merges.tolist() == [[1, 0, 2]]
    required = ByteBpeOptions(vocab_size=257, specials=(), initial_alphabet=b"\xff", hard_vocab_limit=False)
    spec = byte_bpe_spec(table(HUGS), required, byte_skeleton())
    assert b"\xff" in {spec.pieces.bytes(id) for id in range(len(spec.pieces))}


@pytest.mark.parametrize(
    ("changes", "nearest"),
    [
        ({"vocab_size": 200}, 260),
        ({"vocab_size": 10**6}, 267),
        ({"vocab_size": 0}, 5),
        ({"vocab_size": 2**40}, 2**31 - 1),
    ],
)
def test_sizes_that_cannot_be_name_the_nearest(changes: dict[str, Any], nearest: int) -> None:
    with pytest.raises(InputError) as caught:
        byte_bpe_spec(table(HUGS), ByteBpeOptions(**changes), byte_skeleton())
    assert (caught.value.code, caught.value.facts["nearest"]) == ("train-vocab-size", nearest)


@pytest.mark.parametrize(
    "changes",
    [
        {"specials": ("a", "a")}, {"specials": ("",)}, {"specials": ("\ud800",)}, {"specials": (3,)}, {"specials": "abc"},
        {"specials_at": "middle"}, {"ties": "random"}, {"min_frequency": -1}, {"max_token_length": 0},
        {"limit_alphabet": 0}, {"initial_alphabet": "abc"}, {"bos": "<s>"}, {"hard_vocab_limit": 1}, {"vocab_size": 3.5},
    ],
)  # fmt: skip
def test_options_of_bytes_are_checked(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        ByteBpeOptions(**changes)
    assert caught.value.code == "train-option"


# -- pieces of characters

words_of_text = st.dictionaries(st.text("▁aabé", min_size=1, max_size=10), st.integers(1, 4), min_size=1, max_size=12)
LOOSE = PieceOptions(vocab_size=60, character_coverage=1.0, split_by_unicode_script=False, hard_vocab_limit=False)


def alphabet(words: dict[str, int]) -> list[str]:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for char in word:
            counts[char] += count
    return sorted(counts, key=lambda char: (-counts[char], char))


@given(words_of_text, st.integers(1, 6))
def test_pieces_are_those_of_the_slow_trainer(words: dict[str, int], longest: int) -> None:
    options = PieceOptions(
        vocab_size=60, character_coverage=1.0, split_by_unicode_script=False, max_sentencepiece_length=longest
    )
    chars = alphabet(words)

    def allows(piece: str) -> bool:
        return len(piece) <= longest and "▁" not in piece[1:]

    wanted = train_score_bpe(words, chars, 57 - len(chars), allows)
    found = score_bpe_spec(table(words), replace(options, hard_vocab_limit=False), piece_skeleton())
    assert [piece.decode() for piece, _, _ in found.pieces][3:] == wanted


def test_scores_are_ranks_and_characters_come_last() -> None:
    words = {"▁hug": 10, "▁pug": 5, "▁hugs": 5}
    options = PieceOptions(vocab_size=12, character_coverage=1.0)
    spec = score_bpe_spec(table(words), options, piece_skeleton())
    rows = list(spec.pieces)
    assert [raw.decode() for raw, _, _ in rows] == [
        "<unk>", "<s>", "</s>", "ug", "▁h", "▁hug", "g", "u", "▁", "h", "p", "s",
    ]  # fmt: skip
    assert [score for _, score, _ in rows[3:]] == [-float(rank) for rank in range(9)]
    assert Tokenizer(spec).encode_pieces("hugs pug") == ["▁hug", "s", "▁", "p", "ug"]
    assert {kind for _, _, kind in rows[3:]} == {Kind.NORMAL}


def test_sizes_of_pieces_name_the_nearest() -> None:
    words = table({"▁hug": 10})
    with pytest.raises(InputError) as caught:
        score_bpe_spec(words, PieceOptions(vocab_size=5), piece_skeleton())
    assert (caught.value.code, caught.value.facts["nearest"]) == ("train-vocab-size", 7)
    with pytest.raises(InputError) as caught:
        score_bpe_spec(words, PieceOptions(vocab_size=50), piece_skeleton())
    assert (caught.value.code, caught.value.facts["nearest"]) == ("train-vocab-size", 10)
    assert len(score_bpe_spec(words, LOOSE, piece_skeleton()).pieces) == 10


def test_words_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        score_bpe_spec(table({b"\xff\xfe": 3}), PieceOptions(vocab_size=50), piece_skeleton())
    assert caught.value.code == "words-table"


# -- characters and words


def test_characters_by_their_counts() -> None:
    words = {"▁hug": 10, "▁pug": 5, "▁hugs": 5}
    spec = char_spec(table(words), PieceOptions(vocab_size=6, character_coverage=1.0), piece_skeleton())
    rows = list(spec.pieces)[3:]
    assert [raw.decode() for raw, _, _ in rows] == ["g", "u", "▁"]
    # Shares are of all characters of the alphabet, whether there was room for them or not.
    assert rows[0][1] == pytest.approx(np.log(20 / 85), abs=1e-6)
    assert len(char_spec(table(words), PieceOptions(vocab_size=600), piece_skeleton()).pieces) == 9


def test_words_by_their_counts() -> None:
    words = {"▁hug": 10, "▁pug": 5, "▁hugs": 5, "▁x": 1}
    options = PieceOptions(vocab_size=5, character_coverage=0.98)
    spec = word_spec(table(words), options, piece_skeleton())
    assert [raw.decode() for raw, _, _ in list(spec.pieces)[3:]] == ["▁hug", "▁hugs"]
    assert Tokenizer(spec).encode_pieces("hug hugs") == ["▁hug", "▁hugs"]
    everything = PieceOptions(vocab_size=5, character_coverage=0.98, use_all_vocab=True)
    assert len(word_spec(table(words), everything, piece_skeleton()).pieces) == 7
    with pytest.raises(InputError) as caught:
        word_spec(table(words), PieceOptions(vocab_size=50, character_coverage=0.98), piece_skeleton())
    assert (caught.value.code, caught.value.facts["nearest"]) == ("train-vocab-size", 6)
