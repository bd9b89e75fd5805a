"""WordPiece and word level: by hand, against tokenizers on drawn vocabularies, and what files and messages say."""

from __future__ import annotations

from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.inspect.doctor import examine
from anypiece.reference import ReferenceTokenizer

PLAIN: dict[str, Any] = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
NAMES = ["[UNK]", "play", "##ing", "##s", "p", "##l", "日", "##本", "un", "##play", "[CLS]"]
KINDS = {"[UNK]": Kind.UNKNOWN, "[CLS]": Kind.CONTROL}

names = st.lists(st.text("ab#日", min_size=1, max_size=4), max_size=12)
chunks = st.text("ab#日", min_size=1, max_size=12)


def spec_of(pieces: list[str], segmenter: Any = "wordpiece", **settings: Any) -> Spec:
    rows = [(piece, 0.0, KINDS.get(piece, Kind.NORMAL)) for piece in pieces]
    return Spec(Pieces.of(rows), segmenter=segmenter, **PLAIN | settings)


TOK = ap.Tokenizer(spec_of(NAMES))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("playing", ["play", "##ing"]),
        ("plays", ["play", "##s"]),
        ("unplaying", ["un", "##play", "##ing"]),
        ("pls", ["p", "##l", "##s"]),
        ("日本", ["日", "##本"]),
        ("本", ["本"]),
        ("playx", ["playx"]),
        ("[UNK]", ["[UNK]"]),
        ("[CLS]", ["[CLS]"]),
    ],
)
def test_by_hand(text: str, pieces: list[str]) -> None:
    """Where no piece fits, all of the chunk is unknown, and an unknown token shows its text."""
    assert TOK.encode_pieces(text) == pieces


def test_control_pieces_are_not_found() -> None:
    assert TOK.encode("[CLS]") == [0]


def test_unknown_chunks_stay_apart() -> None:
    tok = ap.Tokenizer(spec_of(NAMES, splitter="gpt2"))
    assert tok.encode("x y play") == [0, 0, 0]
    assert [(token.id, token.start, token.end) for token in tok.encode_spans("xx yy")] == [(0, 0, 2), (0, 2, 5)]


@pytest.mark.parametrize(("length", "expected"), [(100, 100), (101, 1)])
def test_long_chunks_are_unknown(length: int, expected: int) -> None:
    tok = ap.Tokenizer(spec_of(["[UNK]", "日", "##日"]))
    assert tok.count("日" * length) == expected
    assert tok.replace(max_word_chars=None).count("日" * length) == length


def test_pieces_of_llama_cpp() -> None:
    """The prefix stands in front of a chunk, and may be a piece by itself."""
    pieces = ["[UNK]", "▁play", "ing", "▁", "s"]
    tok = ap.Tokenizer(spec_of(pieces, word_prefix="▁", continuing_prefix="", max_word_chars=None))
    assert tok.encode_pieces("playing") == ["▁play", "ing"]
    assert [(token.piece, token.start, token.end) for token in tok.encode_spans("sing")] == [
        ("▁", 0, 0),
        ("s", 0, 1),
        ("ing", 1, 4),
    ]
    assert tok.encode("playx") == [0] == ReferenceTokenizer(tok.spec).encode("playx")


@given(names, chunks, st.sampled_from(["##", "#", "a"]), st.integers(1, 8))
def test_equals_tokenizers(pieces: list[str], chunk: str, prefix: str, limit: int) -> None:
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(["[UNK]", *pieces]))}
    model = models.WordPiece(
        vocabulary, unk_token="[UNK]", continuing_subword_prefix=prefix, max_input_chars_per_word=limit
    )
    expected = tokenizers.Tokenizer(model).encode(chunk)
    spec = spec_of(list(vocabulary), continuing_prefix=prefix, max_word_chars=limit)
    for tok in (ap.Tokenizer(spec), ReferenceTokenizer(spec)):
        assert tok.encode(chunk) == expected.ids
    spans = [(token.start, token.end) for token in ap.Tokenizer(spec).encode_spans(chunk)]
    assert spans == expected.offsets


@given(names, chunks)
def test_word_level_equals_tokenizers(pieces: list[str], chunk: str) -> None:
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(["[UNK]", *pieces]))}
    expected = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]")).encode(chunk)
    spec = spec_of(list(vocabulary), "word-level")
    for tok in (ap.Tokenizer(spec), ReferenceTokenizer(spec)):
        assert tok.encode(chunk) == expected.ids


def test_a_prefix_of_a_long_chunk() -> None:
    """Where the text is one chunk, counts of its prefixes come from one pass."""
    tok = ap.Tokenizer(spec_of(["[UNK]", "a", "##a", "##aaaa"], max_word_chars=None))
    assert tok.truncate("a" * 300_000, 10) == "a" * 37
    assert tok.truncate("a" * 300_000 + "b", 10) == "a" * 300_000 + "b"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"splitter": "gpt2", "escape_whitespaces": True}, "escape_whitespaces"),
        ({"whole_chunks": True}, "whole_chunks"),
        ({"symbols": "bytes"}, "symbols"),
        ({"segmenter": "greedy"}, "symbols"),
        ({"segmenter": "plamo"}, "byte_fallback"),
    ],
)
def test_settings_that_do_not_go_together(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ap.SpecError) as caught:
        ap.Tokenizer(TOK.spec.replace(**changes))
    assert caught.value.code == "spec-stages"
    assert caught.value.facts["field"] == field


def test_stored_and_opened(tmp_path: Any) -> None:
    for segmenter in ("wordpiece", "word-level"):
        tok = ap.Tokenizer(spec_of(NAMES, segmenter, splitter="gpt2", max_word_chars=None))
        tok.save(tmp_path / "a.anypiece")
        again = ap.load(tmp_path / "a.anypiece")
        assert again == tok
        assert again.encode("playing plays") == tok.encode("playing plays")
        assert again.explain("playing unplay").difference is None
        assert all(finding.severity != "error" for finding in examine(again))


def test_the_doctor_tells_pieces_that_no_chunk_is() -> None:
    """Pieces within a chunk are not judged: some other chunk may reach them."""
    tok = ap.Tokenizer(spec_of(["[UNK]", "a", "a b", "##c", "##", "x"], splitter="gpt2"))
    found = [finding.examples for finding in examine(tok) if finding.code == "piece-unreachable"]
    assert found == [("a b",)]
