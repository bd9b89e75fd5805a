"""Text that is read as characters has the ids of its UTF-8, for every rule that a vocabulary can have."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest

import anypiece as ap
from anypiece.spec import Pieces, Spec
from tests.support.adversarial import ALPHABETS
from tests.support.charsmap_builder import build
from tests.support.ours import reference_ids
from tests.support.vocabularies import SPECS

WIDE = str.maketrans("abcehlo", "アイウ漢字話ж")
"""Letters of the hand-made vocabularies, as letters that UTF-8 makes long."""

MAP = build({
    "Ａ": "ア", "①": "1", "\u3000": " ", "\n": " ", "㌔": "アイウ", "\u200b": "", "カ\u3099": "ガ", "カ": "カ", "語": "字",
    "㈱": "(イ)", "¨": " \u0308", "﷽": "ア" * 40,
})  # fmt: skip
"""Every kind of rule: to one character, to several, to a space, to none, and keys of two."""

NEVER = {"unigram-suffix", "bpe-suffix", "bpe-unused"}
"""Marks behind words, and merges that are taken apart again, take the whole text."""

NAMES = [name for name, spec in SPECS.items() if spec.segmenter in ("unigram", "bpe")]
ODD = [
    *"アイウ漢字話語жカ",
    " ",
    "  ",
    "\n",
    "\u3000",
    "Ａ",
    "①",
    "㌔",
    "\u200b",
    "カ\u3099",
    "㈱",
    "¨",
    "﷽",
    "▁",
    "é",
    "\uffff",
]


def wide(spec: Spec) -> Spec:
    pieces = spec.pieces
    names = [pieces.piece(id).translate(WIDE) for id in range(len(pieces))]
    rows = zip(names, pieces.scores.tolist(), pieces.kinds.tolist(), strict=True)
    return dataclasses.replace(spec, pieces=Pieces.of(rows))


def texts(rng: Random, spec: Spec, trouble: float, count: int) -> list[str]:
    """Texts of pieces of the vocabulary, mostly wide, some with trouble in them."""
    names = map(spec.pieces.piece, range(len(spec.pieces)))
    pieces = [name.replace("▁", " ") for name in names if name and not name.startswith("<")]
    others = [*ODD, *(part for parts in ALPHABETS.values() for part in parts)]
    found = []
    for _ in range(count):
        parts = rng.choice([12, 30, 200, 700])
        draw = [rng.choice(others if rng.random() < trouble else pieces) for _ in range(parts)]
        found.append("".join(draw).translate(WIDE))
    return found


@pytest.mark.parametrize("charsmap", [b"", MAP], ids=["unmapped", "mapped"])
@pytest.mark.parametrize("name", NAMES)
def test_characters_are_bytes(name: str, charsmap: bytes) -> None:
    spec = dataclasses.replace(wide(SPECS[name]), charsmap=charsmap)
    toks = [ap.Tokenizer(spec), ap.Tokenizer(spec, cache_slots=0), ap.Tokenizer(spec, cache_slots=16)]
    rng = Random(name)
    for trouble in (0, 0.02, 0.3):
        for text in texts(rng, spec, trouble, 25):
            expected = reference_ids(toks[0], text)
            for tok in toks:
                assert tok.encode(text) == expected
                assert tok.encode_array(text).tolist() == expected
                assert tok.count(text) == len(expected)
            assert toks[0].encode(text.encode()) == expected
    for tok in toks:
        read = tok._kernel.table_stats()["by_characters"]
        if name in NEVER:
            assert read == 0
        elif "user-defined" not in name:  # where a symbol may begin, what is shielded takes more than a character
            assert read > 60


@pytest.mark.parametrize("name", ["unigram", "unigram-bytes", "bpe", "bpe-bytes"])
def test_batches(name: str) -> None:
    spec = dataclasses.replace(wide(SPECS[name]), charsmap=MAP)
    tok = ap.Tokenizer(spec)
    drawn = texts(Random(name), spec, 0.05, 60)
    drawn += [text + "\ud83d" for text in drawn[:3]] + [text + "😀" for text in drawn[:3]] + ["", "ア", "an ASCII text"]
    expected = [tok.encode(text) for text in drawn]
    for threads in (1, 3):
        assert [row.tolist() for row in tok.encode_batch(drawn, threads=threads)] == expected
        assert tok.count_batch(drawn, threads=threads).tolist() == list(map(len, expected))


def test_a_lone_surrogate_is_a_bad_byte() -> None:
    tok = ap.Tokenizer(wide(SPECS["unigram-bytes"]))
    text = "アイウ漢字" * 8
    assert tok.encode(f"{text}\udc80{text}") == tok.encode(text.encode() + b"\xff" + text.encode())


def test_characters_beyond_the_basic_plane_take_the_utf_8() -> None:
    tok = ap.Tokenizer(wide(SPECS["unigram-bytes"]))
    text = "アイウ漢字" * 8 + "𠀀"
    assert tok.encode(text) == tok.encode(text.encode()) == reference_ids(tok, text)
    assert tok._kernel.table_stats()["by_characters"] == 0


def test_a_unit_longer_than_a_window() -> None:
    """``アア`` is a piece, so a run of them has no cut."""
    tok = ap.Tokenizer(wide(SPECS["unigram"]))
    for text in ("ア" * 20, "ア" * 300, "ア" * 5000, "イ漢 " * 50 + "ア" * 600 + "語イ" * 50):
        assert tok.encode(text) == reference_ids(tok, text)


def test_narrow_text_is_not_copied() -> None:
    tok = ap.Tokenizer(SPECS["unigram"])
    for text in ("hello hello, hello hello", "short", "naïve café " * 20, b"\xe3\x81\x82" * 50):
        assert tok.encode(text) == reference_ids(tok, text)
    assert tok._kernel.table_stats()["by_characters"] == 0
    tok.encode("あい語 " * 20)
    assert tok._kernel.table_stats()["by_characters"] == 1


def test_a_long_text_is_looked_at_in_many_places() -> None:
    """A text with tables in it may have spaces at a quarter, half and three quarters of its length."""
    tok = ap.Tokenizer(wide(SPECS["unigram"]))
    text = (" " * 16 + "アイウ漢字" * 8 + " " * 8) * 8
    assert {text[len(text) // 4 * part] for part in (1, 2, 3)} == {" "}
    assert tok.encode(text) == reference_ids(tok, text) == tok.encode(text.encode())
    assert tok._kernel.table_stats()["by_characters"] == 1


def test_spaces_at_the_ends_and_in_between() -> None:
    for settings in ({}, {"add_dummy_prefix": False}, {"remove_extra_whitespaces": False}):
        tok = ap.Tokenizer(dataclasses.replace(SPECS["unigram"], charsmap=MAP, **settings))
        for edge in ("", " ", "   ", "\u3000", "\u200b", " \u200b ", "\n\u3000 "):
            text = f"{edge}あい語あい語あい語{edge}{edge}あい語あい語あい語{edge}"
            assert tok.encode(text) == reference_ids(tok, text) == tok.encode(text.encode())
        for empty in (" " * 30, "\u3000" * 30, "\u200b" * 30, "\u3000\u200b" * 20):
            assert tok.encode(empty) == reference_ids(tok, empty)
