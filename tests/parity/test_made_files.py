"""Hand-made and trained files against both releases: every segmenter, kind and setting, with texts made for each.

These need no folder of real files. For the hand-made ones, every text of up to six parts over three symbols is tried as
well, which decides ties exhaustively.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from tests.parity.compare import Parity, Peers
from tests.support import adversarial, wire
from tests.support.made import TRAINED, trained_file
from tests.support.peer import DIALECTS, VERSIONS
from tests.support.texts import SEED, TextSet
from tests.support.vocabularies import SPECS, alphabet

if TYPE_CHECKING:
    from pathlib import Path

    from anypiece.spec import Spec

SYMBOLS = {"unigram-high": "ab ", "bpe-ties": "abc"}
LONGEST = 6
HAND_MADE = [name for name in SPECS if not name.endswith(("-old", "-control"))]
"""Where SentencePiece finds control pieces in text it is not followed."""


def _short_texts(name: str) -> list[bytes]:
    symbols = SYMBOLS.get(name, "ab ")
    return ["".join(row).encode() for size in range(LONGEST + 1) for row in product(symbols, repeat=size)]


def _made_up_texts(name: str, spec: Spec) -> list[bytes]:
    soup = adversarial.Soup(alphabet(spec), ["<sep>", "<s>", "<unk>", "<0x41>", "ab", "▁x", "a b", "  "])
    return adversarial.strings(f"{SEED} {name}", 1500, soup)


def _refused_and_equal(path: Path, version: str, peers: Peers, texts: TextSet) -> int:
    outcome = Parity(path, version, peers).check(texts)
    assert outcome.difference is None, str(outcome.difference)
    return outcome.refused


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", HAND_MADE)
def test_hand_made(name: str, version: str, peers: Peers, tmp_path: Path) -> None:
    spec = SPECS[name]
    path = tmp_path / f"{name}.model"
    path.write_bytes(wire.file_bytes(spec))
    texts = TextSet(name, lambda: _short_texts(name) + _made_up_texts(name, spec))
    assert _refused_and_equal(path, version, peers, texts) == 0


@pytest.mark.parametrize("name", SPECS)
def test_the_file_means_the_spec(name: str, tmp_path: Path) -> None:
    version = "0.2.1" if name.endswith("-old") else "0.2.3"
    path = tmp_path / "it.model"
    path.write_bytes(wire.file_bytes(SPECS[name]))
    assert ap.load(path, dialect=DIALECTS[version]).spec == SPECS[name]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", TRAINED)
def test_trained(name: str, version: str, peers: Peers) -> None:
    path = trained_file(name)
    soup = adversarial.soup_of(wire.file_pieces(path))
    texts = TextSet("made-up", lambda: adversarial.strings(f"{SEED} {name}", 3000, soup))
    assert _refused_and_equal(path, version, peers, texts) == 0


@pytest.mark.parametrize("name", TRAINED)
def test_normalized_text(name: str, peers: Peers) -> None:
    path = trained_file(name)
    texts = adversarial.strings(f"{SEED} {name}", 1000, adversarial.soup_of(wire.file_pieces(path)))
    theirs = peers.get("0.2.3", path.read_bytes()).normalize(texts)
    tok = ap.load(path)
    differing = [text for text, other in zip(texts, theirs, strict=True) if tok.normalize(text).encode() != other]
    assert differing == []
