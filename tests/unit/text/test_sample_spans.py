"""Draws with the places of their tokens: the same ids, and for the path of encoding the same places."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import anypiece as ap
from anypiece.formats import huggingface
from tests.support.bytepiece import bytepiece_spec
from tests.support.gguf import GGUF_SPECS
from tests.support.hf import added, document
from tests.support.lattice_paths import tokenizer
from tests.support.merge_lists import MERGE_SPECS
from tests.support.small_vocabularies import BYTES, UNIGRAM

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


MERGED = GGUF_SPECS | MERGE_SPECS
METHODS = ("lattice", "viterbi", "reservoir", "nbest")


def assert_drawn(tok: ap.Tokenizer, text: str | bytes, alpha: float, **options: Any) -> list[ap.Token]:
    """The tokens of a draw have the ids of the draw; where these are those of encoding, so are the places."""
    ids = tok.sample(text, alpha, **options)
    tokens = tok.sample_spans(text, alpha, **options)
    assert [token.id for token in tokens] == ids
    if ids == tok.encode(text):
        assert tokens == tok.encode_spans(text)
    assert tok.sample_batch([text], alpha, **options)[0].tolist() == ids
    return tokens


@pytest.mark.parametrize("text", SPANNED_TEXTS)
@pytest.mark.parametrize("name", SPANNED)
def test_places_of_any_path(name: str, text: str | bytes) -> None:
    tok = SPANNED[name]
    for method in METHODS:
        for seed in range(8):
            tokens = assert_drawn(tok, text, 0.1, seed=seed, method=method, nbest=9)
            assert len(tok.sample_spans(text, 0.1, "byte", seed=seed, method=method, nbest=9)) == len(tokens)


def hugging_face(model: dict[str, Any], **sections: Any) -> ap.Tokenizer:
    return ap.Tokenizer(huggingface.read(json.dumps(document(model=model, **sections)).encode())[0])


def test_places_of_unknowns_that_rules_part() -> None:
    tok = hugging_face({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0], ["b", -1.0]]})
    for method in METHODS:
        tokens = assert_drawn(tok, "axy zzb x", 0.5, seed=1, method=method)
        assert [(token.piece, token.start, token.end) for token in tokens[1:3]] == [("xy", 1, 3), ("zz", 4, 6)]


def test_bytes_of_two_chunks_share_no_span() -> None:
    names = ["a", "b", *(f"<0x{byte:02X}>" for byte in range(256))]
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *([name, -1.0] for name in names)]}
    tok = hugging_face(model | {"byte_fallback": True})
    for method in METHODS:
        tokens = assert_drawn(tok, "axy zb", math.inf, seed=1, method=method)
        assert [(token.start, token.end) for token in tokens] == [(0, 1), (1, 3), (1, 3), (4, 5), (5, 6)]


@pytest.mark.parametrize("fallback", [False, True])
def test_text_that_spells_the_unknown_piece(fallback: bool) -> None:
    """From one place two edges of one id lead: the character as something unknown, and the whole spelling."""
    bytes_of = [f"<0x{byte:02X}>" for byte in range(256)] if fallback else []
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *([name, -1.0] for name in ["a", *bytes_of])]}
    tokens = [added(0, "<unk>")] if fallback else []
    tok = hugging_face(model | {"byte_fallback": fallback}, pre_tokenizer=None, added_tokens=tokens)
    for method in METHODS:
        for alpha in (1.0, math.inf):
            tokens = assert_drawn(tok, "aé<unk>a", alpha, seed=1, method=method)
            assert [token.id for token in tokens] == tok.encode("aé<unk>a")
            if method != "nbest":
                assert tok.lattice("aé<unk>a").sample(alpha, seed=1, method=method).ids == tok.encode("aé<unk>a")


@pytest.mark.parametrize("name", [name for name, spec in MERGED.items() if spec.segmenter == "bpe"])
def test_places_of_dropout(name: str) -> None:
    """Byte pieces that stand for what is no character of the vocabulary, or for what its position adds."""
    tok = ap.Tokenizer(MERGED[name])
    for text in ("abab 日本 <s>é\u3164z", "aa  a▁b<unk>##", b"ab\xff\xe6a", "a\ud800b"):
        for alpha in (0.0, 0.3, 1.0):
            first = assert_drawn(tok, text, alpha, seed=3, method="dropout")
            assert assert_drawn(tok, text, alpha, seed=3, method="dropout") == first  # now that the unit is known
            assert all(0 <= token.start <= token.end <= len(text) for token in first)


def test_places_where_bytes_share_a_span_and_added_tokens_take_spaces() -> None:
    names = ["▁", "▁a", "a", "b", "ab", *(f"<0x{byte:02X}>" for byte in range(256))]
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *([name, -1.0] for name in names)]}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    sections = {"pre_tokenizer": metaspace, "post_processor": level}
    tokens = [added(0, "<unk>"), added(262, "<m>", lstrip=True)]
    made = document(model=model | {"byte_fallback": True}, added_tokens=tokens, **sections)
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
