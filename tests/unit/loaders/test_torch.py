"""Batches for torch without torch: rows, labels, what is cut, what is refused. With it: ``tests/compat/loaders.py``."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import pytest

import anypiece as ap
from anypiece.loaders.torch import Collate, Example, Numbered
from tests.support.small_vocabularies import UNIGRAM

TOK = ap.Tokenizer(UNIGRAM)
NUMPY: dict[str, Any] = {"pad_id": 0, "return_tensors": "np"}


def test_rows_of_a_tokenizer() -> None:
    rows = Collate(TOK, add_special=True, labels=True, pad_to_multiple_of=4, **NUMPY)(
        [{"text": "ab a", "label": 1}, {"text": "", "label": 0}]
    )
    assert rows.input_ids.tolist() == [[*TOK.encode("ab a", add_special=True)], [1, 2, 0, 0]]
    assert rows.labels.tolist()[1] == [1, 2, -100, -100]
    assert rows.label.tolist() == [1, 0]
    assert Collate(TOK, **NUMPY)(["ab", "a"]).attention_mask.tolist() == [[1], [1]]


def test_rows_of_a_sampler() -> None:
    sampler = TOK.sampler(0.1, seed=7, add_special=True)
    collate = Collate(sampler, "body", **NUMPY)
    texts = ["ab a b " * 5, "ab" * 9]
    for epoch in range(3):
        found = collate([Example({"body": text}, number, epoch) for number, text in enumerate(texts)])
        drawn = [sampler(text, index=number, epoch=epoch) for number, text in enumerate(texts)]
        rows = zip(found.input_ids.tolist(), found.attention_mask.sum(1).tolist(), strict=True)
        assert [ids[:length] for ids, length in rows] == drawn


@pytest.mark.parametrize("special", [False, True, "bos", "eos"])
def test_what_is_too_long_loses_its_end(special: Any) -> None:
    whole = TOK.encode("ab a b ab", add_special=special)
    around = TOK.encode("", add_special=special)
    for length in range(max(1, len(around)), len(whole) + 2):
        ids = Collate(TOK, max_length=length, add_special=special, **NUMPY)(["ab a b ab"]).input_ids[0].tolist()
        behind = whole[-1:] if special in (True, "eos") else []
        assert ids == (whole if length >= len(whole) else [*whole[: length - len(behind)], *behind])


def test_it_can_be_pickled() -> None:
    collate = Collate(TOK.sampler(0.1, seed=7), **NUMPY)
    again = pickle.loads(pickle.dumps(collate))
    examples = [Example("ab a ab", 5, 1)]
    assert again(examples).input_ids.tolist() == collate(examples).input_ids.tolist()


def test_what_is_refused() -> None:
    with pytest.raises(ap.InputTypeError, match="by must be a Sampler or a Tokenizer, not str"):
        Collate("tok")  # type: ignore[arg-type]
    with pytest.raises(ap.InputError, match="A Sampler has its own add_special"):
        Collate(TOK.sampler(seed=1), add_special=True)
    with pytest.raises(ap.InputError, match="max_length=1 is less than the 2 ids"):
        Collate(TOK, max_length=1, add_special=True)
    with pytest.raises(ap.InputTypeError, match=r"Numbered\(dataset\)"):
        Collate(TOK.sampler(seed=1), **NUMPY)(["ab"])
    for given in (iter(["a"]), {"text": ["a"]}):
        with pytest.raises(ap.InputTypeError, match="a data set with a length and items by number"):
            Numbered(given)


def test_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ap.InputError, match="needs the package torch") as caught:
        Numbered(["a"])
    assert caught.value.code == "extra-missing"
