"""PLaMo's best path: against all ways to cut short texts, and at the edges of its scores."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.inspect.doctor import examine
from anypiece.reference import ReferenceTokenizer

PLAIN: dict[str, Any] = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
HEAD = [("<unk>", 0.0, Kind.UNKNOWN), *[(f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)]]
BYTE = 1
"""The id of the first byte piece."""


def spec_of(scores: dict[str, float]) -> Spec:
    rows = [*HEAD, *[(piece, score, Kind.NORMAL) for piece, score in scores.items()]]
    return Spec(Pieces.of(rows), segmenter="plamo", byte_fallback=True, **PLAIN)


def every_way(text: str) -> list[list[str]]:
    places = range(1, len(text))
    cuts = [chosen for size in range(len(text)) for chosen in combinations(places, size)]
    return [[text[a:b] for a, b in pairwise([0, *chosen, len(text)])] for chosen in cuts]


def naive(scores: dict[str, float], text: str) -> list[str]:
    """Of all ways the best; of equals the one whose first piece is longest, then its second, and so on."""
    numbers = {piece: round(score * 10000) for piece, score in scores.items()}

    def cost(piece: str) -> int | None:
        return numbers.get(piece, -10_000_000 if len(piece) == 1 else None)

    ways = [(costs, way) for way in every_way(text) if None not in (costs := [cost(piece) for piece in way])]
    totals = [(sum(cost for cost in costs if cost is not None), [len(piece) for piece in way]) for costs, way in ways]
    return ways[totals.index(max(totals))][1]


@given(
    st.dictionaries(st.text("abé", min_size=1, max_size=4), st.sampled_from([-3.0, -2.0, -1.0, 0.0, 1.5]), min_size=1),
    st.text("abé", min_size=1, max_size=8),
)
def test_equals_the_best_of_all_ways(scores: dict[str, float], text: str) -> None:
    spec = spec_of(scores)
    tok, reference = ap.Tokenizer(spec), ReferenceTokenizer(spec)
    expected = naive(scores, text)
    assert tok.encode(text) == reference.encode(text)
    known = [tok.piece_to_id(piece, default=None) for piece in expected]
    spelled = [[BYTE + byte for byte in piece.encode()] for piece in expected]
    assert tok.encode(text) == [
        id for piece, bytes in zip(known, spelled, strict=True) for id in (bytes if piece is None else [piece])
    ]


@pytest.mark.parametrize(
    ("scores", "text", "pieces"),
    [
        ({"a": -1.0, "aa": -2.0}, "aaa", ["aa", "a"]),
        ({"a": -1.0, "aa": -2.00004}, "aaa", ["aa", "a"]),
        ({"a": -1.0, "aa": -2.00006}, "aaa", ["a", "a", "a"]),
        ({"a": -999.9999}, "a", ["a"]),
        ({"a": -1000.5}, "a", ["<0x61>"]),
        ({"ab": -1999.9999}, "ab", ["ab"]),
        ({"ab": -2000.0, "b": 1.0}, "ab", ["<0x61>", "b"]),
        ({"b": -1.0}, "é", ["<0xC3>", "<0xA9>"]),
    ],
)
def test_edges(scores: dict[str, float], text: str, pieces: list[str]) -> None:
    assert ap.Tokenizer(spec_of(scores)).encode_pieces(text) == pieces


def test_the_score_of_unknown_characters_is_refused() -> None:
    with pytest.raises(ap.SpecError) as caught:
        ap.Tokenizer(spec_of({"a": -1000.0}))
    assert caught.value.code == "spec-score"


def test_explained_and_examined() -> None:
    tok = ap.Tokenizer(spec_of({"a": -1.0, "aa": -1.5, "あ": -2.0}))
    assert tok.explain("aaaあ日").difference is None
    assert all(finding.severity != "error" for finding in examine(tok))
