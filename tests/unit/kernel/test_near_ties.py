"""Units whose best path depends on rounding have the ids of the reference path, wherever in a text they stand."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece.spec import Kind, Pieces, Spec
from tests.support.ours import reference_ids

if TYPE_CHECKING:
    from anypiece.spec import Arithmetic

NARROW, WIDE = "abc", "アイウ"


def vocabulary(rng: Random, letters: str, size: float, arithmetic: Arithmetic) -> Spec:
    """Pieces whose scores are nearly proportional to their lengths, so that all paths of a unit are nearly as good: the
    differences are of the size that rounding has at some cell on the way to 100,000."""
    rows = [("<unk>", 0.0, Kind.UNKNOWN), (" ", -size, Kind.NORMAL)]
    for length in (1, 2, 3):
        for row in product(letters, repeat=length):
            if length == 1 or rng.random() < 0.5:
                near = rng.choice((-1, 0, 1)) * 2.0 ** -rng.randrange(3, 14)
                rows.append(("".join(row), -size * length + near, Kind.NORMAL))
    return Spec(Pieces.of(rows), add_dummy_prefix=False, escape_whitespaces=False, arithmetic=arithmetic)


def text(rng: Random, letters: str, words: int) -> str:
    kept = ["".join(rng.choices(letters, k=rng.randrange(2, 12))) for _ in range(40)]
    return " ".join(rng.choice(kept) for _ in range(words))


@pytest.mark.parametrize("letters", [NARROW, WIDE])
@pytest.mark.parametrize("arithmetic", ["f32-rebased", "f64-compared", "f64"])
@pytest.mark.parametrize("size", [1.0, 9.0, 60.0, 390.0 / 3])
def test_ids_are_those_of_the_reference_path(letters: str, arithmetic: Arithmetic, size: float) -> None:
    rng = Random(f"{letters}{arithmetic}{size}")
    differing_places = 0
    for _ in range(12):
        tok = ap.Tokenizer(vocabulary(rng, letters, size, arithmetic))
        texts = [text(rng, letters, words) for words in (3, 30, 300, 3000)]
        for one in texts:
            ids = reference_ids(tok, one)
            assert tok.encode(one) == tok.encode(one, threads=2) == ids
            assert tok.encode(one.encode()) == ids
        # The first word comes again in other places: does it ever come out in another way?
        word, found = texts[2].split(" ")[0], set()
        for before in texts:
            found.add(tuple(tok.encode(f"{before} {word}")[len(tok.encode(f"{before} ")) :]))
            assert tok.encode(f"{before} {word}") == reference_ids(tok, f"{before} {word}")
        differing_places += len(found) > 1
    # With doubles no place makes a difference, and with small cells few do.
    assert differing_places or arithmetic == "f64" or size < 9
