"""Text that spells no special piece and would become one: ``specials="error"`` refuses it in every call.

Each row is a file, a text that the original library gives the special id for, and where in the text that token begins; and
texts of the same letters that pass.
"""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import tokenizers

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from tests.support.charsmap_builder import build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALPHABET = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
LOWER = {"normalizer": {"type": "Lowercase"}}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
MARKS = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


class Row(NamedTuple):
    """A file whose special piece ``name`` the ``texts`` become, each with the place of it; ``passing`` do not."""

    model: dict[str, Any]
    name: str
    texts: dict[str, int]
    passing: tuple[str, ...]
    stages: dict[str, Any]


def _vocab(names: list[str]) -> dict[str, int]:
    return {name: id for id, name in enumerate(names)}


def _bpe(names: list[str], merges: list[str], **settings: Any) -> dict[str, Any]:
    plain = {"type": "BPE", "dropout": None, "unk_token": None, "fuse_unk": False, "byte_fallback": False}
    return plain | {"vocab": _vocab(names), "merges": merges} | settings


def _words(names: list[str]) -> dict[str, Any]:
    plain = {"type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##"}
    return plain | {"max_input_chars_per_word": 100, "vocab": _vocab(names)}


SPELLED = ["<unk>", "<", "s", ">", "a", "<s", "<s>"]
UNIGRAM = {
    "type": "Unigram",
    "unk_id": 0,
    "byte_fallback": False,
    "vocab": [["<unk>", 0.0], ["▁", -1.0], ["h", -2.0], ["i", -2.0], ["▁hi", -1.0], ["<s>", -1.0]],
}
SHORT = {"unk_token": "<unk>"}
ROWS = {
    "merges after a normalizer": Row(
        _bpe(SPELLED, ["< s", "<s >"], **SHORT), "<s>", {"<S>": 0, "aA<S>a": 2}, ("S", "< s >"), LOWER
    ),
    "merges of bytes after a normalizer": Row(
        _bpe([*ALPHABET, "<s", "<s>"], ["< s", "<s >"]),
        "<s>",
        {"<S>": 0, "é<S>": 1},
        ("<S", "S>"),
        {**LOWER, "pre_tokenizer": {**BYTES, "use_regex": False}, "decoder": BYTES},
    ),
    "merges of bytes": Row(
        _bpe([*ALPHABET, "Ġa"], ["Ġ a"]),
        "Ġa",
        {" a": 0, "é a b": 1},
        ("a", "b"),
        {"pre_tokenizer": BYTES, "decoder": BYTES},
    ),
    "the end of a word": Row(
        _bpe(["<unk>", "a", "s", "s</w>", "as</w>"], ["a s</w>"], end_of_word_suffix="</w>", **SHORT),
        "as</w>",
        {"as": 0, "sas": 1},
        ("sa", "s"),
        {},
    ),
    "the middle of a word": Row(
        _bpe(["<unk>", "a", "s", "##s", "##a", "##as"], ["##a ##s"], continuing_subword_prefix="##", **SHORT),
        "##as",
        {"aas": 1},
        ("as", "a"),
        {},
    ),
    "merges after a mark": Row(
        _bpe(["<unk>", "▁", "h", "i", "hi", "▁hi"], ["h i", "▁ hi"], **SHORT),
        "▁hi",
        {"hi": 0, " hi": 0, "x hi": 1},
        ("ihi", "h"),
        {"pre_tokenizer": MARKS},
    ),
    "unigram after a mark": Row(UNIGRAM, "▁hi", {"hi": 0, "h hi": 1}, ("ihi", "h"), {"pre_tokenizer": MARKS}),
    "unigram after a normalizer": Row(
        UNIGRAM,
        "<s>",
        {"＜ｓ＞": 0, "hi＜s>": 2},
        ("＜ｓ", "hi"),
        {"normalizer": {"type": "NFKC"}, "pre_tokenizer": MARKS},
    ),
    "what a normalizer leaves out": Row(
        _bpe(SPELLED, ["< s", "<s >"], **SHORT),
        "<s>",
        {"<x s>": 0},
        ("<xs", "a"),
        {"normalizer": {"type": "Replace", "pattern": {"String": "x "}, "content": ""}},
    ),
    "a word": Row(_words(["<unk>", "a", "##s", "cls"]), "cls", {"CLS": 0}, ("a", "cl"), LOWER),
    "the middle of a wordpiece": Row(_words(["<unk>", "a", "##s"]), "##s", {"as": 1}, ("a", "sa"), {}),
    "word-level": Row(
        {"type": "WordLevel", "unk_token": "<unk>", "vocab": _vocab(["<unk>", "<s>", "a"])},
        "<s>",
        {"<S>": 0},
        ("a",),
        LOWER,
    ),
}

CALLS: dict[str, Callable[[ap.Tokenizer, str, Any], object]] = {
    "encode": lambda tok, text, specials: tok.encode(text, specials=specials),
    "encode_array": lambda tok, text, specials: tok.encode_array(text.encode(), specials=specials),
    "encode_batch": lambda tok, text, specials: tok.encode_batch(["", text], specials=specials),
    "encode_pair": lambda tok, text, specials: tok.encode_pair("", text, add_special=False, specials=specials),
    "encode_rows": lambda tok, text, specials: tok.encode_rows([text], pad_id=0, specials=specials),
    "encode_spans": lambda tok, text, specials: tok.encode_spans(text, specials=specials),
    "encode_spans_batch": lambda tok, text, specials: tok.encode_spans_batch([text], specials=specials),
    "encode_pieces": lambda tok, text, specials: tok.encode_pieces(text, specials=specials),
    "encode_piece_bytes": lambda tok, text, specials: tok.encode_piece_bytes(text, specials=specials),
    "count": lambda tok, text, specials: tok.count(text, 1, specials=specials),
    "count_batch": lambda tok, text, specials: tok.count_batch([text], specials=specials),
    "explain": lambda tok, text, specials: tok.explain(text, specials=specials).tokens,
    "lattice": lambda tok, text, specials: tok.lattice(text, specials=specials),
    "nbest": lambda tok, text, specials: tok.nbest(text, 2, specials=specials),
    "sample": lambda tok, text, specials: tok.sample(text, seed=1, specials=specials),
    "sample_array": lambda tok, text, specials: tok.sample_array(text, seed=1, specials=specials),
    "sample_batch": lambda tok, text, specials: tok.sample_batch([text], seed=1, specials=specials),
    "sample_steps": lambda tok, text, specials: tok.sample_steps(text, seed=1, specials=specials).ids,
    "sample_spans": lambda tok, text, specials: tok.sample_spans(text, seed=1, specials=specials),
}
STREAMS = {"stream_encoder"}
"""Takes ``"text"`` and ``"parse"`` alone."""


def _file(row: Row, path: Path) -> Path:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    names = [name for name, _ in row.model["vocab"]] if row.model["type"] == "Unigram" else list(row.model["vocab"])
    stages = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    token = {"id": names.index(row.name), "content": row.name, **flags}
    document = {"version": "1.0", **stages, **row.stages, "added_tokens": [token], "model": row.model}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_every_call_is_in_the_table() -> None:
    public = [name for name in dir(ap.Tokenizer) if not name.startswith("_") and callable(getattr(ap.Tokenizer, name))]
    taking = {name for name in public if "specials" in inspect.signature(getattr(ap.Tokenizer, name)).parameters}
    assert taking == set(CALLS) | STREAMS


@pytest.mark.parametrize("name", ROWS)
def test_what_would_become_a_special_piece(name: str, tmp_path: Path) -> None:
    row = ROWS[name]
    path = _file(row, tmp_path / "tokenizer.json")
    tok, library = ap.load(path), tokenizers.Tokenizer.from_file(str(path))
    library.encode_special_tokens = True
    special = tok.piece_to_id(row.name) if row.name != "Ġa" else 256
    for text, start in row.texts.items():
        assert special in library.encode(text, add_special_tokens=False).ids
        assert special not in tok.encode(text)
        assert tok.encode(text, specials={row.name}) == tok.encode(text)
        for call in CALLS:
            with pytest.raises(ap.InputError) as caught:
                CALLS[call](tok, text, "error")
            assert (caught.value.code, caught.value.facts["special"]) == ("special-in-text", row.name), call
            with pytest.raises(ap.InputError, match="once it is encoded"):
                CALLS[call](tok, text, frozenset())
        with pytest.raises(ap.InputError) as caught:
            tok.encode(text, specials="error")
        assert caught.value.facts["start"] == start
    for text in row.passing:
        assert special not in library.encode(text, add_special_tokens=False).ids
        assert tok.encode(text, specials="error") == tok.encode(text)


def test_it_is_found_in_long_texts_and_behind_others(tmp_path: Path) -> None:
    tok = ap.load(_file(ROWS["merges after a normalizer"], tmp_path / "t.json"))
    with pytest.raises(ap.InputError) as caught:
        tok.encode("a" * 100_000 + "<S>", specials="error")
    assert caught.value.facts["start"] == 100_000
    with pytest.raises(ap.InputError) as caught:
        tok.encode("<S><s>", specials="error")
    assert caught.value.facts["start"] == 0


MAP = build({"＜": "<", "ｓ": "s", "＞": ">", "＠": "@"})
CONTROLS = [("<unk>", 0.0, Kind.UNKNOWN), ("<s>", 0.0, Kind.CONTROL), ("▁@", 0.0, Kind.CONTROL)]
LETTERS = [(name, -float(rank), Kind.NORMAL) for rank, name in enumerate(["<", "s", ">", "a", "▁", "@"])]


@pytest.mark.parametrize("segmenter", ["unigram", "bpe", "char", "word"])
@pytest.mark.parametrize(("text", "name"), [("a＜ｓ＞", "<s>"), ("a ＠", "▁@"), ("＠", "▁@")])
def test_control_pieces_of_a_vocabulary_without_added_tokens(segmenter: Any, text: str, name: str) -> None:
    tok = ap.Tokenizer(Spec(Pieces.of([*CONTROLS, *LETTERS]), segmenter=segmenter, charsmap=MAP))
    with pytest.raises(ap.InputError) as caught:
        tok.encode(text, specials="error")
    assert (caught.value.code, caught.value.facts["special"]) == ("special-in-text", name)
    assert tok.encode(text, specials={name}) == tok.encode(text)
    assert tok.encode("a a＞", specials="error") == tok.encode("a a＞")


def test_greedy_matching_of_bytes() -> None:
    rows = [*((bytes([byte]), 0.0, Kind.NORMAL) for byte in range(256)), (b"<s>", 0.0, Kind.CONTROL)]
    plain = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    spec = Spec(Pieces.of(rows), segmenter="greedy", symbols="bytes", normalizer=({"type": "lowercase"},), **plain)
    tok = ap.Tokenizer(spec)
    assert 256 not in tok.encode("a<S>")
    with pytest.raises(ap.InputError, match="'<s>' at 1 once it is encoded"):
        tok.encode("a<S>", specials="error")
