"""The law of linear time on a sample of files, families of texts and entry points, and where it was broken before."""

from __future__ import annotations

from functools import lru_cache
from random import Random

import pytest

import anypiece as ap
from tests.property.linear_time import ENTRIES, Cell, cells_of, difference, files, opened
from tests.support.text_families import FAMILIES
from tests.support.texts import SEED

BROKEN = (
    ("hf/t5_small.tokenizer.json", "newlines", "encode"),
    ("hf/t5_small.tokenizer.json", "code", "count with a limit"),
    ("hf/xlnet_base_cased.json", "mixed blanks", "count"),
    ("hf/gpt2.json", "newlines", "truncate to half"),
    ("hf/gpt2.json", "jamo", "split"),
    ("tiktoken/cl100k_base.tiktoken", "bad bytes", "truncate to half"),
    ("tiktoken/cl100k_base.tiktoken", "jamo", "truncate to half"),
    ("sentencepiece/t5_base_spiece.model", "letters and spaces", "truncate to half"),
)
DRAWN_FILES, DRAWN_CELLS = 5, 12


@lru_cache(maxsize=2)
def tokenizer(file: str) -> ap.Tokenizer:
    return opened(file)


def drawn() -> list[tuple[str, int]]:
    """Files, each with the number of its draw."""
    return [(file, number) for number, file in enumerate(Random(f"{SEED} linear time").sample(files(), DRAWN_FILES))]


@pytest.mark.parametrize("cell", BROKEN, ids=" | ".join)
def test_where_it_was_broken(cell: tuple[str, str, str]) -> None:
    assert difference(tokenizer(cell[0]), Cell(*cell)) is None


@pytest.mark.parametrize(("file", "number"), drawn())
def test_drawn_cells(file: str, number: int) -> None:
    cells = Random(f"{SEED} linear time {number}").sample(list(cells_of(file)), DRAWN_CELLS)
    found = [difference(tokenizer(file), cell) for cell in cells]
    assert not any(found), [one for one in found if one]


def test_there_are_enough_of_all() -> None:
    assert len(FAMILIES) >= 40
    assert len(ENTRIES) >= 10
    assert len(files()) >= 80
