"""llama.cpp itself, in a process of its own: the package llama-cpp-python, compiled on first use into ``.cache/peers``.

Compiling takes some minutes, a C++ compiler and the network; nothing of ``make test`` needs it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.support.data import ROOT
from tests.support.peer import installed_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["VERSION", "Tokens", "ask", "place"]

VERSION = "0.3.36"
"""The release of llama-cpp-python that brings llama.cpp along."""

_TOOLS = ("cmake==3.31.6", "ninja==1.13.2", "scikit-build-core==1.1.1", "pathspec==1.1.1", "packaging==26.3")
_FLAGS = (
    # Nothing is computed with it but ids, and most of it is code for models: compiled plainly it takes a third of the time.
    "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0", "-DCMAKE_C_FLAGS_RELEASE=-O0",
    "-DGGML_NATIVE=OFF", "-DGGML_OPENMP=OFF", "-DGGML_LLAMAFILE=OFF", "-DGGML_CPU_REPACK=OFF", "-DLLAMA_CURL=OFF",
    "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_TOOLS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAVA_BUILD=OFF",
    "-DLLAMA_BUILD_COMMON=OFF", "-DMTMD_BUILD=OFF",
)  # fmt: skip


class Tokens(NamedTuple):
    """What llama.cpp makes of texts with a vocabulary."""

    ids: list[list[int]]
    """With special tokens in the text as text."""
    parsed: list[list[int]]
    """With special tokens in the text as themselves."""
    marked: list[list[int]]
    """As ``ids``, with what the vocabulary adds at the beginning and the end."""
    texts: list[bytes]
    """What it makes of ``ids`` again, special tokens shown."""


def place() -> Path:
    """The folder that has the package."""
    tools = installed_beside("cmake-3.31", *_TOOLS)
    return installed_beside(
        f"llama-cpp-python-{VERSION}",
        *(f"llama-cpp-python=={VERSION}", "diskcache==5.6.3"),
        options=("--no-build-isolation", "--no-binary=llama-cpp-python"),
        PYTHONPATH=str(tools),
        CMAKE_ARGS=" ".join(_FLAGS),
    )


def ask(path: Path, texts: Sequence[str]) -> Tokens:
    """What llama.cpp returns for texts with the vocabulary of a GGUF file."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(place())])}
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.llama_cpp_worker", str(path)],
        input=json.dumps(list(texts)).encode(),
        capture_output=True,
        cwd=ROOT,
        env=environment,
        check=False,
        timeout=300,
    )
    if done.returncode:
        raise RuntimeError(f"llama.cpp ended with {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-2000:]}")
    answer = json.loads(done.stdout)
    return Tokens(answer["ids"], answer["parsed"], answer["marked"], [bytes.fromhex(text) for text in answer["texts"]])
