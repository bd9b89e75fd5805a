"""A sample of ``tests.parity.patched``, which ``make compat`` runs whole: every fifth file, fewer texts and options,
no torch.
"""

from __future__ import annotations

import pytest

from tests.parity.patched import compared, files, texts
from tests.support.peer import installed_beside
from tests.support.transformers_peer import NEEDED, VERSION

SAMPLED, SHARE = 40, 8
"""The number of texts, and N where each batch is asked with one in N combinations of options."""


@pytest.mark.parametrize("name", files()[1::5])
def test_the_patched_tokenizer_says_the_same(name: str) -> None:
    peer = installed_beside(f"transformers-{VERSION}", f"transformers=={VERSION}", *NEEDED)
    found = compared(name, texts()[:SAMPLED], path=[peer], kinds=("none", "np"), share=SHARE)
    assert found["comparisons"] > 400
    assert (found["differences"], found["count"], found["refused"]) == ([], 0, None)
