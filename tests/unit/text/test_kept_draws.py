"""What is drawn for a seed stays what it was: of long texts, by every method, with every kind of vocabulary.

Draws are compared with each other everywhere else, so that a change of where units begin, or of the order in which numbers
are used, would pass there. ``python -m tests.unit.text.test_kept_draws --update`` records them anew; the change log has to
name what changed.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from itertools import pairwise
from random import Random

import numpy as np
import pytest

import anypiece as ap
from anypiece.formats import bytepiece
from anypiece.text.sampling import Method
from tests.support.data import ROOT
from tests.support.small_vocabularies import BPE, RANKS

RECORD = ROOT / "tests" / "cases" / "draws" / "kept.json"
ALPHABETS = ("etaoinshrdlucmfwypvbgkjqxz", "abc", "のはをにがで日本語東京ーンアイ", "éàü ñ.,:;<>()'\"-_0123456789")


def text_of(seed: str, size: int) -> str:
    """Words of one alphabet each, mostly of the first, with marks between them."""
    rng, words, length = Random(seed), list[str](), 0
    while length < size:
        letters = ALPHABETS[max(0, int(rng.random() * 10) - 6)]
        word = "".join(letters[int(rng.random() ** 2 * len(letters))] for _ in range(1 + int(rng.random() * 11)))
        words.append(word + ("", " ", " ", " ", ". ", "\n")[int(rng.random() * 6)])
        length += len(words[-1])
    return "".join(words)


def byte_pieces() -> ap.Spec:
    """BytePiece's, of the commonest strings of a text."""
    text = text_of("pieces", 20_000).encode()
    strings = [text[at : at + size] for size in (2, 3, 4, 6) for at in range(0, len(text) - size, 7)]
    counts = dict.fromkeys((bytes([byte]) for byte in range(256)), 1)
    for string in strings:
        counts[string] = counts.get(string, 0) + 1
    rows = {b64encode(piece).decode(): [id, "", counts[piece]] for id, piece in enumerate(sorted(counts), 3)}
    return bytepiece.read(json.dumps(rows).encode())[0]


VOCABULARIES: dict[str, Callable[[], ap.Tokenizer]] = {
    "default": cache(ap.load),
    "byte pieces": cache(lambda: ap.Tokenizer(byte_pieces())),
    "merges by score": cache(lambda: ap.Tokenizer(BPE)),
    "merges by rank": cache(lambda: ap.Tokenizer(RANKS)),
}
UNIGRAMS = ("default", "byte pieces")
DRAWS: list[tuple[str, Method, float]] = [
    *[(name, "lattice", alpha) for name in UNIGRAMS for alpha in (0.0, 0.1, 1.0)],
    *[(name, method, 0.5) for name in UNIGRAMS for method in ("viterbi", "reservoir", "nbest")],
    *[(name, "dropout", 0.2) for name in ("merges by score", "merges by rank")],
]


def digest(name: str, method: Method, alpha: float) -> str:
    """Of what is drawn from texts of many sizes."""
    tok, found = VOCABULARIES[name](), sha256()
    sizes = [0, 1, 17, 63, 64, 65, 255, 256, 1023, 4095, 4096, 4097, 9000, 30_000]
    texts = [text_of(f"{name} {size}", size) for size in (sizes if method != "nbest" else sizes[:9])]
    batch = tok.sample_batch(texts, alpha, seed=5, epoch=2, method=method)
    for start, end in pairwise(batch.offsets.tolist()):
        found.update(np.ascontiguousarray(batch.ids[start:end], dtype="<u4").tobytes() + b"|")
    return found.hexdigest()[:32]


@pytest.mark.parametrize(("name", "method", "alpha"), DRAWS)
def test_draws_are_what_they_were(name: str, method: Method, alpha: float) -> None:
    assert digest(name, method, alpha) == json.loads(RECORD.read_text())[f"{name}, {method} {alpha}"]


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.unit.text.test_kept_draws --update")
    record = {f"{name}, {method} {alpha}": digest(name, method, alpha) for name, method, alpha in DRAWS}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
