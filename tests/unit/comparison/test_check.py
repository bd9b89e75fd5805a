"""Comparing two tokenizers: a proof, a smallest text, or neither."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import errors
from anypiece.comparison.fields import differing_fields
from anypiece.comparison.texts import shrunk, texts_of
from tests.support.small_vocabularies import RANKS, SPECIALS, UNIGRAM

if TYPE_CHECKING:
    from pathlib import Path


def test_equal_content_is_a_proof() -> None:
    found = ap.check(ap.Tokenizer(UNIGRAM), ap.Tokenizer(UNIGRAM.replace()))
    assert (bool(found), found.proved, found.texts) == (True, True, 0)


def test_a_difference_is_cut_down() -> None:
    one = ap.Tokenizer(RANKS)
    other = one.replace(splitter="gpt2")
    found = ap.check(one, other, ["plain", "some words\n\nand the rest"])
    assert not found
    assert (found.texts, found["ids"].texts, found["ids"].differing) == (2, 2, 1)
    assert found.difference is found["ids"].smallest is not None
    text = found.difference.text
    assert one.encode(text) != other.encode(text)
    for at in range(len(text)):
        shorter = text[:at] + text[at + 1 :]
        assert one.encode(shorter) == other.encode(shorter)
    assert [(field.name, field.first, field.second) for field in found.fields] == [("splitter", "cl100k", "gpt2")]


def test_a_difference_in_decoding() -> None:
    one = ap.Tokenizer(UNIGRAM)
    found = ap.check(one, one.replace(unk_surface="?"), ["日 日", "a"])
    assert found.difference is not None
    assert (found.difference.what, found.difference.text) == ("decoded", "日")
    assert {aspect.name: aspect.differing for aspect in found.aspects} == {
        "ids": 0,
        "pieces": 0,
        "spans": 0,
        "specials": 0,
        "decoding": 1,
    }


def test_a_difference_of_one_aspect_hides_none_of_another() -> None:
    """Decoding differs on the first text already; that ids differ on a later one is seen all the same."""
    one = ap.Tokenizer(RANKS.replace(splitter="llama3"))
    harmless = one.replace(clean_spaces=True)
    wrong = harmless.replace(splitter="gpt2")
    texts = ["the .", "the", "the\n\nthe"]
    right = ap.check(one, harmless, texts)
    assert [bool(aspect) for aspect in right.aspects] == [True, True, True, True, False]
    found = ap.check(one, wrong, texts)
    assert [(aspect.name, aspect.differing) for aspect in found.aspects if not aspect] == [
        ("ids", 1),
        ("pieces", 1),
        ("spans", 1),
        ("decoding", 1),
    ]
    assert {field.name for field in found.fields} == {"splitter", "clean_spaces"}
    assert ap.check(one, harmless, texts, only=["ids"])
    assert ap.check(one, harmless, texts, only=("pieces", "spans"))
    assert not ap.check(one, wrong, texts, only=["ids"])
    assert not ap.check(one, harmless, texts, only=["decoding"])


def test_pieces_and_spans_are_compared_where_ids_are_equal() -> None:
    """Two ids exchanged, a piece spelled otherwise, spans that are trimmed."""
    rows = list(UNIGRAM.pieces)
    one = ap.Tokenizer(UNIGRAM)
    swapped = one.replace(pieces=ap.Pieces.of([*rows[:5], rows[6], rows[5], *rows[7:]]))
    found = ap.check(one, swapped, ["b", "ca"], only=["ids", "pieces", "spans"])
    assert [aspect.differing for aspect in found.aspects] == [2, 0, 0]
    respelled = one.replace(pieces=ap.Pieces.of([*rows[:7], ("ü".encode(), rows[7][1], rows[7][2]), *rows[8:]]))
    found = ap.check(one, respelled, ["aé", "aü"])
    assert not found["pieces"]
    trimmed = ap.Tokenizer(RANKS)
    found = ap.check(trimmed, trimmed.replace(trim_spans="all"), ["a the"])
    assert [(aspect.name, aspect.alone) for aspect in found.aspects if not aspect] == [("spans", 1)]
    assert found.difference is not None
    assert (found.difference.first, found.difference.second) == ([(0, 1)], [(1, 1)])


def test_what_was_not_compared() -> None:
    tok = ap.Tokenizer(UNIGRAM)
    found = ap.check(tok, tok.replace(pad_id=0), ["a"], only=["ids"])
    assert [aspect.name for aspect in found.aspects] == ["ids"]
    for wrong in (lambda: found["spans"], lambda: ap.check(tok, tok, only=[]), lambda: ap.check(tok, tok, only=["x"])):  # type: ignore[list-item]
        with pytest.raises(errors.InputError) as error:
            wrong()
        assert error.value.code == "argument-value"
    assert ap.check(tok, tok, only="ids").proved  # type: ignore[arg-type]


def test_ordinary_differences_are_none_of_specials() -> None:
    """The space put in front of text changes its ids; the special tokens in it are found all the same."""
    one = ap.Tokenizer(SPECIALS)
    other = one.replace(add_dummy_prefix=False)
    found = ap.check(one, other)
    assert (bool(found["ids"]), bool(found["specials"])) == (False, True)
    assert not ap.check(one, other.replace(bos_id=None, eos_id=None))["specials"]


def test_a_result_as_json() -> None:
    one = ap.Tokenizer(UNIGRAM)
    row = ap.check(one, one.replace(unk_surface="?"), ["日"]).to_json()
    assert (row["same"], row["proved"], list(row["aspects"])) == (
        False,
        False,
        ["ids", "pieces", "spans", "specials", "decoding"],
    )
    smallest = {"text": "日", "what": "decoded", "first": " \u2047 ", "second": "?"}
    assert row["aspects"]["decoding"] == {"texts": 1, "differing": 1, "alone": 1, "smallest": smallest}
    assert row["fields"] == [{"field": "unk_surface", "first": " \u2047 ", "second": "?"}]
    assert json.dumps(row)


def test_fields_in_words() -> None:
    """Columns are told by what is unlike in them."""
    rows = [*RANKS.pieces]
    other = RANKS.replace(
        pieces=ap.Pieces.of([*rows[:-1], (b"<|x|>", 0.0, ap.Kind.CONTROL), (b"more", -1.0, ap.Kind.NORMAL)]),
        added=ap.Added.of([(text, id, int(flags)) for text, id, flags in RANKS.added][:-1]),
        merges=[[116, 104, 256]],
    )
    told = {field.name: (field.first, field.second) for field in differing_fields(RANKS, other)}
    assert told["pieces"][1] == f"{len(rows) + 1} pieces, 1 spelled otherwise, the first of them id {len(rows) - 1}"
    assert told["added"] == ("3 tokens, among them '<|日|>' (id 271, flags 1)", "2 tokens")
    assert told["merges"] == ("0 merges", "1 merges")
    assert differing_fields(RANKS, RANKS.replace()) == ()


def test_no_difference_is_no_proof() -> None:
    one = ap.Tokenizer(UNIGRAM)
    found = ap.check(one, one.replace(pad_id=0), ["a", "b"])
    assert (bool(found), found.proved, found.texts, found.difference) == (True, False, 2, None)
    assert [field.name for field in found.fields] == ["pad_id"]


def test_texts_are_str() -> None:
    tok = ap.load()
    with pytest.raises(errors.InputTypeError, match=r"texts\[1\] must be str, not bytes"):
        ap.check(tok, tok.replace(add_dummy_prefix=False), ["a", b"a"])  # type: ignore[list-item]


def test_made_texts_hold_pieces() -> None:
    tok = ap.load()
    joined = "\0".join(texts_of(tok))
    names = [raw.decode().replace("▁", " ") for raw, _, kind in tok.spec.pieces if kind == ap.Kind.NORMAL]
    assert all(name in joined for name in names[::20])
    assert list(texts_of(tok)) == list(texts_of(tok))


@given(st.text("ab,", max_size=40))
def test_shrunk(text: str) -> None:
    def holds(part: str) -> bool:
        return part.count("a") >= 2 and "," in part

    if holds(text):
        assert sorted(shrunk(text, holds)) == [",", "a", "a"]


@pytest.mark.parametrize("size", [0, 1])
def test_a_smaller_vocabulary(size: int) -> None:
    rows = list(UNIGRAM.pieces)
    smaller = ap.Tokenizer(UNIGRAM.replace(pieces=ap.Pieces.of(rows[: len(rows) - size])))
    assert bool(ap.check(ap.Tokenizer(UNIGRAM), smaller)) == (size == 0)


def test_special_tokens_are_compared() -> None:
    """One vocabulary with a special token and one without: text is the same, parsed it is not."""
    one = ap.Tokenizer(RANKS)
    names = [(text, id, flags) for text, id, flags in RANKS.added if text != "<|日|>"]
    other = one.replace(added=ap.Added.of(names))
    for first, second in ((one, other), (other, one)):
        found = ap.check(first, second, ["the 日"])
        assert found.difference is not None
        assert (found.difference.what, found.difference.text) == ("ids with special tokens parsed", "<|日|>")
        assert [271] in (found.difference.first, found.difference.second)
        assert ap.check(first, second, ["the 日"], only=["ids", "pieces", "spans", "decoding"]).difference is None


def test_decoding_without_special_tokens_is_compared() -> None:
    """An added token that is not special, and of kind CONTROL in one vocabulary alone, gives the same ids."""
    rows = [(text, id, int(flags) if id != 271 else 0) for text, id, flags in RANKS.added]
    kinds = RANKS.pieces.kinds.copy()
    kinds[271] = ap.Kind.USER_DEFINED
    one = ap.Tokenizer(RANKS.replace(added=ap.Added.of(rows)))
    other = one.replace(pieces=dataclasses.replace(RANKS.pieces, kinds=kinds))
    found = ap.check(one, other, ["a"])
    assert found.difference is not None
    assert (found.difference.what, found.difference.text) == ("text without special tokens", "<|日|>")
    same = ap.check(one, one.replace(pad_id=3), ["a"])
    assert (bool(same), same["specials"].texts) == (True, 7)


def test_what_is_put_around_a_text_is_compared() -> None:
    one = ap.Tokenizer(UNIGRAM)
    for first, second in ((one, one.replace(bos_id=None, eos_id=None)), (one.replace(add_eos=False), one)):
        found = ap.check(first, second, ["a"])
        assert found.difference is not None
        assert found.difference.what == "ids around a text"


def test_paths_are_loaded(tmp_path: Path) -> None:
    ap.Tokenizer(UNIGRAM).save(tmp_path / "a.model")
    assert ap.check(tmp_path / "a.model", str(tmp_path / "a.model")).proved
    with pytest.raises(errors.InputTypeError):
        ap.check(3, tmp_path / "a.model")  # type: ignore[arg-type]
