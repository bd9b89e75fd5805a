"""Every entry point gives the ids of the text that the library's normalizers make, for normalizers composed at random.

Steps that take characters away stand before forms of Unicode here, so that marks meet which did not touch in the text.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import normalizers

import anypiece as ap
from anypiece.reference.tokenizer import ReferenceTokenizer
from tests.property import laws
from tests.support.gguf import GGUF_SPECS
from tests.support.stages import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

REPLACED = [("x", ""), ("x", "\u0301"), ("x", "\u0323a"), ("x", "¨"), (" ", ""), (" ", "x"), ("\u0301", ""), ("aa", "")]
MORE = [
    ({"type": "replace", "pattern": {"literal": old}, "content": new}, normalizers.Replace(old, new))
    for old, new in REPLACED
]
FORMS = STEPS[:4]
MARKS = ["\u0301", "\u0323", "\u0344", "\u0f71\u0f72"]
PARTS = ["a", "x", "xx", " ", "\x01", "\x7f", "\t", *MARKS, "é", "ệ", "İ", "中", "¨", "𝐀"]
NAMES = ["a", "x", "\u0301", "\u0323", "\u0323\u0301", "\u0301\u0323", "é", " ", "a\u0323"]
PIECES = [("?", 0.0, ap.Kind.UNKNOWN), *((name, -1.0, ap.Kind.NORMAL) for name in NAMES)]
OFF: dict[str, Any] = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}


def composed(seed: int, count: int) -> Iterator[tuple[list[dict[str, Any]], Any, random.Random]]:
    """Steps of ours and of the library in the same order, and what goes on drawing."""
    draw = random.Random(seed)
    for _ in range(count):
        picked = [draw.choice(draw.choice([MORE, MORE, FORMS, STEPS])) for _ in range(draw.randint(1, 4))]
        yield [ours for ours, _ in picked], normalizers.Sequence([theirs for _, theirs in picked]), draw


@pytest.mark.parametrize("segmenter", ["unigram", "bpe", "char"])
def test_every_entry_point(segmenter: str) -> None:
    spec = ap.Spec(ap.Pieces.of(PIECES), segmenter, **OFF)  # type: ignore[arg-type]
    for steps, library, draw in composed(1, 120):
        tok = ap.Tokenizer(spec.replace(normalizer=tuple(steps)))
        plain = ap.Tokenizer(spec)
        drawn = ["".join(draw.choice(PARTS) for _ in range(draw.randint(0, 9))) for _ in range(6)]
        for text in drawn:
            assert tok.normalize(text) == library.normalize_str(text), (steps, text)
            assert tok.encode(text) == plain.encode(library.normalize_str(text)), (steps, text)
            for law in laws.TEXT_LAWS:
                law(tok, text)
            laws.stream_encoder_is_encode(tok, list(text), "")
            laws.stream_encoder_is_encode(tok, [text[:3], text[3:]], "")
        laws.batch_is_map(tok, drawn)


def test_marks_meet_where_a_character_was() -> None:
    taken = [{"type": "replace", "pattern": {"literal": "x"}, "content": ""}]
    clean = {
        "type": "bert",
        "clean_text": True,
        "handle_chinese_chars": False,
        "strip_accents": False,
        "lowercase": False,
    }
    spec = ap.Spec(ap.Pieces.of(PIECES), "char", **OFF)
    for steps, between in ((taken, "x"), ([{"type": "nmt"}], "\x01"), ([clean], "\x01")):
        tok = ap.Tokenizer(spec.replace(normalizer=(*steps, {"type": "nfd"})))
        assert tok.encode(f"\u0301{between}\u0323") == tok.encode("\u0323\u0301") == [4, 3]
        assert [token.id for token in tok.encode_spans(f"\u0301{between}\u0323")] == [4, 3]


WORDS = [" ", "  ", "a", "b", "!", "é", "ﬁ", "x", "\t", "い", "あ", "▁", "<x_1>", "<", "\x00", "日本", "ab ", "😀"]


@pytest.mark.parametrize("name", [name for name in GGUF_SPECS if "t5" in name])
@pytest.mark.parametrize("change", [{}, {"add_dummy_prefix": False}, {"escape_whitespaces": False}], ids=str)
def test_marks_before_words(name: str, change: dict[str, Any]) -> None:
    """llama.cpp's rules: images with adjacent spaces, alone and at the ends, and texts that begin or end with them."""
    spec, draw = GGUF_SPECS[name].replace(**change), random.Random(name)
    tok, reference = ap.Tokenizer(spec), ReferenceTokenizer(spec)
    for _ in range(200):
        text = "".join(draw.choice(WORDS) for _ in range(draw.choice((1, 2, 3, 5, 9, 30, 80))))
        assert tok.normalize(text) == reference.normalize(text)
        assert tok.encode(text) == reference.encode(text)
        spans, expected = tok.encode_spans(text, "byte"), reference.encode_spans(text)
        assert [(token.id, token.start, token.end) for token in spans] == [
            (token.id, token.start, token.end) for token in expected
        ]
        laws.stream_encoder_is_encode(tok, [text[at : at + 3] for at in range(0, len(text), 3)], "")
