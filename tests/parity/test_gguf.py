"""GGUF files against what llama.cpp returned for them; the same on all texts is part of ``make parity``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from tests.parity.gguf import first_difference
from tests.parity.libraries import unpacked
from tests.support.gguf import file_of, files, golden_texts

if TYPE_CHECKING:
    from pathlib import Path

READ = files()


@pytest.mark.parametrize("path", READ, ids=lambda path: path.name)
def test_sampled(path: Path) -> None:
    assert first_difference(ap.load(path), path.name, 7) is None


@pytest.mark.parametrize("path", READ, ids=lambda path: path.name)
def test_reading_and_writing(path: Path, tmp_path: Path) -> None:
    tok = ap.load(path)
    tok.save(tmp_path / "again.gguf")
    assert ap.load(tmp_path / "again.gguf") == tok
    written = (tmp_path / "again.gguf").read_bytes()
    assert written[24:] == path.read_bytes()[24 : len(written)]


def test_a_vocabulary_of_rwkv_is_that_of_its_list(tmp_path: Path) -> None:
    """The list as llama.cpp's converter writes it gives the ids that the list gives."""
    listed = ap.load(unpacked("rwkv/rwkv_vocab_v20230424.txt", tmp_path))
    rows = [("<s>", 0.0, 3), *((repr(listed.id_to_bytes(id))[2:-1], 0.0, 1) for id in range(1, len(listed)))]
    path = tmp_path / "rwkv.gguf"
    path.write_bytes(file_of("rwkv", [*rows, (f"[PAD{len(rows)}]", 0.0, 5)]))
    tok = ap.load(path)
    texts = [text for text in golden_texts() if "<s>" not in text and "[PAD" not in text]
    assert len(texts) > 1500
    assert [tok.encode(text) for text in texts] == [listed.encode(text) for text in texts]
    assert [tok.decode(tok.encode(text)) for text in texts] == texts


def test_a_wrong_pre_tokenizer_is_told_from_the_right_one(tmp_path: Path) -> None:
    """Both are decoded otherwise than tokenizer.json; only the wrong one gives other ids."""
    listed = ap.load(unpacked("hf/lenml_llama3_2.tokenizer.json", tmp_path))
    path = next(path for path in READ if path.name == "ggml-vocab-llama-bpe.gguf")
    texts = ["a , b", "It's 12345", "\ud1a0\ud1a0\n"]
    right, wrong = (ap.check(ap.load(path, pre=name), listed, texts) for name in ("llama-bpe", "smaug-bpe"))
    assert (right["ids"].differing, right["decoding"].differing) == (0, 1)
    assert (wrong["ids"].differing, wrong["decoding"].differing) == (1, 1)
    assert wrong["ids"].smallest is not None
    assert wrong["ids"].smallest.text == "\ud1a0\ud1a0"
    assert {field.name for field in wrong.fields} - {field.name for field in right.fields} == {
        "whole_chunks",
        "add_bos",
    }
