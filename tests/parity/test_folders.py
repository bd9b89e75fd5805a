"""Folders of real files against AutoTokenizer of transformers.

Part of ``make test`` where the real files are; all folders on all texts are part of ``make parity``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from tests.parity.folders import FOLDERS, SAMPLED, facts_difference, first_difference, written
from tests.parity.ranks import valid
from tests.support import data
from tests.support.made_folders import CASES, answers_of, make
from tests.support.texts import sampled_lines, special_texts
from tests.support.transformers_peer import VERSION, Transformers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def peer() -> Iterator[Transformers]:
    running = Transformers()
    yield running
    running.close()


@pytest.mark.parametrize("name", SAMPLED)
def test_a_folder_gives_what_autotokenizer_gives(name: str, peer: Transformers, tmp_path: Path) -> None:
    folder = written(name, tmp_path)
    tok = ap.load(folder)
    assert facts_difference(tok, peer.open(folder)) is None
    lines = [line for corpus in data.corpus_names() for line in sampled_lines(corpus, 3)]
    names = [text for text, _, _ in tok.spec.added]
    texts = valid([b"", b" ", b" a", *lines, *special_texts(names, name, 100)])
    assert len(texts) > 200
    assert first_difference(tok, peer, texts) is None


def test_what_is_recorded_of_small_folders_is_what_autotokenizer_says(peer: Transformers, tmp_path: Path) -> None:
    recorded = json.loads(CASES.read_text("utf-8"))
    assert recorded["release"] == f"transformers {VERSION}"
    for name, case in recorded["cases"].items():
        assert answers_of(peer, make(name, tmp_path)) == case, name


def test_folders_of_every_known_class_are_compared() -> None:
    from anypiece.formats.transformers.classes import CLASSES

    kinds = {folder.config.get("tokenizer_class", "") for folder in FOLDERS.values() if isinstance(folder.config, dict)}
    assert {*CLASSES} - {kind.removesuffix("Fast") for kind in kinds} == {"WhisperTokenizer", "ConvBertTokenizer"}
