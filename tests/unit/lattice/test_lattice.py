"""Lattices: everything that follows from the edges equals what the enumeration of all paths gives."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import Added, AddedFlag
from tests.support.gguf import GGUF_SPECS
from tests.support.lattice_paths import all_paths, tokenizer
from tests.support.small_vocabularies import BYTES, RANKS

LETTERS = "abé "

pieces = st.dictionaries(st.text("abé ", min_size=1, max_size=4), st.floats(-9, 0, width=32), min_size=1, max_size=14)
texts = st.text("abéx ", max_size=9)
alphas = st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0])


def pieces_of(lattice: ap.Lattice, path: ap.Path) -> tuple[str, ...]:
    return tuple(lattice.normalized[lattice.starts[e] : lattice.ends[e]].decode() for e in path.edges)


def log_sum(values: list[float]) -> float:
    most = max(values)
    return most + math.log(sum(math.exp(value - most) for value in values))


@given(pieces, texts, alphas)
def test_sums_are_those_over_all_paths(rows: dict[str, float], text: str, alpha: float) -> None:
    lattice = tokenizer(rows).lattice(text)
    paths = all_paths(rows, text)
    total = log_sum([alpha * score for score, _ in paths])
    assert lattice.log_partition(alpha) == pytest.approx(total, abs=1e-9)
    shares = [math.exp(alpha * score - total) for score, _ in paths]
    entropy = -sum(share * math.log(share) for share in shares if share > 0)
    assert lattice.entropy(alpha) == pytest.approx(entropy, abs=1e-9)
    assert lattice.expected_tokens(alpha) == pytest.approx(
        sum(share * len(path) for share, (_, path) in zip(shares, paths, strict=True)), abs=1e-9
    )
    expected: dict[tuple[int, str], float] = {}
    ends: dict[int, float] = {0: 1.0}
    for share, (_, path) in zip(shares, paths, strict=True):
        at = 0
        for piece in path:
            expected[at, piece] = expected.get((at, piece), 0.0) + share
            at += len(piece.encode())
            ends[at] = ends.get(at, 0.0) + share
    found = {
        (edge.start, lattice.normalized[edge.start : edge.end].decode()): float(share)
        for edge, share in zip(lattice.edges, lattice.marginals(alpha), strict=True)
    }
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(expected[key], abs=1e-9) for key in found)
    assert {at: share for at, share in enumerate(lattice.boundaries(alpha)) if share > 0} == pytest.approx(
        {at: share for at, share in ends.items() if share > 0}, abs=1e-9
    )


@given(pieces, texts, st.integers(1, 40))
def test_the_best_paths_are_the_best_of_all(rows: dict[str, float], text: str, n: int) -> None:
    lattice = tokenizer(rows).lattice(text)
    paths = all_paths(rows, text)
    found = lattice.nbest(n)
    assert [path.score for path in found] == pytest.approx([score for score, _ in paths[:n]], abs=1e-9)
    seen = [pieces_of(lattice, path) for path in found]
    assert len(set(seen)) == len(seen)
    by_pieces = {path: score for score, path in paths}
    assert [path.score for path in found] == pytest.approx([by_pieces[path] for path in seen], abs=1e-9)


@given(pieces, st.lists(texts, max_size=5), st.integers(1, 70))
def test_the_best_paths_by_lists_of_units_are_those_of_the_lattice(
    rows: dict[str, float], text: list[str], n: int
) -> None:
    tok = tokenizer(rows, add_dummy_prefix=True, escape_whitespaces=True)
    # Also when lists are cached, which become longer.
    for number in (2, n, 1, n):
        found, expected = tok.nbest(" ".join(text), number), tok.lattice(" ".join(text)).nbest(number)
        assert found.batch.tolist() == expected.batch.tolist()
        assert found.scores.tolist() == expected.scores.tolist()
        assert list(found) == list(expected)


def test_the_best_paths_of_many_words() -> None:
    words = {f"▁{first}{second}{third}": -9.0 for first in "abcde" for second in "abcde" for third in "abcde"}
    parts = {"▁": -2.0, "▁a": -3.0} | dict.fromkeys("abcde", -3.5) | {"ab": -5.5, "cd": -6.25, "bcd": -7.5}
    tok = tokenizer(words | parts, add_dummy_prefix=True, escape_whitespaces=True)
    text = " ".join(word[1:] for word in words)
    # Up to 16 units and 255 paths are put together in another way than more of them.
    few = ((5, 64), (16, 64), (16, 255), (16, 256), (17, 255))
    for count, n in (*few, (20, 300), (60, 64), (125, 64), (125, 126), (125, 1024)):
        shown = text[: 4 * count - 1]
        found, expected = tok.nbest(shown, n), tok.lattice(shown).nbest(n)
        assert found.batch.tolist() == expected.batch.tolist()
        assert found.scores.tolist() == expected.scores.tolist()


def test_near_ties_go_by_exact_scores_in_the_list_and_by_rounded_ones_in_encoding() -> None:
    """Behind nine thousand nats a float has no room for the difference, and the longer last piece wins."""
    tok = ap.Tokenizer(
        tokenizer({"x": -1000.0, "a": -1.0, "b": -1.00001, "ab": -2.00002}).spec.replace(arithmetic="f32-rebased")
    )
    for text, pieces in {"ab": ["a", "b"], "x" * 9 + "ab": [*"x" * 9, "ab"]}.items():
        assert tok.encode_pieces(text) == pieces
        lattice, best = tok.lattice(text), tok.nbest(text, 2)[0]
        assert [tok.id_to_piece(id) for id in best.ids] == [*text]
        assert best.score == max(path.score for path in lattice.nbest(10)) >= lattice.viterbi().score
        assert lattice.viterbi().ids == tok.sample(text, math.inf, seed=1) == tok.encode(text)
        assert tok.sample(text, math.inf, seed=1, method="nbest") == best.ids


def test_the_best_paths_of_odd_texts() -> None:
    tok = ap.load()
    for text in ("", " ", "x" * 80 + " y", "a\ud800b", b"a\xffb", "many words " * 20_000):
        assert tok.nbest(text, 3).batch.tolist() == tok.lattice(text).nbest(3).batch.tolist()


@given(pieces, texts)
def test_places_and_ids(rows: dict[str, float], text: str) -> None:
    tok = tokenizer(rows)
    lattice = tok.lattice(text)
    assert lattice.viterbi().ids == tok.encode(text)
    assert lattice.bounds[0] == 0
    assert lattice.bounds[-1] == len(text.encode())
    for edge in lattice.edges:
        assert text[slice(*edge.source)] == lattice.normalized[edge.start : edge.end].decode()
    for first, second in pairwise(zip(lattice.ends.tolist(), lattice.starts.tolist(), strict=True)):
        assert first <= second


@given(pieces, texts, alphas, st.integers(1, 12), st.booleans())
def test_without_replacement(rows: dict[str, float], text: str, alpha: float, k: int, best: bool) -> None:
    lattice = tokenizer(rows).lattice(text)
    paths = all_paths(rows, text)
    drawn = lattice.sample_without_replacement(k, alpha, seed=5, include_best=best)
    seen = [pieces_of(lattice, path) for path in drawn]
    assert len(set(seen)) == len(seen) == min(k, len(paths))
    total = log_sum([alpha * score for score, _ in paths])
    by_pieces = {path: alpha * score - total for score, path in paths}
    for path, name in zip(drawn, seen, strict=True):
        assert path.log_probability == pytest.approx(by_pieces[name], abs=1e-9)
        assert path.log_inclusion is not None
        assert path.log_inclusion <= 0
        if k >= len(paths):
            assert path.log_inclusion == 0  # also of the others besides the best, which is skipped
    if best:
        assert drawn[0].edges == lattice.viterbi().edges


def test_byte_fallback_and_added_tokens() -> None:
    tok = ap.load()
    extended = ap.extend(tok, ["<think>"])
    for text in ("naïve 🦊🫠 x", "", " ", "a<think>b 日本", "\ud800 a", "\x00"):
        for one in (tok, extended):
            lattice = one.lattice(text)
            assert lattice.viterbi().ids == one.encode(text)
            assert lattice.sample(0.3, seed=1).ids == one.sample(text, 0.3, seed=1)
    assert tok.lattice("🦊").expected_tokens() >= len(tok.encode("🦊")) - 1e-9


def test_the_unknown_piece_as_an_added_token_is_one_token() -> None:
    tok = ap.Tokenizer(BYTES.replace(added=Added.of([("<unk>", 0, AddedFlag.SPECIAL)])))
    lattice = tok.lattice("ab<unk>é日", specials="parse")
    assert lattice.viterbi().ids == tok.encode("ab<unk>é日", specials="parse")
    assert lattice.expected_tokens(math.inf) == len(lattice.viterbi().ids)


def test_bytes_that_are_no_text() -> None:
    lattice = ap.load().lattice(b"a\xffb")
    assert lattice.viterbi().ids == ap.load().encode(b"a\xffb")
    assert max(edge.source[1] for edge in lattice.edges) == 3


def test_pieces_of_bpe_have_no_scores() -> None:
    tok = ap.Tokenizer(RANKS)
    lattice = tok.lattice("the then")
    assert lattice.viterbi().ids == tok.encode("the then")
    assert not lattice.scores.any()
    assert lattice.log_partition(1) == lattice.log_partition(0) > 0
    with pytest.raises(ap.InputError, match="unigram") as caught:
        lattice.nbest(2)
    assert caught.value.code == "sample-method"


CONTROL, UNUSED = ap.Kind.CONTROL, ap.Kind.UNUSED


@pytest.mark.parametrize(
    ("kind", "reserved", "ids"),
    [
        (CONTROL, "unknown", [3, 0]),
        (CONTROL, "matched", [3, 0]),
        (UNUSED, "unknown", [3, 0]),
        (UNUSED, "matched", [3, 1, 0]),
    ],
)
def test_characters_that_no_text_matches(kind: ap.Kind, reserved: Any, ids: list[int]) -> None:
    rows = [
        ("<unk>", 0.0, ap.Kind.UNKNOWN),
        ("q", -1.0, kind),
        ("a", -2.0, ap.Kind.NORMAL),
        ("aa", -3.0, ap.Kind.NORMAL),
    ]
    tok = ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), segmenter="bpe", add_dummy_prefix=False, reserved=reserved))
    assert tok.lattice("aaqx").viterbi().ids == tok.encode("aaqx") == ids


def test_characters_that_become_bytes_have_the_id_of_the_unknown_piece() -> None:
    tok = ap.Tokenizer(GGUF_SPECS["gguf-llama"])
    lattice = tok.lattice("aé献")
    assert [edge.id for edge in lattice.edges if edge.piece == "献"] == [tok.unk_id]
    assert max(lattice.ids) < len(tok)
    for text in ("aé献", "z abab"):  # the second is a piece that is unused, and found like any other
        assert tok.lattice(text).viterbi().ids == tok.encode(text)


def test_edges_within_a_character_are_from_all_of_it() -> None:
    lattice = ap.Tokenizer(RANKS).lattice("日!")
    assert {edge.source for edge in lattice.edges} == {(0, 1), (1, 2)}
    assert {edge.source for edge in ap.Tokenizer(RANKS).lattice("日!".encode()).edges} >= {(0, 1), (0, 2), (2, 3)}


def test_units_are_independent() -> None:
    """A long text is the sum of its parts, where a cut point is between them."""
    tok = ap.load()
    words = " Hello world and others 42 x"
    whole = tok.lattice(words * 300)
    assert whole.log_partition(0.5) == pytest.approx(_summed(whole, 0.5), rel=1e-12)
    assert whole.entropy(0.5) == pytest.approx(300 * tok.lattice(words).entropy(0.5), rel=1e-12)


def _summed(lattice: ap.Lattice, alpha: float) -> float:
    """The partition over the whole text at once, by its definition."""
    forward = np.full(len(lattice.normalized) + 1, -np.inf)
    forward[0] = 0.0
    for start, end, score in zip(lattice.starts.tolist(), lattice.ends.tolist(), lattice.scores.tolist(), strict=True):
        forward[end] = np.logaddexp(forward[end], forward[start] + alpha * score)
    return float(forward[-1])


@pytest.mark.parametrize("alpha", [-0.1, math.nan, "1", None, True])
def test_alpha_is_a_number_that_is_not_negative(alpha: float) -> None:
    lattice = ap.load().lattice("Hello")
    for ask in (lattice.entropy, lattice.marginals, lattice.log_partition):
        with pytest.raises(ap.InputError, match="alpha"):
            ask(alpha)


@pytest.mark.parametrize("method", ["nbest", "dropout", "gibbs", None])
def test_methods_of_one_lattice(method: str) -> None:
    with pytest.raises(ap.InputError, match="method must be one of") as caught:
        ap.load().lattice("Hello").sample(0.1, seed=1, method=method)
    assert caught.value.code == "argument-value"


def test_extreme_temperatures() -> None:
    lattice = ap.load().lattice("Hello worlds, naïvely")
    best = lattice.viterbi()
    for alpha in (1e6, 1e300, math.inf):
        assert lattice.marginals(alpha)[list(best.edges)] == pytest.approx(1)
        assert lattice.entropy(alpha) == pytest.approx(0, abs=1e-12)
        assert lattice.sample(alpha, seed=1).edges == best.edges
    assert lattice.marginals(0).max() <= 1


def test_partition_at_the_largest_temperatures() -> None:
    even = tokenizer({"a": 0.0, "b": 0.0, "ab": 0.0}).lattice("abab")  # all paths alike, at any temperature
    assert {alpha: round(even.log_partition(alpha), 9) for alpha in (1.0, 1e50, 1e300)} == pytest.approx(
        dict.fromkeys((1.0, 1e50, 1e300), math.log(4))
    )
    ranks = ap.Tokenizer(RANKS).lattice("the the")
    assert ranks.log_partition(1e300) == pytest.approx(ranks.log_partition())
    scored = tokenizer({"a": -1.0, "b": -2.0, "ab": -2.5}).lattice("ab")
    assert scored.log_partition(1e200) == pytest.approx(-2.5e200)


@pytest.mark.parametrize("n", [0, -1, 1_000_001, 1.5, "2"])
def test_numbers_of_paths(n: int) -> None:
    lattice = ap.load().lattice("Hello")
    with pytest.raises(ap.InputError):
        lattice.nbest(n)
    with pytest.raises(ap.InputError):
        lattice.sample_without_replacement(n, seed=1)


def test_large_texts() -> None:
    tok = ap.load()
    text = "some words and others " * 5_000
    words = tok.lattice(text)
    assert math.isfinite(words.entropy())
    assert len(words.nbest(64)) == 64
    assert words.viterbi().ids == tok.encode(text)


def test_one_large_unit() -> None:
    tok = tokenizer({"a": -1.0, "aa": -1.5})
    lattice = tok.lattice("a" * 300_000)
    assert len(lattice.bounds) == 2
    assert lattice.log_partition(0) == pytest.approx(300_001 * math.log((1 + math.sqrt(5)) / 2) - math.log(5) / 2)
    assert lattice.nbest(2)[1].score == -150_000 * 1.5 - 0.5
    with pytest.raises(ap.InputError) as caught:
        lattice.nbest(100_000)
    assert caught.value.code == "lattice-too-large"
    with pytest.raises(ap.InputError) as caught:
        lattice.sample_without_replacement(100_000, seed=1)
    assert caught.value.code == "lattice-too-large"
    with pytest.raises(ap.InputError) as caught:
        ap.load().nbest("some words and others " * 2_000, 40_000)
    assert caught.value.code == "lattice-too-large"
    with pytest.raises(ap.InputError) as caught:
        tok.lattice("a" * (1 << 24) + "b")
    assert caught.value.code == "lattice-too-large"


def test_best_paths_of_a_unit_that_comes_again() -> None:
    """What one of many equal units makes longer is not made longer again by the others."""
    rows = {"a" * size: -2.0 * size - 0.001 * size**2 - 0.0001 * size**3 for size in range(1, 8)}
    rows |= {"a" * 8: -1.0, " ": -1.0}
    for count in (2, 5, 40):
        text = " ".join(["a" * 8] * count)
        tok = tokenizer(rows)
        quick, slow = tok.nbest(text, 1024), tok.lattice(text).nbest(1024)
        assert [(path.score, path.ids) for path in quick] == [(path.score, path.ids) for path in slow]


def test_all_paths_of_a_million() -> None:
    rows = {"a" * size: -float(size) for size in range(1, 5)}
    assert len(tokenizer(rows).nbest("a" * 14, 1_000_000)) == len(all_paths(rows, "a" * 14))


def test_what_has_no_lattice() -> None:
    tok = tokenizer({"a": 0.0}).replace(segmenter="word")
    with pytest.raises(ap.InputError) as caught:
        tok.lattice("a")
    assert caught.value.code == "lattice-unsupported"


SHOWN = {name: ap.Tokenizer(spec) for name, spec in {"bytes": BYTES, "ranks": RANKS}.items()} | {"default": ap.load()}


@pytest.mark.parametrize("name", SHOWN)
@given(text=st.text(st.sampled_from("aé ▁中\ud800\n")) | st.binary(max_size=9))
def test_places_count_characters_of_what_normalize_shows(name: str, text: str | bytes) -> None:
    tok = SHOWN[name]
    lattice = tok.lattice(text)
    shown, places = lattice.shown, lattice.places
    assert shown == tok.normalize(text)
    assert len(places) == len(lattice.normalized) + 1
    assert (places[0], places[-1]) == (0, len(shown))
    for edge in lattice.edges:
        found = shown[places[edge.start] : places[edge.end]]
        if tok.spec.symbols == "bytes":  # an edge may begin and end inside a character
            assert len(edge.piece_bytes) == edge.end - edge.start
            assert "\ufffd" in edge.piece or edge.piece == found
        else:
            assert edge.piece == found or edge.id == tok.unk_id


def test_places_of_bytes_that_are_not_utf8() -> None:
    lattice = ap.Tokenizer(RANKS).lattice(b"a\xe6\x97b\xc3\xa9")
    assert lattice.shown == "a\ufffd\ufffdbé"
    assert lattice.places.tolist() == [0, 1, 2, 3, 4, 4, 5]
