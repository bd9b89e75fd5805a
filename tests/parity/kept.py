"""The record: answers that were once found equal to a library's, as one hash for each file, release and text set.

Asking a slow library takes nearly all of the full tier's time. Where a whole set of texts was compared and all was equal,
the hash of our answers is that of the library's; while ours have that hash, they are equal without asking again. Any other
hash, and the library is asked.

The lines are in ``tests/parity/record``, a file for each release, and belong to the repository. A line holds for the bytes
of a file, the bytes of the texts and ``FORM`` only. What is found without ``--record`` goes to ``.cache/parity/record``.
Some lines, drawn by a seed, are not believed: there the library is asked though the hashes are equal.
"""

from __future__ import annotations

import fcntl
import fnmatch
import hashlib
from typing import TYPE_CHECKING, NamedTuple

from tests.support.data import CACHE, ROOT
from tests.support.texts import SEED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.texts import TextSet

__all__ = ["FORM", "RECORD", "Found", "Kept", "Line", "Place", "hash_of", "read", "sampled", "write"]

FORM = 2
"""The first line of every file of the record; raise it when more is compared with a library, or other things are hashed."""

RECORD = ROOT / "tests" / "parity" / "record"
"""The lines that belong to the repository."""


class Place(NamedTuple):
    """What a library is asked about."""

    release: str
    """The library, and everything else whose release decides its answers."""
    file: str
    content: str
    """The hash of the file's bytes."""
    texts: TextSet


class Line(NamedTuple):
    """One line of the record: the answers' hash for the bytes of a file and of some texts."""

    file: str
    content: str
    texts: str
    digest: str
    """Of the texts."""
    answers: str
    ids_only: int = 0
    """For how many texts the library has no places of tokens."""
    refused: int = 0
    """How many texts the library does not take."""

    @property
    def key(self) -> tuple[str, str]:
        return self.file, self.texts

    def is_of(self, place: Place) -> bool:
        """Whether the line says something about these bytes."""
        return self[:4] == (place.file, place.content, place.texts.name, place.texts.digest)


class Found(NamedTuple):
    """What became of a comparison."""

    how: str
    """``kept``, ``asked``, or ``rechecked`` where the record has the answer and the library was asked all the same."""
    difference: str | None
    ids_only: int = 0
    refused: int = 0


def hash_of(*contents: bytes) -> str:
    """A short hash of the bytes of a file, or of all files of a folder."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:16]


def _path(folder: Path, release: str) -> Path:
    return folder / f"{release.replace(' ', '-')}.txt"


def read(path: Path) -> dict[tuple[str, str], Line]:
    """The lines of a file of the record; none where it is missing or of another ``FORM``."""
    if not path.exists():
        return {}
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    if head != f"form {FORM}":
        return {}
    fields = (row.split("\t") for row in rows)
    lines = (Line(*row[:5], int(row[5]), int(row[6])) for row in fields)
    return {line.key: line for line in lines}


def write(folder: Path, release: str, line: Line) -> None:
    """Add a line, in the place of that for the file and texts of these names; lines are sorted. Others may write as well."""
    folder.mkdir(parents=True, exist_ok=True)
    path = _path(folder, release)
    lock = CACHE / "parity" / "record.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        lines = read(path) | {line.key: line}
        rows = ["\t".join(map(str, lines[key])) for key in sorted(lines)]
        fresh = path.with_suffix(".partial")
        fresh.write_text("\n".join([f"form {FORM}", *rows, ""]), encoding="utf-8")
        fresh.replace(path)


def sampled(folder: Path, count: int, only: str = "*", texts: str = "*", seed: str = SEED) -> set[tuple[str, Line]]:
    """Some lines of a record with their release's file name, drawn by a seed: those that are not believed."""
    lines = [(path.stem, line) for path in sorted(folder.glob("*.txt")) for line in read(path).values()]
    lines = [row for row in lines if fnmatch.fnmatch(row[1].file, only) and fnmatch.fnmatch(row[1].texts, texts)]
    return set(
        sorted(lines, key=lambda row: hashlib.sha256(repr((seed, row[0], row[1].key)).encode()).digest())[:count]
    )


class Kept(NamedTuple):
    """Where answers are looked up and kept."""

    record: Path = RECORD
    writes: bool = False
    """Whether new lines go to the record; else to ``.cache``."""
    doubted: frozenset[tuple[str, Line]] = frozenset()

    @property
    def folders(self) -> tuple[Path, Path]:
        """The record, and the one beside it."""
        return self.record, CACHE / "parity" / "record"

    def is_doubted(self, place: Place) -> bool:
        """Whether the library is asked whatever is known."""
        return any(_path(self.record, place.release).stem == stem and line.is_of(place) for stem, line in self.doubted)

    def line(self, place: Place, folder: Path) -> Line | None:
        """What a folder says of a place."""
        line = read(_path(folder, place.release)).get((place.file, place.texts.name))
        return line if line and line.is_of(place) else None

    def is_complete(self, place: Place) -> bool:
        """Whether nothing is left to do about a place that the same code was once found equal on."""
        return not self.is_doubted(place) and not (self.writes and self.line(place, self.record) is None)

    def compare(
        self, place: Place, answers: Callable[[], str | None], ask: Callable[[], tuple[str | None, int, int]]
    ) -> Found:
        """Whether our ``answers`` are the library's. ``ask`` tells what differs, for how many texts there are ids only, and
        how many are refused; it is not called where ours have the hash that they had when it found nothing.

        Answers of None contradict each other, and are no library's.
        """
        ours, doubted = answers(), self.is_doubted(place)
        lines = (self.line(place, folder) for folder in self.folders)
        known = next((line for line in lines if line and line.answers == ours), None)
        if known and not doubted:
            if self.writes and known != self.line(place, self.record):
                write(self.record, place.release, known)
            return Found("kept", None, known.ids_only, known.refused)
        difference, ids_only, refused = ask()
        if difference is None and ours is None:
            difference = f"{place.texts.name}: our own answers contradict each other"
        if difference is None:
            line = Line(*place[1:3], place.texts.name, place.texts.digest, str(ours), ids_only, refused)
            write(self.folders[not self.writes], place.release, line)
        return Found("rechecked" if doubted else "asked", difference, ids_only, refused)
