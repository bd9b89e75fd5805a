"""The contract for draws: units end exactly where no piece has the two characters adjacent."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import accumulate, product
from random import Random
from string import ascii_lowercase

import pytest

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.reference import cuts
from anypiece.reference.lattice import lattice_of
from anypiece.reference.sampling import sample

IDEOGRAPHS = [chr(0x4E00 + 7 * number) for number in range(300)]


def vocabulary(characters: list[str], longer: list[str]) -> Spec:
    """A unigram vocabulary of characters and of longer pieces."""
    pieces = [(piece, -1.0 - number % 7, Kind.NORMAL) for number, piece in enumerate([*characters, *longer])]
    return Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), *pieces]))


def words() -> Spec:
    """Most lowercase letters are adjacent in pieces: the encoder then tests no pair of them."""
    pairs = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)]
    return vocabulary(
        ["▁", *ascii_lowercase], [*pairs[::2], *pairs[1::4], *["▁" + letter for letter in ascii_lowercase]]
    )


def ideographs() -> Spec:
    """Thousands of pairs beyond ASCII: the encoder's Bloom filter of them has false positives."""
    rng = Random(5)
    return vocabulary(["▁", *IDEOGRAPHS], sorted({"".join(rng.choices(IDEOGRAPHS, k=2)) for _ in range(4000)}))


VOCABULARIES: dict[str, tuple[Callable[[], Spec], str]] = {
    "words": (words, ascii_lowercase + " "),
    "ideographs": (ideographs, "".join(IDEOGRAPHS) + " "),
    "default": (lambda: ap.load().spec, ascii_lowercase + " " + "éàü日本語の。,.'0"),
}


@cache
def opened(name: str) -> tuple[ap.Tokenizer, set[tuple[str, str]]]:
    spec = VOCABULARIES[name][0]()
    return ap.Tokenizer(spec), cuts.pairs(spec)


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("size", [1, 63, 64, 65, 4095, 4096, 4097, 20_000])
def test_units_end_exactly_where_no_piece_has_the_pair(name: str, size: int) -> None:
    tok, pairs = opened(name)
    lattice = tok.lattice("".join(Random(size).choices(VOCABULARIES[name][1], k=size)))
    wanted = cuts.units(lattice.normalized.decode().replace(" ", "▁"), pairs)
    assert lattice.bounds.tolist() == [0, *accumulate(len(unit.replace("▁", " ").encode()) for unit in wanted)]


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("method", ["lattice", "viterbi", "reservoir"])
def test_the_kernel_draws_what_the_reference_draws(name: str, method: str) -> None:
    tok, _ = opened(name)
    for size in (40, 150):
        text = "".join(Random(size).choices(VOCABULARIES[name][1][:28], k=size)).strip()
        plain = lattice_of(tok.spec, tok.normalize(text))
        for seed in range(20):
            path = sample(plain, method, 0.3, seed=seed)
            assert [edge.id for edge in path] == tok.sample(text, 0.3, seed=seed, method=method)
