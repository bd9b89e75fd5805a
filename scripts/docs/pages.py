"""Which documents there are, and the fenced blocks in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Block", "blocks", "pages", "shown"]

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line its text begins on."""

    page: Path
    language: str
    text: str
    line: int


def pages() -> list[Path]:
    """Every document that is held to its word."""
    package_data = (ROOT / "python" / "anypiece" / "data").glob("*.md")
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *package_data])


def shown(path: Path) -> str:
    """A path as a reader would write it."""
    return path.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    found = []
    for match in _FENCE.finditer(text):
        indent = match["indent"]
        body = "".join(line.removeprefix(indent) for line in match["body"].splitlines(keepends=True))
        found.append(Block(page, match["language"], body, text.count("\n", 0, match.start("body")) + 1))
    return found
