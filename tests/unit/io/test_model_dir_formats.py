"""Folders whose tokenizer is neither a tokenizer.json nor a pair of files: vocab.txt, tekken.json, rank files and lists."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import BertWordPieceTokenizer

import anypiece as ap
from tests.support.gguf import spm_file
from tests.support.hf import document, written
from tests.support.small_files import BYTE_RANKS, RWKV_LIST, VOCAB_TXT
from tests.support.tekken import file_of

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["ab Ab AB", "é É e", "中文 a中文b", "ab!", ""]
HELLO = [{"role": "user", "content": "hi"}]


def bert(folder: Path, **config: Any) -> None:
    (folder / "vocab.txt").write_text("\n".join(VOCAB_TXT) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    "config",
    [
        {"do_lower_case": True},
        {"do_lower_case": False, "tokenizer_class": "BertTokenizerFast"},
        {"do_lower_case": True, "strip_accents": False},
        {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False},
        {"do_lower_case": True, "strip_accents": None, "tokenize_chinese_chars": True},
    ],
)
def test_a_vocab_txt_and_its_config(tmp_path: Path, config: dict[str, Any]) -> None:
    bert(tmp_path, **config)
    other = BertWordPieceTokenizer(
        str(tmp_path / "vocab.txt"),
        lowercase=config["do_lower_case"],
        strip_accents=config.get("strip_accents"),
        handle_chinese_chars=config.get("tokenize_chinese_chars", True),
    )
    tok = ap.load(tmp_path)
    for text in TEXTS:
        assert tok.encode(text) == other.encode(text, add_special_tokens=False).ids


def test_what_the_config_of_a_vocab_txt_does_not_say(tmp_path: Path) -> None:
    bert(tmp_path, do_lower_case=True)
    assert ap.load(tmp_path, lowercase=False).encode("A") == [VOCAB_TXT.index("A")]
    assert ap.load(tmp_path).encode("A") == [VOCAB_TXT.index("a")]
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n##b\n")
    bert_config = tmp_path / "tokenizer_config.json"
    bert_config.unlink()
    with pytest.raises(ap.FormatError, match="lowercase=True"):
        ap.load(tmp_path)
    for config in (
        {"tokenizer_class": "BertJapaneseTokenizer"},
        {"do_lower_case": False, "word_tokenizer_type": "mecab"},
        {"do_lower_case": False, "do_basic_tokenize": False},
        {"do_lower_case": False, "added_tokens_decoder": {"9": {"content": "[E1]"}}},
    ):
        bert_config.write_text(json.dumps(config))
        with pytest.raises(ap.FormatError) as caught:
            ap.load(tmp_path)
        assert caught.value.code == "json-unsupported"
        assert ap.load(tmp_path / "vocab.txt", lowercase=False).vocab_size == 3
    bert_config.write_text('{"do_lower_case": "yes"}')
    with pytest.raises(ap.FormatError, match="do_lower_case"):
        ap.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "data", "options"),
    [
        ("tekken.json", file_of(), {}),
        ("rwkv_vocab_v20230424.txt", RWKV_LIST, {}),
        ("vocab.txt", RWKV_LIST, {}),
        ("tiktoken.model", BYTE_RANKS, {"splitter": "gpt2", "specials": {"<s>": 256}, "roles": {"bos": "<s>"}}),
        ("a.tiktoken", BYTE_RANKS, {"splitter": "gpt2"}),
    ],
)
def test_templates_of_a_folder(tmp_path: Path, name: str, data: bytes, options: dict[str, Any]) -> None:
    """They are taken for each format, called with the tokens of the file, and kept in .anypiece."""
    (tmp_path / name).write_bytes(data)
    assert ap.load(tmp_path, **options) == ap.load(tmp_path / name, **options)
    (tmp_path / "chat_template.jinja").write_text("{{ bos_token }}[{{ messages[0].content }}]{{ sep_token }}")
    (tmp_path / "tokenizer_config.json").write_text('{"sep_token": "<sep>"}')
    tok = ap.load(tmp_path, **options)
    bos = "" if tok.bos_id is None else tok.id_to_piece(tok.bos_id)
    assert tok.render_chat(HELLO) == f"{bos}[hi]<sep>"
    tok.save(tmp_path / "kept.anypiece")
    assert ap.load(tmp_path / "kept.anypiece").render_chat(HELLO) == f"{bos}[hi]<sep>"
    with pytest.raises(ap.FormatError, match="no chat template"):
        ap.load(tmp_path / name, **options).render_chat(HELLO)


def test_templates_beside_a_gguf_file(tmp_path: Path) -> None:
    """Its own stays, unless the folder has one."""
    fields = {"tokenizer.chat_template": ("string", b"own{{ bos_token }}"), "tokenizer.ggml.bos_token_id": ("u32", 1)}
    (tmp_path / "a.gguf").write_bytes(spm_file(fields))
    own = ap.load(tmp_path).render_chat(HELLO)
    assert own == ap.load(tmp_path / "a.gguf").render_chat(HELLO)
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<B>"}')
    assert ap.load(tmp_path).render_chat(HELLO) == own
    (tmp_path / "chat_template.jinja").write_text("other{{ bos_token }}")
    assert ap.load(tmp_path).render_chat(HELLO) == "other<B>"
    assert ap.load(tmp_path / "a.gguf").render_chat(HELLO) == own


def test_templates_beside_an_anypiece_file(tmp_path: Path) -> None:
    ap.load().save(tmp_path / "a.anypiece")
    (tmp_path / "chat_template.jinja").write_text("[{{ messages[0].content }}]")
    assert ap.load(tmp_path).render_chat(HELLO) == "[hi]"
    assert ap.load(tmp_path) == ap.load()


def test_tokens_of_the_config_of_a_rank_file(tmp_path: Path) -> None:
    """They are special tokens of the vocabulary; others that the call names count as well, but not under other ids."""
    (tmp_path / "tiktoken.model").write_bytes(BYTE_RANKS)
    rows = {"256": {"content": "<s>", "special": True}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": rows}))
    assert ap.load(tmp_path, splitter="gpt2").encode("<s>", specials="parse") == [256]
    both = ap.load(tmp_path, splitter="gpt2", specials={"<e>": 300})
    assert both.encode("<s><e>", specials="parse") == [256, 300]
    with pytest.raises(ap.FormatError, match="no such piece of the vocabulary"):
        ap.load(tmp_path, splitter="gpt2", specials={"<s>": 257})


def test_rarer_files_count_where_there_is_no_other(tmp_path: Path) -> None:
    bert(tmp_path, do_lower_case=True)
    (tmp_path / "tekken.json").write_bytes(file_of())
    with pytest.raises(ap.FormatError, match=r"found: tekken\.json, vocab\.txt"):
        ap.load(tmp_path)
    written(tmp_path, document())
    assert ap.load(tmp_path) == ap.load(tmp_path / "tokenizer.json")
