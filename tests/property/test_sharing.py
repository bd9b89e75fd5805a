"""One Tokenizer in many hands: pickled, and used by many threads at once. Forking is in ``test_fork.py``."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

import anypiece as ap
from tests.support.ours import reference_ids
from tests.support.shared import NAMES, some_texts
from tests.support.vocabularies import SPECS

every_spec = pytest.mark.parametrize("name", NAMES)


@every_spec
def test_pickle(name: str) -> None:
    tok = ap.Tokenizer(SPECS[name], cache_slots=64)
    tok.encode("warm it up")
    copy = pickle.loads(pickle.dumps(tok))
    assert copy == tok
    assert hash(copy) == hash(tok)
    assert copy.fingerprint == tok.fingerprint
    assert copy.encode_batch(some_texts(name)) == tok.encode_batch(some_texts(name))


@every_spec
def test_threads_hammering_one_tokenizer(name: str) -> None:
    tok = ap.Tokenizer(SPECS[name])
    texts = some_texts(name)
    expected = [reference_ids(tok, text) for text in texts]

    def work(seed: int) -> bool:
        order = list(range(len(texts)))
        Random(seed).shuffle(order)
        return all(tok.encode(texts[index]) == expected[index] for index in order)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(16)))
    finally:
        sys.setswitchinterval(before)


def test_threads_inside_threads() -> None:
    tok = ap.Tokenizer(SPECS["unigram"])
    text = "hello ab aab a あい é " * 4000
    ids = reference_ids(tok, text)
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda threads: tok.encode_array(text, threads=threads).tolist(), [1, 2, 3, 4, 2, 3])
    assert all(row == ids for row in found)
