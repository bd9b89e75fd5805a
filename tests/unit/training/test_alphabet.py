"""Which characters a vocabulary is made of, and how often each was seen."""

from __future__ import annotations

from typing import Any

import pytest

from anypiece import FormatError, InputError
from anypiece.training.alphabet import alphabet_of, characters_of, kernel_options
from anypiece.training.options import PieceOptions
from tests.support.word_tables import table

WORDS = {"▁ab": 5, "▁b\x1fc": 3, "d\0 \u2585": 1}


def chars(reserved: tuple[str, ...] = (), **changes: Any) -> str:
    rows = alphabet_of(table(WORDS), PieceOptions(**changes), reserved)
    return "".join(character for character, _ in rows)


def test_frequent_characters_come_first_until_enough_is_covered() -> None:
    assert chars(character_coverage=1.0) == "b▁acd"
    assert chars(character_coverage=0.8) == "b▁a"
    assert chars(character_coverage=0.5, required_chars="zd") == "b▁dz"
    assert chars(("a",), character_coverage=1.0) == "b▁cd"


def test_counts_are_those_of_the_words() -> None:
    assert characters_of(table({"▁é\U0010ffffé": 2, "é": 1})) == {"▁": 2, "é": 5, "\U0010ffff": 2}
    required = PieceOptions(character_coverage=1.0, required_chars="z")
    assert alphabet_of(table({"a": 3}), required, ()) == [("a", 3), ("z", 0)]


def test_counts_beyond_the_precision_of_doubles_lose_no_character() -> None:
    words = {"a": 2**62, "b": 2**61 + 1, "c": 1}
    assert [row[0] for row in alphabet_of(table(words), PieceOptions(character_coverage=1.0), ())] == ["a", "b", "c"]


def test_words_that_are_no_text_are_refused() -> None:
    with pytest.raises((FormatError, InputError)) as caught:
        characters_of(table({b"\xff": 2}))
    assert caught.value.code == "words-table"


def test_other_reserved_spellings_are_not_counted() -> None:
    options = PieceOptions(vocab_size=4, character_coverage=1.0)
    with pytest.raises(InputError, match="alone need 6"):
        kernel_options(table({"abc": 1}), options)
    config, alphabet = kernel_options(table({"abc": 1}), options, ["x", "b"])
    assert (config["reserved"], alphabet) == (["x", "b"], [("a", 1), ("c", 1)])
