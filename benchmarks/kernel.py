"""``make bench-kernel``: the stages of the kernel, timed by criterion without Python.

Stores the tokenizers of some definitions with their first documents below ``.cache/bench/kernel``, and runs ``cargo bench``
on them. Without ``../shared/data`` that is the default tokenizer on the pages of this project. Arguments are criterion's: a
filter such as ``t5-english/scan``, ``--save-baseline NAME``, ``--baseline NAME``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import anypiece
from benchmarks.engines import engine_class
from benchmarks.harness.matrix import load_definitions
from benchmarks.harness.places import CACHE, ROOT, has_data
from benchmarks.harness.texts import open_documents, prepare

DEFINITIONS = ("t5-english/2kb", "cl100k-english/2kb", "xlmr-japanese/2kb", "o200k-japanese/2kb", "llama2-english/2kb")
DOCUMENTS = 200
INPUTS = CACHE / "kernel"


def main() -> int:
    """Write the inputs and run the benchmarks."""
    shutil.rmtree(INPUTS, ignore_errors=True)
    INPUTS.mkdir(parents=True)
    if not has_data():
        pages = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))]
        store("default", anypiece.load(), pages)
    for definition in load_definitions() if has_data() else []:
        if definition.name in DEFINITIONS:
            documents = open_documents(prepare(definition.text)).slice(0, DOCUMENTS).fresh()
            tokenizer = anypiece.load(engine_class("anypiece").file(definition.tokenizer, ""))
            store(definition.name.partition("/")[0], tokenizer, documents)
    command = ["cargo", "bench", "--package", "anypiece-bench", "--bench", "kernel", "--", *sys.argv[1:]]
    environment = os.environ | {"ANYPIECE_BENCH_INPUTS": str(INPUTS)}
    return subprocess.run(command, cwd=ROOT, check=False, env=environment).returncode


def store(name: str, tokenizer: anypiece.Tokenizer, documents: list[str]) -> None:
    """Write a tokenizer and its documents, separated by NUL."""
    tokenizer.save(INPUTS / f"{name}.anypiece")
    Path(INPUTS / f"{name}.txt").write_text("\0".join(documents), encoding="utf-8", newline="")


if __name__ == "__main__":
    sys.exit(main())
