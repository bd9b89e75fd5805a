"""Merge lists of real files against ``tokenizers``: the segmenter alone, with and without chunks."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from tests.parity.ranks import valid
from tests.support import data
from tests.support.merge_lists import original, spec_of_model
from tests.support.ours import reference_ids
from tests.support.texts import adversarial_texts, long_text, sampled_lines

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FILES: dict[str, dict[str, Any]] = {
    "gpt2": {"symbols": "bytes", "splitter": "gpt2"},
    "lenml_llama3_2.tokenizer": {"symbols": "bytes", "splitter": "gpt2"},
    "lenml_gemma3.tokenizer": {"symbols": "characters"},
    "lenml_llama2.tokenizer": {"symbols": "characters"},
    "clip_base": {"symbols": "bytes", "splitter": "gpt2"},
}
"""Byte-level files with GPT-2's chunks, whatever theirs are: the same on both sides."""
SOME = [*FILES][::2]
LONG = SOME[:2]


@lru_cache(maxsize=1)  # the scope of the parameters puts the tests of a file in a row
def opened(name: str) -> tuple[ap.Tokenizer, Tokenizer]:
    spec = spec_of_model(data.hf_file(name), **FILES[name])
    return ap.Tokenizer(spec), original(spec)


def compare(tok: ap.Tokenizer, other: Tokenizer, texts: list[bytes]) -> None:
    strings = [text.decode() for text in texts]
    for text, expected in zip(strings, other.encode_batch(strings, add_special_tokens=False), strict=True):
        assert tok.encode(text) == expected.ids, repr(text[:200])
        if tok.spec.symbols == "characters":
            assert [(token.start, token.end) for token in tok.encode_spans(text)] == expected.offsets
        else:
            assert [token.id for token in tok.encode_spans(text)] == expected.ids


@pytest.mark.parametrize("name", SOME, scope="module")
def test_lines_of_every_corpus(name: str) -> None:
    tok, other = opened(name)
    texts = valid([line for corpus in data.corpus_names() for line in sampled_lines(corpus, 12)])
    if tok.spec.symbols == "characters":
        texts = [text.replace(b" ", "▁".encode()) for text in texts]
    compare(tok, other, texts)


@pytest.mark.parametrize("name", SOME, scope="module")
def test_made_up_texts(name: str) -> None:
    tok, other = opened(name)
    pieces = [tok.id_to_bytes(id) for id in range(0, len(tok), 97)]
    compare(tok, other, valid(adversarial_texts(pieces, f"merge lists {name}", 300)))


@pytest.mark.parametrize("name", LONG, scope="module")
def test_a_long_text(name: str) -> None:
    tok, other = opened(name)
    text = long_text(200_000, False).decode()
    ids = other.encode(text, add_special_tokens=False).ids
    assert tok.encode(text) == tok.encode(text, threads=2) == reference_ids(tok, text) == ids


def one_chunk(random: Random, size: int) -> list[str]:
    """Texts that no splitter cuts: one letter, spaces, random letters, words without spaces."""
    words = [random.choice(["token", "ing", "the", "qx", "zz", "aaaa", "ization"]) for _ in range(size // 4)]
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [
        "a" * size,
        " " * size,
        *("".join(random.choices(some, k=size)) for some in (letters, "ab", "est")),
        "".join(words),
    ]


@pytest.mark.parametrize(
    "name", ["gpt2", "lenml_llama3_2.tokenizer", "lenml_qwen3.tokenizer", "lenml_llama2.tokenizer"]
)
def test_one_long_chunk(name: str) -> None:
    settings = FILES.get(name, {"symbols": "bytes", "splitter": "gpt2"})
    spec = spec_of_model(data.hf_file(name), **settings)
    tok, other = ap.Tokenizer(spec), original(spec)
    for text in one_chunk(Random(name), 8_000):
        ids = other.encode(text, add_special_tokens=False).ids
        assert tok.encode(text) == reference_ids(tok, text) == ids, text[:20]
