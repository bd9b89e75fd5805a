"""The proof of cuts by trial: segmenting unit by unit equals segmenting the whole, for every segmenter and arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypiece.reference.bpe import Bpe
from anypiece.reference.char import Char
from anypiece.reference.cuts import finer_units, joined, pairs, units, word_units
from anypiece.reference.unigram import Path, Segment, Unigram
from anypiece.reference.word import Word
from anypiece.spec import Kind, Pieces, Spec

SEGMENTERS = {"bpe": Bpe, "char": Char, "word": Word}
KINDS = [Kind.NORMAL, Kind.NORMAL, Kind.NORMAL, Kind.USER_DEFINED, Kind.UNUSED]

alphabet = "abcé▁"
scores = st.floats(-30, 3, width=32) | st.sampled_from([-1.0, -2.0, -0.0, 0.0])
pieces = st.dictionaries(
    st.text(alphabet, min_size=1, max_size=4), st.tuples(scores, st.sampled_from(KINDS)), min_size=1, max_size=14
)
texts = st.text(alphabet + "xy", max_size=40)


def spec_of(rows: dict[str, tuple[float, Kind]], **changes: Any) -> Spec:
    listed = [("<unk>", 0.0, Kind.UNKNOWN), *((name, score, kind) for name, (score, kind) in rows.items())]
    return Spec(Pieces.of(listed)).replace(**changes)


def both(text: str, spec: Spec) -> list[list[str]]:
    """The units by pairs, and those by trigrams, of which there are as many or more."""
    found = [units(text, pairs(spec)), finer_units(text, joined(spec))]
    assert ["".join(parts) for parts in found] == [text, text]
    assert len(found[0]) <= len(found[1])
    return found


def shifted(path: Path, by: int) -> Path:
    return [Segment(start + by, end + by, piece) for start, end, piece in path]


@given(pieces, texts, st.sampled_from(sorted(SEGMENTERS)))
@settings(max_examples=300)
def test_merging_and_matching_unit_by_unit(listed: dict[str, tuple[float, Kind]], text: str, kind: str) -> None:
    spec = spec_of(listed, segmenter=kind)
    segmenter = SEGMENTERS[kind](spec)
    for parts in [word_units(text)] if kind == "word" else both(text, spec):
        assert "".join(parts) == text
        found: Path = []
        for part in parts:
            found += shifted(segmenter.segment(part.encode()), found[-1].end if found else 0)
        assert found == segmenter.segment(text.encode())


@given(pieces, texts, st.sampled_from(["f32-rebased", "f64-compared"]), st.sampled_from(["length-bonus", "near-best"]))
@settings(max_examples=300)
def test_viterbi_unit_by_unit(listed: dict[str, tuple[float, Kind]], text: str, arithmetic: str, bonus: str) -> None:
    check_viterbi(spec_of(listed, arithmetic=arithmetic, user_defined_score=bonus), text)


def check_viterbi(spec: Spec, text: str) -> None:
    """With the score of the cell at each cut handed on, the units give the path of the whole, and its last score."""
    segmenter = Unigram(spec)
    expected, expected_score = segmenter.best(text.encode(), np.float32(0))
    for parts in both(text, spec):
        found: Path = []
        score = np.float32(0)
        for part in parts:
            path, score = segmenter.best(part.encode(), score)
            found += shifted(path, found[-1].end if found else 0)
        assert found == expected
        assert score == expected_score


@pytest.mark.parametrize("arithmetic", ["f32-rebased", "f64-compared"])
def test_viterbi_unit_by_unit_past_the_rebase(arithmetic: str) -> None:
    """Scores so large that a rebase comes every few characters, and inside units as well as at their edges."""
    rows = {
        name: (score, Kind.NORMAL)
        for name, score in {
            "a": -30000.3,
            "aa": -60000.7,
            "ab": -59999.9,
            "b": -29999.7,
            "bc": -66000.1,
            "c": -35999.9,
        }.items()
    }
    for text in ("abcab" * 9, "aab" * 15 + "c" * 7, "xabcy" * 8, "c" * 30):
        check_viterbi(spec_of(rows, arithmetic=arithmetic), text)


def test_the_score_at_the_cut_matters() -> None:
    """The same unit after other text may come out otherwise: why a unit's answer cannot always be taken from a table."""
    rows = {
        name: (score, Kind.NORMAL)
        for name, score in {"a": -3.3333333, "aa": -6.6666665, "aaa": -10.000001, "b": -1.0}.items()
    }
    segmenter = Unigram(spec_of(rows))
    answers = {
        tuple(segmenter.best(b"a" * 7, np.float32(score))[0])
        for score in (0.0, -100.0, -1000.0, -5000.0, -20000.0, -90000.0)
    }
    assert len(answers) > 1


def test_pairs_count_every_piece_that_text_can_become() -> None:
    rows = {
        "ab": (0.0, Kind.NORMAL),
        "cd": (0.0, Kind.UNUSED),
        "ef": (0.0, Kind.USER_DEFINED),
        "gh": (0.0, Kind.CONTROL),
    }
    assert pairs(spec_of(rows)) == {("a", "b"), ("c", "d"), ("e", "f")}
    assert pairs(spec_of(rows, segmenter="char")) == {("e", "f")}


def test_units_by_hand() -> None:
    assert units("", set()) == []
    assert units("abc", set()) == ["a", "b", "c"]
    assert units("abcab", {("a", "b"), ("c", "a")}) == ["ab", "cab"]
    assert word_units("") == []
    assert word_units("▁a▁") == ["▁a", "▁"]
