"""Trained WordPiece vocabularies are those of the slow trainer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece import InputError, Kind, Tokenizer
from anypiece.formats import wordpiece
from anypiece.reference.wordpiece_training import train_wordpiece
from anypiece.training.wordpiece import WordPieceOptions, wordpiece_spec
from tests.support.word_tables import table

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
SKELETON, _ = wordpiece.read(b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n", lowercase=True)
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def pieces(words: dict[str, int], **changes: Any) -> list[str]:
    spec = wordpiece_spec(table(words), WordPieceOptions(**changes), SKELETON)
    return [spec.pieces.piece(id) for id in range(len(spec.pieces))]


texts = st.dictionaries(st.text("ab#é", min_size=1, max_size=8), st.integers(1, 5), min_size=1, max_size=12)


@given(texts, st.integers(0, 5), st.sampled_from([None, 1, 3, 4]), st.sampled_from([None, 2, 3]))
def test_pieces_are_those_of_the_slow_trainer(
    words: dict[str, int], least: int, longest: int | None, chars: int | None
) -> None:
    changes: dict[str, Any] = {"min_frequency": least, "max_token_length": longest, "limit_alphabet": chars}
    wanted = train_wordpiece(words, 40, special_tokens=SPECIALS, **changes)
    assert pieces(words, vocab_size=40, **changes) == wanted


def test_pieces_by_hand() -> None:
    found = pieces(HUGS, vocab_size=19)
    assert found[5:] == ["b", "g", "h", "n", "p", "s", "u", "##u", "##n", "##g", "##s", "##ug", "##un", "hug"]
    assert pieces(HUGS, vocab_size=18, listed=("##s", "##g"))[12:16] == ["##s", "##g", "##u", "##n"]
    assert "z" in pieces(HUGS, vocab_size=30, initial_alphabet="z")


def test_the_result_is_a_tokenizer_and_a_file() -> None:
    spec = wordpiece_spec(table(HUGS), WordPieceOptions(vocab_size=20), SKELETON)
    tok = Tokenizer(spec)
    assert tok.encode_pieces("Hugs bun") == ["hug", "##s", "b", "##un"]
    assert tok.encode("xyz") == [tok.unk_id]
    assert tok.encode_pieces("hug", add_special=True) == ["[CLS]", "hug", "[SEP]"]
    assert (tok.pad_id, tok.unk_id, tok.kind(1), tok.kind(4)) == (0, 1, Kind.UNKNOWN, Kind.CONTROL)
    again, _ = wordpiece.read(wordpiece.write(spec), lowercase=True)
    assert again == spec


def test_sizes_name_the_nearest() -> None:
    for size, nearest in ((10, 16), (500, 23)):
        with pytest.raises(InputError) as caught:
            pieces(HUGS, vocab_size=size, hard_vocab_limit=True)
        assert (caught.value.code, caught.value.facts["nearest"]) == ("train-vocab-size", nearest)
    assert len(pieces(HUGS, vocab_size=500)) == 23


@pytest.mark.parametrize(
    "changes",
    [
        {"special_tokens": ("[UNK]", "[UNK]")}, {"special_tokens": "[UNK]"}, {"special_tokens": ()}, {"unk_token": "?"},
        {"min_frequency": -1}, {"limit_alphabet": 0}, {"max_token_length": 0}, {"initial_alphabet": "\ud800"},
        {"continuing_subword_prefix": 3}, {"listed": ("",)}, {"hard_vocab_limit": "no"},
    ],
)  # fmt: skip
def test_options_are_checked(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        WordPieceOptions(**changes)
    assert caught.value.code == "train-option"
    assert replace(WordPieceOptions(), vocab_size=9).vocab_size == 9


def test_words_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        wordpiece_spec(table({b"\xff": 1}), WordPieceOptions(), SKELETON)
    assert caught.value.code == "words-table"
