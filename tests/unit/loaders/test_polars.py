"""Expressions of polars, wherever expressions may stand."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import polars as pl
import pytest

import anypiece as ap
from anypiece.loaders.polars import count, decode, encode, sample
from tests.support.small_vocabularies import UNIGRAM

TOK = ap.Tokenizer(UNIGRAM)
TEXTS = ["ab a", None, "", "éab", None, "b" * 50]
IDS = [None if text is None else TOK.encode(text, add_special="bos") for text in TEXTS]
FRAME = pl.DataFrame({"by": list("xyxyzz"), "text": TEXTS}).with_row_index()
BOS = encode(TOK, "text", add_special="bos")


def test_in_frames() -> None:
    assert FRAME.select(BOS)["text"].to_list() == IDS
    assert FRAME.select(BOS.alias("ids"))["ids"].dtype == pl.List(pl.UInt32)
    assert FRAME[1:4].select(BOS)["text"].to_list() == IDS[1:4]
    assert FRAME.select(encode(TOK, pl.col("text").reverse(), add_special="bos"))["text"].to_list() == IDS[::-1]
    assert FRAME.filter(count(TOK, "text") > 3).height == 1
    assert FRAME.with_columns(pl.col("text").cast(pl.Categorical)).select(BOS)["text"].to_list() == IDS


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_in_lazy_frames(engine: Any) -> None:
    lazy = FRAME.lazy().with_columns(ids=BOS, n=count(TOK, "text", add_special="bos"))
    schema = lazy.collect_schema()
    assert (schema["ids"], schema["n"]) == (pl.List(pl.UInt32), pl.Int64)
    found = lazy.with_columns(again=decode(TOK, "ids")).sort("index").collect(engine=engine)
    assert found["ids"].to_list() == IDS
    assert found["n"].to_list() == [None if ids is None else len(ids) for ids in IDS]
    assert found["again"].to_list() == [None if ids is None else TOK.decode(ids) for ids in IDS]
    assert FRAME.lazy().filter(pl.col("by") == "y").select(BOS).collect(engine=engine)["text"].to_list() == [
        None,
        IDS[3],
    ]


def test_in_groups() -> None:
    groups = FRAME.group_by("by", maintain_order=True).agg(BOS, n=count(TOK, "text").sum())
    assert groups["text"].to_list() == [[IDS[0], IDS[2]], [None, IDS[3]], [None, IDS[5]]]
    assert groups["n"].to_list() == [len(TOK.encode("ab a")), len(TOK.encode("éab")), len(TOK.encode("b" * 50))]
    assert FRAME.select(BOS.over("by"))["text"].to_list() == IDS


def test_draws_depend_on_the_number_alone() -> None:
    sampler = TOK.sampler(0.1, seed=7, add_special="bos")
    wanted = [None if text is None else sampler(text, index=n, epoch=2) for n, text in enumerate(TEXTS)]
    draws = sample(sampler, "text", "index", epoch=2)
    assert FRAME.select(draws)["text"].to_list() == wanted
    assert FRAME.lazy().select(draws).collect_schema()["text"] == pl.List(pl.UInt32)
    assert FRAME.select(sample(sampler, pl.col("text"), pl.col("index"), epoch=2))["text"].to_list() == wanted
    mixed = FRAME.sort("by", "text", nulls_last=True)
    assert mixed.with_columns(draws).sort("index")["text"].to_list() == wanted
    groups = FRAME.group_by("by", maintain_order=True).agg("index", draws).explode("index", "text").sort("index")
    assert groups["text"].to_list() == wanted
    assert FRAME.clear().select(draws)["text"].to_list() == []
    assert FRAME.select(sample(sampler, "text", "index", epoch=3))["text"].to_list() != wanted


def test_what_is_refused() -> None:
    with pytest.raises(ap.InputTypeError, match="must be of strings or bytes, not UInt32"):
        FRAME.select(encode(TOK, "index"))
    with pytest.raises(ap.InputTypeError, match="must be of lists of integers"):
        FRAME.select(decode(TOK, "text"))
    with pytest.raises(ap.InputError, match="index must be a column of integers without nulls, not String"):
        FRAME.select(sample(TOK.sampler(seed=1), "text", "by"))
    with pytest.raises(TypeError, match="nonsense"):  # where the expression is made, not where it is run
        encode(TOK, "text", nonsense=1)
    with pytest.raises(ap.InputError, match="specials"):
        count(TOK, "text", specials="all")
    with pytest.raises(ap.InputError, match="epoch"):
        sample(TOK.sampler(seed=1), "text", "index", epoch="one")  # type: ignore[arg-type]


def test_an_error_raised_anew_keeps_its_class_and_message() -> None:
    """polars and torch make an error of the same class from the message alone."""
    error = ap.InputTypeError("what was wrong")
    assert (str(error), error.code, error.facts) == ("what was wrong", "", {})


def test_without_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ap.InputError, match="needs the package polars") as caught:
        encode(TOK, "text")
    assert caught.value.code == "extra-missing"


def test_nothing_is_imported_before_it_is_used() -> None:
    code = (
        "import sys, anypiece.loaders.polars, anypiece.loaders.datasets, anypiece.loaders.torch\n"
        "print(sorted({'polars', 'datasets', 'torch', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
