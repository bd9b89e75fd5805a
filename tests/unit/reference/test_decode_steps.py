"""Decoding by steps: kernel, stream and reference, and all of them against the decoders of tokenizers."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from tokenizers import Tokenizer as Original
from tokenizers import decoders, models

import anypiece as ap
from anypiece.reference import ReferenceTokenizer
from tests.support.decode_steps import NAMES, SP, STEPS, tokenizer


@pytest.mark.parametrize("seed", range(60))
def test_kernel_stream_reference_and_library(seed: int) -> None:
    draw = Random(seed)
    chosen = SP[: draw.randint(1, 4)] if seed % 3 == 0 else draw.choices(STEPS, k=draw.randint(1, 3))
    tok = tokenizer([step for step, _ in chosen])
    reference = ReferenceTokenizer(tok.spec)
    other = Original(models.WordLevel({name: id for id, name in enumerate(NAMES)}, "<unk>"))
    other.decoder = decoders.Sequence([decoder for _, decoder in chosen])
    for _ in range(40):
        ids = [draw.randrange(len(NAMES)) for _ in range(draw.randint(1, 9))]
        text = tok.decode(ids)
        assert text == reference.decode(ids) == other.decode(ids, skip_special_tokens=False), (chosen, ids)
        assert tok.decode_bytes(ids) == reference.decode_bytes(ids)
        assert tok.decode(ids, errors="ignore") == reference.decode(ids, "ignore")
        stream = tok.stream_decoder()
        assert "".join([*(stream.push([id]) for id in ids), stream.flush()]) == reference.streamed(ids), (chosen, ids)


def test_no_decoder_puts_spaces_between() -> None:
    tok = tokenizer([{"type": "join", "separator": " "}])
    ids = [3, 3, 9]
    assert tok.decode(ids) == ReferenceTokenizer(tok.spec).decode(ids) == "a a <0xC3>"
    assert tok.decode([]) == ""


def test_a_stream_does_not_wait_for_the_end() -> None:
    stream = tokenizer([step for step, _ in SP]).stream_decoder()
    assert [stream.push([id]) for id in (0, 9, 10, 3)] == ["a", "", "é", "a"]


@pytest.mark.parametrize(
    "step",
    [
        {"type": "replace", "pattern": "", "content": "x"},
        {"type": "suffix", "suffix": ""},
        {"type": "strip", "content": " ", "start": 2**40, "stop": 0},
    ],
)
def test_steps_that_cannot_be_run(step: dict[str, Any]) -> None:
    with pytest.raises(ap.SpecError) as caught:
        tokenizer([step])
    assert caught.value.code == "spec-decoder"


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(ap.SpecError) as caught:
        tokenizer([{"type": "magic"}])
    assert caught.value.code == "spec-config"


def test_steps_are_kept(tmp_path: Any) -> None:
    tok = tokenizer([step for step, _ in SP])
    tok.save(tmp_path / "x.anypiece")
    again = ap.load(tmp_path / "x.anypiece")
    assert again == tok
    assert json.dumps(again.spec.decoder) == json.dumps(tok.spec.decoder)
