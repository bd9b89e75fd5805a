"""GGUF vocabularies of RWKV and PLaMo: llama.cpp's ids, and control tokens only where they are permitted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anypiece as ap
from anypiece import Kind
from anypiece.formats import gguf
from tests.support.data import ROOT
from tests.support.gguf import file_of

G = "tokenizer.ggml."
Row = tuple[str, float, int]
WORLD: list[Row] = [
    ("<s>", 0.0, 3),
    *((repr(bytes([byte]))[2:-1], 0.0, 1) for byte in range(256)),
    *(
        ("ab", 0.0, 1),
        ("abc", 0.0, 1),
        (r"\n\n", 0.0, 1),
        (r"\xe6\x97", 0.0, 1),
        (r"\\n", 0.0, 1),
        ("[PAD262]", 0.0, 5),
    ),
]
RECORDED = json.loads((ROOT / "tests" / "cases" / "gguf" / "plamo2.json").read_text(encoding="utf-8"))
"""What llama.cpp's own tokenizer of this kind returned."""
PLAMO: list[Row] = [
    *(("<|plamo:unk|>", 0.0, 2), ("<|plamo:bos|>", 0.0, 3), ("<|plamo:eos|>", 0.0, 3), ("<|plamo:pad|>", 0.0, 3)),
    *((f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)),
    *((text, score, kind) for text, score, kind in RECORDED["tokens"]),
]


def tok_of(model: str, rows: list[Row], more: dict[str, tuple[str, Any]] | None = None) -> ap.Tokenizer:
    return ap.Tokenizer(gguf.read(file_of(model, rows, more))[0])


def code_of(data: bytes, **options: str) -> str:
    with pytest.raises(ap.AnyPieceError) as caught:
        ap.Tokenizer(gguf.read(data, **options)[0])
    return caught.value.code


class TestRwkv:
    def test_the_longest_bytes(self) -> None:
        tok = tok_of("rwkv", WORLD)
        assert tok.encode("abcab\n\n") == [258, 257, 259]
        assert tok.encode("日") == [260, 1 + 0xA5]
        assert tok.encode(r"\n") == [261]
        assert tok.encode("[PAD262]x") == [262, 1 + ord("x")]
        assert tok.encode(b"\xff\0") == [256, 1]
        assert tok.decode_bytes(tok.encode(b"\xffab\n\n")) == b"\xffab\n\n"

    def test_control_tokens_only_where_permitted(self) -> None:
        tok = tok_of("rwkv", WORLD)
        assert tok.kind(0) == Kind.CONTROL
        assert 0 not in tok.encode("a<s>b")
        assert tok.encode("a<s>b", specials="parse") == [98, 0, 99]
        assert tok.decode([98, 0, 99]) == "a<s>b"

    def test_nothing_is_put_around_a_text(self) -> None:
        more = {f"{G}bos_token_id": ("u32", 0), f"{G}add_bos_token": ("bool", True)}
        tok = tok_of("rwkv", WORLD, more)
        assert tok.encode("a", add_special=True) == [98]
        assert tok.bos_id == 0

    def test_there_and_back(self, tmp_path: Path) -> None:
        data = file_of("rwkv", WORLD)
        spec, origin = gguf.read(data)
        assert gguf.write(spec, origin) == data
        tok = ap.Tokenizer(spec)
        tok.save(tmp_path / "it.anypiece")
        assert ap.load(tmp_path / "it.anypiece").encode("abcab") == tok.encode("abcab")

    @pytest.mark.parametrize(
        ("row", "code"),
        [
            ((r"\xFF\x00", 0.0, 1), "gguf-unsupported"),
            ((r"\x4", 0.0, 1), "gguf-unsupported"),
            (("a\\", 0.0, 1), "gguf-unsupported"),
            ((r"\x61b", 0.0, 1), "spec-piece-duplicate"),
            ((r"<\n>", 0.0, 4), "gguf-unsupported"),
        ],
    )
    def test_refused_tokens(self, row: Row, code: str) -> None:
        assert code_of(file_of("rwkv", [*WORLD, row])) == code

    def test_refused_files(self) -> None:
        assert code_of(file_of("rwkv", [*WORLD[:1], *WORLD[2:]])) == "spec-bytes"
        assert code_of(file_of("rwkv", WORLD, {f"{G}add_space_prefix": ("bool", True)})) == "gguf-unsupported"
        assert code_of(file_of("rwkv", WORLD), dialect="sentencepiece") == "gguf-unsupported"
        assert code_of(file_of("rwkv", WORLD), pre="gpt-2") == "argument-value"


class TestPlamo:
    @pytest.mark.parametrize(("text", "ids"), RECORDED["cases"])
    def test_recorded(self, text: str, ids: list[int]) -> None:
        tok = tok_of("plamo2", PLAMO)
        assert tok.encode(text) == ids
        assert [token.id for token in tok.encode_spans(text)] == ids
        assert tok.decode(ids) == tok.decode_bytes(ids).decode() == text.removeprefix("\ufeff")
        assert tok.explain(text).difference is None

    def test_control_tokens_only_where_permitted(self) -> None:
        tok = tok_of("plamo2", PLAMO)
        assert not {0, 1, 2, 3} & set(tok.encode("a<|plamo:eos|><|plamo:unk|>"))
        assert tok.encode("a<|plamo:eos|>\ufeffb", specials="parse") == [260, 2, 261]
        assert tok.encode("a", add_special=True) == [260]
        assert (tok.bos_id, tok.eos_id, tok.unk_id) == (1, 2, 0)

    def test_bytes_that_are_no_text(self) -> None:
        tok = tok_of("plamo2", PLAMO)
        assert tok.encode(b"a\xff") == tok.encode("a\ufffd")

    def test_refused(self) -> None:
        assert code_of(file_of("plamo2", [("q", 0.0, 1), *PLAMO[1:]])) == "gguf-unsupported"
        assert code_of(file_of("plamo2", [*PLAMO[:9], *PLAMO[10:]])) == "spec-bytes"
        assert code_of(file_of("plamo2", [*PLAMO, ("q", -1000.0, 1)])) == "spec-score"
        assert code_of(file_of("plamo2", PLAMO, {f"{G}add_space_prefix": ("bool", True)})) == "gguf-unsupported"
        assert code_of(file_of("plamo2", PLAMO), dialect="sentencepiece") == "gguf-unsupported"
        rows = [PLAMO[4], *PLAMO[:4], *PLAMO[5:]]
        moved = {f"{G}unknown_token_id": ("u32", 1)}
        assert code_of(file_of("plamo2", rows, moved)) == "gguf-unsupported"


def test_scores_may_be_whole_numbers() -> None:
    more = {f"{G}scores": ("i32[]", np.array([-1] * len(PLAMO), np.int32))}
    assert tok_of("plamo2", PLAMO, more).encode("ab") == [262]
