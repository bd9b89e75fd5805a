"""Tokens with their places, made of the edges of a path: what the kernel gives for its own draws."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import anypiece as ap
from anypiece._checks import without_surrogates
from anypiece.formats import huggingface
from anypiece.path_spans import char_rows, path_rows
from tests.support.hf import added, document

from .test_lattice import tokenizer
from .test_sampling import bytepiece_spec
from .vocabularies import BYTES, UNIGRAM

SPANNED = {
    "characters": tokenizer({"a": -1.0, "b": -1.5, "ab": -2.0, "ba": -3.0, " a": -2.0}),
    "marks": ap.Tokenizer(UNIGRAM),
    "byte fallback": ap.Tokenizer(BYTES),
    "bytes": ap.Tokenizer(bytepiece_spec()),
    "the default": ap.load(),
}
SPANNED_TEXTS = [
    "ab ab",
    "",
    "aéxyab 日日b",
    "e\u0301日本ab\n\nab",
    "a\ud800bab",
    "  a  ",
    b"ab\xff\xe6\x97 ab\x80",
    "ﬁ½ab",
]


@pytest.mark.parametrize("unit", ["char", "byte"])
@pytest.mark.parametrize("text", SPANNED_TEXTS)
@pytest.mark.parametrize("name", SPANNED)
def test_places_of_any_path(name: str, text: str | bytes, unit: Any) -> None:
    """What is made of the edges of a path is what the kernel gives for it."""
    tok = SPANNED[name]
    raw = text if isinstance(text, bytes) else without_surrogates(text, tok._kernel.lone_surrogate)
    lattice = tok.lattice(raw)
    for seed in range(8):
        rows = path_rows(lattice, lattice.sample(0.1, seed=seed).edges)
        rows = char_rows(rows, raw, tok.spec) if unit == "char" else rows
        assert [ap.Token(*row) for row in rows] == tok.sample_spans(text, 0.1, unit, seed=seed)


def test_places_of_unknowns_that_rules_part() -> None:
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0], ["b", -1.0]]}
    tok = ap.Tokenizer(huggingface.read(json.dumps(document(model=model)).encode())[0])
    for seed in range(5):
        lattice = tok.lattice("axy zzb x")
        rows = path_rows(lattice, lattice.sample(0.5, seed=seed).edges)
        assert [ap.Token(*row) for row in rows] == tok.sample_spans("axy zzb x", 0.5, seed=seed)


def test_places_where_bytes_share_a_span_and_added_tokens_take_spaces() -> None:
    names = ["▁", "▁a", "a", "b", "ab", *(f"<0x{byte:02X}>" for byte in range(256))]
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *([name, -1.0] for name in names)]}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    sections = {"pre_tokenizer": metaspace, "post_processor": level}
    made = document(model=model | {"byte_fallback": True}, added_tokens=[added(262, "<m>", lstrip=True)], **sections)
    tok = ap.Tokenizer(huggingface.read(json.dumps(made).encode())[0])
    for text in ("a ab <m> ab", "中日 ab  <m>é", "a中<m>", "中"):
        tokens = tok.sample_spans(text, math.inf, seed=1, method="nbest", specials="parse")
        expected = {tuple(token.id for token in found): found for found in (
            tok.sample_spans(text, 1.0, seed=seed, specials="parse") for seed in range(40))}  # fmt: skip
        assert tokens == expected[tuple(token.id for token in tokens)]
        assert any(token.end - token.start > 0 for token in tokens)


@pytest.mark.parametrize("text", SPANNED_TEXTS)
@pytest.mark.parametrize("name", SPANNED)
def test_places_of_the_best_paths(name: str, text: str | bytes) -> None:
    tok = SPANNED[name]
    assert tok.sample_spans(text, math.inf, seed=1) == tok.encode_spans(text)
    for seed in range(8):
        tokens = tok.sample_spans(text, 0.1, seed=seed, method="nbest", nbest=9)
        assert [token.id for token in tokens] == tok.sample(text, 0.1, seed=seed, method="nbest", nbest=9)
    tokens = tok.sample_spans(text, math.inf, seed=1, method="nbest")
    assert [token.id for token in tokens] == tok.nbest(text, 1).batch[0].tolist()
    if [token.id for token in tokens] == tok.encode(text):
        assert tokens == tok.encode_spans(text)
