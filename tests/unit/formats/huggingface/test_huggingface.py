"""tokenizer.json: every kind of section against tokenizers on small files, and what is refused."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer as Original

import anypiece as ap
from anypiece.formats import huggingface
from tests.support.hf import added, document, written

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["", "ab c", "abab", " a  b ", "x", "<s>ab<unk>", "Ab Ça", "a\nb", "ab, c! d'e", "日本ab", "a▁b ▁", "12 3a"]

WORDS = {"[UNK]": 0, "a": 1, "##b": 2, "c": 3, "ab": 4, ",": 5, "##a": 6, "!": 7, "▁": 8, "▁a": 9}
UNIGRAM = [["<unk>", 0.0], ["a", -1.5], ["b", -2.25], ["ab", -3.0], ["▁", -2.0], ["▁a", -2.5], ["c", -4.0]]
MODELS: dict[str, dict[str, Any]] = {
    "bpe": document()["model"],
    "legacy-merges": {**document()["model"], "merges": ["#version: 0.2", "a b"]},
    "fused": {**document()["model"], "fuse_unk": True},
    "no-unknown": {**document()["model"], "unk_token": None},
    "whole-chunks": {**document()["model"], "ignore_merges": True},
    "wordpiece": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 5, "vocab": WORDS},
    "word-level": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": WORDS},
    "unigram": {"type": "Unigram", "unk_id": 0, "vocab": UNIGRAM},
    "no-type": {"unk_id": 0, "vocab": UNIGRAM},
}  # fmt: skip

NORMALIZERS: list[Any] = [
    None,
    {"type": "Sequence", "normalizers": []},
    {"type": "NFC"},
    {"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]},
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"Regex": "[ab]+"}, "content": "c"},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
     "lowercase": True},
    {"type": "Nmt"},
]  # fmt: skip

PRE_TOKENIZERS: list[Any] = [
    None,
    {"type": "Whitespace"},
    {"type": "WhitespaceSplit"},
    {"type": "BertPreTokenizer"},
    {"type": "Punctuation"},
    {"type": "Punctuation", "behavior": "MergedWithNext"},
    {"type": "Digits", "individual_digits": True},
    {"type": "CharDelimiterSplit", "delimiter": "a"},
    {"type": "UnicodeScripts"},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
    {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False, "prepend_scheme": "never"},
    {"type": "Split", "pattern": {"String": "a"}, "behavior": "MergedWithPrevious", "invert": False},
    {"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Isolated", "invert": True},
    {
        "type": "Sequence",
        "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Digits", "individual_digits": False}],
    },
]


def same(tok: ap.Tokenizer, content: str) -> None:
    for specials in ("text", "parse"):
        other = Original.from_str(content)
        other.encode_special_tokens = specials == "text"
        for text in TEXTS:
            answer = other.encode(text, add_special_tokens=False)
            tokens = tok.encode_spans(text, specials=specials)
            assert tok.encode(text, specials=specials) == answer.ids, (specials, text)
            assert [(token.start, token.end) for token in tokens] == answer.offsets, (specials, text)
            assert tok.decode(answer.ids) == other.decode(answer.ids, skip_special_tokens=False)


@pytest.mark.parametrize("name", MODELS)
def test_models(tmp_path: Path, name: str) -> None:
    model = MODELS[name]
    tokens = [] if name in ("unigram", "no-type") else [added(len(model["vocab"]), "<s>")]
    content = json.dumps(document(model=model, added_tokens=tokens))
    same(ap.load(written(tmp_path, content)), content)


@pytest.mark.parametrize("section", NORMALIZERS, ids=str)
def test_normalizers(tmp_path: Path, section: Any) -> None:
    content = json.dumps(document(normalizer=section))
    same(ap.load(written(tmp_path, content)), content)


@pytest.mark.parametrize("section", PRE_TOKENIZERS, ids=str)
@pytest.mark.parametrize("model", ["bpe", "unigram"])
def test_pre_tokenizers(tmp_path: Path, section: Any, model: str) -> None:
    tokens = [] if model == "unigram" else document()["added_tokens"]
    content = json.dumps(document(pre_tokenizer=section, model=MODELS[model], added_tokens=tokens))
    same(ap.load(written(tmp_path, content)), content)


@pytest.mark.parametrize(
    "flags",
    [{"lstrip": True}, {"rstrip": True}, {"single_word": True}, {"normalized": True}, {"special": False}],
    ids=str,
)
def test_added_tokens(tmp_path: Path, flags: dict[str, bool]) -> None:
    merged = added(3, "ab", **flags | {"special": False})  # a special one would not come of merges
    tokens = [added(0, "<unk>"), added(5, "<s>", **flags), added(6, "c!", **flags), merged]
    content = json.dumps(document(added_tokens=tokens, normalizer={"type": "Lowercase"}))
    same(ap.load(written(tmp_path, content)), content)


def test_ids_that_the_library_gives_otherwise(tmp_path: Path) -> None:
    content = json.dumps(document(added_tokens=[added(0, "<unk>"), added(77, "<s>")]))
    tok = ap.load(written(tmp_path, content))
    assert tok.piece_to_id("<s>") == 5
    assert tok._origin.renumbered == {"<s>": (77, 5)}
    same(tok, content)


PROCESSORS: list[Any] = [
    None,
    {"type": "TemplateProcessing",
     "single": [{"SpecialToken": {"id": "<s>", "type_id": 3}}, {"Sequence": {"id": "A", "type_id": 1}}],
     "pair": [{"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "<s>", "type_id": 2}},
              {"Sequence": {"id": "A", "type_id": 0}}],
     "special_tokens": {"<s>": {"id": "<s>", "ids": [5, 1], "tokens": ["<s>", "a"]}}},
    {"type": "BertProcessing", "sep": ["<s>", 5], "cls": ["a", 1]},
    {"type": "RobertaProcessing", "sep": ["<s>", 5], "cls": ["a", 1], "trim_offsets": True, "add_prefix_space": False},
    {"type": "Sequence", "processors": [{"type": "ByteLevel", "trim_offsets": False, "add_prefix_space": True},
                                        {"type": "BertProcessing", "sep": ["<s>", 5], "cls": ["a", 1]}]},
]  # fmt: skip


@pytest.mark.parametrize("section", PROCESSORS, ids=str)
def test_post_processors(tmp_path: Path, section: Any) -> None:
    content = json.dumps(document(post_processor=section))
    tok, other = ap.load(written(tmp_path, content)), Original.from_str(content)
    assert tok.encode("ab c", add_special=True) == other.encode("ab c").ids
    assert tok.count("ab c", add_special=True) == len(other.encode("ab c").ids)
    assert tok.encode_batch(["ab c", ""], add_special=True)[1].tolist() == other.encode("").ids
    for add in (True, False):
        pair, answer = tok.encode_pair("ab c", "b", add_special=add), other.encode("ab c", "b", add_special_tokens=add)
        assert (pair.ids, pair.type_ids) == (answer.ids, answer.type_ids)


SECTIONS = [
    *({"normalizer": section} for section in NORMALIZERS),
    *({"pre_tokenizer": section} for section in PRE_TOKENIZERS),
    *({"post_processor": section} for section in PROCESSORS),
    *({"model": model, "added_tokens": []} for model in MODELS.values()),
    {"padding": {"pad_id": 1}},
]


@pytest.mark.parametrize("sections", SECTIONS, ids=str)
def test_written_and_read_again(tmp_path: Path, sections: dict[str, Any]) -> None:
    tok = ap.load(written(tmp_path, document(**sections)))
    tok.save(tmp_path / "again.json")
    again = ap.load(tmp_path / "again.json")
    assert again.spec == tok.spec
    same(again, (tmp_path / "again.json").read_text())


def test_what_it_cannot_carry_is_refused() -> None:
    bytes_only = ap.Spec(ap.Pieces.of([(bytes([byte]), 0.0, ap.Kind.NORMAL) for byte in range(256)]), "greedy")
    off = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    for spec, field in [
        (ap.load().spec, "add_dummy_prefix"),
        (ap.load().spec.replace(**off), "arithmetic"),
        (bytes_only.replace(symbols="bytes", **off), "segmenter"),
    ]:
        with pytest.raises(ap.FormatError) as caught:
            huggingface.write(spec, None)
        assert caught.value.code == "format-unwritable"
        assert field in caught.value.facts["fields"]


def test_skipping_special_tokens(tmp_path: Path) -> None:
    content = json.dumps(document(added_tokens=[added(0, "<unk>"), added(5, "<s>"), added(6, "<t>", special=False)]))
    tok, other = ap.load(written(tmp_path, content)), Original.from_str(content)
    ids = [5, 1, 0, 6, 2]
    assert tok.decode(ids, skip_special=True) == other.decode(ids, skip_special_tokens=True) == "a <t> b"


def _changed(path: str, value: Any) -> dict[str, Any]:
    made = document()
    *keys, last = path.split("/")
    section = made
    for key in keys:
        section = section[key]
    section[last] = value
    return made


REFUSED: list[tuple[Any, str]] = [
    (_changed("version", "2.0"), "json-unsupported"),
    (_changed("model/type", "Magic"), "json-unsupported"),
    (_changed("model/dropout", 0.1), "json-unsupported"),
    (_changed("model/unk_token", "<nothing>"), "json-unsupported"),
    (_changed("model/merges", []), "json-unsupported"),
    (_changed("model/merges", None), "json-field"),
    (_changed("model/vocab", None), "json-field"),
    (_changed("model/vocab", [["a", 1.0]]), "json-field"),
    (_changed("model/vocab", {"a": 1, "b": 1}), "file-corrupt"),
    (_changed("model/vocab", {"<unk>": 0, "a": 4_000_000_000}), "file-corrupt"),
    (_changed("model/merges", [["a", "z"]]), "file-corrupt"),
    (_changed("model/merges", ["a b c"]), "file-corrupt"),
    (_changed("model", {"type": "Unigram", "vocab": [["a", -1.0]]}), "json-unsupported"),
    (_changed("model", {"type": "Unigram", "unk_id": 9, "vocab": [["a", -1.0]]}), "json-field"),
    (_changed("model", {"type": "Unigram", "unk_id": 0, "vocab": []}), "json-field"),
    (
        _changed("model", {"type": "Unigram", "unk_id": 0, "byte_fallback": True, "vocab": [["a", -1.0]]}),
        "json-unsupported",
    ),
    (_changed("normalizer", {"type": "Magic"}), "json-unsupported"),
    (_changed("normalizer", {"type": "Precompiled", "precompiled_charsmap": "*"}), "json-field"),
    (_changed("normalizer", {"type": "Replace", "pattern": {"Glob": "x"}, "content": ""}), "json-field"),
    (_changed("normalizer", [1]), "json-field"),
    (_changed("pre_tokenizer", {"type": "Magic"}), "json-unsupported"),
    (_changed("pre_tokenizer", {"type": "Metaspace", "replacement": "__"}), "json-field"),
    (_changed("pre_tokenizer", {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"}), "spec-pattern"),
    (_changed("pre_tokenizer", {"type": "Split", "pattern": {"String": "a"}, "behavior": "Odd"}), "json-field"),
    (_changed("decoder", {"type": "Magic"}), "json-unsupported"),
    (_changed("decoder", {"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""}), "json-unsupported"),
    (_changed("post_processor", {"type": "Magic"}), "json-unsupported"),
    (_changed("post_processor", {"type": "BertProcessing", "sep": ["x", 999], "cls": ["a", 1]}), "spec-special-id"),
    (_changed("added_tokens", [{"id": 1}]), "json-field"),
    (_changed("added_tokens", [added(9, "x" * 9000)]), "json-field"),
    (_changed("added_tokens", {"a": 1}), "json-field"),
    ('{"added_tokens": [', "file-truncated"),
    ('{"added_tokens": [], "model": ' + "[" * 100_000, "file-corrupt"),
    ('{"added_tokens": [], "x": 1e999}', "file-corrupt"),
    ('{"added_tokens": [], "x": ' + "9" * 5000 + "}", "file-corrupt"),
    ('{"added_tokens": [], "model": {"vocab": {"a": 1}}, "model": {}}', "file-corrupt"),
]


@pytest.mark.parametrize(
    ("content", "code"), REFUSED, ids=[f"{place}-{code}" for place, (_, code) in enumerate(REFUSED)]
)
def test_what_is_refused(tmp_path: Path, content: Any, code: str) -> None:
    with pytest.raises(ap.AnyPieceError) as caught:
        ap.load(written(tmp_path, content))
    assert caught.value.code == code
    assert len(str(caught.value)) < 1000


def test_many_added_tokens_cost_little(tmp_path: Path) -> None:
    tokens = [added(0, "<unk>"), *(added(5 + n, f"<token {n}>") for n in range(50_000))]
    path = written(tmp_path, document(added_tokens=tokens))
    start = time.process_time()
    tok = ap.load(path)
    assert time.process_time() - start < 5
    assert tok.encode("a<token 49999>b", specials="parse") == [1, 50_004, 2]


def test_merges_in_a_circle_end(tmp_path: Path) -> None:
    """Results are longer than their parts, so that no merge can lead back; the same pair twice is the last of them."""
    model = {**document()["model"], "vocab": {"<unk>": 0, "a": 1, "aa": 2, "aaa": 3}}
    model["merges"] = ["a a", "aa a", "a aa", "a a"]
    content = json.dumps(document(model=model, added_tokens=[added(0, "<unk>")]))
    same(ap.load(written(tmp_path, content)), content)
