"""The harness itself: it reads what sentencepiece says, and it sees every kind of difference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from anypiece.reference.tokenizer import ReferenceTokenizer
from tests.parity.compare import Outcome, Parity, Peers
from tests.parity.report import shorten
from tests.support import adversarial, wire
from tests.support.ours import ByReference, Ours, OursByBatches
from tests.support.peer import VERSIONS
from tests.support.records import WHATS, Columns, Digests, group_texts
from tests.support.texts import TextSet
from tests.support.vocabularies import SPECS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEXTS = TextSet("harness", lambda: [b"hello", b"", b"a b  c", "aé あい 語".encode(), b"\xff\xfe a", b"hello ab"])
MARK = "語".encode()


class Wrong:
    """The reference with one column spoiled for texts that contain MARK."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.right = ByReference(ReferenceTokenizer(SPECS["unigram"]))

    def columns(self, texts: Sequence[bytes], like: Digests | None = None) -> Columns:
        right = self.right.columns(texts, like)
        if not any(MARK in text for text in texts):
            return right
        spoiled: dict[str, dict[str, Any]] = {
            "ids": {"ids": right.ids[::-1].copy()},
            "pieces": {"pieces": right.pieces.replace(MARK, "誤".encode())},
            "spans": {"spans": right.spans + np.uint32(1)},
            "decoded": {"decoded": [text + b"!" for text in right.decoded]},
        }
        return replace(right, **spoiled[self.what])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "harness.model"
    path.write_bytes(wire.file_bytes(SPECS["unigram"]))
    return path


def outcome_of(file: Path, peers: Peers, what: str) -> Outcome:
    return Parity(file, "0.2.3", peers, Wrong(what)).check(TEXTS)


@pytest.mark.parametrize("what", WHATS)
def test_every_kind_of_difference_is_found_and_shortened(what: str, file: Path, peers: Peers) -> None:
    found = outcome_of(file, peers, what).difference
    assert found is not None
    assert found.what == what
    assert MARK in found.text
    assert len(found.text.decode()) <= 2  # a second token is needed for ids in another order
    assert what in str(found)


def test_a_second_run_does_not_ask_the_reference(file: Path, peers: Peers) -> None:
    side = ByReference(ReferenceTokenizer(SPECS["unigram"]))
    assert Parity(file, "0.2.3", peers, side).check(TEXTS).difference is None

    class Gone(Peers):
        def get(self, version: str, content: bytes) -> None:  # type: ignore[override]
            raise AssertionError("asked")

    assert Parity(file, "0.2.3", Gone(), side).check(TEXTS).difference is None
    assert Parity(file, "0.2.3", Gone(), side).check(TEXTS).texts == len(TEXTS.texts)


@pytest.mark.parametrize("version", VERSIONS)
def test_hashes_are_those_of_the_columns(version: str, file: Path, peers: Peers) -> None:
    peer = peers.get(version, file.read_bytes())
    assert peer.digests(TEXTS.texts) == peer.columns(TEXTS.texts).digests()
    rows = peer.columns(TEXTS.texts).rows()
    assert rows[1] == {"ids": [], "pieces": [], "spans": [], "decoded": b""}
    assert b"".join(rows[0]["pieces"]) == "▁hello".encode()
    assert rows[0]["spans"][-1][1] == 5


@pytest.mark.parametrize("version", VERSIONS)
def test_control_pieces_in_the_text_are_reported(version: str, peers: Peers) -> None:
    peer = peers.get(version, wire.file_bytes(SPECS["char-control"]))
    columns = peer.columns([b"ab", b"a@", b"z"])
    expected: dict[str, tuple[list[int], list[int]]] = {"0.2.3": ([], []), "0.2.2": ([1, 2], []), "0.2.1": ([], [1, 2])}
    assert (columns.ids_only, columns.refused) == expected[version]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", SPECS)
def test_batches_are_what_single_calls_give(name: str, version: str, tmp_path: Path) -> None:
    path = tmp_path / "harness.model"
    path.write_bytes(wire.file_bytes(SPECS[name]))
    texts = [*adversarial.strings("batches", 60, adversarial.Soup(["a", "▁b", "語", "@"], ["<s>"])), *TEXTS.texts]
    single = Ours(path, version).columns(texts)
    assert OursByBatches(path, version).columns(texts).digests() == single.digests()
    left_out = Digests({}, ids_only=[1, 3], refused=[2])
    assert (
        OursByBatches(path, version).columns(texts, left_out).digests()
        == Ours(path, version).columns(texts, left_out).digests()
    )


def test_groups_hold_every_text_once() -> None:
    texts = [*adversarial.strings("groups", 2000, adversarial.Soup(["a", "▁b"], ["<s>"])), b"x" * 300_000]
    groups = list(group_texts(texts))
    assert [text for group in groups for text in group] == texts
    assert groups[-1] == [b"x" * 300_000]


def test_strings_are_a_function_of_the_seed() -> None:
    soup = adversarial.Soup(["a", "▁b", "語"], ["<s>"])
    assert adversarial.strings("x", 500, soup) == adversarial.strings("x", 500, soup)
    assert adversarial.strings("x", 500, soup) != adversarial.strings("y", 500, soup)


@pytest.mark.parametrize("text", [b"aaaXbbb", "ééXéé".encode(), b"\xff\xffX\xfe" * 3, b"X"])
def test_shorten(text: bytes) -> None:
    assert shorten(text, lambda part: b"X" in part) == b"X"
