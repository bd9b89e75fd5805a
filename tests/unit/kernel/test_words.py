"""Tokens of many texts as columns: ids and spans of ``encode_spans``, and the words that tokenizers counts."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers

from anypiece import _native
from anypiece.formats import huggingface
from anypiece.tokenizer import Tokenizer

TEXTS = ["", "ab ba", "a<x>b a <x>", "<x><x>", "  a\tbé b日a ", "ab" * 40, "a <y>b"]


def _file(pre_tokenizer: Any, normalizer: Any = None) -> bytes:
    added = {"single_word": False, "lstrip": False, "rstrip": False, "special": True}
    return json.dumps(
        {
            "added_tokens": [
                {"id": 5, "content": "<x>", "normalized": False, **added},
                {"id": 6, "content": "<y>", "normalized": True, **added, "lstrip": True},
            ],
            "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer,
            "model": {
                "type": "BPE",
                "unk_token": "?",
                "vocab": {"?": 0, "a": 1, "b": 2, "ab": 3, "ba": 4},
                "merges": ["a b", "b a"],
            },
        }
    ).encode()


@pytest.mark.parametrize("normalizer", [None, {"type": "Lowercase"}, {"type": "NFD"}])
@pytest.mark.parametrize(
    "pre_tokenizer", [None, {"type": "Whitespace"}, {"type": "WhitespaceSplit"}, {"type": "FixedLength", "length": 3}]
)
def test_columns_are_those_of_tokenizers(pre_tokenizer: Any, normalizer: Any) -> None:
    data = _file(pre_tokenizer, normalizer)
    spec, _ = huggingface.read(data)
    theirs = tokenizers.Tokenizer.from_str(data.decode())
    ids, offsets, starts, ends, words = _native.encode_words(Tokenizer(spec)._kernel, TEXTS, True)
    for number, text in enumerate(TEXTS):
        at, wanted = slice(offsets[number], offsets[number + 1]), theirs.encode(text)
        assert ids[at].tolist() == wanted.ids
        assert list(zip(starts[at].tolist(), ends[at].tolist(), strict=True)) == wanted.offsets
        assert words[at].tolist() == wanted.word_ids
