"""Big texts made to hurt: the ids of the reference path, the same in parts and on threads, in linear time.

The processor's time is the only measure of work that every path has, so linearity is tested loosely: twice the text may take
at most four times as long, best of several runs each, and a pair is tried again before it counts as a failure.
"""

from __future__ import annotations

import time
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from tests.support.adversarial import HURTFUL, hurtful
from tests.support.merge_lists import MERGE_SPECS
from tests.support.ours import reference_ids
from tests.support.vocabularies import BYTE_SPECS, SPECS

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = (
    "default",
    "unigram",
    "unigram-ties",
    "unigram-bytes",
    "unigram-deep",
    "bpe",
    "bpe-unused",
    "bpe-user-defined",
    "bytes-cl100k",
    "merges-2",
    "char",
    "word",
)
BYTE_NAMES = ("bytes-cl100k", "merges-2")
RUNS = ("one letter", "hyphens", "spaces", "space marks", "NULs", "one ideograph", "unassigned", "letters")
"""Where pieces are bytes: texts that are one chunk, of which each beginning is one too."""
every_vocabulary = pytest.mark.parametrize("name", NAMES)
every_text = pytest.mark.parametrize("text", HURTFUL)

BIG = 400_000
SMALL = 100_000
CHUNK = 4096


@lru_cache
def tokenizer(name: str) -> ap.Tokenizer:
    return ap.load() if name == "default" else ap.Tokenizer((SPECS | BYTE_SPECS | MERGE_SPECS)[name])


@lru_cache(maxsize=4)
def big(text: str, size: int) -> bytes:
    return hurtful(text, size)


def in_chunks(tok: ap.Tokenizer, text: bytes) -> list[int]:
    stream = tok.stream_encoder()
    ids: list[int] = []
    for at in range(0, len(text), CHUNK):
        ids += stream.push(text[at : at + CHUNK])
    return ids + stream.flush()


def by_id(tok: ap.Tokenizer, ids: list[int]) -> str:
    stream = tok.stream_decoder()
    return "".join([stream.push([number]) for number in ids]) + stream.flush()


@every_text
@every_vocabulary
def test_a_big_text_has_the_reference_ids(name: str, text: str) -> None:
    tok, data = tokenizer(name), big(text, BIG)
    expected = reference_ids(tok, data)
    assert tok.encode_array(data).tolist() == expected
    assert tok.encode_array(data, threads=2).tolist() == expected
    assert tok.count(data) == len(expected)


@every_text
@every_vocabulary
def test_streams_of_it(name: str, text: str) -> None:
    tok, data = tokenizer(name), big(text, SMALL)
    ids = reference_ids(tok, data)
    assert in_chunks(tok, data) == ids
    assert by_id(tok, ids) == tok.decode(ids)


def best_of(work: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def grows_linearly(work: Callable[[bytes], object], small: bytes, large: bytes) -> bool:
    """Whether ``large``, twice as long, takes at most four times the time and a fixed allowance, in some of five tries."""
    tries = (2, 4, 8, 16, 32)
    return any(best_of(partial(work, large), n) <= 4 * best_of(partial(work, small), n) + 0.02 for n in tries)


@every_text
@every_vocabulary
def test_time_is_linear(name: str, text: str) -> None:
    tok = tokenizer(name)
    small, large = big(text, SMALL), big(text, 2 * SMALL)
    assert grows_linearly(tok.encode_array, small, large), "encode"
    assert grows_linearly(tok.count, small, large), "count"
    assert grows_linearly(partial(reference_ids, tok), small, large), "the reference path"
    assert grows_linearly(lambda data: in_chunks(tok, data), small, large), "stream_encoder"


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name in NAMES for text in (RUNS if name in BYTE_NAMES else HURTFUL)]
)
def test_truncate_is_linear(name: str, text: str) -> None:
    """Four times the text in at most eight times the time. The texts are small, since a quadratic way would stall."""
    tok = tokenizer(name)
    small, large = big(text, 4_000), big(text, 16_000)
    for share in (0.01, 0.5, 0.99):
        cut = {data: int(tok.count(data) * share) for data in (small, large)}
        times = ([best_of(partial(tok.truncate, data, cut[data]), n) for data in (small, large)] for n in (2, 4, 8, 16))
        assert any(large_time <= 8 * small_time + 0.05 for small_time, large_time in times), share


@every_vocabulary
def test_no_text_is_much_slower_than_words(name: str) -> None:
    """Every hurtful text stays within a factor of ordinary words of the same size, so none is a way to stall a server."""
    tok = tokenizer(name)
    ordinary = best_of(partial(tok.encode_array, big("words", SMALL)), 5)
    slow = {text: best_of(partial(tok.encode_array, big(text, SMALL)), 2) for text in HURTFUL}
    assert {text: took / ordinary for text, took in slow.items() if took > 200 * ordinary + 0.05} == {}
