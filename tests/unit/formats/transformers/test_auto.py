"""Small folders by the classes that they name, against what transformers said of them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from anypiece.formats.transformers.auto import class_of
from anypiece.formats.transformers.classes import CLASSES
from anypiece.formats.transformers.names import ALIASES
from tests.support.made_folders import CASES, FOLDERS, TEXTS, make

if TYPE_CHECKING:
    from pathlib import Path

RECORDED: dict[str, Any] = json.loads(CASES.read_text("utf-8"))["cases"]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder(name: str, tmp_path: Path) -> None:
    tok = ap.load(make(name, tmp_path))
    facts, said = RECORDED[name]["facts"], RECORDED[name]["answers"]
    assert tok.vocab_size == facts["size"]
    assert {str(id): text for text, id, _ in tok.spec.added} == facts["added"]
    assert tok.encode_batch(TEXTS, specials="parse").tolist() == said["ids"]
    assert tok.encode_batch(TEXTS, specials="parse", add_special=True).tolist() == said["marked"]
    pairs = [pair for pair in pairwise(TEXTS) if all(pair)]
    assert [tok.encode_pair(*pair, specials="parse").ids for pair in pairs] == said["pairs"]
    assert tok.decode_batch(said["marked"]) == said["decoded"]
    assert tok.decode_batch(said["marked"], skip_special=True) == said["skipped"]
    ids = {text: id for text, id, _ in tok.spec.added}
    for role in ("bos", "eos", "pad"):
        assert getattr(tok, f"{role}_id") == ids.get(facts["names"].get(f"{role}_token"))


def test_every_class_has_a_folder() -> None:
    named = {str(made.config.get("tokenizer_class", "")).removesuffix("Fast") for made in FOLDERS.values()}
    assert {*CLASSES} <= {ALIASES.get(name, name) for name in named}
    assert {*RECORDED} == {*FOLDERS}


def test_a_class_that_is_not_known_warns_by_name(tmp_path: Path) -> None:
    """Its files are read as they are, and the tokens that the config names are added; naming the dialect asks for that."""
    folder = make("backend", tmp_path)
    wanted = ap.load(folder).spec
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"tokenizer_class": "MyOwnTokenizerFast"}))
    with pytest.warns(ap.UnknownClassWarning, match="'MyOwnTokenizer'.*as tokenizers reads it") as caught:
        assert ap.load(folder).spec == wanted
    assert caught[0].filename == __file__
    assert ap.load(folder, dialect="tokenizers").vocab_size < len(wanted.pieces)
    model = make("llama-model", tmp_path)
    (model / "tokenizer_config.json").write_text('{"tokenizer_class": "MyOwnTokenizer"}')
    with pytest.warns(ap.UnknownClassWarning, match="'MyOwnTokenizer'.*as sentencepiece reads it"):
        tok = ap.load(model)
    assert tok.spec == ap.load(model / "tokenizer.model").spec


def test_the_dialects_of_a_folder(tmp_path: Path) -> None:
    folder = make("llama", tmp_path)
    alone = ap.load(folder / "tokenizer.json")
    assert ap.load(folder, dialect="transformers").spec == ap.load(folder).spec
    assert ap.load(folder).encode("a a") != alone.encode("a a")
    assert ap.load(folder, dialect="tokenizers").encode("a a") == alone.encode("a a")
    assert ap.load(folder / "tokenizer.json", dialect="tokenizers").spec == alone.spec
    model = make("llama-model", tmp_path)
    assert ap.load(model, dialect="sentencepiece").spec == ap.load(model / "tokenizer.model").spec
    assert ap.load(model).spec != ap.load(model / "tokenizer.model").spec
    for path, dialect in ((folder, "sentencepiece"), (folder / "tokenizer.json", "transformers"), (model, "llama.cpp")):
        with pytest.raises(ap.InputError) as error:
            ap.load(path, dialect=dialect)
        assert error.value.code == "argument-value"


@pytest.mark.parametrize(
    ("config", "model", "byte_level", "wanted"),
    [
        ({}, {}, False, ""),
        ({"tokenizer_class": "LlamaTokenizerFast"}, {}, False, "LlamaTokenizer"),
        ({"tokenizer_class": "LlamaTokenizer"}, {}, True, "TokenizersBackend"),
        ({"tokenizer_class": "LlamaTokenizer"}, {"model_type": "llama"}, False, "LlamaTokenizer"),
        ({"tokenizer_class": "LlamaTokenizer"}, {"model_type": "phi3"}, False, "TokenizersBackend"),
        ({"tokenizer_class": "LlamaTokenizer"}, {"model_type": "mistral"}, False, "TokenizersBackend"),
        ({"tokenizer_class": "GPT2Tokenizer"}, {"model_type": "qwen2"}, True, "Qwen2Tokenizer"),
        ({"tokenizer_class": "CodeGenTokenizer"}, {"model_type": "codegen"}, True, "CodeGenTokenizer"),
        ({}, {"tokenizer_class": "BertTokenizer", "model_type": "t5"}, False, "BertTokenizer"),
        ({}, {"model_type": "t5"}, False, "T5Tokenizer"),
        ({}, {"model_type": "falcon"}, True, ""),
        ({"tokenizer_class": 5}, {"model_type": ["t5"], "model_name": {}}, True, ""),
    ],
)
def test_which_class(config: dict[str, Any], model: dict[str, Any], byte_level: bool, wanted: str) -> None:
    assert class_of(config, model, byte_level=lambda: byte_level) == wanted


@pytest.mark.parametrize(
    ("name", "config", "code"),
    [
        ("llama", {"tokenizer_class": "T5Tokenizer"}, "json-unsupported"),
        ("t5", {"tokenizer_class": "LlamaTokenizer"}, "json-unsupported"),
        ("llama", {"tokenizer_class": "LlamaTokenizer", "legacy": "yes"}, "json-field"),
        ("t5", {"tokenizer_class": "T5Tokenizer", "extra_ids": -1}, "json-field"),
        ("t5", {"tokenizer_class": "T5Tokenizer", "extra_ids": 10**9}, "json-field"),
        ("pegasus", {"tokenizer_class": "PegasusTokenizer", "unk_token": "a"}, "json-unsupported"),
        ("llama", {"tokenizer_class": "LlamaTokenizer", "extra_special_tokens": "<x>"}, "json-field"),
        ("llama", {"tokenizer_class": "LlamaTokenizer", "extra_special_tokens": [["<x>"]]}, "json-field"),
        ("llama", {"tokenizer_class": "LlamaTokenizer", "image_token": {"content": "<x>", "lstrip": 3}}, "json-field"),
        ("llama", {"tokenizer_class": "LlamaTokenizer", "added_tokens_decoder": {"1": {"content": 4}}}, "json-field"),
        ("bert", {"tokenizer_class": "BertTokenizer", "unk_token": "new"}, "json-unsupported"),
        ("whisper", {"tokenizer_class": "WhisperTokenizer", "language": "english"}, "json-unsupported"),
        ("big-bird", {"tokenizer_class": "BigBirdTokenizer", "unk_token": "new"}, "json-field"),
        ("t5-model", {"tokenizer_class": "XLMRobertaTokenizer", "mask_token": "a"}, "json-unsupported"),
    ],
)
def test_what_a_class_cannot_take_is_refused(name: str, config: dict[str, Any], code: str, tmp_path: Path) -> None:
    folder = make(name, tmp_path)
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(ap.FormatError) as error:
        ap.load(folder)
    assert error.value.code == code


def test_a_config_of_a_model_that_is_no_object_is_none(tmp_path: Path) -> None:
    folder = make("llama", tmp_path)
    wanted = ap.load(folder).spec
    for content in ("[]", "{", "\xff"):
        (folder / "config.json").write_bytes(content.encode("latin-1"))
        assert ap.load(folder).spec == wanted


def test_words_that_end_in_a_mark_are_not_gpt2s(tmp_path: Path) -> None:
    """CLIP's vocabulary under the names of GPT-2's files: without a class it is asked for."""
    folder = make("clip-pair", tmp_path)
    wanted = ap.load(folder)
    (folder / "tokenizer_config.json").unlink()
    for path in (folder, folder / "vocab.json"):
        with pytest.raises(ap.FormatError, match='definition="CLIPTokenizer"') as error:
            ap.load(path)
        assert error.value.code == "definition-unknown"
        assert ap.load(path, definition="CLIPTokenizer").spec == wanted.spec
    assert ap.load(folder, splitter="gpt2").spec.splitter == "gpt2"
    with pytest.raises(ap.InputError, match="PegasusTokenizer"):
        ap.load(folder, definition="PegasusTokenizer")
    other = make("gpt2-pair", tmp_path)
    (other / "tokenizer_config.json").unlink()
    assert ap.load(other).spec.splitter == "gpt2"
