"""Files with a value of another type or size than their format says: a typed error, whatever is done with them."""

from __future__ import annotations

import json
from base64 import b64encode
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from anypiece._core.json_text import parsed
from tests.support.hf import added, document
from tests.support.odd_values import odd_documents, used
from tests.support.small_files import BYTE_RANKS, VOCAB_TXT, written_pair
from tests.support.small_vocabularies import BYTES, RANKS, UNIGRAM
from tests.support.tekken import content

if TYPE_CHECKING:
    from pathlib import Path

MARKS: dict[str, Any] = {"sep": ["<s>", 5], "cls": ["<unk>", 0]}
SECTIONS: dict[str, list[dict[str, Any]]] = {
    "normalizer": [
        {"type": "Replace", "pattern": {"String": "x"}, "content": "y"},
        {"type": "Replace", "pattern": {"Regex": "[xy]+"}, "content": "z"},
        {"type": "Strip", "strip_left": True, "strip_right": False},
        {"type": "Prepend", "prepend": "a"},
        {"type": "Precompiled", "precompiled_charsmap": ""},
        {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True},
        {"type": "Sequence", "normalizers": [{"type": "NFC"}]},
    ],
    "pre_tokenizer": [
        {"type": "Split", "pattern": {"Regex": "a+"}, "behavior": "Isolated", "invert": False},
        {"type": "Punctuation", "behavior": "Removed"},
        {"type": "Digits", "individual_digits": True},
        {"type": "CharDelimiterSplit", "delimiter": "q"},
        {"type": "FixedLength", "length": 5},
        {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True},
        {"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}]},
    ],
    "decoder": [
        {"type": "Replace", "pattern": {"String": "_"}, "content": " "},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
        {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
        {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": True},
        {"type": "Sequence", "decoders": [{"type": "ByteFallback"}]},
    ],
    "post_processor": [
        {"type": "BertProcessing", **MARKS},
        {"type": "RobertaProcessing", **MARKS, "trim_offsets": True, "add_prefix_space": True},
        {"type": "ByteLevel", "trim_offsets": True, "add_prefix_space": True},
        {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [5], "tokens": ["<s>"]}},
        },
    ],
    "padding": [{"strategy": "BatchLongest", "direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": "a"}],
    "truncation": [{"direction": "Right", "max_length": 9, "strategy": "LongestFirst", "stride": 0}],
    "added_tokens": [added(5, "<s>", normalized=True, special=False)],
    "model": [
        document()["model"] | {"dropout": None, "continuing_subword_prefix": "", "end_of_word_suffix": "", "fuse_unk": False}
        | {"byte_fallback": False, "ignore_merges": False},
        {"type": "Unigram", "vocab": [["<unk>", 0.0], ["a", -1.0]], "unk_id": 0, "byte_fallback": False},
        {"type": "WordPiece", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>", "continuing_subword_prefix": "##"},
        {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>"},
    ],
}  # fmt: skip
"""Sections of a tokenizer.json, in forms that have every field."""

CONFIG: dict[str, Any] = {
    "bos_token": "<s>",
    "unk_token": {"content": "<unk>", "lstrip": False},
    "additional_special_tokens": ["<s>"],
    "extra_special_tokens": {"x": "<s>"},
    "chat_template": "{{ messages[0]['content'] }}",
    "added_tokens_decoder": {"5": {"content": "<s>", "special": True}},
    "add_prefix_space": False,
    "do_lower_case": True,
    "strip_accents": None,
}
BESIDE: list[tuple[str, Any]] = [
    ("tokenizer_config.json", CONFIG),
    ("special_tokens_map.json", {"eos_token": "<s>", "pad_token": {"content": "<unk>"}}),
    ("added_tokens.json", {"<s>": 5}),
    ("chat_template.json", {"chat_template": "x"}),
    ("tokenizer_config.json", {"chat_template": [{"name": "default", "template": "x"}]}),
    ("tokenizer_config.json", {"chat_template": {"default": "x"}}),
]


def folder_of(folder: Path, kind: str) -> dict[str, Any]:
    """A folder with a tokenizer, and what ``load`` has to be told of it."""
    if kind == "json":
        (folder / "tokenizer.json").write_text(json.dumps(document()))
    elif kind == "pair":
        written_pair(folder)
    elif kind == "ranks":
        (folder / "x.tiktoken").write_bytes(BYTE_RANKS)
        return {"splitter": "gpt2"}
    elif kind == "words":
        (folder / "vocab.txt").write_text("\n".join(VOCAB_TXT) + "\n", encoding="utf-8")
    else:
        ap.Tokenizer(UNIGRAM).save(folder / f"t.{kind}")
    return {}


@pytest.mark.parametrize(("name", "section"), [(name, row) for name, rows in SECTIONS.items() for row in rows])
def test_a_section_with_an_odd_value(name: str, section: dict[str, Any], tmp_path: Path) -> None:
    path, is_list = tmp_path / "tokenizer.json", name == "added_tokens"
    whole = document(**{name: [section] if is_list else section})
    for change, text in odd_documents(whole, (name, 0) if is_list else (name,)):
        path.write_text(text)
        try:
            used(path, tmp_path)
        except Exception as error:
            raise AssertionError(f"{change}: {error!r}") from error


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("tekken.json", content(special_tokens=[{"rank": 0, "token_str": "<unk>", "is_control": True}])),
        ("a.json", {b64encode(bytes([byte])).decode(): [byte + 3, "", 1] for byte in range(256)}),
    ],
)
def test_a_file_with_an_odd_value(name: str, whole: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    for change, text in odd_documents(whole):
        path.write_text(text)
        try:
            used(path, tmp_path)
        except Exception as error:
            raise AssertionError(f"{change}: {error!r}") from error


@pytest.mark.parametrize("kind", ["json", "pair", "ranks", "words", "model", "anypiece"])
def test_a_folder_with_an_odd_value(kind: str, tmp_path: Path) -> None:
    options = folder_of(tmp_path, kind)
    (tmp_path / "out").mkdir()
    for name, whole in BESIDE:
        for change, text in odd_documents(whole):
            (tmp_path / name).write_text(text)
            try:
                used(tmp_path, tmp_path / "out", **options)
            except Exception as error:
                raise AssertionError(f"{name}: {change}: {error!r}") from error
        (tmp_path / name).unlink()


def test_a_pair_with_an_odd_id(tmp_path: Path) -> None:
    vocab, _ = written_pair(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<|endoftext|>"}')
    (tmp_path / "out").mkdir()
    for _, text in odd_documents(vocab):
        (tmp_path / "vocab.json").write_text(text)
        used(tmp_path, tmp_path / "out")


@pytest.mark.parametrize("spec", [UNIGRAM, BYTES, RANKS])
def test_a_damaged_anypiece(spec: ap.Spec, tmp_path: Path) -> None:
    """Checksums are looked at on request only; the rest must hold without."""
    path, rng = tmp_path / "a.anypiece", Random(5)
    ap.Tokenizer(spec).save(path)
    whole = path.read_bytes()
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 2, 4])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        (tmp_path / "b.anypiece").write_bytes(data)
        used(tmp_path / "b.anypiece", tmp_path, wholly=True)


def test_a_vocabulary_that_no_spec_can_have(tmp_path: Path) -> None:
    """To encode needs no Spec, so a file is held against the rules of one when that is asked for."""
    path = tmp_path / "a.anypiece"
    ap.Tokenizer(UNIGRAM).save(path)
    path.write_bytes(path.read_bytes().replace("▁ab".encode(), b"\xff" * 5, 1))
    tok = ap.load(path)
    for call in (lambda: tok.spec, lambda: tok.explain("a"), lambda: tok.save(tmp_path / "b.model")):
        with pytest.raises(ap.FormatError, match="spec-piece-utf8") as caught:
            call()
        assert caught.value.code == "file-corrupt"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("continuing_subword_prefix", 5), ("end_of_word_suffix", ["x"]), ("fuse_unk", "x"), ("ignore_merges", 1)),
        *(("dropout", "x"), ("byte_fallback", 0), ("unk_token", 5)),
    ],
)
def test_the_field_of_a_model_is_named(field: str, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document(model=document()["model"] | {field: value})))
    with pytest.raises(ap.FormatError, match=f"model.{field}") as caught:
        ap.load(path)
    assert caught.value.code == "json-field"


@pytest.mark.parametrize("line", ["YWI= 9999\nYWJj", "YWI= 257\nYWJj", "YWI=\n", "\nYWI=", "YWI= 256\n\nYWJj"])
def test_a_line_feed_in_the_bytes_of_a_tekken_piece(line: str, tmp_path: Path) -> None:
    whole = content()
    whole["vocab"][-1]["token_bytes"] = line
    (tmp_path / "tekken.json").write_text(json.dumps(whole))
    with pytest.raises(ap.FormatError, match=rf"vocab\[{len(whole['vocab']) - 1}\]") as caught:
        ap.load(tmp_path / "tekken.json")
    assert caught.value.code == "file-corrupt"


@pytest.mark.parametrize(
    "data",
    [
        *(b'["\\udc00"]', b'["\\ud83d\\ud83d\\ude00"]', b'["\\uD83Dx"]', b'{"\\ud83d": 1}', b'["\xed\xa0\x80"]'),
        *(b"\xff\xfe[\0]\0", b"[1e400]", b"[NaN]", b"[-Infinity]", b"[" * 100_000, b"1" * 5000, b"", b'{"a": 1'),
    ],
)
def test_what_is_no_json(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed(data)


def test_what_is_json() -> None:
    assert parsed(b'\xef\xbb\xbf{"a": ["\\ud83d\\ude00", "\\\\ud800", 1e3]}') == {
        "a": ["\U0001f600", "\\ud800", 1000.0]
    }
    assert parsed(b'{"a": 1, "a": 2}', list) == [("a", 1), ("a", 2)]
