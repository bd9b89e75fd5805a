"""The bounds on what stages make of a text are far from what real files need: four times their lists pass."""

from __future__ import annotations

from typing import Any

import pytest

import anypiece as ap
from tests.property.linear_time import files, opened

REPEATED = 4
CHANGING = ("byte-level", "metaspace")
"""Rules that change a text again when they are done again."""

TEXTS = [
    "a",
    "é",
    "ﷺ",
    "Hello, world! It's 12345 o'clock.\n\n" * 40,
    "ﷺ" * 400,
    "éa" * 400,
    "é1, " * 400,
    "中a文" * 300,
    "e\u0301\u0323 " * 300,
    "\u0390İ½…™" * 200,
    "가각힣 " * 200,
    " \n\t" * 300,
    "1a" * 500,
    "𝔘𝔫" * 200,
    "\x00\x7f\u200b\ufffd" * 200,
]


def _small(spec: ap.Spec, **changes: Any) -> ap.Tokenizer:
    """A tokenizer of nothing but the stages of another."""
    pieces = ap.Pieces.of([("<unk>", 0.0, ap.Kind.UNKNOWN), ("a", 0.0, ap.Kind.NORMAL)])
    names = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
    off: dict[str, Any] = dict.fromkeys(names, False)
    return ap.Tokenizer(ap.Spec(pieces, segmenter="word-level", charsmap=spec.charsmap, **off, **changes))


@pytest.mark.parametrize("file", files())
def test_four_times_the_stages_pass(file: str) -> None:
    tok = opened(file)
    some = range(0, tok.vocab_size, max(tok.vocab_size // 3000, 1))
    assert tok.decode(list(some))
    assert all(tok.decode([id]) is not None for id in some[::10])
    spec = tok.spec
    if not (spec.normalizer or spec.split_rules or spec.charsmap):
        return
    rules = [rule for rule in spec.split_rules if rule["type"] not in CHANGING]
    many = _small(spec, normalizer=spec.normalizer * REPEATED, split_rules=(*spec.split_rules, *rules * (REPEATED - 1)))
    for text in TEXTS:
        assert many.normalize(text) is not None
        assert len(many.encode(text)) == many.count(text)
        many.encode_spans(text)
