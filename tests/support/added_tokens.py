"""Drawn lists of added tokens and texts that hold them, and a tokenizer with such a list."""

from __future__ import annotations

from hypothesis import strategies as st

import anypiece as ap
from anypiece import Added, AddedFlag, Kind, Pieces
from tests.support.small_vocabularies import RANKS

SPECIAL, LSTRIP, RSTRIP, WORD = AddedFlag.SPECIAL, AddedFlag.LSTRIP, AddedFlag.RSTRIP, AddedFlag.SINGLE_WORD
TEXTS = ("<a>", "<a", "a>", "<a><b>", "ab", " ab", "b ", "é", "日本", "<日>", "  ", "<b>", "\n")
FIRST = len(RANKS.pieces)
flags = st.integers(0, 15).map(AddedFlag)
rows = st.lists(st.tuples(st.sampled_from(TEXTS), flags), max_size=8, unique_by=lambda row: row[0])
letters = st.sampled_from(
    ["<a>", "<a", "<b>", ">", "a", "b", " ", "  ", "\u3000", "\x1c", "\n", "é", "日", "本", "_", "7", "x"]
)
any_rows = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.integers(0, 31).map(AddedFlag)), max_size=8, unique_by=lambda row: row[0]
)
"""Those that are found in normalized text among them."""
texts = st.lists(letters, max_size=24).map("".join)
matchings = st.sampled_from(["leftmost-longest", "longest-first"])


def with_added(listed: list[tuple[str, AddedFlag]], matching: str = "leftmost-longest") -> ap.Tokenizer:
    """The byte vocabulary with some added tokens in place of its own."""
    kinds = {True: Kind.CONTROL, False: Kind.USER_DEFINED}
    more = [(text, 0.0, kinds[bool(held & SPECIAL)]) for text, held in listed]
    added = Added.of((text, FIRST + index, held) for index, (text, held) in enumerate(listed))
    return ap.Tokenizer(RANKS.replace(pieces=Pieces.of([*RANKS.pieces, *more]), added=added, matching=matching))
