"""Steps of every third real file: some short texts each. All files, 200 texts each: ``python -m tests.property.steps``,
which ``make parity`` runs.

And the worked examples that were made with real files, number by number; the others are in
``tests/unit/steps/test_worked_examples.py``.
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import anypiece as ap
from anypiece.reference.charsmap import CharsMap
from anypiece.steps.data import Viterbi
from tests.property.linear_time import files
from tests.property.steps import check_file
from tests.property.streams import opened
from tests.support.data import folder, model_file
from tests.support.weather import DRAWN, WEATHER

SOME = 12
"""Texts of each file: the odd ones and two lines."""


@pytest.mark.parametrize("name", files()[::3])
def test_every_third_file(name: str) -> None:
    check_file(opened(name), name, SOME)


def test_the_map_of_t5_in_a_debugger() -> None:
    """From the root the byte of "W" leads to node 118, that of "h" from there to 554, which is not its child."""
    blob = _t5().spec.charsmap
    units = CharsMap(blob).units
    assert len(units) == int.from_bytes(blob[:4], "little") // 4 == 44288
    first = _base(units[0]) ^ ord("W")
    assert (first, units[first] & 0xFF, units[first] >> 8 & 1) == (118, ord("W"), 0)
    second = first ^ _base(units[first]) ^ ord("h")
    assert second == 554
    assert units[second] & 0x800000FF != ord("h")


def _t5() -> ap.Tokenizer:
    return ap.load(folder() / "models" / "gguf" / "t5-from-nai-t5-model.gguf")


def _base(unit: int) -> int:
    """Where the children of a node are, as the double array says it."""
    return unit >> 10 << ((unit & 1 << 9) >> 6)


def test_the_first_row_of_t5() -> None:
    found = _t5().explain("What is LoRA?").steps
    fragment, table = found.parts[0].fragment, found.chunks()[0].table
    assert isinstance(table, Viterbi)
    assert fragment is not None
    assert (fragment.normalized, len(fragment.normalized.encode())) == ("▁What▁is▁LoRA?", 20)
    row = table.positions[1]
    assert (row.byte, row.back, [(one.id, one.piece) for one in row.candidates]) == (3, 0, [(3, "▁")])
    assert row.total == float(np.float32(-2.01229286))


def test_control_and_unknown_pieces_of_t5() -> None:
    tok = _t5()
    assert (tok.id_to_piece(0), tok.score(0), tok.kind(0)) == ("<pad>", 0.0, ap.Kind.CONTROL)
    assert (tok.unk_id, tok.id_to_piece(3)) == (2, "▁")
    assert tok.score(3) == float(np.float32(-2.01229286))


def test_hello_world_by_three_vocabularies() -> None:
    """Ids that descriptions give for these words are from vocabularies of two models; the sign is 0 in both."""
    gpt2, gpt4 = opened("tiktoken/r50k_base.tiktoken"), opened("tiktoken/cl100k_base.tiktoken")
    assert gpt2.encode("Hello world!") == [15496, 995, 0]
    assert gpt4.encode("Hello world!") == [9906, 1917, 0]
    assert gpt2.vocab_size == 256 + 50_000 + 1
    assert [chunk.text for chunk in gpt2.explain("Hello world 123").steps.chunks()] == ["Hello", " world", " 123"]
    assert gpt2.count(" " * 8) == 8
    assert gpt4.count(" " * 8) < 8
    llama = opened("sentencepiece/llama2.model")
    assert llama.vocab_size == 32_000
    assert llama.encode_pieces("Hello world") == ["▁Hello", "▁world"]
    assert (llama.unk_id, llama.bos_id, llama.eos_id) == (0, 1, 2)
    assert llama.encode_pieces("🎉") == ["▁", "<0xF0>", "<0x9F>", "<0x8E>", "<0x89>"]
    gemma = opened("sentencepiece/maxtext_gemma3.model")
    assert (gemma.bos_id, gemma.unk_id, gemma.pad_id, gemma.id_to_piece(106)) == (2, 3, 0, "<end_of_turn>")


def test_the_weather_with_160_000_pieces(tmp_path: Path) -> None:
    path = tmp_path / "bytepiece_160k.model"
    path.write_bytes(model_file("bytepiece/bytepiece_160k.model"))
    tok = ap.load(path)
    assert tok.encode_piece_bytes(WEATHER) == DRAWN[1]
    lattice = tok.lattice(WEATHER)
    places = {(edge.start, edge.end): edge.score for edge in lattice.edges}
    shares = []
    for pieces in DRAWN:
        ends = [0, *np.cumsum([len(piece) for piece in pieces]).tolist()]
        shares.append(math.exp(0.1 * sum(places[edge] for edge in pairwise(ends)) - lattice.log_partition(0.1)))
    assert max(shares) == shares[1]
    assert 0 < sum(shares) < 1
