"""Corpora to train on: lines of real texts, one in fifty held out, and a generated one that is larger than memory."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

import numpy as np

from benchmarks.harness.places import CACHE, data_file

__all__ = ["corpus", "generated", "held_out"]

SOURCES: dict[str, tuple[tuple[str, int], ...]] = {
    "english": (("corpora/en_novels.txt", 26_000_000),),
    "mixed": (
        ("corpora/en_novels.txt", 4_000_000),
        ("corpora/de_manpages.txt", 3_000_000),
        ("corpora/es_manpages.txt", 2_000_000),
        ("corpora/fr_manpages.txt", 3_000_000),
        ("corpora/ru_manpages.txt", 3_000_000),
        ("corpora/ja_aozora.txt", 3_000_000),
        ("corpora/zh_classical_poetry.txt", 2_000_000),
        ("corpora/code_py.txt", 3_000_000),
        ("corpora/code_c.txt", 3_000_000),
    ),
    "small": (("corpora/en_novels.txt", 2_000_000),),
}
"""Bytes from the beginning of each file."""
EVERY = 50
"""One line in this many is held out."""
LONGEST = 4000
"""Longer lines are cut here, so that no peer drops them."""


def _parts(name: str) -> tuple[Path, Path]:
    folder = CACHE / "training"
    return folder / f"{name}.train.txt", folder / f"{name}.held-out.txt"


def corpus(name: str) -> Path:
    """The file to train on; made when it is first asked for."""
    train, held = _parts(name)
    if train.is_file() and held.is_file():
        return train
    train.parent.mkdir(parents=True, exist_ok=True)
    kept: tuple[list[bytes], list[bytes]] = ([], [])
    for source, limit in SOURCES[name]:
        with data_file(source).open("rb") as file:
            lines = file.read(limit).split(b"\n")[:-1]
        for line in itertools.chain.from_iterable(map(_cut, lines)):
            digest = hashlib.blake2b(line, digest_size=4).digest()
            kept[int.from_bytes(digest, "little") % EVERY == 0].append(line + b"\n")
    held.write_bytes(b"".join(kept[1]))
    train.write_bytes(b"".join(kept[0]))
    return train


def _cut(line: bytes) -> list[bytes]:
    if len(line) <= LONGEST:
        return [line] if line.strip() else []
    text = line.decode("utf-8", "ignore")
    return [text[at : at + LONGEST // 4].encode() for at in range(0, len(text), LONGEST // 4)]


def held_out(name: str) -> Path:
    """What was not trained on."""
    corpus(name)
    return _parts(name)[1]


def generated(size: int) -> Path:
    """A corpus of at least ``size`` bytes: words of a few syllables by Zipf's law, with a long tail of rare words."""
    path = CACHE / "training" / f"generated-{size}.txt"
    if path.is_file() and path.stat().st_size >= size:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(1)
    heads, vowels, tails = "bcdfghklmnprstvz", "aeiou", "\0nrst"
    table = np.array([list((a + b + c).encode()) for a in heads for b in vowels for c in tails], np.uint8)
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        while file.tell() < size:
            file.write(_lines(np.minimum(chance.zipf(1.25, 1 << 20), 1 << 40), table))
    partial.rename(path)
    return path


def _lines(ranks: np.ndarray, table: np.ndarray) -> bytes:
    """Words by their ranks, rare ones longer, sixteen to a line. Bytes that are 0 are left out."""
    mixed = ranks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    lengths = 1 + np.log2(ranks).astype(np.int64) // 6
    letters = np.zeros((len(ranks), 8, 3), np.uint8)
    for place in range(8):
        chosen = table[(mixed >> np.uint64(7 * place)) % np.uint64(len(table))]
        letters[:, place] = np.where((place < lengths)[:, None], chosen, 0)
    ends = np.full((len(ranks), 1), ord(" "), np.uint8)
    ends[15::16] = ord("\n")
    flat = np.concatenate([letters.reshape(len(ranks), -1), ends], axis=1).ravel()
    return flat[flat != 0].tobytes()
