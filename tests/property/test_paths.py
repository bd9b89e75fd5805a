"""Every path through the kernel equals the reference path, for every hand-made vocabulary and size of the unit cache."""

from __future__ import annotations

from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from tests.property import laws
from tests.property.strategies import bad_bytes, chunks_of, ids_of, raw_texts, texts
from tests.support.gguf import GGUF_SPECS
from tests.support.merge_lists import MERGE_SPECS
from tests.support.ours import reference_ids
from tests.support.vocabularies import BYTE_SPECS, OTHER_SPECS, SPECS

ALL = SPECS | OTHER_SPECS | BYTE_SPECS | GGUF_SPECS | MERGE_SPECS

every_spec = pytest.mark.parametrize("name", ALL)


@lru_cache
def tokenizer(name: str) -> ap.Tokenizer:
    return ap.Tokenizer(ALL[name])


@every_spec
@given(data=st.data())
def test_one_text(name: str, data: st.DataObject) -> None:
    tok, text = tokenizer(name), data.draw(raw_texts(ALL[name]))
    for law in laws.TEXT_LAWS:
        law(tok, text)
    laws.stream_decoder_is_decode(tok, [[number] for number in tok.encode(text)])


@every_spec
@given(data=st.data())
def test_some_texts(name: str, data: st.DataObject) -> None:
    """In batches, and one after another with a table of any size."""
    tok, drawn = tokenizer(name), data.draw(st.lists(raw_texts(ALL[name]), max_size=6))
    laws.batch_is_map(tok, drawn)
    laws.spans_batch_is_map(tok, drawn)
    small = ap.Tokenizer(ALL[name], cache_slots=data.draw(st.sampled_from([0, 1, 2, 64])))
    for text in [*drawn, *drawn]:
        assert small.encode(text) == reference_ids(tok, text)


@every_spec
@given(data=st.data())
def test_batch_of_parts(name: str, data: st.DataObject) -> None:
    """Short texts are encoded many at a time: also those that begin or end within a character."""
    whole = raw_texts(ALL[name]).map(lambda text: text.encode() if isinstance(text, str) else text)
    laws.batch_is_map(tokenizer(name), data.draw(chunks_of(whole)) * 3)


@every_spec
@given(data=st.data())
def test_stream_encoder_in_characters(name: str, data: st.DataObject) -> None:
    laws.stream_encoder_is_encode(tokenizer(name), data.draw(chunks_of(texts(ALL[name]))), "")


@every_spec
@given(data=st.data())
def test_stream_encoder_in_bytes(name: str, data: st.DataObject) -> None:
    whole = raw_texts(ALL[name]).map(lambda text: text.encode() if isinstance(text, str) else text)
    laws.stream_encoder_is_encode(tokenizer(name), data.draw(chunks_of(whole)), b"")


@every_spec
@given(data=st.data())
def test_stream_decoder(name: str, data: st.DataObject) -> None:
    ids = data.draw(ids_of(ALL[name]))
    cut = data.draw(st.integers(0, len(ids)))
    laws.stream_decoder_is_decode(tokenizer(name), [[number] for number in ids])
    laws.stream_decoder_is_decode(tokenizer(name), [ids[:cut], ids[cut:]])


@every_spec
@given(data=st.data())
def test_truncated_bytes_fit(name: str, data: st.DataObject) -> None:
    text = data.draw(bad_bytes(ALL[name]))
    n = data.draw(st.integers(0, 12))
    kept = tokenizer(name).truncate(text, n)
    assert text.startswith(kept)
    assert tokenizer(name).count(kept) <= n


@every_spec
@given(data=st.data())
def test_truncate_and_split(name: str, data: st.DataObject) -> None:
    tok, text = tokenizer(name), data.draw(texts(ALL[name], 15))[:100]
    laws.truncate_is_the_longest_prefix(tok, text[:60], data.draw(st.integers(0, 12)))
    n = data.draw(st.integers(1, 12))
    overlap = data.draw(st.integers(0, n - 1))
    laws.split_parts_fit(tok, text, n, overlap, list(text))
    laws.split_parts_fit(tok, text.encode(), n, 0, [character.encode() for character in text])
