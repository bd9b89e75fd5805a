"""Lines of JSON that are drawn at random: good ones, odd ones and none at all."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from anypiece.corpus.shards.options import Options

__all__ = ["BLOCKS", "OPTIONS"]

NAMES = ["text", "a", "te\\u0078t", "te", ""]
TEXTS = st.text(st.sampled_from('ab \n\t"\\/é🦊\x00\x7f\ud83e\udd8a\ufeff'), max_size=12)
SCALARS = st.one_of(TEXTS, st.none(), st.booleans(), st.integers(), st.floats(), st.just(10**400))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["text", "a", "b"]), inner, max_size=3)
    ),
    max_leaves=5,
)
RECORDS = st.builds(json.dumps, VALUES, ensure_ascii=st.booleans())
"""With NaN and infinities, lone surrogates, and numbers that no double holds."""
SHREDS = [
    '{"text": ', '"', '"}', "}", "{", "[", "]", ",", ":", '"text"', '"a"', "1e999", "01", "1.", "-", "+1", "NaN",
    "-Infinity", "nul", "null", " ", "\\u00", "\\ud83e", "\\x", "\\u12g4", "\t", "\x0b", "\r", "\x01",
]  # fmt: skip
PARTS = st.lists(st.one_of(st.sampled_from(SHREDS), TEXTS), max_size=8).map("".join)
REPEATED = st.lists(st.tuples(st.sampled_from(NAMES), RECORDS), max_size=4).map(
    lambda pairs: "{" + ", ".join(f'"{name}": {value}' for name, value in pairs) + "}"
)
ODD = [f'{{"text": "a", "b": {value}}}' for value in ("[" * 300 + "]" * 300, "1" * 5000, "-0", "1e-999", "0.10")]
LINES = st.one_of(RECORDS, PARTS, REPEATED, st.sampled_from(ODD))
RAW = st.one_of(
    LINES.map(lambda line: line.encode("utf-8", "surrogatepass")), st.binary(max_size=6), st.just(b'{"text": "a\xff"}')
)
BLOCKS = st.lists(RAW, max_size=12).map(b"\n".join)
"""Lines with line ends between them."""
OPTIONS = st.builds(
    Options,
    st.just("numpy"),
    field=st.sampled_from(["text", "a", "text.a", "a.text", "te"]),
    on_bad_utf8=st.sampled_from(["replace", "skip", "error"]),
    on_bad_line=st.sampled_from(["skip", "skip", "error"]),
)
