"""Lattices and draws of real files: the kernel against the reference, edge by edge and draw by draw."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import anypiece as ap
from anypiece.formats import tiktoken
from anypiece.reference import lattice as reference
from anypiece.reference import sampling
from anypiece.reference.tokenizer import ReferenceTokenizer
from tests.support import data

TEXT = "Hello wörld, naïve café! 今日はいい السلام 👩‍💻 𝔘x  aaaaaaa <s> 12345"
UNIGRAM = (
    "opennmt_sp.model",
    "spm_test_ja_model.model",
    "hf_test_sentencepiece_with_bytefallback.model",
)
BPE = ("hf_test_sentencepiece_bpe.model", "blingfire_bpe_example.model")


def opened(name: str) -> ap.Tokenizer:
    assert data.DATA is not None
    return ap.load(data.DATA / "models" / "sentencepiece" / name)


@pytest.mark.parametrize("name", UNIGRAM)
def test_unigram(name: str) -> None:
    tok = opened(name)
    normalized = ReferenceTokenizer(tok.spec).normalize(TEXT)
    kernel, lattice = tok.lattice(TEXT), reference.lattice_of(tok.spec, normalized)
    rows = zip(kernel.starts.tolist(), kernel.ends.tolist(), kernel.ids.tolist(), kernel.scores.tolist(), strict=True)
    assert [reference.Edge(*row) for row in rows] == lattice.edges
    assert kernel.bounds.tolist() == lattice.bounds
    assert kernel.viterbi().ids == tok.encode(TEXT)
    best = [reference.score_of(path) for path in lattice.nbest(20)]
    assert [path.score for path in kernel.nbest(20)] == pytest.approx(best, abs=1e-9)
    for alpha in (0.0, 0.1, 1.0):
        assert kernel.log_partition(alpha) == pytest.approx(lattice.log_partition(alpha), abs=1e-9)
        assert kernel.entropy(alpha) == pytest.approx(lattice.entropy(alpha), abs=1e-9)
        assert np.allclose(kernel.marginals(alpha), lattice.marginals(alpha), rtol=0, atol=1e-9)
        for seed in range(4):
            for method in ("lattice", "viterbi", "reservoir"):
                options: Any = {"seed": seed, "epoch": 3, "index": 4, "method": method}
                path = sampling.sample(lattice, method, alpha, seed=seed, epoch=3, index=4)
                assert tok.sample(TEXT, alpha, **options) == reference.ids_of(tok.spec, normalized, path)
        rest = sampling.without_replacement(lattice, 5, alpha, seed=1)
        drawn = kernel.sample_without_replacement(5, alpha, seed=1)
        assert [path.ids for path in drawn] == [reference.ids_of(tok.spec, normalized, row.path) for row in rest]
    ElementTree.fromstring(kernel.svg())


@pytest.mark.parametrize("name", BPE)
def test_dropout(name: str) -> None:
    tok = opened(name)
    normalized = ReferenceTokenizer(tok.spec).normalize(TEXT)
    assert tok.sample(TEXT, 0.0, seed=1, method="dropout") == tok.encode(TEXT)
    dropout = sampling.Dropout(tok.spec)
    for seed in range(4):
        share = (seed + 1) / 5
        ids = dropout.ids(normalized, share, seed=seed)
        assert tok.sample(TEXT, share, seed=seed, method="dropout") == ids
        assert tok.decode(ids) == tok.decode(tok.encode(TEXT))


@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base"])
def test_dropout_of_ranks(name: str) -> None:
    tok = ap.Tokenizer(tiktoken.read(data.rank_file(name))[0])
    assert tok.lattice(TEXT).viterbi().ids == tok.sample(TEXT, 0.0, seed=1, method="dropout") == tok.encode(TEXT)
    dropout = sampling.Dropout(tok.spec)
    for seed in range(8):
        ids = dropout.ids(TEXT, (seed + 1) / 9, seed=seed)
        assert tok.sample(TEXT, (seed + 1) / 9, seed=seed, method="dropout") == ids
        assert tok.decode(ids) == TEXT
