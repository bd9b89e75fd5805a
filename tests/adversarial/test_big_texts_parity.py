"""The big texts made to hurt, against both releases of sentencepiece on real files."""

from __future__ import annotations

import pytest

from tests.parity.compare import Parity, Peers
from tests.support import data
from tests.support.adversarial import HURTFUL, hurtful
from tests.support.peer import VERSIONS
from tests.support.texts import TextSet

FILES = (
    "t5_base_spiece.model",
    "chatglm6b_ice_text.model",
    "kerashub_albert_test_vocab.model",
    "llama2.model",
    "maxtext_gemma3.model",
    "hf_test_sentencepiece_bpe.model",
)
SIZE = 50_000

TEXTS = TextSet(f"hurtful-{SIZE}", lambda: [hurtful(name, SIZE) for name in HURTFUL])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", FILES)
def test_everything_equals_sentencepiece(name: str, version: str, peers: Peers) -> None:
    assert data.DATA is not None
    outcome = Parity(data.DATA / "models" / "sentencepiece" / name, version, peers).check(TEXTS)
    assert outcome.difference is None, str(outcome.difference)
    assert outcome.refused == 0
