"""The laws on real files: seeded texts of many languages, made-up ones, random chunkings, and one text on many threads."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import TypeVar

import pytest

import anypiece as ap
from tests.property import laws
from tests.support import adversarial, data, wire
from tests.support.ours import as_input, reference_ids
from tests.support.peer import DIALECTS
from tests.support.texts import SEED, long_text, sampled_lines

Text = TypeVar("Text", str, bytes)

FILES = (
    "t5_base_spiece.model",
    "albert_base_spiece.model",
    "chatglm6b_ice_text.model",
    "blingfire_laser_100k.model",
    "hf_test_sentencepiece_with_bytefallback.model",
    "opennmt_sp.model",
    "llama2.model",
    "maxtext_gemma3.model",
    "blingfire_bpe_example.model",
    "kerashub_gemma_export_vocab.model",
    "kerashub_albert_test_vocab.model",
)
OLD = ("t5_base_spiece.model", "chatglm6b_ice_text.model")
CASES = [(name, "0.2.3") for name in FILES] + [(name, "0.2.1") for name in OLD]
every_case = pytest.mark.parametrize(("name", "version"), CASES, scope="module")
"""The scope puts all tests of a file in a row: opening a large one and making its texts takes longer than most laws."""


@lru_cache(maxsize=3)
def tokenizer(name: str, version: str) -> ap.Tokenizer:
    assert data.DATA is not None
    return ap.load(data.DATA / "models" / "sentencepiece" / name, dialect=DIALECTS[version])


@lru_cache(maxsize=3)
def some_texts(name: str) -> list[str | bytes]:
    assert data.DATA is not None
    soup = adversarial.soup_of(wire.file_pieces(data.DATA / "models" / "sentencepiece" / name))
    made_up = adversarial.strings(f"{SEED} laws {name}", 150, soup)
    lines = [line for corpus in data.corpus_names() for line in sampled_lines(corpus, 2)]
    return [as_input(index, text) for index, text in enumerate(made_up + lines)]


def chunks(rng: Random, text: Text) -> list[Text]:
    most = rng.choice((1, 2, 5, 40))
    out, at = [], 0
    while at < len(text):
        size = rng.randint(1, most)
        out.append(text[at : at + size])
        at += size
    return out


@every_case
def test_every_law(name: str, version: str) -> None:
    for text in some_texts(name):
        for law in laws.TEXT_LAWS:
            law(tokenizer(name, version), text)


@every_case
def test_batch(name: str, version: str) -> None:
    laws.batch_is_map(tokenizer(name, version), some_texts(name))


@every_case
def test_spans_batch(name: str, version: str) -> None:
    laws.spans_batch_is_map(tokenizer(name, version), some_texts(name))


@every_case
def test_order_does_not_matter(name: str, version: str) -> None:
    """What a table has learned from other texts never shows."""
    tok = tokenizer(name, version)
    small = ap.Tokenizer(tok.spec, cache_slots=64)
    for text in reversed(some_texts(name)):
        assert small.encode(text) == tok.encode(text)


@every_case
def test_streams(name: str, version: str) -> None:
    tok = tokenizer(name, version)
    rng = Random(f"{SEED} chunks {name}")
    for text in some_texts(name):
        if isinstance(text, str):
            laws.stream_encoder_is_encode(tok, chunks(rng, text), "")
        else:
            laws.stream_encoder_is_encode(tok, chunks(rng, text), b"")
        ids = tok.encode(text)
        laws.stream_decoder_is_decode(tok, [[number] for number in ids])
        laws.stream_decoder_is_decode(tok, [ids[: len(ids) // 2], ids[len(ids) // 2 :]])


@every_case
def test_streams_of_random_ids(name: str, version: str) -> None:
    tok = tokenizer(name, version)
    rng = Random(f"{SEED} ids {name}")
    for _ in range(200):
        ids = [
            rng.randrange(rng.choice((300, tok.vocab_size)) % tok.vocab_size + 1) % tok.vocab_size for _ in range(30)
        ]
        laws.stream_decoder_is_decode(tok, [[number] for number in ids])


@every_case
def test_one_long_text_on_many_threads(name: str, version: str) -> None:
    tok = tokenizer(name, version)
    for text in (long_text(300_000, False), long_text(300_000, True), "a" * 100_000, "语言" * 30_000):
        expected = reference_ids(tok, text)
        for threads in (1, 2, 3, 8):
            assert tok.encode_array(text, threads=threads).tolist() == expected


@every_case
def test_one_long_text_in_chunks(name: str, version: str) -> None:
    tok = tokenizer(name, version)
    rng = Random(f"{SEED} long {name}")
    text = long_text(300_000, False)
    parts, at = [], 0
    while at < len(text):
        size = rng.choice((1, 7, 100, 4096))
        parts.append(text[at : at + size])
        at += size
    laws.stream_encoder_is_encode(tok, parts, b"")


@every_case
def test_truncate_and_split(name: str, version: str) -> None:
    tok = tokenizer(name, version)
    rng = Random(f"{SEED} cut {name}")
    for text in some_texts(name)[::8]:
        if isinstance(text, str):
            laws.truncate_is_the_longest_prefix(tok, text[:120], rng.randint(0, 20))
            n = rng.randint(1, 20)
            laws.split_parts_fit(tok, text[:300], n, rng.randint(0, n - 1), list(text[:300]))
