"""``anypiece.compat.sentencepiece`` against the oldest and the newest release that it answers to, for every real file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from anypiece.compat import sentencepiece as ours
from tests.support.data import ROOT, tokenizer_files
from tests.support.peer import installed
from tests.support.sentencepiece_calls import COMMON, NEWER, OLDER, answers

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "",
    "Hello world",
    "  two  spaces ",
    "héllo 藤藤 wörld\n\ttab",
    "清水寺は京都にある。",
    "ＡＢＣ ㍻ ﬁ",
    "<s>a</s><unk> <0x41>",
    "🤚🏾 a\u0301 \u200b x",
    "The quick brown fox, 12345; jumps\u3000over!",
    "\u2581\u2581x \u2581",
    "नमस्ते दुनिया",
]
CALLS = {"0.2.1": [*COMMON, *OLDER], "0.2.3": [*COMMON, *NEWER]}


class Older(ours.SentencePieceProcessor):
    """Ids of 0.2.1."""

    dialect = "sentencepiece-0.2.1"


class Face:
    """What stands for the module."""

    def __init__(self, processor: Any) -> None:
        self.SentencePieceProcessor = processor


FACES = {"0.2.1": Face(Older), "0.2.3": ours}


def theirs(version: str, model: bytes, calls: list[str]) -> dict[str, list[Any]]:
    place = installed(version)
    path = os.pathsep.join(map(str, [*([] if place is None else [place]), ROOT]))
    request = json.dumps({"model": model.hex(), "texts": TEXTS, "calls": calls})
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.sentencepiece_calls"]
    environment = {**os.environ, "PYTHONPATH": path}
    run = subprocess.run(command, input=request, capture_output=True, text=True, env=environment, check=True)
    found = json.loads(run.stdout)
    assert found["version"] == version
    return found["answers"]


def is_equal(mine: Any, other: Any) -> bool:
    """Whether answers are equal, or errors that a program catches as it caught the original's."""
    if mine == other:
        return True
    errors = isinstance(mine, list) and isinstance(other, list) and bool(mine) and bool(other)
    return (
        errors
        and str(other[0]).startswith("raises ")
        and set(other) <= {name for name in mine if isinstance(name, str)}
    )


@pytest.mark.parametrize(
    ("path", "version"),
    [(path, list(CALLS)[number % 2]) for number, path in enumerate(tokenizer_files())],
    ids=lambda value: getattr(value, "name", value),
)
def test_every_call_answers_the_same(path: Path, version: str) -> None:
    model = path.read_bytes()
    wanted, found = theirs(version, model, CALLS[version]), answers(FACES[version], model, TEXTS, CALLS[version])
    rows = [(name, *pair) for name in wanted for pair in zip(found[name], wanted[name], strict=True)]
    assert [row for row in rows if not is_equal(row[1], row[2])] == []
