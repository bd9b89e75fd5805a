"""The sampled tier: everything about 40 lines of each corpus, one text of 300 kB, and 500 made-up strings; every third
file with the default release, some with those before.

Part of ``make test-deep`` where the real files are. The full tier is ``python -m tests.parity.full``. The texts are drawn
by a fixed seed; a difference is printed with the shortest text that shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.parity.compare import Parity, Peers
from tests.support import data
from tests.support.ours import Ours, OursByBatches
from tests.support.peer import VERSIONS
from tests.support.records import group_texts
from tests.support.texts import sampled_sets

if TYPE_CHECKING:
    from pathlib import Path


FILES = data.tokenizer_files()
CASES = [
    *((path, VERSIONS[0]) for path in FILES[::3]),
    *((path, version) for first, version in enumerate(VERSIONS[1:], 1) for path in FILES[first::9]),
]


@pytest.mark.parametrize(("path", "version"), CASES, ids=lambda value: getattr(value, "name", value))
def test_everything_equals_sentencepiece(path: Path, version: str, peers: Peers) -> None:
    parity = Parity(path, version, peers)
    outcomes = [parity.check(texts) for texts in sampled_sets(path)]
    differences = [str(outcome.difference) for outcome in outcomes if outcome.difference]
    assert not differences, "\n".join(differences)
    assert sum(outcome.texts for outcome in outcomes) > 2400
    assert sum(outcome.refused for outcome in outcomes) == 0


@pytest.mark.parametrize("path", FILES[1::8], ids=lambda path: path.name)
def test_batches_are_what_single_calls_give(path: Path) -> None:
    """The full tier compares by batches."""
    singly, batches = Ours(path, VERSIONS[0]), OursByBatches(path, VERSIONS[0])
    texts = [text for sets in sampled_sets(path)[::2] for text in sets.texts[::4]]
    assert len(texts) > 500
    for group in group_texts(texts):
        assert batches.columns(group).digests() == singly.columns(group).digests()
