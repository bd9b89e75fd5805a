"""Tokenizers of the small vocabularies of characters, and drawn texts for them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

import anypiece as ap
from tests.support.small_vocabularies import BPE, BYTES, CHAR, SPECIALS, UNIGRAM

TOK = ap.Tokenizer(UNIGRAM)
BYTE_TOK = ap.Tokenizer(BYTES)
SPECIAL_TOK = ap.Tokenizer(SPECIALS)
ALL = [TOK, BYTE_TOK, SPECIAL_TOK, ap.Tokenizer(BPE), ap.Tokenizer(CHAR)]
TEXTS = st.text(st.sampled_from("aab c é\u2581日🦊\0\n\ud800\udfff"), max_size=30)
RAW = st.binary(max_size=20) | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))


def code_of(error: pytest.ExceptionInfo[Any]) -> str:
    return str(error.value.code)
