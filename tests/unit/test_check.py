"""Comparing two tokenizers: a proof, a smallest text, or neither."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import errors
from anypiece.check import shrunk, texts_of

from .vocabularies import RANKS, UNIGRAM

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
    assert found.texts == 2
    assert found.difference is not None
    text = found.difference.text
    assert one.encode(text) != other.encode(text)
    for at in range(len(text)):
        shorter = text[:at] + text[at + 1 :]
        assert one.encode(shorter) == other.encode(shorter)


def test_a_difference_in_decoding() -> None:
    one = ap.Tokenizer(UNIGRAM)
    found = ap.check(one, one.replace(unk_surface="?"), ["日 日"])
    assert found.difference is not None
    assert (found.difference.what, found.difference.text) == ("decoded", "日")


def test_no_difference_is_no_proof() -> None:
    one = ap.Tokenizer(UNIGRAM)
    found = ap.check(one, one.replace(pad_id=0), ["a", "b"])
    assert (bool(found), found.proved, found.texts, found.difference) == (True, False, 2, None)


def test_texts_are_str() -> None:
    tok = ap.load()
    with pytest.raises(errors.InputTypeError, match=r"texts\[1\] must be str, not bytes"):
        ap.check(tok, tok.replace(add_dummy_prefix=False), ["a", b"a"])  # type: ignore[list-item]


def test_made_texts_hold_every_piece() -> None:
    tok = ap.load()
    joined = "\0".join(texts_of(tok))
    names = [raw.decode().replace("▁", " ") for raw, _, kind in tok.spec.pieces if kind == ap.Kind.NORMAL]
    assert all(name in joined for name in names)
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
        assert ap.check(first, second, ["the 日"], specials=False).difference is None


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
    assert (bool(same), same.specials) == (True, 6)


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
