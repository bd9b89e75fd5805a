"""Steps of draws end with the ids of ``sample``, and every number leads to what was taken."""

from __future__ import annotations

import math
from typing import Any

import pytest

import anypiece as ap
from anypiece.reference import sampling
from anypiece.steps.data import Segment
from tests.support.merge_lists import MERGE_SPECS
from tests.support.small_vocabularies import BPE, BYTES, RANKS, SPECIALS, UNIGRAM
from tests.support.steps import assert_draw
from tests.support.vocabularies import BYTE_SPECS, SPECS

PATHS = {"unigram": UNIGRAM, "bytes": BYTES, "specials": SPECIALS, "deep": SPECS["unigram-deep"]}
PATHS |= {name: spec for name, spec in BYTE_SPECS.items() if spec.segmenter == "unigram"}
MERGED = {"bpe": BPE, "ranks": RANKS, **dict(list(MERGE_SPECS.items())[:6])}
TEXTS: tuple[str | bytes, ...] = ("", "ab abcab  é", "a🦊 b" * 4, b"a\xff b")


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("method", ["lattice", "viterbi", "reservoir", "nbest"])
def test_paths(name: str, method: Any) -> None:
    tok = ap.Tokenizer(PATHS[name])
    for text in TEXTS:
        for seed in range(4):
            found = assert_draw(tok, text, seed / 3, seed=seed, method=method, epoch=2, index=5)
            assert found.reproduced, found.note


@pytest.mark.parametrize("name", MERGED)
def test_merges_skipped(name: str) -> None:
    tok = ap.Tokenizer(MERGED[name])
    for text in TEXTS:
        for seed in range(3):
            assert assert_draw(tok, text, 0.4, seed=seed, method="dropout").reproduced
    tries = [one for unit in tok.sample_steps("ab the", 0.5, seed=1, method="dropout").units for one in unit.tries]
    assert {one.outcome for one in tries} <= {"merged", "skipped", "stale"}
    assert all((one.number < 0.5) == (one.outcome == "skipped") for one in tries)


def test_sums_and_probability() -> None:
    tok = ap.Tokenizer(UNIGRAM)
    found = tok.sample_steps("ab", 1.0, seed=1)
    choices = found.units[0].draws[0].choices
    assert {"".join(choice.pieces): None for choice in choices} == {"▁ab": None}
    taken = choices[found.units[0].draws[0].taken]
    assert found.log_probability == pytest.approx(math.log(taken.share))
    assert found.units[0].path[0] == Segment(10, "▁ab", 0, 3)


def test_infinity_is_certain() -> None:
    found = ap.Tokenizer(UNIGRAM).sample_steps("ab", math.inf, seed=1)
    assert (list(found.ids), found.log_probability, found.reproduced) == (
        ap.Tokenizer(UNIGRAM).encode("ab"),
        0.0,
        False,
    )
    assert found.to_json()["alpha"] is None


def test_parted_texts_have_the_path_alone() -> None:
    tok = ap.Tokenizer(UNIGRAM.replace(added=ap.Added.of([("<s>", 1, ap.AddedFlag.SPECIAL)])))
    notes = {assert_draw(tok, "ab<s>ab<s>aab", 0.1, seed=seed, specials="parse").note for seed in range(20)}
    assert any("special tokens" in note for note in notes)


def test_long_texts() -> None:
    for method in ("lattice", "dropout"):
        tok = ap.Tokenizer(UNIGRAM if method == "lattice" else BPE)
        found = assert_draw(tok, "ab " * 300, 0.1, seed=1, method=method)
        assert (found.units, found.note) == ((), "the text is longer than 500: no steps")


def test_another_path_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "sample", lambda lattice, *_, **__: lattice.nbest(9)[-1])
    tok = ap.Tokenizer(UNIGRAM)
    with pytest.raises(ap.InternalError):
        [tok.sample_steps("ab", 1.0, seed=seed) for seed in range(9)]
