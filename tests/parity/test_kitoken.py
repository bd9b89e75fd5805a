"""Vectors recorded by kitoken with the tokenizers' own libraries: the same ids, and the same text back."""

from __future__ import annotations

import pytest

import anypiece as ap
from tests.support import data


@pytest.mark.parametrize("name", data.VECTOR_FILES)
def test_recorded_ids_and_texts(name: str) -> None:
    assert data.DATA is not None
    tok = ap.load(data.DATA / "models" / "sentencepiece" / data.VECTOR_FILES[name])
    vectors = data.vectors(name)
    assert len(vectors) > 100
    for vector in vectors:
        assert tok.encode(vector.text) == vector.ids
        if vector.decoded is not None:
            assert tok.decode(vector.ids) == vector.decoded
