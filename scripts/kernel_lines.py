"""``python -m scripts.kernel_lines [COMMIT...]``: lines of code of the kernel, here or as they were at commits.

Counted are the lines of ``crates/core/src``: no tests (files ``tests.rs`` and what is under ``#[cfg(test)]``), no generated
tables (``*_table.rs``), no comments, no blank lines.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = "crates/core/src"


def main() -> None:
    """Print the count of each commit that is named, or of the working tree."""
    for commit in sys.argv[1:] or [""]:
        counts = {path: len(code_lines(text)) for path, text in files(commit) if is_counted(path, text)}
        print(f"{commit or 'here':<12} {sum(counts.values()):>7} lines in {len(counts)} files")


def files(commit: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of each Rust file below ``SOURCE``."""
    if not commit:
        for path in sorted((ROOT / SOURCE).rglob("*.rs")):
            yield str(path.relative_to(ROOT)), path.read_text()
        return
    archive = subprocess.run(["git", "archive", commit, SOURCE], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for member in opened:
            file = opened.extractfile(member)
            if file is not None and member.name.endswith(".rs"):
                yield member.name, file.read().decode()


def is_counted(path: str, text: str) -> bool:
    """Tell whether a file is neither tests nor a generated table."""
    name = Path(path)
    return "tests" not in (name.stem, *name.parts) and not name.stem.endswith("_table") and "#![cfg(test)]" not in text


def code_lines(text: str) -> list[str]:
    """Return the lines of a file that are code and not tests."""
    kept: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        code = line.strip()
        if code == "#[cfg(test)]":
            skip_item(lines)
        elif code and not code.startswith("//"):
            kept.append(code)
    return kept


def skip_item(lines: Iterable[str]) -> None:
    """Consume the item that follows an attribute: to its ``;``, or to the brace that closes it in the item's column."""
    indent = ""
    for line in lines:
        code = line.strip()
        if code.startswith(("#[", "//")) or not code:
            continue
        if not indent:
            indent = line[: len(line) - len(line.lstrip())] + "|"
            if code.endswith((";", "}")):
                return
        elif line.rstrip() in (f"{indent[:-1]}}}", f"{indent[:-1]}}};"):
            return


if __name__ == "__main__":
    main()
