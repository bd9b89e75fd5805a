"""Conversion: proved by reading the result again, refused where something would be lost."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypiece as ap
from anypiece import Added, AddedFlag

from .vocabularies import BPE, RANKS, UNIGRAM


def test_to_model_and_back(tmp_path: Path) -> None:
    model, native = tmp_path / "a.model", tmp_path / "a.anypiece"
    done = ap.convert(ap.Tokenizer(UNIGRAM), model)
    assert (done.format, done.lost, done.options, done.check.proved) == ("sentencepiece", (), {}, True)
    assert ap.convert(model, native).check.proved
    assert ap.load(native) == ap.load(model) == ap.Tokenizer(UNIGRAM)


def test_merges_by_score_as_gguf_and_back(tmp_path: Path) -> None:
    rows = [*BPE.pieces, *((f"<0x{byte:02X}>", 0.0, ap.Kind.BYTE) for byte in range(256))]
    tok = ap.Tokenizer(BPE.replace(pieces=ap.Pieces.of(rows), byte_fallback=True))
    done = ap.convert(tok, tmp_path / "a.gguf")
    assert done.options == {"dialect": "sentencepiece"}
    assert done.check.proved
    assert ap.convert(tmp_path / "a.gguf", tmp_path / "a.model", dialect="sentencepiece").check.proved
    assert ap.load(tmp_path / "a.model") == tok
    for odd, code in (
        (BPE, "format-unwritable"),
        (tok.spec.replace(segmenter="char"), "format-unwritable"),
        (tok.spec.replace(whitespace_as_suffix=True), "convert-lossy"),
    ):
        with pytest.raises(ap.FormatError) as error:
            ap.convert(ap.Tokenizer(odd), tmp_path / "b.gguf")
        assert error.value.code == code


def test_rank_files_say_what_they_need(tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    spec = RANKS.replace(bos_id=None, eos_id=None)
    done = ap.convert(ap.Tokenizer(spec), path)
    assert set(done.options) == {"splitter", "specials"}
    assert ap.load(path, **done.options).encode("the 日", specials="parse") == ap.Tokenizer(spec).encode("the 日")


def test_what_would_be_lost_is_named(tmp_path: Path) -> None:
    tok = ap.Tokenizer(UNIGRAM).replace(added=Added.of([("<x>", 0, AddedFlag.SPECIAL)]))
    path = tmp_path / "a.model"
    with pytest.raises(ap.FormatError, match="no place for added") as error:
        ap.convert(tok, path)
    assert error.value.code == "convert-lossy"
    assert error.value.facts["lost"] == ["added"]
    assert not path.exists()
    done = ap.convert(tok, path, allow_lossy=True)
    assert done.lost == ("added",)
    assert ap.load(path).encode("a b") == tok.encode("a b")


def test_a_save_that_would_lose_something_is_refused(tmp_path: Path) -> None:
    tok = ap.Tokenizer(UNIGRAM).replace(added=Added.of([("<x>", 0, AddedFlag.SPECIAL)]))
    with pytest.raises(ap.FormatError, match="no place for added") as error:
        tok.save(tmp_path / "a.model")
    assert error.value.code == "format-unwritable"


def test_what_comes_out_otherwise_is_not_written(tmp_path: Path) -> None:
    """A .model file does not say its dialect, so one that differs from the newest cannot be proved."""
    rows = [("<unk>", 0.0, ap.Kind.UNKNOWN), ("a", 0.04, ap.Kind.NORMAL), ("aa", -5.0, ap.Kind.USER_DEFINED)]
    old = ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), user_defined_score="near-best", add_dummy_prefix=False))
    old = old.replace(arithmetic="f64-compared")
    assert old.encode("aa") != ap.Tokenizer(old.spec.replace(user_defined_score="length-bonus")).encode("aa")
    path = tmp_path / "a.model"
    with pytest.raises(ap.FormatError) as error:
        ap.convert(old, path, texts=["aa"])
    assert error.value.code == "convert-differs"
    assert error.value.facts["text"] == "aa"
    assert not path.exists()


def test_formats_that_cannot_hold_it(tmp_path: Path) -> None:
    for tok, name in ((ap.Tokenizer(UNIGRAM), "a.tiktoken"), (ap.Tokenizer(RANKS), "a.model")):
        with pytest.raises(ap.FormatError):
            ap.convert(tok, tmp_path / name)
        assert not list(tmp_path.iterdir())
    with pytest.raises(ap.FormatError, match=r"suffix '\.txt'"):
        ap.convert(ap.Tokenizer(UNIGRAM), tmp_path / "a.txt")
