"""Vocabularies that are trained here, as files, in the libraries of others; llama.cpp is asked by ``make parity`` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from tests.parity.trained import BYTEPIECES, GGUFS, bytepiece_difference, corpus, texts

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
