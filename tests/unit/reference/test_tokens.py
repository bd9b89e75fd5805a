"""From segments to tokens, templates and back to text, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece.errors import DecodeError, InputError, UnknownIdError
from anypiece.reference import ReferenceTokenizer
from anypiece.reference.tokens import Token
from anypiece.spec import Kind, Pieces, Spec
from tests.support.charsmap_builder import build

ROWS: list[tuple[str, float, Kind]] = [
    ("<unk>", 0.0, Kind.UNKNOWN),
    ("<s>", 0.0, Kind.CONTROL),
    ("</s>", 0.0, Kind.CONTROL),
    ("▁", -1.0, Kind.NORMAL),
    ("a", -2.0, Kind.NORMAL),
    ("▁a", -1.5, Kind.NORMAL),
]
BYTES = [(f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)]
FIRST = len(ROWS)
SPEC = Spec(Pieces.of(ROWS), bos_id=1, eos_id=2)
FALLBACK = Spec(Pieces.of([*ROWS, *BYTES]), bos_id=1, eos_id=2, byte_fallback=True)


def test_unknowns_fuse() -> None:
    tokens = ReferenceTokenizer(SPEC).encode_spans("ax yza日")
    assert tokens == [
        Token(5, "▁a", 0, 1),
        Token(0, "x", 1, 2),
        Token(3, "▁", 2, 3),
        Token(0, "yz", 3, 5),
        Token(4, "a", 5, 6),
        Token(0, "日", 6, 9),
    ]


def test_bytes_do_not_fuse_and_the_last_has_the_span() -> None:
    tokens = ReferenceTokenizer(FALLBACK).encode_spans("日é")
    expected = [(0xE6, 0, 0), (0x97, 0, 0), (0xA5, 0, 3), (0xC3, 3, 3), (0xA9, 3, 5)]
    assert tokens == [
        Token(3, "▁", 0, 0),
        *(Token(FIRST + byte, f"<0x{byte:02X}>", start, end) for byte, start, end in expected),
    ]


def test_char_spans() -> None:
    tokens = ReferenceTokenizer(SPEC).encode_spans("日a日 a", chars=True)
    assert [(token.piece, token.start, token.end) for token in tokens] == [
        ("▁", 0, 0),
        ("日", 0, 1),
        ("a", 1, 2),
        ("日", 2, 3),
        ("▁a", 3, 5),
    ]


def test_expansion_leaves_all_but_the_last_piece_empty() -> None:
    spec = SPEC.replace(charsmap=build({"ⓐ": "aa"}), add_dummy_prefix=False)
    tokens = ReferenceTokenizer(spec).encode_spans("xⓐ")
    assert [(token.piece, token.start, token.end) for token in tokens] == [("x", 0, 1), ("a", 1, 1), ("a", 1, 4)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [5, 0, 4]),
        ({"reverse": True}, [4, 0, 5]),
        ({"bos": True}, [1, 5, 0, 4]),
        ({"eos": True}, [5, 0, 4, 2]),
        ({"reverse": True, "bos": True, "eos": True}, [1, 4, 0, 5, 2]),
    ],
)
def test_template(options: dict[str, bool], expected: list[int]) -> None:
    assert ReferenceTokenizer(SPEC).encode("axa", **options) == expected


def test_template_marks_and_names() -> None:
    tokens = ReferenceTokenizer(SPEC).encode_spans("axya", bos=True, eos=True, unk=True)
    assert tokens == [
        Token(1, "<s>", 0, 0),
        Token(5, "▁a", 0, 1),
        Token(0, "<unk>", 1, 3),
        Token(4, "a", 3, 4),
        Token(2, "</s>", 4, 4),
    ]


def test_template_without_the_piece() -> None:
    with pytest.raises(InputError) as caught:
        ReferenceTokenizer(SPEC.replace(eos_id=None)).encode("a", eos=True)
    assert caught.value.code == "special-missing"


@pytest.mark.parametrize(
    ("changes", "ids", "expected"),
    [
        ({}, [5, 5], "a a"),
        ({}, [1, 5, 2], "a"),
        ({}, [3, 3, 5], "a"),
        ({"remove_extra_whitespaces": False}, [3, 3, 5], "  a"),
        ({"remove_extra_whitespaces": False, "add_dummy_prefix": False}, [5], " a"),
        ({}, [0], " \u2047 "),
        ({}, [0, 5], " \u2047  a"),
        ({"unk_surface": ""}, [0, 5], "a"),
        ({"denormalizer": build({"a": "A", " A": "!"})}, [5, 5], "A A"),
    ],
)
def test_decode(changes: dict[str, Any], ids: list[int], expected: str) -> None:
    assert ReferenceTokenizer(SPEC.replace(**changes)).decode(ids) == expected


@pytest.mark.parametrize(
    ("raw", "replaced", "ignored"),
    [(b"\xe6\x97\xa5", "日", "日"), (b"\xe6\x97", "\ufffd\ufffd", ""), (b"a\xffb", "a\ufffdb", "ab")],
)
def test_decode_bytes(raw: bytes, replaced: str, ignored: str) -> None:
    tokenizer = ReferenceTokenizer(FALLBACK)
    ids = [FIRST + byte for byte in raw]
    assert tokenizer.decode(ids) == replaced
    assert tokenizer.decode(ids, errors="ignore") == ignored
    assert tokenizer.decode_bytes(ids) == raw
    if replaced != ignored:
        with pytest.raises(DecodeError) as caught:
            tokenizer.decode(ids, errors="strict")
        assert caught.value.code == "decode-invalid"


def test_a_control_piece_ends_a_run_of_bytes() -> None:
    tokenizer = ReferenceTokenizer(FALLBACK)
    ids = [FIRST + 0xE6, 1, FIRST + 0x97, FIRST + 0xA5]
    assert tokenizer.decode(ids) == "\ufffd" * 3
    assert tokenizer.decode_bytes(ids) == "日".encode()


@pytest.mark.parametrize("piece", [-1, len(ROWS)])
def test_decode_of_an_id_outside(piece: int) -> None:
    with pytest.raises(UnknownIdError) as caught:
        ReferenceTokenizer(SPEC).decode([5, piece])
    assert caught.value.code == "id-out-of-range"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_fallback_loses_nothing_but_spaces(text: str) -> None:
    """With byte fallback and spaces left alone, decoding gives the text back, except that "▁" was a space all along."""
    tokenizer = ReferenceTokenizer(FALLBACK.replace(remove_extra_whitespaces=False))
    assert tokenizer.decode(tokenizer.encode(text)) == text.replace("▁", " ")
