"""Unigram against all segmentations there are, tie and rebase rules by hand, and the runner-up."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece.reference.unigram import Path, Segment, Unigram, second_best
from anypiece.spec import Kind, Pieces, Spec


def unigram(rows: dict[str, float], **changes: str) -> Unigram:
    pieces = Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), *((name, score, Kind.NORMAL) for name, score in rows.items())])
    return Unigram(Spec(pieces).replace(**changes))


def names(segmenter: Unigram, text: str) -> list[str]:
    raw = text.encode()
    return [raw[segment.start : segment.end].decode() for segment in segmenter.segment(raw)]


def all_paths(segmenter: Unigram, text: bytes, start: int = 0) -> list[Path]:
    if start == len(text):
        return [[]]
    edges = list(segmenter.edges(text, start))
    return [[edge, *rest] for edge in edges for rest in all_paths(segmenter, text, edge.end)]


def total(segmenter: Unigram, path: Path) -> float:
    return sum(float(segmenter.score(segment)) for segment in path)


# Multiples of an eighth add without rounding, so every arithmetic must find a best path.
eighths = st.integers(-80, 16).map(lambda n: n / 8)
vocabularies = st.dictionaries(st.text("abé", min_size=1, max_size=4), eighths, min_size=1, max_size=12)
arithmetics = st.sampled_from(["f32-rebased", "f64-compared", "f64"])


@given(vocabularies, st.text("abé", max_size=7), arithmetics)
def test_best_of_all_paths(rows: dict[str, float], text: str, arithmetic: str) -> None:
    segmenter, raw = unigram(rows, arithmetic=arithmetic), text.encode()
    best = max(total(segmenter, path) for path in all_paths(segmenter, raw))
    assert total(segmenter, segmenter.segment(raw)) == best


@given(vocabularies, st.text("abé", max_size=7))
def test_runner_up_is_the_second_of_all_paths(rows: dict[str, float], text: str) -> None:
    segmenter, raw = unigram(rows), text.encode()
    found = second_best(segmenter, raw)
    best = segmenter.segment(raw)
    others = [total(segmenter, path) for path in all_paths(segmenter, raw) if path != best]
    assert (found is None) == (not others)
    if found is not None:
        assert found[1] == max(others) == total(segmenter, found[0])
        assert found[0] != best
        assert [0, *(segment.end for segment in found[0])][-1] == len(raw)
        assert all(one.end == other.start for one, other in pairwise(found[0]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a", ["a"]), ("aa", ["aa"]), ("aaa", ["a", "aa"]), ("aaaa", ["aa", "aa"]), ("aaaaa", ["a", "aa", "aa"])],
)
def test_on_a_tie_the_last_piece_is_the_longest(text: str, expected: list[str]) -> None:
    assert names(unigram({"a": -1.0, "aa": -2.0}), text) == expected


def test_unknown_costs_ten_more_than_the_worst_piece() -> None:
    segmenter = unigram({"a": -1.0, "ab": -12.5, "c": -3.0})
    assert segmenter.unknown_score == np.float32(-22.5)
    assert names(segmenter, "ab") == ["ab"]
    assert names(unigram({"a": -1.0, "ab": -12.5, "c": -1.0, "b": -1.0}), "ab") == ["a", "b"]


def test_an_unknown_character_does_not_hide_longer_pieces() -> None:
    segmenter = unigram({"ab": -1.0})
    assert list(segmenter.edges(b"ab", 0)) == [Segment(0, 2, 1), Segment(0, 1, 0)]
    assert names(segmenter, "aab") == ["a", "ab"]


def test_rebase_happens_at_a_character_start_and_rounds_open_cells() -> None:
    segmenter = unigram({"a": -60000.0, "b": -50000.0, "ba": -70000.25})
    _, score = segmenter.best(b"ab", np.float32(0))
    assert score == np.float32(-110000.0), "past the bound, but no character starts here"
    path, score = segmenter.best(b"aba", np.float32(0))
    assert path == [Segment(0, 1, 1), Segment(1, 3, 3)]
    assert score == np.float32(-20000.25), "the last a starts past the bound, so the open end of ba loses 110000"
    _, score = segmenter.best(b"ab", np.float32(-100000.0))
    assert score == np.float32(-50000.0), "the bound itself is not past it; the start of b is"


def test_doubles_keep_what_floats_round_away() -> None:
    rows = {"ab": -1.0, "a": -0.5, "b": -0.5 + 2.0**-40}
    assert names(unigram(rows), "ab") == ["ab"]
    segmenter = unigram(rows, arithmetic="f64")
    exact = Pieces.of((segmenter.spec.pieces.piece(i), 0.0, k) for i, k in enumerate(segmenter.spec.pieces.kinds))
    exact = dataclasses.replace(exact, scores=np.array([0.0, *rows.values()]))
    assert names(Unigram(segmenter.spec.replace(pieces=exact)), "ab") == ["a", "b"]


def test_reserved_pieces_can_match_their_spelling() -> None:
    spec = unigram({"<": -1.0, "u": -1.0, ">": -1.0}, arithmetic="f64").spec
    assert [segment.id for segment in Unigram(spec).segment(b"<unk>")] == [1, 2, 0, 0, 3]
    assert list(Unigram(spec.replace(match_kinds="spelled")).segment(b"<unk>")) == [Segment(0, 5, 0)]


def test_without_rebase_scores_go_on() -> None:
    segmenter = unigram({"a": -60000.0}, arithmetic="f64-compared")
    assert segmenter.best(b"aaaa", np.float32(0))[1] == np.float32(-240000.0)
