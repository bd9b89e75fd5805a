"""A sample of each suite of ``anypiece.compat`` and of the original; ``make compat`` runs them whole."""

from __future__ import annotations

import pytest

from tests.compat.run import compared, names
from tests.compat.suite import named


@pytest.mark.parametrize("name", names())
def test_what_the_original_passes_passes_on_ours(name: str) -> None:
    suite = named(name)
    assert suite.sample, "a sample of each suite runs"
    assert compared(suite, sample=True).faults(whole=False) == []
