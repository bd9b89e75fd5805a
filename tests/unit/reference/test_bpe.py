"""Score merges by hand, and against a naive loop that knows no agenda."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece.reference.bpe import Bpe
from anypiece.spec import Kind, Pieces, Spec


def bpe(rows: dict[str, float], unused: tuple[str, ...] = (), frozen: tuple[str, ...] = (), **changes: str) -> Bpe:
    kinds = dict.fromkeys(unused, Kind.UNUSED) | dict.fromkeys(frozen, Kind.USER_DEFINED)
    pieces = Pieces.of(
        [("<unk>", 0.0, Kind.UNKNOWN), *((name, score, kinds.get(name, Kind.NORMAL)) for name, score in rows.items())]
    )
    return Bpe(Spec(pieces, segmenter="bpe").replace(**changes))


def names(segmenter: Bpe, text: str) -> list[str]:
    raw = text.encode()
    return [raw[segment.start : segment.end].decode() for segment in segmenter.segment(raw)]


def naive(rows: dict[str, float], text: str) -> list[str]:
    """Look at all pairs, merge the best and leftmost, start again."""
    symbols = list(text)
    while True:
        pairs = [(rows[a + b], -i) for i, (a, b) in enumerate(pairwise(symbols)) if a + b in rows]
        if not pairs:
            return symbols
        left = -max(pairs)[1]
        symbols[left : left + 2] = [symbols[left] + symbols[left + 1]]


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=5), st.integers(-6, 6).map(float), min_size=1, max_size=25),
    st.text("abc", max_size=14),
)
def test_equals_the_naive_loop(rows: dict[str, float], text: str) -> None:
    assert names(bpe(rows), text) == naive(rows, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", ["a", "bc"]),
        ("aab", ["aa", "b"]),
        ("aaa", ["aa", "a"]),
        ("aaaa", ["aa", "aa"]),
        ("xab", ["x", "ab"]),
    ],
)
def test_by_hand(text: str, expected: list[str]) -> None:
    assert names(bpe({"a": -9, "b": -9, "c": -9, "ab": -2, "bc": -1, "aa": -1.5}), text) == expected


def test_unused_pieces_are_merged_through_and_taken_apart() -> None:
    rows = {"a": -9.0, "b": -9.0, "c": -9.0, "ab": -1.0, "abc": -2.0, "abcd": -3.0, "d": -9.0}
    segmenter = bpe(rows, unused=("ab", "abc"))
    assert names(segmenter, "abcd") == ["abcd"]
    assert names(segmenter, "abc") == ["a", "b", "c"]
    assert names(segmenter, "ab") == ["a", "b"]


def test_user_defined_pieces_are_frozen() -> None:
    rows = {"a": -9.0, "b": -9.0, "ab": -1.0, "<x>": 0.0, "a<x>": -0.5, "<x>b": -0.5}
    assert names(bpe(rows, frozen=("<x>",)), "a<x>b") == ["a", "<x>", "b"]


@pytest.mark.parametrize(("arithmetic", "expected"), [("f32-rebased", ["a", "bc"]), ("f64-compared", ["ab", "c"])])
def test_zeros_of_both_signs(arithmetic: str, expected: list[str]) -> None:
    rows = {"a": -1.0, "b": -1.0, "c": -1.0, "ab": -0.0, "bc": 0.0}
    assert names(bpe(rows, arithmetic=arithmetic), "abc") == expected


def test_order_is_that_of_the_numbers() -> None:
    scores = [-3.4e38, -2.0, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, 2.0, 3.4e38]
    order = [bpe({"a": 0.0})._order(score) for score in scores]
    assert order == sorted(order)
    assert len(set(order)) == len(order)
