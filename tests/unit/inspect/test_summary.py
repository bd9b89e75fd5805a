"""What matters of a tokenizer, said first: by format, and with what was recognised."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from anypiece.formats.sentencepiece import DIALECTS
from anypiece.inspect.summary import internals, summary
from tests.support.small_files import BYTE_RANKS, VOCAB_TXT
from tests.support.small_vocabularies import BYTES, RANKS, UNIGRAM

if TYPE_CHECKING:
    from pathlib import Path

NEWEST = max(name for name in DIALECTS if "-" in name).replace("-", " ")
"""The newest release of sentencepiece that is known."""
FILES: dict[str, tuple[ap.Spec, dict[str, Any]]] = {
    "a.model": (
        UNIGRAM,
        {
            "format": "SentencePiece .model",
            "results": NEWEST,
            "algorithm": "unigram",
            "splitter": "none",
        },
    ),
    "a.anypiece": (BYTES, {"format": ".anypiece", "unknown_text": "is spelled in bytes"}),
    "a.json": (
        RANKS.replace(splitter="gpt2"),
        {"format": "tokenizer.json", "results": "tokenizers 0.23.3", "splitter": "gpt2", "normalizer": "none"},
    ),
    "a.gguf": (
        RANKS.replace(splitter="llama3"),
        {"format": "GGUF, vocabulary of type gpt2", "definition": "llama-bpe", "results": "llama.cpp"},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_by_format(name: str, tmp_path: Path) -> None:
    spec, wanted = FILES[name]
    ap.convert(ap.Tokenizer(spec), tmp_path / name, allow_lossy=True)
    found = summary(ap.load(tmp_path / name))
    assert {key: found.get(key) for key in wanted} == wanted
    assert json.loads(json.dumps(found)) == found
    assert json.dumps(internals(ap.load(tmp_path / name)))


def test_the_dialect_is_told(tmp_path: Path) -> None:
    ap.Tokenizer(UNIGRAM).save(tmp_path / "a.model")
    ap.convert(tmp_path / "a.model", tmp_path / "a.gguf")
    ap.convert(ap.Tokenizer(RANKS.replace(splitter="llama3")), tmp_path / "b.gguf")
    for name, dialect, wanted in (
        ("a.model", "sentencepiece-0.2.1", "sentencepiece 0.2.1"),
        ("a.gguf", "sentencepiece", NEWEST),
        ("a.gguf", "llama.cpp", "llama.cpp"),
        ("b.gguf", "tokenizers", "tokenizers 0.23.3"),
    ):
        assert summary(ap.load(tmp_path / name, dialect=dialect))["results"] == wanted


def test_ranks_words_and_templates(tmp_path: Path) -> None:
    (tmp_path / "mine.tiktoken").write_bytes(BYTE_RANKS)
    found = summary(ap.load(tmp_path / "mine.tiktoken", splitter="gpt2"))
    assert (found["format"], found.get("definition"), found["algorithm"]) == (
        "tiktoken ranks",
        None,
        "byte-level BPE, by rank",
    )
    (tmp_path / "vocab.txt").write_text("\n".join(VOCAB_TXT) + "\n", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ messages }}"}), encoding="utf-8")
    (tmp_path / "mine.tiktoken").unlink()
    found = summary(ap.load(tmp_path, lowercase=True))
    assert (found["format"], found["algorithm"], found["splitter"], found["chat_template"]) == (
        "BERT vocab.txt",
        "WordPiece",
        "bert",
        ["default"],
    )
    assert found["around_a_text"] == "[CLS] TEXT [SEP]"


def test_steps_and_rules_are_told_with_their_options() -> None:
    tok = ap.Tokenizer(RANKS).replace(
        splitter=None,
        normalizer=({"type": "nfc"}, {"type": "replace", "pattern": {"literal": "a"}, "content": "b"}),
        split_rules=({"type": "digits", "individual": True},),
    )
    found = summary(tok)
    assert found["normalizer"] == 'nfc, replace(pattern="a", content="b")'
    assert found["splitter"] == "digits(individual=true)"
