"""More tokens: old ids stay, new ones are whole, special ones need permission."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

import anypiece as ap
from anypiece.conversion.extend import save_extended
from tests.support.hf import document, written
from tests.support.small_vocabularies import RANKS, UNIGRAM

PLAIN = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}


def test_sentencepiece_finds_them_too(tmp_path: Path) -> None:
    tok = ap.extend(ap.load(), ["<think>", "日本国"], special=["<|end|>"])
    path = tmp_path / "a.model"
    tok.save(path)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in ("a<think>b", "日本国は<|end|>", "<think><think> x"):
        assert theirs.encode(text) == tok.encode(text)
    size = ap.load().vocab_size
    assert tok.piece_to_id("<think>") == size
    assert tok.kind(size + 2) == ap.Kind.CONTROL


def test_byte_vocabularies_have_added_tokens() -> None:
    old = ap.Tokenizer(RANKS)
    tok = ap.extend(old, ["<think>"], special=["<|stop|>"])
    size = old.vocab_size
    assert tok.encode("the<think>the<|stop|>") == [*old.encode("the"), size, *old.encode("the<|stop|>")]
    assert tok.encode("the<|stop|>", specials="parse") == [*old.encode("the"), size + 1]
    assert tok.encode("<|end|>", specials="parse") == old.encode("<|end|>", specials="parse")
    assert tok.decode([size, size + 1], skip_special=True) == "<think>"


def test_a_piece_that_is_there_keeps_its_id() -> None:
    old = ap.load()
    id = old.piece_to_id("▁the")
    tok = ap.extend(old, ["▁the"])
    assert (tok.vocab_size, tok.piece_to_id("▁the"), tok.kind(id)) == (old.vocab_size, id, ap.Kind.USER_DEFINED)


def test_doubles_stay_doubles_and_stages_have_added_tokens() -> None:
    pieces = ap.Pieces.of([("<unk>", 0.0, ap.Kind.UNKNOWN), ("a", -1.0, ap.Kind.NORMAL), ("b", -2.0, ap.Kind.NORMAL)])
    exact = replace(pieces, scores=np.array([0.0, -0.1, -1 / 3]))
    spec = ap.Spec(exact, arithmetic="f64", normalizer=({"type": "lowercase"},), **PLAIN)
    tok = ap.extend(ap.Tokenizer(spec), ["<A>"])
    assert tok.spec.pieces.scores[:3].tolist() == [0.0, -0.1, -1 / 3]
    assert tok.encode("a<A>b") == [1, 3, 2]


@pytest.mark.parametrize(
    "tokens", [["a", "a"], [""], ["\ud800"], [7], ["<unk>"]], ids=["twice", "empty", "surrogate", "number", "unknown"]
)
def test_refused(tokens: list[str]) -> None:
    with pytest.raises(ap.InputError, match="cannot be extended"):
        ap.extend(ap.Tokenizer(UNIGRAM), tokens)


def test_grow_a_rank_vocabulary() -> None:
    old = ap.Tokenizer(RANKS)
    rows = [(bytes([byte]), -float(byte), ap.Kind.NORMAL) for byte in range(256)]
    other = old.replace(
        pieces=ap.Pieces.of([*rows, (b"qu", -256.0, ap.Kind.NORMAL), (b"th", -257.0, ap.Kind.NORMAL)]),
        added=ap.Added(),
        bos_id=None,
        eos_id=None,
    )
    grown, ids = ap.grow(old, other)
    assert grown.vocab_size == old.vocab_size + 1
    assert ids.dtype == np.uint32
    assert ids.tolist() == [*range(256), old.vocab_size, 256]
    assert grown.encode("qu") == [old.vocab_size]
    assert grown.encode("the") == old.encode("the")


def test_only_vocabularies_of_one_kind_grow_together() -> None:
    with pytest.raises(ap.InputError, match="one kind"):
        ap.grow(ap.Tokenizer(RANKS), ap.Tokenizer(UNIGRAM))


def test_the_chat_template_stays(tmp_path: Path) -> None:
    """In the tokenizer and in files that have a place for it; others are refused unless the loss is accepted."""
    folder = tmp_path / "model"
    folder.mkdir()
    written(folder, document())
    config = {"bos_token": "<s>", "chat_template": "{{ bos_token }}{{ messages[0].content }}<end>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    said = [{"role": "user", "content": "ab"}]
    tok = ap.extend(folder, special=["<end>"])
    assert tok.encode(tok.render_chat(said), specials="parse") == [5, 3, 6]
    save_extended(tok, tmp_path / "a.anypiece", ["<end>"], {})
    assert ap.load(tmp_path / "a.anypiece").render_chat(said) == "<s>ab<end>"
    with pytest.raises(ap.FormatError, match="no place for chat_template") as caught:
        save_extended(tok, tmp_path / "b.json", ["<end>"], {})
    assert caught.value.code == "convert-lossy"
    save_extended(tok, tmp_path / "b.json", ["<end>"], {}, allow_lossy=True)
    assert ap.load(tmp_path / "b.json").encode("<end>", specials="parse") == [6]


@pytest.mark.parametrize("name", ["a.gguf", "a.model"])
def test_a_vocabulary_without_an_unknown_piece_is_refused_by_name(name: str, tmp_path: Path) -> None:
    vocab = {name: id for id, name in enumerate(["a", "b", "ab", *(f"<0x{byte:02X}>" for byte in range(256))])}
    model = {"type": "BPE", "vocab": vocab, "merges": ["a b"], "byte_fallback": True}
    path = written(tmp_path, document(model=model, added_tokens=[], pre_tokenizer=None))
    with pytest.raises(ap.FormatError, match="unknown piece") as caught:
        ap.convert(path, tmp_path / name, allow_lossy=True)
    assert caught.value.code == "format-unwritable"
