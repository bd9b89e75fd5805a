"""Programs that run in a process of their own with bounded memory and time: what a hostile file may cost at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["answers", "tokenizer_json"]

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 1 << 30
"""Bytes of address space, of which an interpreter with this package takes a fifth."""
SECONDS = 60
"""Of processor time for a whole program; those here take a few."""

_PROGRAM = f"""
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import anypiece as ap

def answer(call, **names):
    try:
        return "ok", eval(call, {{"ap": ap, **names}})
    except ap.AnyPieceError as error:
        return error.code, str(error)

def stream(stream, parts):
    return [stream.push(part) for part in parts] + [stream.flush()]

def answers(path, calls):
    code, tok = answer("ap.load(path)", path=path)
    if code != "ok":
        return {{"load": (code, tok)}}
    return {{"load": (code, None)}} | {{call: answer(call, tok=tok, stream=stream) for call in calls}}

found = {{}}
for name, path, calls in json.load(sys.stdin):
    print(name, file=sys.stderr, flush=True)
    found[name] = answers(path, calls)
print(json.dumps(found, default=repr))
"""

Answers = dict[str, tuple[str, Any]]


def answers(files: dict[str, Path], calls: list[str] | dict[str, list[str]]) -> dict[str, Answers]:
    """What loading each file answers, and then each call, an expression with ``tok`` in it: a code, or "ok" and the result.

    All files are opened in one process, in turn. It must end by itself: neither by a signal nor for lack of memory.
    """
    rows = [(name, str(path), calls if isinstance(calls, list) else calls[name]) for name, path in files.items()]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-c", _PROGRAM]
    done = subprocess.run(
        command, input=json.dumps(rows), capture_output=True, text=True, check=False, timeout=600, env=environment
    )
    assert done.returncode == 0, f"the process ended with {done.returncode} at: {done.stderr[-2000:]}"
    found = json.loads(done.stdout)
    return {name: {call: (code, result) for call, (code, result) in rows.items()} for name, rows in found.items()}


def tokenizer_json(path: Path, **sections: Any) -> Path:
    """A ``tokenizer.json`` of two words, with other sections put in their places."""
    content: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>"},
    }
    path.write_text(json.dumps(content | sections), encoding="utf-8")
    return path
