"""The unigram trainer: what the reference gives on small texts, the same for any number of threads, and clear refusals."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import anypiece as ap
from anypiece import InputError, Kind, Pieces, Spec, _native
from anypiece.reference import unigram_training as reference
from anypiece.training.options import PieceOptions
from anypiece.training.unigram import train_pieces, unigram_memory, unigram_spec

SKELETON = Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN)]))


def table(words: dict[str, int]) -> _native.Words:
    encoded = [word.encode() for word in words]
    offsets = np.cumsum([0, *map(len, encoded)]).astype("<u8")
    return _native.Words(b"".join(encoded), offsets.tobytes(), np.array(list(words.values()), "<u8").tobytes())


def made(seed: int, letters: str, size: int, longest: int = 9) -> dict[str, int]:
    """Words of syllables, the first of them frequent."""
    draw = random.Random(seed)
    syllables = ["".join(draw.choices(letters, k=draw.randint(1, 3))) for _ in range(40)]
    words = Counter[str]()
    for place in range(size):
        word = "▁" + "".join(draw.choices(syllables, k=draw.randint(1, 4)))[:longest]
        words[word] += 1 + draw.randint(0, 4000) // (place + 1)
    return dict(words)


ENGLISH = dict(Counter(f"▁{word}" for word in (ap.errors.__doc__ or "").split() + (ap.spec.__doc__ or "").split() * 3))

CASES: dict[str, tuple[dict[str, int], dict[str, Any]]] = {
    "plain": (made(1, "abcdefgh", 300), {"vocab_size": 60}),
    "whole rounds": (made(2, "abcde", 500), {"vocab_size": 30, "shrinking_factor": 0.6, "num_sub_iterations": 3}),
    "scripts": (made(3, "ab12б,漢ナ\u0301", 300, 7), {"vocab_size": 60}),
    "digits": (made(4, "ab12", 200), {"vocab_size": 40, "split_digits": True}),
    "numbers": (made(5, "ab12,", 200), {"vocab_size": 50, "split_by_number": False}),
    "no scripts": (made(6, "ab1б", 200), {"vocab_size": 50, "split_by_unicode_script": False}),
    "inner marks": (made(7, "abc▁", 200, 12), {"vocab_size": 50, "split_by_whitespace": False}),
    "suffix": ({word[1:] + "▁": n for word, n in made(8, "abcd", 200).items()},
               {"vocab_size": 40, "treat_whitespace_as_suffix": True}),
    "only marks": (made(9, "ab▁", 200), {"vocab_size": 40, "allow_whitespace_only_pieces": True}),
    "short pieces": (made(10, "abcd", 200), {"vocab_size": 40, "max_sentencepiece_length": 3}),
    "coverage": (made(11, "aaaaaaaaaabbbbbbbcccdq", 200),
                 {"vocab_size": 30, "character_coverage": 0.9, "required_chars": "qz"}),
    "SentencePiece's seeds": (made(12, "abcdef", 300), {"vocab_size": 60, "seed_prefixes": False}),
    "few seeds": (made(13, "abcdef", 300), {"vocab_size": 40, "seed_sentencepiece_size": 100}),
    "given seeds": (made(14, "abc", 200), {
        "vocab_size": 14, "seed_sentencepieces": [["ab", 9], ["▁a", 5], ["a", 7], ["bc▁", 3], ["abc", 2], ["ab", 1]],
        "hard_vocab_limit": False,
    }),
    "meta pieces": (made(15, "abcd", 200), {"vocab_size": 40, "user_defined_symbols": ["ab", "d", "▁a"]}),
    "English": (ENGLISH, {"vocab_size": 150, "hard_vocab_limit": False}),
    "long words": ({"▁" + "abcabdabe" * 9: 3, "▁" + "xyzxyw" * 15: 5, "abxy" * 20: 2}, {"vocab_size": 16}),
    "improbable words": ({"".join(random.Random(place).choices("abcdefghijkl", k=270)): 1 for place in range(3)},
                         {"vocab_size": 40}),
    "one word": ({"▁a": 7}, {"vocab_size": 6, "hard_vocab_limit": False}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_kernel_equals_the_reference(name: str) -> None:
    words, given = CASES[name]
    options = PieceOptions(**given)
    wanted = reference.train(words, options)
    found, _ = train_pieces(table(words), options)
    assert [piece.decode() for piece, _ in found] == [piece for piece, _ in wanted]
    assert [score for _, score in found] == pytest.approx([score for _, score in wanted], abs=1e-9)


def drawn(draw: random.Random, letters: str) -> PieceOptions:
    """Any options at all."""
    flags = (
        "seed_prefixes", "split_by_whitespace", "split_by_number", "split_digits", "treat_whitespace_as_suffix",
        "allow_whitespace_only_pieces", "split_by_unicode_script",
    )  # fmt: skip
    return PieceOptions(
        vocab_size=draw.randint(20, 60),
        hard_vocab_limit=False,
        character_coverage=draw.choice([1.0, 0.9995, 0.9, 0.7]),
        max_sentencepiece_length=draw.choice([1, 2, 3, 5, 16, 40]),
        seed_sentencepiece_size=draw.choice([5, 30, 10**6]),
        num_sub_iterations=draw.randint(1, 3),
        shrinking_factor=draw.choice([0.5, 0.75, 0.9]),
        required_chars=draw.choice(["", "z", "ab"]),
        user_defined_symbols=draw.choice([(), (draw.choice(letters), "ab")]),
        **{name: draw.random() < 0.6 for name in flags},
    )


@pytest.mark.parametrize("seed", range(150))
def test_the_kernel_equals_the_reference_under_any_options(seed: int) -> None:
    draw = random.Random(seed)
    letters = "".join(draw.sample("abcdefgh12б,漢ナ\u0301▁\t\x1f３.－", draw.randint(2, 9)))
    words, options = made(seed, letters, draw.randint(5, 120), draw.randint(2, 14)), drawn(draw, letters)
    if not reference.segments(words, reference.alphabet(words, options)):
        with pytest.raises(InputError, match="nothing to train on"):
            train_pieces(table(words), options)
        return
    wanted = reference.train(words, options)
    found, _ = train_pieces(table(words), options)
    assert [piece.decode() for piece, _ in found] == [piece for piece, _ in wanted]
    assert [score for _, score in found] == pytest.approx([score for _, score in wanted], abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_threads_change_nothing(name: str) -> None:
    words, given = CASES[name]
    options = PieceOptions(**given)
    assert train_pieces(table(words), options, 1) == train_pieces(table(words), options, 2)
    assert train_pieces(table(words), options, 1) == train_pieces(table(words), options, 8)


def test_threads_change_nothing_in_many_tasks() -> None:
    words = made(99, "abcdefghijklmnop", 20_000, 30)
    options = PieceOptions(vocab_size=1000)
    one = train_pieces(table(words), options, 1)
    assert one == train_pieces(table(words), options, 2) == train_pieces(table(words), options, 8)
    assert len(one[0]) == 997


def test_the_order_of_words_changes_nothing() -> None:
    words = CASES["plain"][0]
    options = PieceOptions(vocab_size=60)
    assert train_pieces(table(words), options) == train_pieces(table(dict(reversed(words.items()))), options)


def test_spans_of_any_length_are_added_up() -> None:
    word = "▁" + "".join(random.Random(7).choices("abcdefghij", k=20_000))
    found = train_pieces(table({word: 2, word[5:]: 3}), PieceOptions(vocab_size=300))[0]
    assert len(found) == 297
    assert all(-30 < score < 0 for _, score in found)


def test_one_letter_over_and_over_is_quick() -> None:
    found = train_pieces(table({"a" * 100_000: 1}), PieceOptions(vocab_size=10, hard_vocab_limit=False))[0]
    assert [piece for piece, _ in found] == [b"a", b"a" * 16]


def test_memory_is_known_before() -> None:
    words = table(CASES["plain"][0])
    _, facts = train_pieces(words, PieceOptions(vocab_size=60))
    stated = unigram_memory(words, PieceOptions(vocab_size=60), 2)
    assert facts["seeds"] * 96 + facts["segment_characters"] * 17 <= stated < 1_000_000
    with pytest.raises(InputError, match="alone need 12"):
        unigram_memory(words, PieceOptions(vocab_size=10))


def test_what_is_unknown_is_credited_to_no_piece() -> None:
    words = {"▁ab": 50, "▁cd": 40, "abc": 9, "dab": 30}
    options = PieceOptions(vocab_size=12, hard_vocab_limit=False, character_coverage=0.99)
    with_rare = words | {"▁ab\x1fab": 50}
    split = words | {"▁ab": 100, "ab": 50}
    assert train_pieces(table(with_rare), options)[0] == train_pieces(table(split), options)[0]


def test_a_vocabulary_that_is_too_large_or_small_is_refused_with_one_that_works() -> None:
    words = CASES["plain"][0]
    with pytest.raises(InputError) as large:
        unigram_spec(table(words), PieceOptions(vocab_size=50_000), SKELETON)
    assert large.value.code == "train-vocab-size"
    nearest = large.value.facts["nearest"]
    assert len(unigram_spec(table(words), PieceOptions(vocab_size=nearest), SKELETON).pieces) == nearest
    with pytest.raises(InputError, match="alone need 12") as small:
        unigram_spec(table(words), PieceOptions(vocab_size=10), SKELETON)
    assert small.value.facts == {"vocab_size": 10, "nearest": 12}
    assert len(unigram_spec(table(words), PieceOptions(vocab_size=12), SKELETON).pieces) == 12


@pytest.mark.parametrize("words", [{}, {"\x1f": 3}], ids=["none", "borders"])
def test_nothing_to_train_on_is_refused(words: dict[str, int]) -> None:
    with pytest.raises(InputError, match="nothing to train on"):
        train_pieces(table(words), PieceOptions())


def test_counts_of_any_size_are_added_up() -> None:
    words = {word: count * 2**40 for word, count in CASES["plain"][0].items()}
    options = PieceOptions(vocab_size=60)
    small, large = train_pieces(table(CASES["plain"][0]), options)[0], train_pieces(table(words), options)[0]
    assert len({piece for piece, _ in small} & {piece for piece, _ in large}) > 50


def test_reports_come_and_can_end_it() -> None:
    stages: list[tuple[str, int, int]] = []
    words = table(CASES["plain"][0])
    train_pieces(words, PieceOptions(vocab_size=60), report=lambda *now: stages.append(now))
    assert stages[0][0] == "alphabet"

    def enough(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_pieces(words, PieceOptions(vocab_size=60), report=enough)


def test_a_trained_vocabulary_segments() -> None:
    tok = ap.Tokenizer(unigram_spec(table(CASES["plain"][0]), PieceOptions(vocab_size=60), SKELETON))
    text = " ".join(word[1:] for word in list(CASES["plain"][0])[:50])
    assert tok.decode(tok.encode(text)) == text
    assert tok.vocab_size == 60
    assert tok.bos_id == 1
