"""Names that users may import, wherever the code behind them lives, and pickles that earlier layouts of the package made.

``tests/cases/pickles`` has one file for each layout, named for the release and for what is new in it: tokenizers of every
format and the records that calls return, pickled, compressed by LZMA and spelled in base 85, with what they must answer.
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
import pickle
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import anypiece as ap
from tests.support.data import ROOT

CASES = ROOT / "tests" / "cases" / "pickles"

NAMES = """
Added AddedFlag AnyPieceError ArrowColumn Batch BatchStreamDecoder Check Comparison Conversion DecodeError Edge Encoded
Explanation FileError FormatError InputError InputTypeError InternalError Kind Lattice Path Paths Pieces Sample
Sampler Shards SpanBatch Spec SpecError SpecialsWarning StreamDecoder StreamEncoder Token Tokenizer UnknownClassWarning
UnknownIdError UnknownPieceError WordCounts __version__ check compare convert count_words extend grow load merge_words
train
"""
"""Every name of ``anypiece`` itself."""

MODULES = {
    "corpus.readers": "Corpus",
    "corpus.shards": "Plan Shards plan_shards run_shards run_task verify_shards",
    "demo": "main",
    "errors": "AnyPieceError CODES",
    "formats": "bytepiece gguf huggingface rwkv sentencepiece tekken tiktoken wordpiece",
    "formats.gguf": "read write",
    "formats.gguf_file": "packed parsed",
    "formats.huggingface": "read write",
    "formats.sentencepiece": "read write",
    "formats.tekken": "read write",
    "formats.tiktoken": "read write",
    "formats.tiktoken_definitions": "DEFINITIONS SPLITTERS",
    "formats.wordpiece": "read write",
    "reference": "ReferenceTokenizer",
    "reference.bpe_training": "",
    "reference.bytepiece_training": "",
    "reference.charsmap": "CharsMap",
    "reference.cuts": "pairs units word_units",
    "reference.decode_steps": "",
    "reference.greedy": "",
    "reference.lattice": "lattice_of",
    "reference.plamo": "",
    "reference.rules": "",
    "reference.sampling": "sample",
    "reference.specials": "parts",
    "reference.split": "",
    "reference.steps": "",
    "reference.unigram": "Unigram",
    "reference.unigram_training": "allowed alphabet estimate prune seeds segments train",
    "reference.word_level": "",
    "reference.wordpiece": "",
    "reference.wordpiece_training": "train_wordpiece",
    "spec": "Added AddedFlag Kind Pieces Sample Spec",
    "steps": "Steps steps",
    "tokenizer": "Tokenizer",
    "training": "grow_on report_on train",
    "training.bpe": "ByteBpeOptions byte_bpe_spec score_bpe_spec",
    "training.bytepiece": "BytePieceOptions bytepiece_spec",
    "training.normalization": "charsmap_of compiled_rules named_rules",
    "training.options": "PieceOptions",
    "training.wordpiece": "WordPieceOptions wordpiece_spec",
}
"""Modules that pages, help texts or docstrings name, with the names of each that they show."""


@pytest.mark.parametrize("name", NAMES.split())
def test_name_of_the_package(name: str) -> None:
    assert name in ap.__all__
    assert getattr(ap, name) is not None


@pytest.mark.parametrize("module", MODULES)
def test_documented_module(module: str) -> None:
    found = import_module(f"anypiece.{module}")
    assert [name for name in MODULES[module].split() if not hasattr(found, name)] == []


def kept() -> list[Any]:
    files = sorted(CASES.glob("*.json"))
    rows = [(path.stem, row) for path in files for row in json.loads(path.read_text("utf-8"))]
    return [pytest.param(row, id=f"{layout}-{row['name']}".replace(" ", "-")) for layout, row in rows]


def opened(row: dict[str, Any]) -> Any:
    return pickle.loads(lzma.decompress(base64.b85decode(row["pickle"])))


@pytest.mark.parametrize("row", [case for case in kept() if "ids" in case.values[0]])
def test_pickled_tokenizer_opens(row: dict[str, Any], tmp_path: Path) -> None:
    tok = opened(row)
    assert type(tok) is ap.Tokenizer
    again = pickle.loads(pickle.dumps(tok))
    assert again == tok
    for one in (tok, again):
        assert one.encode(row["text"]) == row["ids"]
        if row["chat"] is not None:
            assert one.render_chat([{"role": "user", "content": "Hi"}]) == row["chat"]
        if "format" in row:  # what the file says besides the Spec is needed to write it
            one.save(tmp_path / "file", row["format"])
            assert hashlib.sha256((tmp_path / "file").read_bytes()).hexdigest() == row["written"]


@pytest.mark.parametrize("row", [case for case in kept() if "value" in case.values[0]])
def test_pickled_record_opens(row: dict[str, Any]) -> None:
    found = opened(row)
    if isinstance(found, ap.Batch):
        found = [ids.tolist() for ids in found]
    if isinstance(found, ap.Sampler):
        found = found("ab ab", index=1)
    assert repr(found) == row["value"]
