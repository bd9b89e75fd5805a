"""Draws with bos and eos around them, or with what a template has: the draw itself stays the same."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import anypiece as ap
from tests.support.small_vocabularies import BPE

TEXTS = ["Hello world", "", "a b c"]
FRAMED = ap.load().replace(single=((2, 0), (1, 0), ("A", 0), (2, 0)))
AROUND: list[tuple[ap.Tokenizer, Any, list[int], list[int]]] = [
    (ap.load(), True, [1], [2]),
    (ap.load(), "bos", [1], []),
    (ap.load(), "eos", [], [2]),
    (ap.load(), False, [], []),
    (FRAMED, True, [2, 1], [2]),
]


@pytest.mark.parametrize(("tok", "add_special", "before", "after"), AROUND)
@pytest.mark.parametrize("method", ["lattice", "nbest"])
@pytest.mark.parametrize("specials", ["text", "parse"])
def test_a_draw_between_special_tokens(
    tok: ap.Tokenizer, add_special: Any, before: list[int], after: list[int], method: Any, specials: Any
) -> None:
    assert (tok.bos_id, tok.eos_id) == (1, 2)
    asked = {"seed": 3, "method": method, "specials": specials, "epoch": 2}
    for index, text in enumerate(TEXTS):
        plain = tok.sample(text, index=index, **asked)
        wanted = before + plain + after
        assert tok.sample(text, index=index, add_special=add_special, **asked) == wanted
        assert tok.sample_array(text, index=index, add_special=add_special, **asked).tolist() == wanted
        tokens = tok.sample_spans(text, index=index, add_special=add_special, **asked)
        assert [token.id for token in tokens] == wanted
        inner = tokens[len(before) : len(tokens) - len(after)]
        assert inner == tok.sample_spans(text, index=index, **asked)
        edge = tok.encode_spans(text, add_special=add_special)
        assert (
            tokens[: len(before)] + tokens[len(tokens) - len(after) :]
            == edge[: len(before)] + edge[len(edge) - len(after) :]
        )
    batch = tok.sample_batch(TEXTS, add_special=add_special, **asked)
    assert batch.tolist() == [
        tok.sample(text, index=index, add_special=add_special, **asked) for index, text in enumerate(TEXTS)
    ]
    assert batch.around == (len(before), len(after))


def test_dropout() -> None:
    tok = ap.Tokenizer(BPE).replace(bos_id=1, eos_id=2)
    assert tok.sample("ab", 0.5, seed=1, method="dropout", add_special=True)[0] == 1


def test_a_sampler() -> None:
    tok = ap.load()
    sampler = tok.sampler(0.2, seed=5, add_special=True)
    assert sampler("Hello", index=4, epoch=1) == tok.sample("Hello", 0.2, seed=5, index=4, epoch=1, add_special=True)
    assert sampler.batch(TEXTS, index=4).tolist()[2] == sampler("a b c", index=6)
    assert pickle.loads(pickle.dumps(sampler)) == sampler


def test_what_is_refused() -> None:
    bare = ap.load().replace(bos_id=None)
    for ask in (
        bare.sample,
        bare.sample_array,
        bare.sample_spans,
        lambda text, **more: bare.sample_batch([text], **more),
    ):
        with pytest.raises(ap.InputError, match="no bos piece"):
            ask("Hello", seed=1, add_special="bos")
        with pytest.raises(ap.InputError, match="add_special must be"):
            ask("Hello", seed=1, add_special="both")
    with pytest.raises(ap.InputError, match="no bos piece"):
        bare.sampler(seed=1, add_special="bos")
