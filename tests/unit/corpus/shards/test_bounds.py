"""A run holds no more memory than it was given, whatever the documents are."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from anypiece import InputError
from anypiece.corpus.shards import plan_shards, run_shards
from anypiece.corpus.shards.bounds import needed, processes_within
from tests.support.corpora import TOK, written

if TYPE_CHECKING:
    from pathlib import Path

_RUN = """
import re, sys
from pathlib import Path
from anypiece.corpus.shards import run_shards
run_shards(sys.argv[1], max_memory=int(sys.argv[2]))
print(1024 * int(re.search(r"VmHWM:[^0-9]*([0-9]+)", Path("/proc/self/status").read_text())[1]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what getrusage says includes the process before")
@pytest.mark.parametrize("sizes", [[3000] * 4000, [7_900_000] * 3, [40_000_000]], ids=["short", "held", "long"])
def test_memory_is_bounded(tmp_path: Path, sizes: list[int]) -> None:
    words = "The quick brown fox, the \u00e9tude and 12 more words.\n" * 400
    with open(tmp_path / "a.jsonl", "w", encoding="utf-8") as file:
        for size in sizes:
            file.write(json.dumps({"text": (words * (size // len(words) + 1))[:size]}) + "\n")
    plan = plan_shards(tmp_path / "a.jsonl", None, tmp_path / "out", format="megatron")
    most = needed(plan)
    assert processes_within(plan, most, 8) == 1
    command = [sys.executable, "-c", _RUN, str(plan.folder), str(most)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) <= most


def test_processes_are_as_many_as_fit(tmp_path: Path) -> None:
    plan = plan_shards(written(tmp_path, "corpus.parquet"), TOK, tmp_path / "out", format="numpy")
    each = needed(plan)
    assert [processes_within(plan, amount * each, 3) for amount in (1, 2, 5)] == [1, 2, 3]
    assert processes_within(plan, "10GB", 4) == 4
    with pytest.raises(InputError, match=r"A process of this run needs \d+ MB.*which is 100 MB"):
        run_shards(plan.folder, max_memory="100MB")
    with pytest.raises(InputError, match="no amount of memory"):
        run_shards(plan.folder, max_memory="much")
