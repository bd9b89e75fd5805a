"""A Tokenizer used before and after a fork. Not collected on platforms that cannot fork."""

from __future__ import annotations

import multiprocessing

import pytest

import anypiece as ap
from tests.support.ours import reference_ids
from tests.support.shared import NAMES, some_texts
from tests.support.vocabularies import SPECS

fork_beside_threads = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


@fork_beside_threads
@pytest.mark.parametrize("name", NAMES)
def test_fork(name: str) -> None:
    tok = ap.Tokenizer(SPECS[name])
    texts = some_texts(name)
    tok.encode_batch(texts, threads=3)  # so that whatever threads leave behind is there when the process forks
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        sender.send((tok.encode_batch(texts, threads=3).tolist(), tok.encode("hello ab")))

    process = context.Process(target=child)
    process.start()
    assert receiver.poll(60)
    batch, one = receiver.recv()
    process.join(60)
    assert process.exitcode == 0
    assert batch == [reference_ids(tok, text) for text in texts]
    assert one == tok.encode("hello ab")


@fork_beside_threads
def test_forked_pool_of_workers() -> None:
    tok = ap.Tokenizer(SPECS["bpe-bytes"])
    texts = some_texts("bpe-bytes")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        rows = pool.map(tok.encode, texts, chunksize=50)
    assert rows == [tok.encode(text) for text in texts]
