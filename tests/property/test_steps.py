"""Steps of drawn texts, for every small vocabulary: the ids of the kernel, and tables that lead to them."""

from __future__ import annotations

from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from tests.property.strategies import raw_texts
from tests.support.gguf import GGUF_SPECS
from tests.support.merge_lists import MERGE_SPECS
from tests.support.steps import assert_steps
from tests.support.vocabularies import BYTE_SPECS, OTHER_SPECS, SPECS

ALL = SPECS | OTHER_SPECS | BYTE_SPECS | GGUF_SPECS | MERGE_SPECS


@lru_cache
def tokenizer(name: str) -> ap.Tokenizer:
    return ap.Tokenizer(ALL[name])


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_every_vocabulary(name: str, data: st.DataObject) -> None:
    assert_steps(tokenizer(name), data.draw(raw_texts(ALL[name])))
