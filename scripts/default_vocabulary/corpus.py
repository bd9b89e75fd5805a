"""From unpacked packages to a balanced, deduplicated corpus: slices of blocks, a fiftieth of each held out.

Every choice is a function of names and text (SHA-256 order), never of chance, time or the file system's order. English is
read first: a line seen once is dropped wherever it comes again, which also removes untranslated paragraphs.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .strip import strip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Corpus", "build", "sentences"]

BLOCK = 4000
"""Characters per block, the unit that is sampled or held out whole."""
SENTENCE = 1000
"""Characters per training sentence: neighbouring lines with their line breaks."""
HELD_OUT = 50
"""One block in this number is never trained on."""
CODE_LINE = 40
"""In programs only lines at least this long are deduplicated: braces and ``return None`` must stay where they are."""

_LANGUAGES = {"nb": "no", "nn": "no"}


@dataclass
class Corpus:
    """Blocks to train on and blocks held out, per slice."""

    train: dict[str, list[str]] = field(default_factory=dict)
    held_out: dict[str, list[str]] = field(default_factory=dict)

    def characters(self) -> dict[str, int]:
        """Training characters per slice."""
        return {name: sum(map(len, blocks)) for name, blocks in self.train.items()}


def build(config: dict[str, Any], folder: Path) -> Corpus:
    """Read every source of ``config`` below ``folder`` and cut each slice to its budget."""
    seen: set[bytes] = set()
    pool: dict[str, list[tuple[bytes, str]]] = defaultdict(list)
    for source in config["source"]:
        for name, blocks in _read_source(source, folder, seen).items():
            pool[name] += blocks
    corpus = Corpus()
    for name in sorted(pool):
        budget = 1000 * config["budget"].get(name, config["budget"]["default"])
        blocks = sorted(pool[name])
        corpus.held_out[name] = [text for key, text in blocks if key[-1] % HELD_OUT == 0][:50]
        corpus.train[name] = _until(budget, [text for key, text in blocks if key[-1] % HELD_OUT])
    return corpus


def sentences(blocks: list[str]) -> Iterator[str]:
    """Blocks cut at line ends into pieces of at most ``SENTENCE`` characters (longer lines stay whole)."""
    for block in blocks:
        lines: list[str] = []
        size = 0
        for line in block.split("\n"):
            if lines and size + len(line) > SENTENCE:
                yield "\n".join(lines)
                lines, size = [], 0
            lines.append(line)
            size += len(line) + 1
        yield "\n".join(lines)


def _until(budget: int, blocks: list[str]) -> list[str]:
    taken: list[str] = []
    for block in blocks:
        if budget <= 0:
            break
        taken.append(block)
        budget -= len(block)
    return taken


def _read_source(source: dict[str, Any], folder: Path, seen: set[bytes]) -> dict[str, list[tuple[bytes, str]]]:
    found: dict[str, list[tuple[bytes, str]]] = defaultdict(list)
    for package in source["packages"]:
        room = 1000 * source.get("cap", 10**6)
        for name, blocks in _read_package(source, folder / package, seen, room):
            found[name] += _capped(blocks, room)
    return found


def _read_package(
    source: dict[str, Any], folder: Path, seen: set[bytes], room: int
) -> Iterator[tuple[str, list[tuple[bytes, str]]]]:
    """The blocks of a package per slice. Reading ends with the file that fills the room; one file may overfill it."""
    found: dict[str, list[tuple[bytes, str]]] = defaultdict(list)
    for path, name in _matching(source, folder):
        for key, data in _members(source, path, f"{folder.name}/{path.relative_to(folder)}"):
            text = re.sub(source.get("drop", r"(?!)"), "", strip(data, source["kind"]), flags=re.M)
            text = _unseen(text, seen, CODE_LINE if source["kind"] == "code" else 1)
            found[name] += _blocks(key, text)
            room -= len(text)
            if room <= 0:
                break
        if room <= 0:
            break
    yield from found.items()


def _capped(blocks: list[tuple[bytes, str]], room: int) -> list[tuple[bytes, str]]:
    kept = len(_until(room, [text for _, text in sorted(blocks)]))
    return sorted(blocks)[:kept]


def _matching(source: dict[str, Any], folder: Path) -> list[tuple[Path, str]]:
    pattern = re.compile(source["path"])
    rows = []
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        match = pattern.fullmatch(name)
        if match and path.is_file() and not path.is_symlink():
            language = source.get("slice") or match.group("language")
            rows.append((_digest(name), path, _LANGUAGES.get(language, language)))
    return [(path, name) for _, path, name in sorted(rows)]


def _members(source: dict[str, Any], path: Path, key: str) -> Iterator[tuple[str, bytes]]:
    if "members" not in source:
        yield key, path.read_bytes()
        return
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist(), key=_digest):
            if re.fullmatch(source["members"], name):
                yield f"{key}/{name}", archive.read(name)


def _unseen(text: str, seen: set[bytes], shortest: int) -> str:
    kept = []
    for line in text.split("\n"):
        stripped = line.strip()
        if len(stripped) >= shortest:
            digest = _digest(stripped)[:8]
            if digest in seen:
                continue
            seen.add(digest)
        kept.append(line.rstrip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")


def _blocks(key: str, text: str) -> Iterator[tuple[bytes, str]]:
    lines: list[str] = []
    size = number = 0
    for line in [*text.split("\n"), None]:
        if lines and (line is None or size + len(line) > BLOCK):
            block = "\n".join(lines)
            if block.strip():
                yield _digest(f"{key}#{number}"), block
            lines, size, number = [], 0, number + 1
        if line is not None:
            lines.append(line)
            size += len(line) + 1


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()
