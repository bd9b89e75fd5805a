"""The reference in Python against both releases, on hand-made and trained files.

The kernel is compared with the reference and with sentencepiece; this closes the triangle, so a case where all three must
agree can be blamed on one of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

import anypiece as ap
from anypiece.formats.sentencepiece import rules_of
from anypiece.reference.tokenizer import ReferenceTokenizer
from anypiece.spec import Kind
from tests.parity.compare import Parity, Peers
from tests.support import adversarial, wire
from tests.support.made import TRAINED, trained_file
from tests.support.ours import ByReference
from tests.support.peer import DIALECTS, VERSIONS
from tests.support.texts import SEED, TextSet
from tests.support.vocabularies import SPECS, alphabet

if TYPE_CHECKING:
    from pathlib import Path

    from anypiece.spec import Spec


def _of_release(spec: Spec, version: str) -> Spec:
    return spec.replace(**rules_of(DIALECTS[version], spec.segmenter))


NAMES = [name for name in SPECS if not name.endswith("-old")]
CONTROLS = [name for name in NAMES if name.endswith("-control")]
FINDS_CONTROLS = "0.2.2"
"""It gives the id of a control piece that text spells. 0.2.1 refuses such a text, and 0.2.3 finds no control piece."""


@lru_cache(maxsize=1)
def _texts(name: str) -> list[bytes]:
    """Those of the last name are kept for the other releases."""
    soup = adversarial.Soup(alphabet(SPECS[name]), ["<sep>", "<s>", "<unk>", "<0x41>", "ab", "▁x", "a b", "  "])
    return adversarial.strings(f"{SEED} few {name}", 400, soup)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_hand_made(name: str, version: str, peers: Peers, tmp_path: Path) -> None:
    spec = SPECS[name]
    path = tmp_path / f"{name}.model"
    path.write_bytes(wire.file_bytes(spec))
    texts = _texts(name)
    if name in CONTROLS and version == FINDS_CONTROLS:
        found = peers.get(version, path.read_bytes()).columns(texts).ids_only
        texts = [text for index, text in enumerate(texts) if index not in found]
        assert len(texts) > 100
    side = ByReference(ReferenceTokenizer(_of_release(spec, version)))
    outcome = Parity(path, version, peers, side).check(TextSet("few", lambda: texts))
    assert outcome.difference is None, str(outcome.difference)


@pytest.mark.parametrize("name", CONTROLS)
def test_text_that_spells_a_control_piece(name: str, peers: Peers) -> None:
    """0.2.1 refuses what 0.2.2 has no pieces but ids for; one of these ids is that of a control piece, and never here."""
    spec, texts = SPECS[name], _texts(name)
    controls = {id for id, (_, _, kind) in enumerate(spec.pieces) if kind == Kind.CONTROL}
    found = {one: peers.get(one, wire.file_bytes(spec)).columns(texts) for one in VERSIONS}
    spelled = found[FINDS_CONTROLS].ids_only
    assert len(spelled) >= 5
    assert found["0.2.1"].refused == spelled
    assert (found["0.2.3"].ids_only, found["0.2.3"].refused, found[FINDS_CONTROLS].refused) == ([], [], [])
    theirs = np.split(found[FINDS_CONTROLS].ids, np.cumsum(found[FINDS_CONTROLS].counts)[:-1])
    assert [index for index, ids in enumerate(theirs) if controls & set(ids.tolist())] == spelled
    ours = ReferenceTokenizer(_of_release(spec, FINDS_CONTROLS))
    assert not any(controls & set(ours.encode(texts[index])) for index in spelled)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", TRAINED)
def test_trained(name: str, version: str, peers: Peers) -> None:
    path = trained_file(name)
    soup = adversarial.soup_of(wire.file_pieces(path))
    texts = TextSet("few", lambda: adversarial.strings(f"{SEED} few {name}", 400, soup))
    side = ByReference(ReferenceTokenizer(ap.load(path, dialect=DIALECTS[version]).spec))
    outcome = Parity(path, version, peers, side).check(texts)
    assert outcome.difference is None, str(outcome.difference)
