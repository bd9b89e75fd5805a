"""Draws: distributions as enumeration gives them, and the same ids for the same seed however they are asked for."""

from __future__ import annotations

import copy
import math
import pickle
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.reference.philox import Numbers
from anypiece.text.sampling import Method
from tests.support.bytepiece import BYTE_COUNTS, bytepiece_spec
from tests.support.chances import assert_fits
from tests.support.lattice_paths import PLAIN, all_paths, tokenizer
from tests.support.small_vocabularies import BPE, RANKS

DRAWS = 100_000
ROWS = {"a": -2.0, "b": -2.5, "ab": -3.0, "ba": -3.5, "aba": -4.0, "bb": -4.5, "abab": -6.0}
TEXT = "ababba"

Outcome = tuple[str, ...]


def drawn(tok: ap.Tokenizer, text: str, alpha: float, method: Method = "lattice", **more: Any) -> list[Outcome]:
    batch = tok.sample_batch([text] * DRAWS, alpha, seed=11, method=method, **more)
    names = [tok.id_to_piece(id) for id in range(tok.vocab_size)]
    flat = [names[id] for id in batch.ids.tolist()]
    ends = batch.offsets.tolist()
    return [tuple(flat[start:end]) for start, end in pairwise(ends)]


def exact(rows: dict[str, float], text: str, alpha: float, n: int | None = None) -> dict[Outcome, float]:
    paths = all_paths(rows, text)[:n]
    weights = {path: math.exp(alpha * (score - paths[0][0])) for score, path in paths}
    total = math.fsum(weights.values())
    return {path: weight / total for path, weight in weights.items()}


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.7, 1.0, 2.0])
@pytest.mark.parametrize("method", ["lattice", "reservoir"])
def test_exact_distribution(alpha: float, method: Method) -> None:
    assert_fits(drawn(tokenizer(ROWS), TEXT, alpha, method), exact(ROWS, TEXT, alpha))


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_several_units_at_once(alpha: float) -> None:
    text = "ab aba bb"
    rows = ROWS | {" ": -1.0, " a": -2.0}
    assert_fits(drawn(tokenizer(rows), text, alpha), exact(rows, text, alpha))


def test_a_unit_too_long_to_be_kept() -> None:
    rows = {"é" * size: -float(size) for size in (40, 41)} | {"é": -1.0}
    text = "é" * 41
    tok = tokenizer(rows)
    assert len(text.encode()) > 64
    assert_fits(drawn(tok, text, 0.1), exact(rows, text, 0.1))


@pytest.mark.parametrize("method", ["lattice", "reservoir"])
def test_pieces_of_bytes(method: Method) -> None:
    """BytePiece's vocabularies: pieces begin and end within characters."""
    counts = BYTE_COUNTS
    numbers = {piece: id for id, piece in enumerate(sorted(counts), 3)}
    tok = ap.Tokenizer(bytepiece_spec())
    text = "日日ab"
    shares = {piece.decode("latin-1"): count / sum(counts.values()) for piece, count in counts.items()}
    expected = exact({piece: math.log(share) for piece, share in shares.items()}, text.encode().decode("latin-1"), 0.5)
    batch = tok.sample_batch([text] * DRAWS, 0.5, seed=3, method=method)
    names = {id: piece.decode("latin-1") for piece, id in numbers.items()}
    assert_fits([tuple(map(names.__getitem__, ids)) for ids in batch.tolist()], expected)
    assert tok.lattice(text).log_partition(0) == pytest.approx(math.log(len(expected)))


def test_nbest() -> None:
    rows = {piece: score - 0.01 * number**2 for number, (piece, score) in enumerate(ROWS.items())}
    tok = tokenizer(rows)
    rows = {piece: tok.score(tok.piece_to_id(piece)) for piece in rows}
    batch = tok.sample_batch([TEXT] * 5_000, 0.5, seed=1, method="nbest", nbest=5)
    names = [tuple(map(tok.id_to_piece, ids)) for ids in batch.tolist()]
    assert_fits(names, exact(rows, TEXT, 0.5, 5))


def by_acceptance(rows: dict[str, float], text: str, alpha: float) -> dict[Outcome, float]:
    """What accepting each edge by a sigmoid gives: every outcome of every coin, with its probability."""
    states: dict[tuple[tuple[float, Outcome], ...], float] = {((0.0, ()),): 1.0}
    for end in range(1, len(text) + 1):
        after: defaultdict[tuple[tuple[float, Outcome], ...], float] = defaultdict(float)
        for state, share in states.items():
            kept: dict[tuple[float, Outcome] | None, float] = {None: 1.0}
            for start in range(end):
                piece = text[start:end]
                if piece not in rows:
                    continue
                new = (state[start][0] + rows[piece], (*state[start][1], piece))
                turned: defaultdict[tuple[float, Outcome] | None, float] = defaultdict(float)
                for old, part in kept.items():
                    accepted = 1.0 if old is None else 1 / (1 + math.exp(-alpha * (new[0] - old[0])))
                    turned[new] += part * accepted
                    turned[old] += part * (1 - accepted)
                kept = {old: part for old, part in turned.items() if part > 0}
            for last, part in kept.items():
                assert last is not None
                after[(*state, last)] += share * part
        states = dict(after)
    found: defaultdict[Outcome, float] = defaultdict(float)
    for state, share in states.items():
        found[state[-1][1]] += share
    return dict(found)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.5])
def test_sigmoid_acceptance(alpha: float) -> None:
    assert_fits(drawn(tokenizer(ROWS), "ababb", alpha, "viterbi"), by_acceptance(ROWS, "ababb", alpha))


def test_the_bias_of_sigmoid_acceptance() -> None:
    """Three edges of equal score lead to the end: the last is taken half of the time."""
    rows = {"abc": -3.0, "a": -1.0, "bc": -2.0, "b": -1.0, "c": -1.0}
    shares = by_acceptance(rows, "abc", 1.0)
    by_last = {last: sum(share for path, share in shares.items() if path[-1] == last) for last in ("abc", "bc", "c")}
    assert by_last == pytest.approx({"abc": 1 / 4, "bc": 1 / 4, "c": 1 / 2})
    tok = tokenizer(rows)
    assert_fits([path[-1] for path in drawn(tok, "abc", 1.0, "viterbi")], by_last)
    assert_fits([path[-1] for path in drawn(tok, "abc", 1.0, "reservoir")], dict.fromkeys(by_last, 1 / 3))


def test_without_replacement() -> None:
    """Drawn one after the other without putting back: the first two of a few paths."""
    rows = {"a": -1.0, "b": -1.5, "ab": -1.2, "ba": -2.0}
    tok = tokenizer(rows)
    lattice = tok.lattice("aba")
    single = exact(rows, "aba", 1.0)
    expected = {
        (one, two): share * single[two] / (1 - share) for one, share in single.items() for two in single if one != two
    }
    sampled, estimate = [], 0.0
    for seed in range(30_000):
        paths = lattice.sample_without_replacement(2, seed=seed)
        sampled.append(tuple(tuple(map(tok.id_to_piece, path.ids)) for path in paths))
        estimate += sum(math.exp(p.log_probability - p.log_inclusion) * p.score for p in paths)  # type: ignore[operator]
    assert_fits(sampled, expected)
    # Weighed by their probability of being drawn, they estimate any mean over all paths.
    mean = sum(share * sum(rows[piece] for piece in path) for path, share in single.items())
    assert estimate / 30_000 == pytest.approx(mean, rel=0.02)


@pytest.mark.parametrize("k", [2, 3])
def test_without_replacement_beside_the_best(k: int) -> None:
    rows = {"a": -1.0, "b": -1.5, "ab": -1.2, "ba": -2.0}
    lattice = tokenizer(rows).lattice("abab")
    total = 0.0
    for seed in range(20_000):
        paths = lattice.sample_without_replacement(k, seed=seed, include_best=True)
        total += sum(math.exp(p.log_probability - p.log_inclusion) for p in paths)  # type: ignore[operator]
    assert total / 20_000 == pytest.approx(1, rel=0.02)


# -- dropout


def dropped(merge: Any, coins: list[bool], drop: float) -> dict[Outcome, float]:
    """All outcomes of a merging that asks coins, with their probabilities."""
    found: defaultdict[Outcome, float] = defaultdict(float)
    waiting: list[list[bool]] = [coins]
    while waiting:
        fixed = waiting.pop()
        asked: list[bool] = []

        def coin(fixed: list[bool] = fixed, asked: list[bool] = asked) -> bool:
            asked.append(fixed[len(asked)] if len(asked) < len(fixed) else False)
            return asked[-1]

        result = merge(coin)
        share = math.prod(drop if passed else 1 - drop for passed in asked)
        found[result] += share
        waiting += [[*asked[:place], True] for place in range(len(fixed), len(asked))]
    return dict(found)


def by_score(scores: dict[str, float], text: str) -> Any:
    """SentencePiece's merging: a merge that is dropped is gone, unless a neighbour's merge proposes it anew."""

    def merge(coin: Any) -> Outcome:
        symbols: list[str | None] = list(text)
        agenda: list[tuple[float, int, int, str]] = []

        def propose(left: int, right: int) -> None:
            joined = f"{symbols[left]}{symbols[right]}"
            if joined in scores:
                agenda.append((-scores[joined], left, right, joined))

        def neighbour(at: int, step: int) -> int | None:
            at += step
            while 0 <= at < len(symbols) and symbols[at] is None:
                at += step
            return at if 0 <= at < len(symbols) else None

        for left in range(len(symbols) - 1):
            propose(left, left + 1)
        while agenda:
            agenda.sort()
            _, left, right, joined = agenda.pop(0)
            is_void = symbols[left] is None or symbols[right] is None or f"{symbols[left]}{symbols[right]}" != joined
            if is_void or coin():
                continue
            symbols[left], symbols[right] = joined, None
            before, after = neighbour(left, -1), neighbour(left, 1)
            if before is not None:
                propose(before, left)
            if after is not None:
                propose(left, after)
        return tuple(symbol for symbol in symbols if symbol is not None)

    return merge


@pytest.mark.parametrize("drop", [0.1, 0.5])
def test_dropout_of_scores(drop: float) -> None:
    scores = {"ab": -1.0, "ba": -2.0, "abab": -3.0, "aba": -4.0}
    listed = [("<unk>", 0.0, Kind.UNKNOWN), ("a", -9.0, Kind.NORMAL), ("b", -9.0, Kind.NORMAL)]
    rows = [*listed, *((piece, score, Kind.NORMAL) for piece, score in scores.items())]
    tok = ap.Tokenizer(Spec(Pieces.of(rows), segmenter="bpe", **PLAIN))
    expected = dropped(by_score(scores, "ababa"), [], drop)
    assert_fits(drawn(tok, "ababa", drop, "dropout"), expected)


def by_rank(ranks: dict[str, int], text: str) -> Any:
    """The merging of tokenizers: skipped merges come back after the next that is not, void or not."""

    def merge(coin: Any) -> Outcome:
        symbols: dict[int, str] = dict(enumerate(text))
        queue: list[tuple[int, int, str]] = []

        def after(at: int) -> int | None:
            return min((place for place in symbols if place > at), default=None)

        def before(at: int) -> int | None:
            return max((place for place in symbols if place < at), default=None)

        def propose(left: int | None, right: int | None) -> None:
            if left is not None and right is not None and symbols[left] + symbols[right] in ranks:
                joined = symbols[left] + symbols[right]
                queue.append((ranks[joined], left, joined))

        for left in range(len(text) - 1):
            propose(left, left + 1)
        passed: list[tuple[int, int, str]] = []
        while queue:
            queue.sort()
            top = queue.pop(0)
            if coin():
                passed.append(top)
                continue
            queue += passed
            passed.clear()
            _, left, joined = top
            right = after(left)
            if left not in symbols or right is None or symbols[left] + symbols[right] != joined:
                continue
            symbols[left] = joined
            del symbols[right]
            propose(before(left), left)
            propose(left, after(left))
        return tuple(symbols[place] for place in sorted(symbols))

    return merge


@pytest.mark.parametrize("drop", [0.2, 0.5])
def test_dropout_of_ranks(drop: float) -> None:
    ranks = {"th": 256, " t": 257, "he": 258, " th": 259, " the": 260}
    tok = ap.Tokenizer(RANKS)
    expected = dropped(by_rank(ranks, " the"), [], drop)
    assert_fits(drawn(tok, " the", drop, "dropout"), expected)


def test_dropout_of_none_and_of_all() -> None:
    for spec in (BPE, RANKS):
        tok = ap.Tokenizer(spec)
        for text in ("ab abc", "", "aa bb", *(["xyz"] if spec is RANKS else [])):
            assert tok.sample(text, 0.0, seed=1, method="dropout") == tok.encode(text)
            assert [token.id for token in tok.sample_spans(text, 0.0, seed=1, method="dropout")] == tok.encode(text)
            single = tok.sample(text, 1.0, seed=1, method="dropout")
            assert tok.decode(single) == tok.decode(tok.encode(text))
            assert all(len(tok.id_to_bytes(id).decode("latin-1" if spec is RANKS else "utf-8")) == 1 for id in single)


def test_dropout_keeps_bytes_that_stand_for_one_space() -> None:
    """Where no piece is the mark of a space, three byte pieces stand for it, of which two have no length."""
    rows = [("<unk>", 0.0, Kind.UNKNOWN), *((f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256))]
    rows += [("a", 0.0, Kind.NORMAL), ("b", 0.0, Kind.NORMAL), ("ab", 0.0, Kind.NORMAL)]
    spec = Spec(
        Pieces.of(rows), "bpe", merges=[[257, 258, 259]], byte_fallback=True, **(PLAIN | {"escape_whitespaces": True})
    )
    tok = ap.Tokenizer(spec)
    assert len(tok.encode("ab ab")) == 5
    assert tok.sample("ab ab", 0.0, seed=1, method="dropout") == tok.encode("ab ab")
    outcomes = {tuple(tok.sample("ab ab", 0.5, seed=seed, method="dropout")) for seed in range(60)}
    assert sorted(map(len, outcomes)) == [5, 6, 6, 7]
    assert {tok.decode(list(ids)) for ids in outcomes} == {tok.decode(tok.encode("ab ab"))}


# -- the same for the same seed


@given(st.text("ab é x", max_size=30), st.integers(0, 2**64 - 1), st.integers(0, 9), st.integers(0, 9))
def test_however_it_is_asked_for(text: str, seed: int, epoch: int, index: int) -> None:
    tok = ap.load()
    for method in ("lattice", "reservoir", "viterbi"):
        key = {"seed": seed, "epoch": epoch, "index": index, "method": method}
        ids = tok.sample(text, 0.2, **key)
        assert tok.sample_array(text, 0.2, **key).tolist() == ids
        assert tok.sample(text.encode(), 0.2, **key) == ids
        assert [token.id for token in tok.sample_spans(text, 0.2, **key)] == ids
        assert tok.lattice(text).sample(0.2, **key).ids == ids
        for threads in (1, 2, 8):
            batch = tok.sample_batch(["other", text, text], 0.2, threads=threads, **(key | {"index": index - 1}))
            assert batch[1].tolist() == ids
        assert tok.sampler(0.2, seed=seed, method=method)(text, index=index, epoch=epoch) == ids


def test_in_other_processes_and_threads() -> None:
    tok = ap.load()
    texts = [f"some words and number {number}" for number in range(400)]
    expected = [tok.sample(text, 0.1, seed=3, index=index) for index, text in enumerate(texts)]
    sampler = tok.sampler(0.1, seed=3)
    for one in (sampler, pickle.loads(pickle.dumps(sampler)), copy.deepcopy(sampler)):
        assert [one(text, index=index) for index, text in enumerate(texts)] == expected
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda row: sampler(row[1], index=row[0]), enumerate(texts))) == expected
    for threads in (1, 3, 8):
        assert sampler.batch(texts, index=0, threads=threads).tolist() == expected
    without = ap.Tokenizer(tok.spec, cache_slots=0)
    little = ap.Tokenizer(tok.spec, cache_slots=16)
    for other in (without, little):
        assert [other.sample(text, 0.1, seed=3, index=index) for index, text in enumerate(texts)] == expected


def test_known_draws() -> None:
    """These must never change: people repeat their runs by them."""
    tok = ap.Tokenizer(tokenizer(ROWS).spec)
    for text, known in KNOWN.items():
        assert [tok.sample(text, 0.5, seed=1, index=index) for index in range(4)] == known


KNOWN = {
    TEXT: [[3, 3, 2, 1], [1, 4, 2, 2, 1], [5, 2, 4], [1, 4, 2, 4]],
    "abba": [[3, 2, 1], [1, 2, 4], [3, 4], [1, 2, 2, 1]],
}
"""Of a unit with many paths, and of one with few."""


@pytest.mark.parametrize("alpha", [0.0, 0.1, 1.0])
def test_units_that_were_drawn_from_before(alpha: float) -> None:
    """Units with few paths, some more, and many, from the table and without one, and where numbers begin like a limit."""
    tok = ap.load()
    text = " ".join(
        ["a an and antidisestablishmentarianism uncharacteristically, reorganization! Hello 12345678 of"] * 400
    )
    whole = tok.lattice(text)
    for seed in range(4):
        ids = tok.sample(text, alpha, seed=seed)
        assert ids == whole.sample(alpha, seed=seed).ids
        assert tok.sample(text, alpha, seed=seed) == ids


def test_places_with_many_choices() -> None:
    """More edges from one place than are looked at together, and the largest number, which reaches every limit."""
    tok = tokenizer({"a" * length: -0.1 * length for length in range(1, 25)})
    texts = ["a" * 50, "a" * 63, "a" * 64]
    lattices = [tok.lattice(text) for text in texts]
    largest = 792
    assert Numbers(largest).first() == 0xFFFF
    for seed in (largest, *range(2000)):
        for text, lattice in zip(texts, lattices, strict=True):
            assert tok.sample(text, 0.0, seed=seed) == lattice.sample(0.0, seed=seed).ids


def test_groups_of_long_units() -> None:
    """Units that are looked up together have more places than numbers are made for at a time."""
    tok = ap.load()
    words = " ".join(["antidisestablishmentarianism", "uncharacteristically", "counterrevolutionaries"] * 100)
    lattice = tok.lattice(words)
    for seed in range(20):
        assert tok.sample(words, 0.1, seed=seed) == lattice.sample(0.1, seed=seed).ids


def test_coins_that_fell_before() -> None:
    """Outcomes of dropout are kept in a tree by the coins: the same as merging anew."""
    for spec in (BPE, RANKS):
        tok = ap.Tokenizer(spec)
        without = ap.Tokenizer(spec, cache_slots=0)
        texts = [f"{'the ' * (index % 9)}abab ab bb abc {'x' * (index % 80)}" for index in range(600)]
        for share in (0.1, 0.6):
            for index, text in enumerate(texts):
                key = {"seed": 5, "index": index % 40, "method": "dropout"}
                ids = tok.sample(text, share, **key)
                assert ids == without.sample(text, share, **key)
                assert ids == [token.id for token in tok.sample_spans(text, share, **key)]


def test_numbers_are_those_of_philox() -> None:
    tok = tokenizer({"a": -1.0, "aa": -2.0})
    paths = tok.nbest("a" * 12, 512).batch
    assert len(paths) == 233  # all of one score
    for seed, epoch, index in ((0, 0, 0), (7, 1, 2), (2**64 - 1, 2**63, 5)):
        counter = [0, 1, epoch, 2**64 - 1]
        # numpy counts one up before it draws.
        before = (sum(word << (64 * at) for at, word in enumerate(counter)) - 1) % 2**256
        words = [before >> (64 * at) & (2**64 - 1) for at in range(4)]
        theirs = np.random.Philox(counter=np.array(words, np.uint64), key=np.array([seed, index], np.uint64))
        place = int(((int(theirs.random_raw(1)[0]) >> 11) + 0.5) / 2**53 * len(paths))
        drawn = tok.sample("a" * 12, 0.5, seed=seed, epoch=epoch, index=index, method="nbest", nbest=512)
        assert drawn == paths[place].tolist()


def test_places_of_unknowns() -> None:
    tok = tokenizer({"a": -1.0, "b": -1.0})
    for seed in range(5):
        tokens = tok.sample_spans("axya", 0.5, seed=seed)
        assert [(token.piece, token.start, token.end) for token in tokens] == [("a", 0, 1), ("xy", 1, 3), ("a", 3, 4)]


def test_infinity_is_encoding() -> None:
    tok = ap.load()
    assert tok.sample("Hello naïve world", math.inf, seed=1) == tok.encode("Hello naïve world")
    assert tok.sample_batch(["Hello"], math.inf, seed=1)[0].tolist() == tok.encode("Hello")
    path = tok.lattice("Hello").sample(math.inf, seed=1)
    assert (path.ids, path.log_probability) == (tok.encode("Hello"), 0.0)
    assert tok.sample("Hello naïve world", 1e9, seed=1) == tok.encode("Hello naïve world")


def test_special_tokens_in_text() -> None:
    tok = ap.Tokenizer(RANKS)
    special = tok.piece_to_id("<|end|>")
    assert special in tok.sample("a<|end|>b", 0.1, seed=1, method="dropout", specials="parse")
    assert special not in tok.sample("a<|end|>b", 0.1, seed=1, method="dropout")
    with pytest.raises(ap.InputError):
        tok.sample("a<|end|>b", 0.1, seed=1, method="dropout", specials="error")


def test_large_texts() -> None:
    tok = ap.load()
    text = "some words and others 🦊 " * 40_000
    assert tok.decode(tok.sample(text, 0.1, seed=1)) == tok.decode(tok.encode(text))
    single = tokenizer({"a": -1.0, "aa": -1.5})
    ids = single.sample("a" * 1_000_000, 0.0, seed=1)
    assert 650_000 < len(ids) < 800_000


def test_draws_of_words_whose_groups_are_longer_than_a_window() -> None:
    tok = ap.load()
    words = [("segmentation" * 12)[: 1 + 7 * number % 140] for number in range(300)]
    for text in (" ".join(words), " ".join(words) + "日本語の文章" * 90, "a" * 70 + " " + "b " * 2000):
        for seed in (1, 2):
            assert tok.sample(text, 0.1, seed=seed) == tok.lattice(text).sample(0.1, seed=seed).ids
