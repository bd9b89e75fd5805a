"""Cases are data: this turns the files of ``tests/cases`` into Specs, texts and what must come out.

The expected values were recorded with the sentencepiece package named in each file (``tests/cases/record.py``), never with
our own code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anypiece.formats.sentencepiece import DIALECTS
from anypiece.spec import Kind, Pieces, Spec
from tests.support.charsmap_builder import build

FOLDER = Path(__file__).resolve().parent.parent / "cases"


@dataclass(frozen=True)
class Case:
    """A Spec with texts to encode and ids to decode. Each row holds its input and the outputs that were recorded."""

    name: str
    spec: Spec
    texts: list[dict[str, Any]]
    decodes: list[dict[str, Any]]


def all_cases() -> list[Case]:
    """Every case of every file."""
    paths = sorted(FOLDER.glob("*.json"))
    return [case for path in paths for case in cases_of(path)]


def cases_of(path: Path) -> list[Case]:
    """The cases of one file."""
    file = json.loads(path.read_text("utf-8"))
    settings = DIALECTS[f"sentencepiece-{file['release']}"]
    return [
        Case(
            f"{path.stem}: {row['name']}", spec_of(row["spec"]).replace(**settings), row["texts"], row.get("decode", [])
        )
        for row in file["cases"]
    ]


def spec_of(row: dict[str, Any]) -> Spec:
    """A Spec from its JSON form: pieces as ``[text, score, kind]``, character maps as rules, other fields by name."""
    row = dict(row)
    pieces = [(name, score, Kind[kind[0]] if kind else Kind.NORMAL) for name, score, *kind in row.pop("pieces")]
    if row.get("byte_fallback"):
        pieces += [(f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)]
    maps = {name: build(rules(row.pop(f"{name}_rules", {}))) for name in ("charsmap", "denormalizer")}
    return Spec(Pieces.of(pieces), **maps, **row)


def rules(row: dict[str, str]) -> dict[str | bytes, str | bytes]:
    """Rules of a character map; a key or target may be written as ``hex:…``."""
    return {_maybe_hex(key): _maybe_hex(target) for key, target in row.items()}


def _maybe_hex(text: str) -> str | bytes:
    return bytes.fromhex(text[4:]) if text.startswith("hex:") else text


def text_of(row: dict[str, Any]) -> str | bytes:
    """The input of a row: ``text``, or ``hex`` for bytes; ``times`` repeats it."""
    text: str | bytes = row["text"] if "text" in row else bytes.fromhex(row["hex"])
    return text * int(row.get("times", 1))
