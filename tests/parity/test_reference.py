"""The reference in Python against both releases, on hand-made and trained files.

The kernel is compared with the reference and with sentencepiece; this closes the triangle, so a case where all three must
agree can be blamed on one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece.formats.sentencepiece import rules_of
from anypiece.reference.tokenizer import ReferenceTokenizer
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
FINDS_CONTROLS = "0.2.2"
"""It gives the id of a control piece that text spells, which no permission of a call could keep out here."""
COMPARED = [(name, one) for name in NAMES for one in VERSIONS if one != FINDS_CONTROLS or not name.endswith("-control")]


@pytest.mark.parametrize(("name", "version"), COMPARED)
def test_hand_made(name: str, version: str, peers: Peers, tmp_path: Path) -> None:
    spec = SPECS[name]
    path = tmp_path / f"{name}.model"
    path.write_bytes(wire.file_bytes(spec))
    soup = adversarial.Soup(alphabet(spec), ["<sep>", "<s>", "<unk>", "<0x41>", "ab", "▁x", "a b", "  "])
    texts = TextSet("few", lambda: adversarial.strings(f"{SEED} few {name}", 400, soup))
    side = ByReference(ReferenceTokenizer(_of_release(spec, version)))
    outcome = Parity(path, version, peers, side).check(texts)
    assert outcome.difference is None, str(outcome.difference)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", TRAINED)
def test_trained(name: str, version: str, peers: Peers) -> None:
    path = trained_file(name)
    soup = adversarial.soup_of(wire.file_pieces(path))
    texts = TextSet("few", lambda: adversarial.strings(f"{SEED} few {name}", 400, soup))
    side = ByReference(ReferenceTokenizer(ap.load(path, dialect=DIALECTS[version]).spec))
    outcome = Parity(path, version, peers, side).check(texts)
    assert outcome.difference is None, str(outcome.difference)
