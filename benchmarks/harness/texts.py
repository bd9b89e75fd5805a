"""Documents for benchmarks: cut from corpora once, kept as one blob and its offsets.

Owns the cutting rule and the cache. Documents of one plan are disjoint slices of the corpora, so no document is seen
twice, and their order is shuffled by the plan's seed, so neighbours come from different places.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.definition import Source, TextPlan
from benchmarks.harness.places import CACHE, data_file


@dataclass(frozen=True)
class Documents:
    """UTF-8 of all documents, one after the other, and where each begins (one entry more than documents)."""

    blob: bytes
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def fresh(self) -> list[str]:
        """Return new string objects, so that nothing cached inside a ``str`` survives from an earlier pass."""
        bounds = self.offsets.tolist()
        return [self.blob[start:stop].decode() for start, stop in pairwise(bounds)]

    def slice(self, start: int, stop: int) -> Documents:
        """Return some of the documents."""
        offsets = self.offsets[start : stop + 1]
        return Documents(self.blob[int(offsets[0]) : int(offsets[-1])], offsets - offsets[0])

    def part(self, number: int, parts: int) -> Documents:
        """Return one of several parts of about the same size."""
        return self.slice(len(self) * number // parts, len(self) * (number + 1) // parts)


def prepare(plan: TextPlan) -> Path:
    """Cut the plan's documents unless that was done before; return the cache file's path without its suffix."""
    key = hashlib.blake2b(repr(plan).encode(), digest_size=12).hexdigest()
    base = CACHE / "texts" / key
    if not base.with_suffix(".npy").is_file():
        base.parent.mkdir(parents=True, exist_ok=True)
        documents = select(plan)
        base.with_suffix(".txt").write_bytes(b"".join(documents))
        np.save(base.with_suffix(".npy"), np.cumsum([0, *map(len, documents)], dtype=np.int64))
    return base


def open_documents(base: Path) -> Documents:
    """Read what ``prepare`` wrote."""
    return Documents(base.with_suffix(".txt").read_bytes(), np.load(base.with_suffix(".npy")))


def select(plan: TextPlan) -> list[bytes]:
    """Return the documents of a plan."""
    rng = random.Random(plan.seed)
    if plan.unit == "whole":
        return [b"".join(next(cut_bytes(read(source, plan), source.bytes, None)) for source in plan.sources)]
    chosen = [document for source in plan.sources for document in draw(source, plan, rng)]
    rng.shuffle(chosen)
    return chosen


def draw(source: Source, plan: TextPlan, rng: random.Random) -> list[bytes]:
    """Cut a corpus and take documents at random until ``source.bytes`` are reached."""
    text = read(source, plan)
    pieces = list(cut_chars(text, plan.size) if plan.unit == "chars" else cut_bytes(text, plan.size, rng))
    pieces = list(dict.fromkeys(piece for piece in pieces if piece.strip()))
    rng.shuffle(pieces)
    total = np.cumsum([len(piece) for piece in pieces])
    if total[-1] < source.bytes:
        raise ValueError(f"{source.corpus} has {total[-1]} bytes of documents, fewer than {source.bytes}")
    return pieces[: int(np.searchsorted(total, source.bytes)) + 1]


def read(source: Source, plan: TextPlan) -> bytes:
    """Return the allowed part of a corpus as valid UTF-8, or as much random text as is asked for."""
    if source.alphabet:
        return "".join(random.Random(plan.seed).choices(source.alphabet, k=source.bytes)).encode()
    raw = data_file(f"corpora/{source.corpus}.txt").read_bytes()
    part = raw[int(source.start * len(raw)) : int(source.stop * len(raw))]
    return part.decode("utf-8", "ignore").encode()


def cut_bytes(text: bytes, size: int, rng: random.Random | None) -> Iterator[bytes]:
    """Yield consecutive pieces of about ``size`` bytes (half to one and a half times, if ``rng`` is given)."""
    start = 0
    while start < len(text):
        goal = start + (int(size * (0.5 + rng.random())) if rng else size)
        stop = boundary(text, start, goal)
        yield text[start:stop]
        start = stop


def boundary(text: bytes, start: int, goal: int) -> int:
    """Return the best place to end a piece at or before ``goal``: after a newline, before a space, else a character."""
    if goal >= len(text):
        return len(text)
    late = start + (goal - start) * 2 // 3
    newline = text.rfind(b"\n", late, goal)
    if newline > 0:
        return newline + 1
    space = text.rfind(b" ", late, goal)
    if space > 0:
        return space
    while text[goal] & 0xC0 == 0x80:
        goal -= 1
    return goal


def cut_chars(text: bytes, size: int) -> Iterator[bytes]:
    """Yield disjoint strings of exactly ``size`` characters, each within a line and starting where a word starts."""
    for line in text.decode().splitlines():
        start = 0
        while len(line) - start >= size:
            yield line[start : start + size].encode()
            after = line.find(" ", start + size - 1)
            if after < 0:
                break
            start = after + 1
