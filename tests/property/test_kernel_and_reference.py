"""The kernel equals the reference in Python: ids, pieces, both kinds of spans, normalized and decoded text.

Lone surrogates are drawn here as well: sentencepiece refuses them, so the reference alone says what they mean.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece.reference.tokenizer import ReferenceTokenizer
from tests.property.strategies import bad_bytes, ids_of, raw_texts, texts
from tests.support.gguf import GGUF_SPECS
from tests.support.made import TRAINED, trained_file
from tests.support.merge_lists import MERGE_SPECS
from tests.support.vocabularies import BYTE_SPECS, OTHER_SPECS, SPECS

ALL = SPECS | OTHER_SPECS | BYTE_SPECS | GGUF_SPECS | MERGE_SPECS


@lru_cache
def pair(name: str) -> tuple[ap.Tokenizer, ReferenceTokenizer]:
    return ap.Tokenizer(ALL[name]), ReferenceTokenizer(ALL[name])


def rows(tokens: Any) -> list[tuple[int, str, int, int]]:
    return [(token.id, token.piece, token.start, token.end) for token in tokens]


def assert_equal(tok: ap.Tokenizer, reference: ReferenceTokenizer, text: str | bytes) -> None:
    assert tok.encode(text) == reference.encode(text)
    assert tok.normalize(text) == reference.normalize(text)
    assert rows(tok.encode_spans(text, "byte")) == rows(reference.encode_spans(text))
    if isinstance(text, str):
        assert rows(tok.encode_spans(text, "char")) == rows(reference.encode_spans(text, chars=True))


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_hand_made(name: str, data: st.DataObject) -> None:
    assert_equal(*pair(name), data.draw(raw_texts(ALL[name])))


@pytest.mark.parametrize(
    "name", ["unigram", "unigram-bytes", "unigram-suffix", "bpe-bytes", "char", "word", *BYTE_SPECS]
)
@given(data=st.data())
def test_lone_surrogates(name: str, data: st.DataObject) -> None:
    surrogate = st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF)
    parts = st.lists(st.one_of(texts(ALL[name], 4), surrogate), max_size=8)
    assert_equal(*pair(name), "".join(data.draw(parts)))


@pytest.mark.parametrize("name", ["unigram", "unigram-bytes", "bpe-bytes", "char", "word", *BYTE_SPECS])
@given(data=st.data())
def test_characters_of_bad_bytes(name: str, data: st.DataObject) -> None:
    """Each bad byte counts as one character."""
    text = data.draw(bad_bytes(ALL[name]))
    tok, reference = pair(name)
    assert rows(tok.encode_spans(text, "char")) == rows(reference.encode_spans(text, chars=True))


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_decode(name: str, data: st.DataObject) -> None:
    ids = data.draw(ids_of(ALL[name]))
    tok, reference = pair(name)
    assert tok.decode(ids) == reference.decode(ids)
    assert tok.decode_bytes(ids) == reference.decode_bytes(ids)


@pytest.mark.parametrize("name", TRAINED)
def test_trained(name: str) -> None:
    tok = ap.load(trained_file(name))
    reference = ReferenceTokenizer(tok.spec)

    @given(text=raw_texts(tok.spec), ids=ids_of(tok.spec))
    def check(text: str | bytes, ids: list[int]) -> None:
        assert_equal(tok, reference, text)
        assert tok.decode(ids) == reference.decode(ids)

    check()
