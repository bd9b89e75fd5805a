"""Functions for ``datasets.Dataset.map`` without ``datasets``: what they return, and what their pickles hold."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

import anypiece as ap
from anypiece.loaders.datasets import Count, Encode
from tests.support.data import ROOT
from tests.support.small_vocabularies import SPECIALS, UNIGRAM

TOK = ap.Tokenizer(UNIGRAM)
TEXTS = ["ab a", None, ""]
IDS = [None if text is None else TOK.encode(text, add_special=True) for text in TEXTS]


def test_lists() -> None:
    rows = Encode(TOK, add_special=True)({"text": TEXTS, "label": [1, 2, 3]})
    assert [None if row is None else row.tolist() for row in rows["input_ids"]] == IDS
    assert list(rows) == ["input_ids"]
    assert Count(TOK, "text", "n")({"text": TEXTS}) == {"n": [2, None, 0]}


def test_tables() -> None:
    table = pa.table({"text": TEXTS, "label": [1, 2, 3]})
    found = Encode(TOK, add_special=True)(table)
    assert found.column_names == ["text", "label", "input_ids"]
    assert found["input_ids"].to_pylist() == IDS
    assert Count(TOK)(table)["tokens"].to_pylist() == [2, None, 0]
    assert Encode(TOK, to="text", add_special=True)(table).to_pydict() == {"text": IDS, "label": [1, 2, 3]}


def test_one_example_is_refused() -> None:
    with pytest.raises(ap.InputTypeError, match="batched=True"):
        Encode(TOK)({"text": "ab"})


def test_options_are_checked_when_it_is_made() -> None:
    with pytest.raises(TypeError, match="nonsense"):
        Encode(TOK, nonsense=1)
    with pytest.raises(ap.InputError, match="specials"):
        Count(TOK, specials="all")
    with pytest.raises(ap.InputTypeError, match="tokenizer must be a Tokenizer"):
        Encode("a path")  # type: ignore[arg-type]


def test_a_pickle_is_by_content() -> None:
    function = Encode(ap.Tokenizer(SPECIALS), specials={"[SEP]", "<s>"}, add_special="bos", reverse=True)
    again = pickle.loads(pickle.dumps(function))
    batch = {"text": ["ab[SEP]", "a"]}
    assert [row.tolist() for row in again(batch)["input_ids"]] == [row.tolist() for row in function(batch)["input_ids"]]
    assert pickle.dumps(again) == pickle.dumps(function)
    same = Encode(ap.Tokenizer(SPECIALS), specials=["<s>", "[SEP]"], reverse=True, add_special="bos")
    assert pickle.dumps(same) == pickle.dumps(function)


DIFFERENT: list[Any] = [
    Encode(TOK),
    Count(TOK),
    Encode(TOK, "other"),
    Encode(TOK, to="ids"),
    Encode(TOK, add_special=True),
    Encode(TOK, threads=2),
    Encode(TOK.replace(bos_id=None)),
    Encode(ap.Tokenizer(SPECIALS)),
    Encode(ap.Tokenizer(SPECIALS), specials={"[SEP]"}),
]


def test_what_differs_has_another_pickle() -> None:
    assert len({pickle.dumps(function) for function in DIFFERENT}) == len(DIFFERENT)


def test_another_release_has_another_pickle(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release may give other ids, and a cache must not hide it."""
    before = pickle.dumps(Encode(TOK))
    monkeypatch.setattr("anypiece._native.__version__", "99.0")
    assert pickle.dumps(Encode(TOK)) != before


def test_a_pickle_is_the_same_in_every_process() -> None:
    code = (
        "import hashlib, pickle, anypiece\n"
        "from anypiece.loaders.datasets import Encode\n"
        "function = Encode(anypiece.load(), specials={'<s>', '</s>'}, add_special=True)\n"
        "function({'text': ['warm']}), function._tokenizer.spec, function._tokenizer.fingerprint\n"
        "print(hashlib.sha256(pickle.dumps(function)).hexdigest())"
    )
    runs = []
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        runs.append(done.stdout)
    assert len(set(runs)) == 1
