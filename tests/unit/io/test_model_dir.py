"""Folders of tokenizer.json and its config, and of vocab.json and merges.txt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer as Original
from tokenizers import models, pre_tokenizers

import anypiece as ap
from tests.support.hf import document, written
from tests.support.small_files import written_pair

if TYPE_CHECKING:
    from pathlib import Path


def test_the_config_names_the_ends_of_texts(tmp_path: Path) -> None:
    written(tmp_path, document())
    config = {
        "bos_token": {"content": "<s>", "lstrip": False},
        "eos_token": "c",
        "pad_token": "new",
        "unk_token": None,
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "special_tokens_map.json").write_text("{}")
    tok = ap.load(tmp_path)
    assert (tok.bos_id, tok.eos_id, tok.pad_id) == (5, 4, 6)  # the last is named by the config alone, and added
    assert tok.encode("ab", add_special="bos") == [5, 3]
    assert tok.encode("abnew", specials="parse") == [3, 6]
    tok = ap.load(tmp_path, dialect="tokenizers")
    assert (tok.bos_id, tok.eos_id, tok.pad_id) == (5, 4, None)
    assert ap.load(tmp_path / "tokenizer.json").bos_id is None


@pytest.mark.parametrize("config", ["{", "[]", '{"bos_token": 5}'])
def test_a_damaged_config(tmp_path: Path, config: str) -> None:
    written(tmp_path, document())
    (tmp_path / "tokenizer_config.json").write_text(config)
    with pytest.raises(ap.FormatError) as caught:
        ap.load(tmp_path)
    assert caught.value.code == "json-field"


def test_vocab_and_merges(tmp_path: Path) -> None:
    vocab, merges = written_pair(tmp_path)
    other = Original(models.BPE(vocab, merges))
    other.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for path in (tmp_path, tmp_path / "vocab.json"):
        tok = ap.load(path)
        for text in ("he he's 12 héhe\n\n x", "", "hhe"):
            assert tok.encode(text) == other.encode(text).ids
    assert ap.load(tmp_path, splitter="llama3").spec.splitter == "llama3"
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "<|endoftext|>"}')
    assert ap.load(tmp_path).eos_id == vocab["<|endoftext|>"]


def test_the_config_names_the_special_tokens_of_a_pair(tmp_path: Path) -> None:
    vocab, _ = written_pair(tmp_path)
    end = vocab["<|endoftext|>"]
    assert ap.load(tmp_path).encode("<|endoftext|>", specials="parse") == ap.load(tmp_path).encode("<|endoftext|>")
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "<|endoftext|>", "pad_token": "no such token"}')
    tok = ap.load(tmp_path)
    assert (tok.eos_id, tok.pad_id) == (end, None)
    assert tok.encode("he<|endoftext|>", specials="parse") == [vocab["he"], end]
    assert tok.encode("<|endoftext|>") == ap.load(tmp_path / "vocab.json").encode("<|endoftext|>")
    assert tok.decode([vocab["he"], end], skip_special=True) == "he"
    assert tok.vocab_size == len(vocab)


def test_the_class_of_a_pair(tmp_path: Path) -> None:
    """Qwen's cuts text otherwise than GPT-2's; some have other vocabularies under these names."""
    written_pair(tmp_path)
    config = tmp_path / "tokenizer_config.json"
    config.write_text('{"tokenizer_class": "Qwen2TokenizerFast"}')
    spec = ap.load(tmp_path).spec
    assert (spec.splitter, spec.normalizer) == ("qwen2", ({"type": "nfc"},))
    config.write_text(json.dumps({"tokenizer_class": "MyOwnTokenizerFast"}))
    with pytest.raises(ap.FormatError, match="tokenizer_class is 'MyOwnTokenizer'") as caught:
        ap.load(tmp_path)
    assert caught.value.code == "json-unsupported"
    assert ap.load(tmp_path, splitter="gpt2").spec.splitter == "gpt2"
    config.write_text('{"tokenizer_class": "RobertaTokenizerFast"}')
    assert ap.load(tmp_path).spec.splitter == "gpt2"


def test_the_config_of_a_pair_says_that_a_text_gets_a_space(tmp_path: Path) -> None:
    vocab, merges = written_pair(tmp_path)
    other = Original(models.BPE(vocab, merges))
    for said, is_prefixed in ((True, True), (False, False), (None, False)):
        (tmp_path / "tokenizer_config.json").write_text(json.dumps({"add_prefix_space": said}))
        other.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=is_prefixed)
        tok = ap.load(tmp_path)
        for text in ("he he", " he", "", "\nhe", "12"):
            assert tok.encode(text) == other.encode(text).ids
    (tmp_path / "tokenizer_config.json").write_text('{"add_prefix_space": "yes"}')
    with pytest.raises(ap.FormatError, match="add_prefix_space"):
        ap.load(tmp_path)


@pytest.mark.parametrize(
    ("config", "one", "two"),
    [
        ({"tokenizer_class": "RobertaTokenizer"}, "s he e", "s he e e h e"),
        ({"tokenizer_class": "BartTokenizerFast", "cls_token": "<|endoftext|>"}, "| he e", "| he e e h e"),
        ({"tokenizer_class": "DebertaTokenizer", "cls_token": "<s>", "sep_token": "</s>"}, "s he e", "s he e h e"),
        ({"tokenizer_class": "DebertaTokenizer"}, "he", "he h"),  # its own names are not there
        ({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True}, "| he", "| he | h"),
        ({"add_bos_token": True, "bos_token": "<s>"}, "s he", "s he s h"),
        ({"tokenizer_class": "GPT2Tokenizer"}, "he", "he h"),
        ({"tokenizer_class": "BlenderbotTokenizer"}, "he e", "he h"),
    ],
)
def test_what_the_class_of_a_pair_puts_around_texts(tmp_path: Path, config: dict[str, Any], one: str, two: str) -> None:
    vocab, _ = written_pair(tmp_path)
    vocab |= {"<s>": len(vocab), "</s>": len(vocab) + 1}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    tok = ap.load(tmp_path)
    names = {"s": "<s>", "e": "</s>", "|": "<|endoftext|>"}
    ids = [[vocab[names.get(part, part)] for part in text.split()] for text in (one, two)]
    assert tok.encode("he", add_special=True) == ids[0]
    found = tok.encode_pair("he", "h")
    assert found.ids == ids[1]
    assert (1 in found.type_ids) == (config.get("tokenizer_class", "")[:2] not in ("Ro", "Ba"))


def test_a_model_with_a_config(tmp_path: Path) -> None:
    """Its ids are its own; the config has the chat template, and may name no tokens that the file lacks."""
    ap.load().save(tmp_path / "tokenizer.model")
    config = tmp_path / "tokenizer_config.json"
    unknown = {str(ap.load().unk_id): {"content": ap.load().id_to_piece(ap.load().unk_id or 0), "special": True}}
    said = {"chat_template": "{{ bos_token }}!", "bos_token": "<s>", "added_tokens_decoder": unknown}
    config.write_text(json.dumps(said))
    tok = ap.load(tmp_path)
    assert tok.render_chat([]) == "<s>!"
    assert tok.spec == ap.load(tmp_path / "tokenizer.model").spec
    tok.save(tmp_path / "a.anypiece")
    assert ap.load(tmp_path / "a.anypiece").render_chat([]) == "<s>!"
    said["added_tokens_decoder"] = {str(tok.vocab_size): {"content": "<|im_start|>", "special": True}}
    config.write_text(json.dumps(said))
    (tmp_path / "a.anypiece").unlink()
    with pytest.raises(ap.FormatError, match=r"<\|im_start\|>.*no such piece"):
        ap.load(tmp_path)
    assert ap.load(tmp_path / "tokenizer.model").spec == tok.spec


def test_added_tokens_of_a_pair(tmp_path: Path) -> None:
    """Those with ids of their own, in order and with a gap, special and not, as transformers reads them."""
    vocab, _ = written_pair(tmp_path)
    size = len(vocab)
    rows = {
        str(size): {"content": "<a>", "lstrip": True, "special": True},
        str(size + 7): {"content": "<b>", "special": False},
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": rows}))
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<c>": size + 1, "<d>": size + 2, "<b>": 5}))
    (tmp_path / "special_tokens_map.json").write_text('{"additional_special_tokens": [{"content": "<d>"}]}')
    tok = ap.load(tmp_path)
    assert tok.encode("he <a><b><c><d>", specials="parse") == [vocab["he"], size, size + 7, size + 1, size + 2]
    assert tok.encode("<b><c>") == [size + 7, size + 1]
    assert tok.encode("<d>") != [size + 2]
    assert tok.vocab_size == size + 8


def test_special_tokens_of_a_pair_can_be_given(tmp_path: Path) -> None:
    vocab, _ = written_pair(tmp_path)
    end, size = vocab["<|endoftext|>"], len(vocab)
    given = {"<|endoftext|>": end, "<x>": size + 3}
    for path in (tmp_path, tmp_path / "vocab.json"):
        tok = ap.load(path, specials=given, roles={"eos": "<|endoftext|>"})
        assert tok.encode("<x><|endoftext|>", specials="parse") == [size + 3, end]
        assert tok.eos_id == end
    for wrong in ({"<|endoftext|>": 3}, {"<x>": 3}, {"": 9}, {"<x>": 10**9}, ["<x>"]):
        with pytest.raises(ap.InputError) as caught:
            ap.load(tmp_path, specials=wrong)  # type: ignore[arg-type]
        assert caught.value.code == "argument-value"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("special_tokens_map.json", "["),
        ("added_tokens.json", '{"<x>": -1}'),
        ("added_tokens.json", '{"<x>": 4000000000}'),
        ("tokenizer_config.json", '{"added_tokens_decoder": {"x": {"content": "<x>"}}}'),
        ("tokenizer_config.json", '{"added_tokens_decoder": {"5": 7}}'),
        ("tokenizer_config.json", '{"additional_special_tokens": "x"}'),
        ("tokenizer_config.json", '{"chat_template": [{"name": "default"}]}'),
    ],
)
def test_damaged_files_beside_a_pair(tmp_path: Path, name: str, content: str) -> None:
    written_pair(tmp_path)
    (tmp_path / name).write_text(content)
    with pytest.raises(ap.FormatError) as caught:
        ap.load(tmp_path)
    assert caught.value.code in ("json-field", "file-corrupt")


def test_a_folder_with_two_tokenizers(tmp_path: Path) -> None:
    written(tmp_path, document())
    ap.load().save(tmp_path / "x.anypiece")
    with pytest.raises(ap.FormatError, match="exactly one"):
        ap.load(tmp_path)


@pytest.mark.parametrize("older", ["tokenizer.model", "spiece.model", "sentencepiece.bpe.model"])
def test_tokenizer_json_goes_before_files_for_older_programs(tmp_path: Path, older: str) -> None:
    """The folders of Llama, Mistral, Gemma and T5 have both, and with vocab.json and merges.txt even more."""
    written(tmp_path, document())
    ap.load().save(tmp_path / older, "sentencepiece")
    written_pair(tmp_path)
    config = {"bos_token": "<s>", "chat_template": "{{ bos_token }}{{ messages[0].content }}"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    tok = ap.load(tmp_path)
    assert (tok.vocab_size, tok.bos_id) == (6, 5)
    assert tok.render_chat([{"role": "user", "content": "ab"}]) == "<s>ab"
    assert ap.load(tmp_path / older) == ap.load()
    ap.load().save(tmp_path / "other.model")
    with pytest.raises(ap.FormatError, match=r"found: other\.model, tokenizer\.json"):
        ap.load(tmp_path)


def test_padding() -> None:
    tok = ap.load()
    batch = tok.encode_batch(["Hello world", "", "Hello"])
    rows = batch.padded(7)
    assert rows.ids.shape == (3, int(batch.lengths.max()))
    assert [row[mask].tolist() for row, mask in zip(*rows, strict=True)] == batch.tolist()
    assert set(rows.ids[~rows.mask].tolist()) == {7}
    left = batch.padded(7, 9, side="left")
    assert left.ids.shape == (3, 9)
    assert left.ids[2].tolist() == [7] * (9 - len(batch[2])) + batch[2].tolist()
    cut = batch.padded(7, 1, truncate=True)
    assert cut.ids.tolist() == [[batch[0][0]], [7], [batch[2][0]]]
    with pytest.raises(ap.InputError, match="truncate"):
        batch.padded(7, 1)
    with pytest.raises(ap.InputError) as caught:
        batch.padded(None)
    assert caught.value.code == "special-missing"
    with pytest.raises(ap.InputError):
        batch.padded(7, side="middle")  # type: ignore[arg-type]


def test_decoding_ends_at_eos(tmp_path: Path) -> None:
    tok = ap.load().replace(eos_id=2)
    ids = tok.encode("Hello")
    assert tok.decode([*ids, 2, *ids], stop_at_eos=True) == tok.decode(ids, stop_at_eos=True) == "Hello"
    assert tok.decode_batch([[*ids, 2, 5], ids], stop_at_eos=True) == ["Hello", "Hello"]
    with pytest.raises(ap.InputError, match="Leave stop_at_eos out, or name one") as caught:
        tok.replace(eos_id=None).decode(ids, stop_at_eos=True)
    assert caught.value.code == "special-missing"
