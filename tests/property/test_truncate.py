"""``truncate`` is the longest prefix that fits, also where a chunk or a unit is long: every prefix is counted."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import anypiece as ap
from tests.property.linear_time import opened
from tests.support.merge_lists import MERGE_SPECS
from tests.support.text_families import FAMILIES, family_text
from tests.support.texts import SEED
from tests.support.vocabularies import BYTE_SPECS, SPECS

if TYPE_CHECKING:
    from pathlib import Path

FILES = (
    "hf/gpt2.json",
    "tiktoken/cl100k_base.tiktoken",
    "tiktoken/o200k_base.tiktoken",
    "sentencepiece/t5_base_spiece.model",
    "sentencepiece/llama2.model",
    "hf/gpt_neox.json",
    "hf/clip_base.json",
    "hf/xlnet_base_cased.json",
    "hf/bert_base_cased.json",
    "gguf/ggml-vocab-gpt-neox.gguf",
    "gguf/ggml-vocab-deepseek-llm.gguf",
)
SMALL = {name: ap.Tokenizer(spec) for name, spec in (SPECS | BYTE_SPECS | MERGE_SPECS).items()}
RUNS = (
    "a",
    "ab",
    "A",
    " ",
    "\n",
    "\r\n",
    "\t",
    " \n",
    "-",
    "'s",
    "é",
    "e\u0301",
    "一",
    "1",
    "👍",
    "\u00a0",
    "b c",
    "<s>",
)


@lru_cache(maxsize=1)
def tokenizer(file: str) -> ap.Tokenizer:
    return opened(file)


def ends_of(text: str | bytes) -> list[int]:
    """Where the characters of a text end; a bad byte is one."""
    if isinstance(text, str):
        return list(range(len(text) + 1))
    ends, at = [0], 0
    while at < len(text):
        at += next((size for size in range(1, 5) if is_character(text[at : at + size])), 1)
        ends.append(at)
    return ends


def is_character(part: bytes) -> bool:
    return len(part.decode(errors="ignore")) == 1 and part.decode(errors="replace").encode() == part


def check(tok: ap.Tokenizer, text: str | bytes, rng: Random, amount: int) -> None:
    counts = [(end, tok.count(text[:end])) for end in ends_of(text)]
    most = max(count for _, count in counts)
    for n in {0, 1, most // 2, most - 1, *(rng.randrange(most + 1) for _ in range(amount))} - {-1}:
        best = max(end for end, count in counts if count <= n)
        assert tok.truncate(text, n) == text[:best], (text, n)


@pytest.mark.parametrize("file", FILES)
def test_real_files(file: str) -> None:
    tok, rng = tokenizer(file), Random(f"{SEED} truncate {file}")
    for family in rng.sample(FAMILIES, 12):
        opening = family_text(rng.choice(FAMILIES), tok, rng.choice((3, 40)))
        text = family_text(family, tok, 500)
        if isinstance(text, str) and isinstance(opening, str):
            check(tok, opening[:60] + text[:500], rng, 4)
        else:
            check(tok, text[:500], rng, 4)


@example([("-", 2), ("a", 1)], 0)
@given(st.lists(st.tuples(st.sampled_from(RUNS), st.integers(1, 120)), min_size=1, max_size=4), st.integers(0, 99))
def test_runs(runs: list[tuple[str, int]], seed: int) -> None:
    text = "".join(unit * times for unit, times in runs)[:400]
    rng = Random(seed)
    for name in {"merges-split-0", *rng.sample(sorted(SMALL), 4)}:
        check(SMALL[name], text, rng, 3)


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("tail", ["☃☃", "☃☃ b", "☃☃" + " b" * 300])
def test_a_word_that_becomes_unknown_far_behind(lowercase: bool, tail: str, tmp_path: Path) -> None:
    """The word that ends in one ``☃`` is unknown and thus one token, all shorter ones are a token for each character."""
    path, pieces = tmp_path / "vocab.txt", ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "😀", "##😀", "##☃☃", "b")
    path.write_text("\n".join(pieces) + "\n", encoding="utf-8")
    tok = ap.load(path, lowercase=lowercase)
    check(tok, "😀" * 90 + tail, Random(0), 4)
