"""What GGUF files that are made here tell llama.cpp to put around a text, and what they say to us in another dialect."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import anypiece as ap
from anypiece.formats import gguf
from tests.support.gguf import bpe_file, spm_file

UNIGRAM = gguf.write(ap.load().spec)
MARKS = {"bos_id": 1, "eos_id": 2}


def made(data: bytes, dialect: str, **changes: Any) -> tuple[ap.Spec, bytes]:
    spec = gguf.read(data, dialect=dialect)[0].replace(**{**MARKS, "add_bos": True, "add_eos": True, **changes})
    return spec, gguf.write(spec, None)


def adds(data: bytes, **options: Any) -> tuple[bool, bool]:
    spec = gguf.read(data, **options)[0]
    return spec.add_bos, spec.add_eos


@pytest.mark.parametrize(
    ("data", "dialect", "expected"),
    [
        (spm_file(), "sentencepiece", (True, False)),  # as models of that kind have it
        (UNIGRAM, "sentencepiece", (True, True)),
        (bpe_file(pre="gpt-2"), "tokenizers", (True, True)),
        (bpe_file(pre="llama-bpe"), "tokenizers", (True, False)),
    ],
    ids=["llama", "t5", "gpt2", "llama3"],
)
def test_sources_that_say_nothing(data: bytes, dialect: str, expected: tuple[bool, bool]) -> None:
    """Both flags of a Spec are set then: llama.cpp gets what fits the kind, and we read again what was there."""
    spec, file = made(data, dialect)
    assert adds(file) == expected
    assert gguf.read(file, dialect=dialect)[0] == spec


@pytest.mark.parametrize("bos", [None, 1])
@pytest.mark.parametrize("eos", [None, 2])
@pytest.mark.parametrize(
    ("data", "dialect"),
    [(spm_file(), "sentencepiece"), (UNIGRAM, "sentencepiece"), (bpe_file(pre="gpt-2"), "tokenizers")],
)
def test_no_mark_is_added_that_is_not_there(data: bytes, dialect: str, bos: int | None, eos: int | None) -> None:
    for add_bos, add_eos in itertools.product((True, False), repeat=2):
        spec, file = made(data, dialect, bos_id=bos, eos_id=eos, add_bos=add_bos, add_eos=add_eos)
        found = adds(file)
        assert found[0] <= (bos is not None and add_bos)
        assert found[1] <= (eos is not None and add_eos)
        if not (add_bos and add_eos):
            assert found == (bos is not None and add_bos, eos is not None and add_eos)
        assert gguf.read(file, dialect=dialect)[0] == spec
