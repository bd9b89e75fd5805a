"""Text of wide characters with pieces that are bytes: read off characters, and the same as the reference path.

Pieces are drawn so that many begin or end within a character, and texts so that chunks are of every length.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import anypiece as ap
from anypiece import Kind, Pieces, Spec

CHARACTERS = "日本語中文字的一是不了人我在有他這이가는을あいうのはカタ、。，「」\u3000\uff21\u0e01\u0e31\ufffd"
MIXED = [*CHARACTERS * 4, *" a1é'\n", "  ", "\U0001f600", "\U00020000", "яд", "the", "ab\n\n"]
SPLITTERS = ["gpt2", "cl100k", "llama3", "qwen2", "o200k", "tekken", "deepseek-v3", "starcoder"]


def draw_text(rng: random.Random, characters: list[str], size: int) -> str:
    """Random characters, in some texts of a small alphabet."""
    some = rng.sample(characters, rng.randint(2, len(characters)))
    return "".join(rng.choices(some, k=size))


def draw_merges(rng: random.Random, count: int) -> list[tuple[bytes, bytes]]:
    """Two pieces that are adjacent somewhere, again and again: within characters and across them."""
    pieces = {bytes([byte]) for byte in range(256)}
    merges: dict[bytes, tuple[bytes, bytes]] = {}
    while len(merges) < count:
        data = draw_text(rng, MIXED, 30).encode()
        start = rng.randrange(len(data) - 1)
        left = max((data[start:end] for end in range(start + 1, len(data)) if data[start:end] in pieces), key=len)
        rest = data[start + len(left) :]
        rights = [rest[:end] for end in range(1, len(rest) + 1) if rest[:end] in pieces]
        if rights and len(made := left + rng.choice(rights)) <= 20 and made not in pieces:
            merges[made] = (left, made[len(left) :])
            pieces.add(made)
    return list(merges.values())


def draw_tokenizers(seed: int) -> list[ap.Tokenizer]:
    """The same pieces by rank and by list, with a random splitter."""
    rng = random.Random(seed)
    merges = draw_merges(rng, rng.choice([20, 200, 1500]))
    names = [*(bytes([byte]) for byte in range(256)), *(left + right for left, right in merges)]
    ids = {name: id for id, name in enumerate(names)}
    by_rank = Spec(
        Pieces.of([(name, -float(id), Kind.NORMAL) for name, id in ids.items()]),
        segmenter="bpe",
        symbols="bytes",
        splitter=rng.choice(SPLITTERS),
        whole_chunks=rng.random() < 0.5,
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
    )
    listed = np.array([[ids[left], ids[right], ids[left + right]] for left, right in merges])
    return [ap.Tokenizer(by_rank), ap.Tokenizer(by_rank.replace(merges=listed))]


@pytest.mark.parametrize("seed", range(12))
def test_every_text_is_as_by_the_reference_path(seed: int) -> None:
    rng = random.Random(1000 + seed)
    tokenizers = draw_tokenizers(seed)
    for characters in [list(CHARACTERS), MIXED]:
        for size in [1, 7, 40, 300, 1500]:
            text = draw_text(rng, characters, size)
            for tok in tokenizers:
                expected = tok._kernel.encode_reference(text)
                assert tok.encode(text) == expected
                assert tok.encode(text) == expected, "the second time, from the unit cache"
                assert tok.encode(text, threads=2) == expected


@pytest.mark.parametrize("seed", range(6))
def test_bytes_that_are_no_text_are_as_by_the_reference_path(seed: int) -> None:
    rng = random.Random(2000 + seed)
    tokenizers = draw_tokenizers(100 + seed)
    for size in [3, 30, 200, 900]:
        data = bytearray(draw_text(rng, list(CHARACTERS), size).encode())
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(data))
            data[place : place + rng.randint(0, 2)] = rng.choice(
                [b"", b"\xe3", b"\x81", b"\xed\xa0\x80", b"\xe0\x80\x80"]
            )
        for tok in tokenizers:
            assert tok.encode(bytes(data)) == tok._kernel.encode_reference(bytes(data))


def test_a_chunk_without_cuts_is_as_by_the_reference_path() -> None:
    """Longer than what is read in one go."""
    pair = "日本".encode()
    names = [*(bytes([byte]) for byte in range(256)), pair[2:4], pair[5:] + pair[:1], pair[:2], pair[:3]]
    spec = Spec(
        Pieces.of([(name, -float(id), Kind.NORMAL) for id, name in enumerate(names)]),
        segmenter="bpe",
        symbols="bytes",
        splitter="o200k",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
    )
    tok = ap.Tokenizer(spec)
    for text in ["日本" * 2000, "中" + "日本" * 900 + "、中日本", "日本" * 341 + "、" + "日本" * 700]:
        assert tok.encode(text) == tok._kernel.encode_reference(text)
