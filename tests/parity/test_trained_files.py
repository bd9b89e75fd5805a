"""Vocabularies that are trained here, as files, in the libraries of others; llama.cpp is asked by ``make parity`` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import tokenizers

import anypiece as ap
from anypiece.training import grow_on
from tests.parity.trained import BYTEPIECES, GGUFS, bytepiece_difference, corpus, texts
from tests.support import data

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", BYTEPIECES)
def test_bytepiece_gives_our_ids(name: str) -> None:
    assert len(texts()) > 400
    assert bytepiece_difference(name) is None


@pytest.mark.parametrize("name", GGUFS)
def test_what_llama_cpp_is_asked_about_can_be_written(name: str, tmp_path: Path) -> None:
    kind, options = GGUFS[name]
    tok = ap.train(corpus(), kind, **options)
    done = ap.convert(tok, tmp_path / "it.gguf")
    again = ap.load(tmp_path / "it.gguf", **done.options)
    assert [again.encode(text) for text in texts()[:200]] == [tok.encode(text) for text in texts()[:200]]


@pytest.mark.parametrize("name", ["gpt2", "lenml_llama3_2.tokenizer", "falcon.tokenizer", "gpt_neox"])
def test_real_vocabularies_grow(name: str, tmp_path: Path) -> None:
    """Learned merges are those of tokenizers too, and the old ids stay."""
    (tmp_path / "old.json").write_bytes(data.hf_file(name))
    old = ap.load(tmp_path / "old.json")
    lines = [line.decode() for line in data.corpus_lines("de_manpages")[:4000]]
    growth = grow_on(old, lines, 200)
    new = growth.tokenizer
    assert new.vocab_size == old.vocab_size + 200
    assert growth.tokens_after < 0.9 * growth.tokens_before
    assert [new.id_to_piece(id) for id in range(0, old.vocab_size, 7)] == [
        old.id_to_piece(id) for id in range(0, old.vocab_size, 7)
    ]
    new.save(tmp_path / "new.json", format="huggingface")
    other = tokenizers.Tokenizer.from_file(str(tmp_path / "new.json"))
    other.encode_special_tokens = True
    for line in [*lines[:500], *texts()]:
        assert new.encode(line) == other.encode(line, add_special_tokens=False).ids
