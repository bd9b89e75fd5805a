"""Odd tokenizer.json files, against tokenizers: pieces that only whole chunks are, unknowns in long chunks, vocabularies
with gaps when they are written, and what is refused since it cannot be reproduced.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer as Original

import anypiece as ap
from anypiece.formats.huggingface.model import BYTE_CHARACTERS
from anypiece.reference import ReferenceTokenizer
from tests.support.hf import added

if TYPE_CHECKING:
    from pathlib import Path

LETTERS = {chr(character): id for id, character in enumerate(BYTE_CHARACTERS)}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
WORDS = {"type": "WhitespaceSplit"}
PROPERTIES = [
    "L",
    "N",
    "P",
    "S",
    "M",
    "Z",
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "Mn",
    "Mc",
    "Me",
    "Nd",
    "Nl",
    "No",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
    "Pi",
    "Pf",
    "Po",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Zs",
    "Zl",
    "Zp",
    "Cc",
    "Cf",
    "Co",
    "Han",
    "Hiragana",
    "Katakana",
    "Hangul",
    "Latin",
    "Cyrillic",
    "Greek",
    "Arabic",
    "Hebrew",
    "Thai",
    "Devanagari",
    "Bengali",
    "Tamil",
    "Telugu",
]


def file_of(folder: Path, **sections: Any) -> tuple[ap.Tokenizer, Original]:
    parts = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    whole = {"version": "1.0", "added_tokens": [], **dict.fromkeys(parts), **sections}
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(whole))
    return ap.load(path), Original.from_str(json.dumps(whole))


def spelled(text: str) -> str:
    return "".join(chr(BYTE_CHARACTERS[byte]) for byte in text.encode())


@pytest.mark.parametrize("stages", [BYTE_LEVEL, {"type": "Sequence", "pretokenizers": [WORDS, BYTE_LEVEL]}])
def test_pieces_that_only_whole_chunks_are(tmp_path: Path, stages: dict[str, Any]) -> None:
    """No merges lead to them, so that nothing else keeps a chunk from being cut further where other text is dense."""
    more = ["ab", spelled(" cé"), spelled("日本"), spelled("aé語x"), spelled(" 世界!")]
    vocab = LETTERS | {name: 256 + place for place, name in enumerate(more)}
    model = {"type": "BPE", "ignore_merges": True, "vocab": vocab, "merges": [["a", "b"]]}
    tok, other = file_of(tmp_path, pre_tokenizer=stages, decoder=BYTE_LEVEL, model=model)
    plain = ReferenceTokenizer(tok.spec)
    rng = Random(11)
    parts = ["cé", " cé", "日本", "日本語", "aé語x", "世界!", " ", "ab", "é", "語語語語語語語語", "abab", "\n"]
    for _ in range(300):
        text = "".join(rng.choices(parts, k=rng.randint(1, 12)))
        expected = other.encode(text)
        assert tok.encode(text) == expected.ids, text
        assert [(token.id, (token.start, token.end)) for token in tok.encode_spans(text)] == list(
            zip(expected.ids, expected.offsets, strict=True)
        )
        assert plain.encode(text) == expected.ids


def test_unknowns_of_long_chunks_and_of_short_ones(tmp_path: Path) -> None:
    """The same text is a unit of a long chunk, then a chunk: what was learned in one place holds in the other."""
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["cab", -4.0], ["x", -1.0]]}
    for texts in (["ab" * 40, "ab"], ["ab", "ab" * 40, "ab"], ["ab" * 33 + " ab"], ["xab" * 40 + " ab xab ab", "xab"]):
        tok, other = file_of(tmp_path, pre_tokenizer=WORDS, model=model)
        for text in texts:
            assert tok.encode(text) == other.encode(text).ids, text
            assert tok.count(text) == len(other.encode(text).ids)


GAPS = {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "a": 1, "b": 9}}


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        (GAPS, [added(3, "to", special=False)]),
        (GAPS, [added(3, "to", special=False), added(4, "<s>")]),
        (GAPS, [added(3, "<s>")]),
        (GAPS | {"vocab": {"?": 0, "a": 1, "<s>": 2}}, [added(3, "to", special=False), added(2, "<s>")]),
        (GAPS | {"vocab": {"?": 0, "a": 1, "<s>": 2}}, [added(2, "<s>"), added(3, "to", special=False)]),
        (
            {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["t", -1.0], ["o", -2.0], ["<s>", -3.0]]},
            [added(4, "to", special=False), added(3, "<s>")],
        ),
    ],
)
def test_added_tokens_stay_out_of_the_vocabulary_that_is_written(
    tmp_path: Path, model: dict[str, Any], tokens: list[dict[str, Any]]
) -> None:
    tok, other = file_of(
        tmp_path, pre_tokenizer=WORDS, normalizer={"type": "Lowercase"}, model=model, added_tokens=tokens
    )
    tok.save(tmp_path / "again.json")
    again, library = ap.load(tmp_path / "again.json"), Original.from_file(str(tmp_path / "again.json"))
    for text in ("TO", "to", "a to b", "<s> TO", "b"):
        expected = other.encode(text).ids
        assert tok.encode(text, specials="parse") == expected, text
        assert again.encode(text, specials="parse") == expected, text
        assert library.encode(text).ids == expected, text
    if "<s>" not in model["vocab"]:  # else it is text there where it is not permitted
        other.encode_special_tokens = library.encode_special_tokens = True
        assert library.encode("<s> to").ids == other.encode("<s> to").ids


@pytest.mark.parametrize("normalizer", [{"type": "ByteLevel"}, None])
def test_byte_level_files_that_are_written_again(tmp_path: Path, normalizer: dict[str, Any] | None) -> None:
    """Bytes by the normalizer alone, and padding by a piece that is no ASCII letter."""
    model = {"type": "BPE", "vocab": LETTERS | {"ab": 256}, "merges": [["a", "b"]]}
    fill = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": LETTERS["Ċ"],
            "pad_type_id": 0, "pad_token": "Ċ"}  # fmt: skip
    stages = {"normalizer": normalizer, "pre_tokenizer": None if normalizer else BYTE_LEVEL}
    tok, other = file_of(tmp_path, model=model, decoder=BYTE_LEVEL, padding=fill, **stages)
    tok.save(tmp_path / "again.json")
    again, library = ap.load(tmp_path / "again.json"), Original.from_file(str(tmp_path / "again.json"))
    assert again.spec == tok.spec
    for text in ("ab é", "\nab\n", ""):
        assert tok.encode(text) == again.encode(text) == other.encode(text).ids == library.encode(text).ids


def test_entries_of_byte_level_files_that_are_no_letters(tmp_path: Path) -> None:
    """They are found as added tokens only."""
    vocab = LETTERS | {"ab": 256, "日": 257, " ": 258}
    model = {"type": "BPE", "vocab": vocab, "merges": [["a", "b"]]}
    more = [added(257, "日", special=False), added(258, " ", special=False)]
    stages = {"pre_tokenizer": BYTE_LEVEL, "decoder": BYTE_LEVEL}
    plain = file_of(tmp_path, model=model, **stages)
    whole = file_of(tmp_path, model=model | {"ignore_merges": True}, added_tokens=more, **stages)
    for tok, other in (plain, whole):
        for text in ("日", " ", "ab 日", "日日 x"):
            assert tok.encode(text) == other.encode(text).ids, text


@pytest.mark.parametrize(
    ("pattern", "is_refused"),
    [
        (r"(?i:\P{Ll})", False),
        (r"(?i:\p{Ll})", False),
        (r"(?i:x(?-i:\p{Lu})|\p{Lu}z)", False),
        (r"(?i:\p{L}+)", False),
        (r"(?i:\p{M})", False),
        (r"(?i:'x)|\p{Lu}[\p{Ll}]", False),
        (r"(?i:[\p{Ll}])", True),
        (r"(?i)[^\p{Lu}]", True),
        (r"(?i)(?-i:[^\p{Lu}])", False),
    ],
)
def test_properties_of_case_where_case_does_not_count(tmp_path: Path, pattern: str, is_refused: bool) -> None:
    rule = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    model = {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0}}
    if is_refused:
        with pytest.raises(ap.AnyPieceError, match="in a class within"):
            file_of(tmp_path, pre_tokenizer=rule, model=model)
        return
    tok, other = file_of(tmp_path, pre_tokenizer=rule, model=model)
    for text in ("aA", "ΣAσ", "xB'Xz", "Zz\u0345ι", "ǅǆ", "ßẞ 1"):
        assert [(token.start, token.end) for token in tok.encode_spans(text)] == other.encode(text).offsets, text


@pytest.mark.parametrize("form", [r"(?i:\p{%s})", r"(?i:\P{%s})", r"(?i:[^\p{%s}])"])
def test_every_property_where_case_does_not_count(tmp_path: Path, form: str) -> None:
    """On all characters that have another case; in a class those of case are refused."""
    every = (chr(code) for code in range(0x20, 0x1F000) if not 0xD800 <= code < 0xE000)
    text = "".join(one for one in every if {one.lower(), one.upper(), one.casefold()} != {one})
    model = {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0}}
    refused = []
    for name in PROPERTIES:
        rule = {"type": "Split", "pattern": {"Regex": form % name}, "behavior": "Isolated", "invert": False}
        try:
            tok, other = file_of(tmp_path, pre_tokenizer=rule, model=model)
        except ap.FormatError:
            refused.append(name)
            continue
        assert [(token.start, token.end) for token in tok.encode_spans(text)] == other.encode(text).offsets, name
    assert refused == (["L", "M", "Lu", "Ll", "Lt", "Mn", "Latin", "Greek"] if "[" in form else [])


def test_unknown_text_is_called_by_its_text_where_spans_lose_spaces(tmp_path: Path) -> None:
    vocab = [["<unk>", 0.0], ["▁", -1.0], ["a", -1.0], ["▁a", -1.0]]
    sections = {
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "post_processor": BYTE_LEVEL | {"trim_offsets": True},
        "added_tokens": [added(0, "<unk>")],
    }
    tok, original = file_of(tmp_path, **sections)
    tokens = tok.encode_spans("a xyz <unk>", specials="parse")
    assert [token.piece for token in tokens] == original.encode("a xyz <unk>").tokens
    assert [token.piece for token in tokens][2:] == ["xyz", "▁", "<unk>"]


@pytest.mark.parametrize(
    "sections",
    [
        {
            "pre_tokenizer": BYTE_LEVEL,
            "decoder": BYTE_LEVEL,
            "model": {
                "type": "BPE",
                "unk_token": "?",
                "byte_fallback": True,
                "merges": [["a", "b"]],
                "vocab": {"?": 0, "a": 1, "b": 2, "ab": 3, "<0x63>": 4},
            },
        },
        {"model": GAPS, "added_tokens": [added(3, "x"), added(3, "x", special=False)]},
        {
            "pre_tokenizer": BYTE_LEVEL,
            "model": {
                "type": "BPE",
                "continuing_subword_prefix": "é",
                "merges": [["a", "éb"]],
                "vocab": LETTERS | {"éb": 256, "ab": 257},
            },
        },
        {
            "model": GAPS,
            "decoder": {"type": "CTC", "pad_token": "b", "word_delimiter_token": "", "cleanup": True},
        },
        {
            "pre_tokenizer": BYTE_LEVEL,
            "model": {
                "type": "BPE",
                "ignore_merges": True,
                "merges": [["a", "b"]],
                "vocab": LETTERS | {"ab": 256, "日": 257},
            },
        },
    ],
    ids=["fallback", "twice", "prefix", "ctc", "no letters"],
)
def test_refused(tmp_path: Path, sections: dict[str, Any]) -> None:
    with pytest.raises(ap.FormatError) as caught:
        file_of(tmp_path, **sections)
    assert caught.value.code == "json-unsupported"
