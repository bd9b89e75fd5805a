"""Arguments of draws and lattices that are refused: with a code, by their name, and as early as can be."""

from __future__ import annotations

import math
from typing import Any

import pytest

import anypiece as ap
from anypiece.text.sampling import Method
from tests.support.small_vocabularies import BPE, RANKS

HUGE = 10**400
REFUSED: dict[str, tuple[str, Any]] = {
    "sample": ("alpha", lambda tok, _: tok.sample("Hello", HUGE, seed=1)),
    "sample_spans": ("alpha", lambda tok, _: tok.sample_spans("Hello", HUGE, seed=1)),
    "sample_batch": ("alpha", lambda tok, _: tok.sample_batch(["Hello"], HUGE, seed=1)),
    "sampler": ("alpha", lambda tok, _: tok.sampler(HUGE, seed=1)),
    "entropy": ("alpha", lambda _, lattice: lattice.entropy(HUGE)),
    "marginals": ("alpha", lambda _, lattice: lattice.marginals(HUGE)),
    "log_partition": ("alpha", lambda _, lattice: lattice.log_partition(HUGE)),
    "draw of a lattice": ("alpha", lambda _, lattice: lattice.sample(HUGE, seed=1)),
    "without replacement": ("k", lambda _, lattice: lattice.sample_without_replacement(HUGE, seed=1)),
    "seed at infinity": ("seed", lambda _, lattice: lattice.sample(math.inf, seed="zz")),
    "method at infinity": ("method", lambda _, lattice: lattice.sample(math.inf, seed=1, method="bogus")),
    "no paths": ("nbest", lambda tok, _: tok.sample("a", seed=1, method="nbest", nbest=0)),
    "less than none": ("nbest", lambda tok, _: tok.sample_spans("a", seed=1, method="nbest", nbest=-1)),
    "no paths of a sampler": ("nbest", lambda tok, _: tok.sampler(seed=1, method="nbest", nbest=0)),
    "limit": ("limit", lambda tok, _: tok.count("a", limit=HUGE)),
    "length": ("n", lambda tok, _: tok.truncate("a", HUGE)),
    "threads": ("threads", lambda tok, _: tok.encode("a", threads=HUGE)),
}


@pytest.mark.parametrize(("argument", "ask"), REFUSED.values(), ids=REFUSED)
def test_arguments_are_refused_by_name(argument: str, ask: Any) -> None:
    tok = ap.load()
    with pytest.raises(ap.InputError, match=f"^{argument} must") as caught:
        ask(tok, tok.lattice("Hello"))
    assert (caught.value.code, caught.value.facts["argument"]) == ("argument-value", argument)


def test_samplers_are_refused_when_they_are_made() -> None:
    for spec, method in ((BPE, "lattice"), (BPE, "nbest"), (ap.load().spec, "dropout")):
        with pytest.raises(ap.InputError) as caught:
            ap.Tokenizer(spec).sampler(seed=1, method=method)
        assert caught.value.code == "sample-method"


@pytest.mark.parametrize(
    ("alpha", "method"),
    [(-0.1, "lattice"), (math.nan, "lattice"), (1.1, "dropout"), ("1", "lattice"), (0.1, "gibbs"), (None, "nbest")],
)
def test_refused(alpha: float, method: Method) -> None:
    with pytest.raises(ap.InputError) as caught:
        ap.load().sample("Hello", alpha, seed=1, method=method)
    assert caught.value.code == "argument-value"


@pytest.mark.parametrize("seed", [None, 1.0, "1", True])
def test_seeds_are_ints(seed: int) -> None:
    with pytest.raises(ap.InputError, match="seed"):
        ap.load().sample("Hello", seed=seed)


def test_methods_that_do_not_fit() -> None:
    for spec, method in ((BPE, "lattice"), (RANKS, "reservoir"), (BPE, "nbest"), (ap.load().spec, "dropout")):
        with pytest.raises(ap.InputError) as caught:
            ap.Tokenizer(spec).sample("the", 0.1, seed=1, method=method)
        assert caught.value.code == "sample-method"
    with pytest.raises(ap.InputError, match="dropout"):  # at any temperature
        ap.Tokenizer(BPE).sample("the", math.inf, seed=1)
