"""Encodings by name, models, plugins, and rank files that are found and never downloaded."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import tiktoken.load
import tiktoken.model
from tiktoken_ext import openai_public

from anypiece.compat import tiktoken as ours
from anypiece.compat.tiktoken import load, model, openai, registry
from anypiece.errors import FileError, FormatError


@pytest.fixture
def no_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANYPIECE_RANKS", str(tmp_path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    return tmp_path


def test_models_have_their_encodings() -> None:
    assert model.MODEL_TO_ENCODING == tiktoken.model.MODEL_TO_ENCODING
    assert model.MODEL_PREFIX_TO_ENCODING == tiktoken.model.MODEL_PREFIX_TO_ENCODING
    for name in ("gpt-4o-2024", "gpt-5-x", "ft:gpt-4:mine", "ft:gpt-4o:mine", "gpt-oss-20b"):
        assert ours.encoding_name_for_model(name) == tiktoken.model.encoding_name_for_model(name)
    with pytest.raises(KeyError):
        ours.encoding_name_for_model("llama")


def test_definitions_are_those_of_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: dict[bytes, int] = {}
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: nothing)
    monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda *_, **__: nothing)
    assert list(openai.CONSTRUCTORS) == list(openai_public.ENCODING_CONSTRUCTORS)
    for name, constructor in openai_public.ENCODING_CONSTRUCTORS.items():
        facts = constructor()
        assert openai._pattern(name) == facts["pat_str"]
        assert openai._specials(name) == facts["special_tokens"]
        assert (name in openai._EXPLICIT) == ("explicit_n_vocab" in facts)


def test_a_missing_rank_file_is_named(no_ranks: Path) -> None:
    with pytest.raises(FileError, match=r"cl100k_base\.tiktoken.*nothing is downloaded"):
        ours.get_encoding("cl100k_base")
    (no_ranks / "cl100k_base.tiktoken").write_bytes(b"IQ== 0\n")
    with pytest.raises(FormatError, match="not the rank file of cl100k_base"):
        ours.get_encoding("cl100k_base")


def test_names_that_are_none() -> None:
    with pytest.raises(ValueError, match="Unknown encoding"):
        ours.get_encoding("cl200k")
    with pytest.raises(ValueError, match="str"):
        ours.get_encoding(5)  # type: ignore[arg-type]


PLUGIN = """
def mine():
    ranks = {bytes([byte]): byte for byte in range(256)}
    return {"name": "mine", "pat_str": r"\\S+|\\s+", "mergeable_ranks": ranks, "special_tokens": {"<|end|>": 256}}

ENCODING_CONSTRUCTORS = {"mine": mine}
"""


def test_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tiktoken_ext"
    folder.mkdir()
    (folder / "anypiece_test_plugin.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("tiktoken_ext")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(registry, "ENCODING_CONSTRUCTORS", None)
    monkeypatch.setattr(registry, "ENCODINGS", {})
    assert ours.list_encoding_names()[-1] == "mine"
    assert ours.get_encoding("mine").encode("a <|end|>", allowed_special="all") == [97, 32, 256]
    assert ours.get_encoding("mine") is ours.get_encoding("mine")


def test_files_of_plugins_are_local(no_ranks: Path) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    load.dump_tiktoken_bpe(ranks, str(no_ranks / "mine.tiktoken"))
    assert load.load_tiktoken_bpe(str(no_ranks / "mine.tiktoken")) == ranks
    address = "https://example.invalid/encodings/mine.tiktoken"
    assert load.load_tiktoken_bpe(address) == ranks
    assert tiktoken.load.load_tiktoken_bpe(str(no_ranks / "mine.tiktoken")) == ranks
    with pytest.raises(ValueError, match="hash"):
        load.read_file_cached(address, "0" * 64)
    with pytest.raises(FileNotFoundError, match="not downloaded"):
        load.load_tiktoken_bpe("https://example.invalid/other.tiktoken")


def test_the_two_files_of_gpt2(tmp_path: Path) -> None:
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\nh e\n", "utf-8")
    ids = {chr(byte): place for place, byte in enumerate(b for b in range(256) if chr(b).isprintable() and b != 32)}
    ids |= {chr(256 + place): len(ids) + place for place in range(256 - len(ids))}
    text = json.dumps(ids | {"he": 256, "<|endoftext|>": 257})
    (tmp_path / "encoder.json").write_text(text, "utf-8")
    paths = str(tmp_path / "vocab.bpe"), str(tmp_path / "encoder.json")
    assert load.data_gym_to_mergeable_bpe_ranks(*paths) == tiktoken.load.data_gym_to_mergeable_bpe_ranks(*paths)
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\nt e\n", "utf-8")
    with pytest.raises(AssertionError):
        load.data_gym_to_mergeable_bpe_ranks(*paths)
