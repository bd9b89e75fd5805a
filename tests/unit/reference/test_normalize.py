"""Normalizing, worked out by hand: text, offsets, and the rules for UTF-8 that everything counts by."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece.reference import utf8
from anypiece.reference.normalize import Normalizer
from anypiece.spec import Kind, Pieces, Spec
from tests.support.charsmap_builder import build

RULES: dict[str | bytes, str | bytes] = {"ﬁ": "fi", "\t": " ", "\x01": "", "ｶﾞ": "ガ", "①": " 1 "}
SPEC = Spec(
    Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), ("<x>", 0.0, Kind.USER_DEFINED), ("ﬁ!", 0.0, Kind.USER_DEFINED)]),
    charsmap=build(RULES),
)


@pytest.mark.parametrize(
    ("changes", "text", "expected", "offsets"),
    [
        ({}, "ab", "▁ab", [0, 0, 0, 0, 1, 2]),
        ({}, " a  b ", "▁a▁b", [1, 1, 1, 1, 2, 2, 2, 4, 5]),
        ({}, "", "", [0]),
        ({}, "   ", "", [0]),
        ({}, "ﬁ", "▁fi", [0, 0, 0, 0, 0, 3]),
        ({}, "ｶﾞ", "▁ガ", [0, 0, 0, 0, 0, 0, 6]),
        ({}, "a\x01", "▁a", [0, 0, 0, 0, 2]),
        ({}, "\x01", "", [0]),
        ({}, "a①b", "▁a▁1▁b", [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 4, 5]),
        ({}, "a ①", "▁a▁1", [0, 0, 0, 0, 1, 1, 1, 2, 2]),
        ({}, "<x>", "▁<x>", [0, 0, 0, 0, 0, 0, 3]),
        ({}, "ﬁ!", "▁ﬁ!", [0, 0, 0, 0, 0, 0, 0, 4]),
        ({}, b"\xffa", "▁\ufffda", [0, 0, 0, 0, 0, 0, 1, 2]),
        ({}, b"\xe6\x97", "▁\ufffd\ufffd", [0, 0, 0, 0, 0, 0, 1, 1, 1, 2]),
        ({"add_dummy_prefix": False}, " a", "a", [1, 2]),
        ({"remove_extra_whitespaces": False}, " a ", "▁▁a▁", [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 3]),
        ({"remove_extra_whitespaces": False}, " ", "▁▁", [0, 0, 0, 0, 0, 0, 1]),
        ({"escape_whitespaces": False}, "a b", " a b", [0, 0, 1, 2, 3]),
        ({"whitespace_as_suffix": True}, "a b", "a▁b▁", [0, 1, 1, 1, 2, 3, 3, 3, 3]),
        ({"whitespace_as_suffix": True}, "\x01", "▁", [1, 1, 1, 1]),
    ],
)
def test_by_hand(changes: dict[str, Any], text: str | bytes, expected: str, offsets: list[int]) -> None:
    found = Normalizer(SPEC.replace(**changes)).normalize(utf8.of_text(text))
    assert found.text.decode() == expected
    assert found.offsets == offsets


flags = st.fixed_dictionaries(
    {
        name: st.booleans()
        for name in ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces", "whitespace_as_suffix")
    }
)


@given(st.text("ab \tﬁ①\x01▁<x>!ｶﾞ\ud800", max_size=12) | st.binary(max_size=12), flags)
def test_offsets_rise_and_cover(text: str | bytes, changes: dict[str, bool]) -> None:
    raw = utf8.of_text(text)
    found = Normalizer(SPEC.replace(**changes)).normalize(raw)
    assert len(found.offsets) == len(found.text) + 1
    assert found.offsets == sorted(found.offsets)
    assert found.offsets[0] >= 0
    assert found.offsets[-1] <= len(raw)
    assert found.text.decode()[:1] != " " or not changes["escape_whitespaces"]


@given(st.binary(max_size=6))
def test_valid_length_is_what_python_decodes(raw: bytes) -> None:
    for start in range(len(raw)):
        length = utf8.valid_length(raw, start)
        decodable = [n for n in (1, 2, 3, 4) if start + n <= len(raw) and is_character(raw[start : start + n])]
        assert decodable == ([length] if length else [])


def is_character(raw: bytes) -> bool:
    try:
        return len(raw.decode()) == 1
    except UnicodeDecodeError:
        return False


@given(st.text(st.characters(), max_size=8))
def test_a_lone_surrogate_is_one_bad_byte_and_one_character(text: str) -> None:
    numbers = utf8.character_starts(text)
    assert len(numbers) == len(utf8.of_text(text)) + 1
    assert numbers[-1] == len(text)
    assert utf8.of_text(text).count(b"\xff") == sum("\ud800" <= character <= "\udfff" for character in text)


def test_a_bad_byte_of_bytes_is_one_character() -> None:
    assert utf8.character_starts("é!".encode()) == [0, 0, 1, 2]
    assert utf8.character_starts(b"\xe6a\xff") == [0, 1, 2, 3]
