"""Tokenizers of the small vocabulary of bytes, and drawn texts for them."""

from __future__ import annotations

from hypothesis import strategies as st

import anypiece as ap
from tests.support.small_vocabularies import RANKS

TOK = ap.Tokenizer(RANKS)
ALL = [TOK, *(TOK.replace(splitter=name) for name in ("gpt2", "llama3", "o200k")), TOK.replace(whole_chunks=False)]
PARTS = [
    "the",
    " the",
    "xyz",
    "日",
    "愛",
    " ",
    "  ",
    "\n",
    "é",
    "12",
    "'t",
    "!",
    "<|end|>",
    "<|end|>!",
    "<|日|>",
    "<|",
    "\0",
]
TEXTS = st.lists(st.sampled_from([*PARTS, "\ud800", "\udfff"]), max_size=12).map("".join)
VALID = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)
RAW = (
    st.binary(max_size=20)
    | VALID.map(str.encode)
    | st.tuples(VALID, st.integers(0, 9)).map(lambda c: c[0].encode()[c[1] :])
)
