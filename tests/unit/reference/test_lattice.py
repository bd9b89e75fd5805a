"""The reference lattice against the list of all paths, the kernel against the reference, and draws that are the same."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece import Kind, Lattice, Pieces, Spec, Tokenizer
from anypiece.reference import lattice as reference
from anypiece.reference import sampling
from anypiece.reference.philox import Numbers, limit, philox
from anypiece.reference.tokenizer import ReferenceTokenizer
from tests.support.merge_lists import OFF
from tests.support.small_vocabularies import BPE, BYTES, RANKS, UNIGRAM

ALPHAS = st.sampled_from([0.0, 0.1, 1.0, 3.7])
KEYS = st.fixed_dictionaries({name: st.integers(0, 2**64 - 1) for name in ("seed", "epoch", "index")})
METHODS = ("lattice", "viterbi", "reservoir")

# Multiples of an eighth add without rounding, and are often equal.
scores = st.integers(-40, 0).map(lambda eighths: eighths / 8)
names = st.text("ab▁é日", min_size=1, max_size=4)
texts = st.text("ab é日!", max_size=9)


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    """Small unigram vocabularies, with and without byte fallback, pieces that never match, and other arithmetics."""
    rows: list[tuple[str, float, Kind]] = [("<unk>", 0.0, Kind.UNKNOWN), ("aba", draw(scores), Kind.NORMAL)]
    kinds = st.sampled_from([*[Kind.NORMAL] * 8, Kind.UNUSED, Kind.USER_DEFINED])
    rows += [(name, draw(scores), draw(kinds)) for name in sorted(draw(st.sets(names, max_size=14)) - {"aba"})]
    falls_back = draw(st.booleans())
    if falls_back:
        rows += [(f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)]
    arithmetic = draw(st.sampled_from(["f32-rebased", "f64-compared", "f64"]))
    return Spec(Pieces.of(rows), byte_fallback=falls_back, arithmetic=arithmetic)


def both(spec: Spec, text: str) -> tuple[Lattice, reference.Lattice, str]:
    normalized = ReferenceTokenizer(spec).normalize(text)
    return Tokenizer(spec).lattice(text), reference.lattice_of(spec, normalized), normalized


def numbers_of(edges: reference.Path, lattice: reference.Lattice) -> tuple[int, ...]:
    return tuple(lattice.edges.index(edge) for edge in edges)


def total(path: reference.Path) -> float:
    return reference.score_of(path)


@given(specs(), texts, ALPHAS)
def test_sums_are_those_of_all_paths(spec: Spec, text: str, alpha: float) -> None:
    _, lattice, _ = both(spec, text)
    paths = lattice.paths()
    weights = [math.exp(alpha * total(path)) for path in paths]
    shares = [weight / sum(weights) for weight in weights]
    assert math.exp(lattice.log_partition(alpha)) == pytest.approx(sum(weights))
    assert lattice.backward(alpha)[0] == pytest.approx(lattice.log_partition(alpha))
    for edge, marginal in zip(lattice.edges, lattice.marginals(alpha), strict=True):
        through = sum(share for path, share in zip(paths, shares, strict=True) if edge in path)
        assert marginal == pytest.approx(through)
    assert lattice.entropy(alpha) == pytest.approx(-sum(share * math.log(share) for share in shares), abs=1e-9)
    mean = sum(share * len(path) for path, share in zip(paths, shares, strict=True))
    assert lattice.expected_edges(alpha) == pytest.approx(mean)
    ranked = sorted(map(total, paths), reverse=True)
    assert [total(path) for path in lattice.nbest(7)] == ranked[:7]
    assert total(lattice.viterbi()) == ranked[0]
    assert len(set(lattice.nbest(1000))) == min(len(paths), 1000)


@given(specs(), texts)
def test_edges_and_paths_of_the_kernel(spec: Spec, text: str) -> None:
    kernel, lattice, normalized = both(spec, text)
    rows = zip(kernel.starts.tolist(), kernel.ends.tolist(), kernel.ids.tolist(), kernel.scores.tolist(), strict=True)
    assert [reference.Edge(*row) for row in rows] == lattice.edges
    assert kernel.bounds.tolist() == lattice.bounds
    best = kernel.viterbi()
    assert best.ids == ReferenceTokenizer(spec).encode(text)
    assert best.score == total(lattice.viterbi())
    found = kernel.nbest(9)
    assert [path.score for path in found] == [total(path) for path in lattice.nbest(9)]
    assert len({path.edges for path in found}) == len(found)
    for path in found:
        edges = tuple(lattice.edges[number] for number in path.edges)
        assert edges in lattice.paths()
        assert path.ids == reference.ids_of(spec, normalized, edges)


@given(specs(), texts, ALPHAS)
def test_sums_of_the_kernel(spec: Spec, text: str, alpha: float) -> None:
    kernel, lattice, normalized = both(spec, text)
    assert kernel.log_partition(alpha) == pytest.approx(lattice.log_partition(alpha), abs=1e-9)
    assert kernel.entropy(alpha) == pytest.approx(lattice.entropy(alpha), abs=1e-9)
    marginals = lattice.marginals(alpha)
    assert kernel.marginals(alpha).tolist() == pytest.approx(marginals, abs=1e-9)
    boundaries = np.zeros(lattice.length + 1)
    boundaries[0] = 1
    for edge, marginal in zip(lattice.edges, marginals, strict=True):
        boundaries[edge.end] += marginal
    assert kernel.boundaries(alpha).tolist() == pytest.approx(boundaries.tolist(), abs=1e-9)
    widths = [len(reference.ids_of(spec, normalized, (edge,))) for edge in lattice.edges]
    assert kernel.expected_tokens(alpha) == pytest.approx(float(np.dot(widths, marginals)), abs=1e-9)


@given(specs(), texts, ALPHAS, KEYS)
def test_draws_of_the_kernel(spec: Spec, text: str, alpha: float, key: dict[str, int]) -> None:
    kernel, lattice, normalized = both(spec, text)
    tokenizer = Tokenizer(spec)
    for method in METHODS:
        path = sampling.sample(lattice, method, alpha, **key)
        drawn = kernel.sample(alpha, method=method, **key)
        assert drawn.edges == numbers_of(path, lattice)
        assert drawn.log_probability == pytest.approx(alpha * total(path) - lattice.log_partition(alpha), abs=1e-9)
        options: Any = {"method": method, **key}
        assert tokenizer.sample(text, alpha, **options) == drawn.ids == reference.ids_of(spec, normalized, path)


@given(specs(), texts, ALPHAS, KEYS, st.integers(1, 6))
def test_draws_without_replacement(spec: Spec, text: str, alpha: float, key: dict[str, int], k: int) -> None:
    kernel, lattice, _ = both(spec, text)
    drawn = sampling.without_replacement(lattice, k, alpha, **key)
    found = kernel.sample_without_replacement(k, alpha, **key)
    assert len(drawn) == min(k, len(lattice.paths()))
    assert [path.edges for path in found] == [numbers_of(row.path, lattice) for row in drawn]
    assert [path.log_probability for path in found] == pytest.approx([row.log_probability for row in drawn], abs=1e-9)
    assert [path.log_inclusion for path in found] == pytest.approx([row.log_inclusion for row in drawn], abs=1e-9)


@given(st.sets(names, min_size=1, max_size=14), texts, ALPHAS, KEYS)
def test_draws_among_the_best(pieces: set[str], text: str, alpha: float, key: dict[str, int]) -> None:
    # Scores that are all different in every sum, so that the order of the best is the same.
    rows = [(name, -1 - 2.0**-place, Kind.NORMAL) for place, name in enumerate(sorted(pieces), 1)]
    spec = Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), *rows]))
    _, lattice, normalized = both(spec, text)
    listed = lattice.nbest(6)
    if len({total(path) for path in listed}) < min(6, len(lattice.paths())):
        return
    path = sampling.sample_nbest(lattice, 5, alpha, **key)
    options: Any = {"method": "nbest", "nbest": 5, **key}
    assert Tokenizer(spec).sample(text, alpha, **options) == reference.ids_of(spec, normalized, path)


STEPS = [reference.Edge(0, 1, 4, -1.0), reference.Edge(1, 2, 5, -1.0)]
EQUAL = [reference.Edge(0, 3, 1, -3.0), reference.Edge(1, 3, 2, -2.0), reference.Edge(2, 3, 3, -1.0)]
THREE = reference.Lattice([*STEPS, *EQUAL], 3, [0, 3])
"""Three ways to the end, all of score -3, that meet there."""


@pytest.mark.parametrize(
    ("method", "expected"),
    [("lattice", (1 / 3, 1 / 3, 1 / 3)), ("reservoir", (1 / 3, 1 / 3, 1 / 3)), ("viterbi", (1 / 4, 1 / 4, 1 / 2))],
)
def test_three_equal_edges(method: str, expected: tuple[float, ...]) -> None:
    counts = Counter(sampling.sample(THREE, method, 1.0, seed=seed)[-1].id for seed in range(20_000))
    chi = sum(
        (counts[id] - 20_000 * share) ** 2 / (20_000 * share) for id, share in zip((1, 2, 3), expected, strict=True)
    )
    assert chi < 27.6, "p > 1e-6 for two degrees of freedom"


@pytest.mark.parametrize("text", ["", "a", "abab aé", "ab!! ab", "aaaaaaabbb ab ab"])
@pytest.mark.parametrize("spec", [BPE, RANKS], ids=["scores", "ranks"])
def test_dropout_of_the_kernel(spec: Spec, text: str) -> None:
    text = text if spec is BPE else text.replace("a", "th").replace("b", "he ")
    tokenizer, normalized = Tokenizer(spec), ReferenceTokenizer(spec).normalize(text)
    drawn, dropout = set(), sampling.Dropout(spec)
    for share in (0.0, 0.1, 0.5, 1.0):
        for seed in range(40):
            ids = dropout.ids(normalized, share, seed=seed, epoch=2, index=seed * 3)
            assert ids == tokenizer.sample(text, share, method="dropout", seed=seed, epoch=2, index=seed * 3)
            drawn.add(tuple(ids))
    assert len(drawn) > (3 if len(text) > 5 else 0)


LETTERS = ["<unk>", "a", "b", "c", "ab", "bc", "abc", "aa", "aaa", "abab"]
MERGES = [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "a"), ("aa", "a"), ("a", "bc"), ("ab", "ab")]


@given(st.permutations(MERGES), st.text("abcx", max_size=12), st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), KEYS)
def test_dropout_of_merge_lists(pairs: list[tuple[str, str]], text: str, share: float, key: dict[str, int]) -> None:
    rows = [(name, 0.0, Kind.NORMAL if place else Kind.UNKNOWN) for place, name in enumerate(LETTERS)]
    merges = [(LETTERS.index(one), LETTERS.index(other), LETTERS.index(one + other)) for one, other in pairs]
    spec = Spec(Pieces.of(rows), "bpe", merges=np.array(merges, np.uint32), **OFF)
    options: Any = {"method": "dropout", **key}
    assert Tokenizer(spec).sample(text, share, **options) == sampling.Dropout(spec).ids(text, share, **key)


@pytest.mark.parametrize("spec", [UNIGRAM, BYTES], ids=["fused", "bytes"])
def test_texts_of_unknowns_alone(spec: Spec) -> None:
    kernel, lattice, normalized = both(spec, "xyz ☃")
    assert [path.ids for path in kernel.nbest(3)] == [
        reference.ids_of(spec, normalized, path) for path in lattice.nbest(3)
    ]
    assert kernel.sample(0.3, seed=1).ids == reference.ids_of(
        spec, normalized, sampling.sample(lattice, "lattice", 0.3, seed=1)
    )


def test_numbers() -> None:
    assert philox((2**64 - 1,) * 2, (2**64 - 1,) * 4)[3] == 0xA09CAEBF594F0BA0
    numbers = Numbers(1, place=5)
    assert [numbers.draw64() for _ in range(9)][4:8] == list(philox((1, 0), (1, 5, 0, 0)))
    assert Numbers(1).draw() << 32 | (Numbers(1).draw64() & 0xFFFFFFFF) == Numbers(1).draw64()
    assert (limit(0.0), limit(0.5), limit(1.0)) == (0, 2**63, 2**64 - 1)
    assert all(0 < Numbers(seed).uniform() < 1 for seed in range(100))
