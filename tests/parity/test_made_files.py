"""Hand-made and trained files against both releases: every segmenter, kind and setting, with texts made for each.

These need no folder of real files. For the hand-made ones, every text of up to six parts over three symbols is tried as
well, which decides ties exhaustively.
"""

from __future__ import annotations

import contextlib
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece.formats import sentencepiece as model_format
from anypiece.spec import Sample
from tests.parity.compare import Parity, Peers
from tests.support import adversarial, wire
from tests.support.made import TRAINED, trained_file
from tests.support.peer import DIALECTS, VERSIONS, Peer, PeerDied
from tests.support.texts import SEED, TextSet
from tests.support.vocabularies import SPECS, alphabet

if TYPE_CHECKING:
    from pathlib import Path

SYMBOLS = {"unigram-high": "ab ", "bpe-ties": "abc"}
LONGEST = 6
HAND_MADE = [name for name in SPECS if not name.endswith(("-old", "-control"))]
CONTROLS = [name for name in SPECS if name.endswith("-control")]
"""Vocabularies with control pieces that a text can spell, of which ``test_reference.py`` says what each release does."""


@lru_cache(maxsize=1)
def _texts(name: str) -> list[bytes]:
    """All short texts over a few symbols, and made-up ones; those of the last name are kept for the other releases."""
    symbols = SYMBOLS.get(name, "ab ")
    short = ["".join(row).encode() for size in range(LONGEST + 1) for row in product(symbols, repeat=size)]
    soup = adversarial.Soup(alphabet(SPECS[name]), ["<sep>", "<s>", "<unk>", "<0x41>", "ab", "▁x", "a b", "  "])
    return short + adversarial.strings(f"{SEED} {name}", 1500, soup)


@lru_cache(maxsize=1)
def _texts_of_trained(name: str) -> TextSet:
    soup = adversarial.soup_of(wire.file_pieces(trained_file(name)))
    return TextSet("made-up", lambda: adversarial.strings(f"{SEED} {name}", 3000, soup))


def _refused_and_equal(path: Path, version: str, peers: Peers, texts: TextSet) -> int:
    outcome = Parity(path, version, peers).check(texts)
    assert outcome.difference is None, str(outcome.difference)
    return outcome.refused


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", HAND_MADE)
def test_hand_made(name: str, version: str, peers: Peers, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.model"
    path.write_bytes(wire.file_bytes(SPECS[name]))
    assert _refused_and_equal(path, version, peers, TextSet(name, lambda: _texts(name))) == 0


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", CONTROLS)
def test_control_pieces(name: str, version: str, peers: Peers, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.model"
    path.write_bytes(wire.file_bytes(SPECS[name]))
    texts = _texts(name)
    if version == "0.2.2":
        found = set(peers.get(version, path.read_bytes()).columns(texts).ids_only)
        texts = [text for index, text in enumerate(texts) if index not in found]
    refused = _refused_and_equal(path, version, peers, TextSet(name, lambda: texts))
    assert (refused > 0) == (version == "0.2.1")


@pytest.mark.parametrize("name", SPECS)
def test_the_file_means_the_spec(name: str, tmp_path: Path) -> None:
    version = "0.2.1" if name.endswith("-old") else "0.2.3"
    path = tmp_path / "it.model"
    path.write_bytes(wire.file_bytes(SPECS[name]))
    assert ap.load(path, dialect=DIALECTS[version]).spec == SPECS[name]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", TRAINED)
def test_trained(name: str, version: str, peers: Peers) -> None:
    assert _refused_and_equal(trained_file(name), version, peers, _texts_of_trained(name)) == 0


@pytest.mark.parametrize("name", TRAINED)
def test_normalized_text(name: str, peers: Peers) -> None:
    path = trained_file(name)
    texts = adversarial.strings(f"{SEED} {name}", 1000, adversarial.soup_of(wire.file_pieces(path)))
    theirs = peers.get("0.2.3", path.read_bytes()).normalize(texts)
    tok = ap.load(path)
    differing = [text for text, other in zip(texts, theirs, strict=True) if tok.normalize(text).encode() != other]
    assert differing == []


@pytest.mark.parametrize("version", VERSIONS)
def test_samples_that_fail(version: str, tmp_path: Path) -> None:
    """Releases before 0.2.3 refuse a file that contradicts itself; 0.2.3 does not look, and we do."""
    spec = SPECS["unigram"].replace(samples=(Sample("hello", ("h", "e", "l", "l", "o")),))
    path = tmp_path / "wrong.model"
    path.write_bytes(model_format.write(spec))
    with pytest.raises(ap.AnyPieceError) as caught:
        ap.load(path)
    assert caught.value.code == "self-test-failed"
    with contextlib.closing(Peer(version)) as peer:
        if version == "0.2.3":
            peer.open(path.read_bytes())
        else:
            with pytest.raises(PeerDied, match="Self-test"):
                peer.open(path.read_bytes())
