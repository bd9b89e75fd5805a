"""Time grows with the text and no faster: a law for every file, every family of texts and every entry point.

For a text that takes at least 5 ms, one of the same family that is four times as long may take at most six times as long:
processor time, best of three. What fails is measured again with texts four times as long, since a short one may be too short
for all that a longer one needs (one window of ``split`` and not seven). What fails that, too, is counted in instructions,
and fails for good if those are more than 4.6 times as many. A quadratic algorithm is at 16.

``python -m tests.property.linear_time`` runs the law over files; ``tests.parity.full`` has it as a section, and the tests
run a sample.
"""

from __future__ import annotations

import argparse
import fnmatch
import gc
import gzip
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import anypiece as ap
from tests.support import data
from tests.support.text_families import FAMILIES, family_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ENTRIES", "EXCEPTIONS", "Cell", "Result", "cells_of", "difference", "files", "growth", "measure", "opened"]

Text = str | bytes
Call = "Callable[[], object]"

FACTOR = 4
MOST = 6.0
"""Allowed ratio of times."""
MOST_INSTRUCTIONS = 4.6
"""Allowed ratio of instructions."""
LEAST = 0.005
"""Seconds that the shorter text must take to be measured."""
SIZES = tuple(1000 * FACTOR**power for power in range(6))
"""Bytes of the texts. One of the last but one size that takes less than 5 ms counts as if it took them."""

OPTIONS: dict[str, dict[str, Any]] = {
    "bert_chinese_vocab.txt": {"lowercase": False},
    "tftext_test_wp_en_vocab.txt": {"lowercase": True},
}
"""What the reader must be told of a file."""

EXCEPTIONS: dict[tuple[str, str, str], str] = {}
"""Patterns of file, family and entry point that the law does not hold for, each with the reason."""


def files() -> list[str]:
    """Every tokenizer file, by its place under ``models`` without ``.gz``."""
    if data.DATA is None:
        return []
    folder = data.DATA / "models"
    names = (str(path.relative_to(folder)).removesuffix(".gz") for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in names if not name.endswith("tokenizer_config.json"))


def opened(name: str) -> ap.Tokenizer:
    """The tokenizer of a file."""
    assert data.DATA is not None
    path, options = data.DATA / "models" / name, OPTIONS.get(Path(name).name, {})
    if path.exists():
        return ap.load(path, **options)
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / path.name
        unpacked.write_bytes(gzip.decompress(path.with_name(f"{path.name}.gz").read_bytes()))
        return ap.load(unpacked, **options)


# -- entry points: each makes ready what is not measured, and gives what is


def _stream_encoder(size: int) -> Callable[[ap.Tokenizer, Text], Call]:
    def ready(tok: ap.Tokenizer, text: Text) -> Call:
        parts = [text[at : at + size] for at in range(0, len(text), size)]

        def call() -> None:
            stream = tok.stream_encoder()
            for part in parts:
                stream.push(part)
            stream.flush()

        return call

    return ready


def _stream_decoder(tok: ap.Tokenizer, text: Text) -> Call:
    ids = tok.encode(text)

    def call() -> None:
        stream = tok.stream_decoder()
        for number in ids:
            stream.push(number)
        stream.flush()

    return call


def _decode(tok: ap.Tokenizer, text: Text) -> Call:
    ids = tok.encode_array(text)
    return lambda: tok.decode(ids)


def _truncate_to_half(tok: ap.Tokenizer, text: Text) -> Call:
    half = tok.count(text) // 2
    return lambda: tok.truncate(text, half)


def _sample(tok: ap.Tokenizer, text: Text) -> Call:
    method: Any = "lattice" if tok.spec.segmenter == "unigram" else "dropout"
    return lambda: tok.sample_array(text, 0.1, seed=1, method=method)


ENTRIES: dict[str, Callable[[ap.Tokenizer, Text], Call]] = {
    "encode": lambda tok, text: lambda: tok.encode_array(text),
    "encode with specials": lambda tok, text: lambda: tok.encode_array(text, specials="parse"),
    "spans": lambda tok, text: lambda: tok.encode_spans(text),
    "count": lambda tok, text: lambda: tok.count(text),
    "count with a limit": lambda tok, text: lambda: tok.count(text, limit=10),
    "truncate to few": lambda tok, text: lambda: tok.truncate(text, 10),
    "truncate to half": _truncate_to_half,
    "split": lambda tok, text: lambda: tok.split(text, 100, 10),
    "stream in characters": _stream_encoder(1),
    "stream in thousands": _stream_encoder(1000),
    "decode": _decode,
    "stream decoder": _stream_decoder,
    "lattice": lambda tok, text: lambda: tok.lattice(text),
    "sample": _sample,
}
"""Name to what makes it ready for a text."""

REFUSALS = ("lattice-unsupported", "lattice-too-large", "sample-method")
"""Codes of errors that say that a file has no such entry point."""
PATTERN_BYTES = 256_000
"""Texts up to this size must not be refused for the limit on the steps of a pattern."""


class Cell(NamedTuple):
    """One file, family and entry point."""

    file: str
    family: str
    entry: str


class Result(NamedTuple):
    """What was measured: the length of the shorter text in bytes, and how long both took; zeros where it is refused."""

    cell: Cell
    size: int
    seconds: float
    longer: float

    @property
    def ratio(self) -> float:
        return self.longer / max(self.seconds, LEAST)

    @property
    def is_linear(self) -> bool:
        return self.ratio <= MOST

    def __str__(self) -> str:
        sizes = f"{self.size} bytes {self.seconds * 1e3:.1f} ms, {FACTOR} times as many {self.longer * 1e3:.1f} ms"
        return f"{' | '.join(self.cell)}: {sizes}, {self.ratio:.1f} times"


def _seconds(call: Call, times: int = 1) -> float:
    """The processor's time, best of some runs."""
    best = float("inf")
    gc.collect(0)
    gc.disable()
    try:
        for _ in range(times):
            start = time.process_time()
            call()
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best


def growth(ready: Callable[[int], Call], cell: Cell, sizes: tuple[int, ...] = SIZES) -> Result:
    """How time grows with the size that a call is made ready for. A pair that is linear at once is not run again."""
    before = 0.0
    for size in sizes:
        call = ready(size)
        seconds = _seconds(call)
        if before >= LEAST:
            break
        before = seconds
    result = Result(cell, size // FACTOR, before, seconds)
    if not result.is_linear:
        shorter = ready(size // FACTOR)
        result = Result(cell, size // FACTOR, _seconds(shorter, 3), _seconds(call, 3 if seconds < 3 else 1))
    return result


def measure(tok: ap.Tokenizer, cell: Cell, sizes: tuple[int, ...] = SIZES) -> Result:
    """One cell of the law, with texts of two neighbouring sizes: the first ones that take long enough."""

    tried = 0

    def ready(size: int) -> Call:
        nonlocal tried
        tried = size
        return ENTRIES[cell.entry](tok, family_text(cell.family, tok, size))

    try:
        return growth(ready, cell, sizes)
    except ap.AnyPieceError as error:
        if error.code not in REFUSALS and not (error.code == "pattern-limit" and tried > PATTERN_BYTES):
            raise
        return Result(cell, 0, 0.0, 0.0)


def cells_of(file: str, families: str = "*", entries: str = "*") -> Iterator[Cell]:
    """The cells of a file whose names match, without the exceptions."""
    for family in fnmatch.filter(FAMILIES, families):
        for entry in fnmatch.filter(ENTRIES, entries):
            cell = Cell(file, family, entry)
            if not any(all(map(fnmatch.fnmatch, cell, pattern)) for pattern in EXCEPTIONS):
                yield cell


# -- instructions

MODULE = "tests.property.linear_time"
_COUNT = re.compile(r"Collected : (\d+)")


def instructions(cell: Cell, size: int) -> float:
    """How many times as many instructions a text takes that is four times as long as one of ``size`` bytes. What both runs
    do besides is counted in a third one and taken off.
    """
    counts = []
    for length, called in ((size, False), (size, True), (FACTOR * size, False), (FACTOR * size, True)):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, "-m", MODULE]
        command += ["--once", *cell, str(length), str(int(called))]
        found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=data.ROOT)
        counts.append(int(_COUNT.findall(found.stderr)[-1]))
    return (counts[3] - counts[2]) / (counts[1] - counts[0])


def difference(tok: ap.Tokenizer, cell: Cell) -> str | None:
    """How a cell breaks the law at two neighbouring pairs of sizes, confirmed by instructions where they can be counted."""
    result = measure(tok, cell)
    if not result.is_linear:
        result = measure(tok, cell, (FACTOR * result.size, FACTOR**2 * result.size))
    if result.is_linear:
        return None
    if shutil.which("valgrind") is None:
        return str(result)
    times = instructions(cell, result.size)
    return f"{result}; {times:.2f} times the instructions" if times > MOST_INSTRUCTIONS else None


def _run_once(file: str, family: str, entry: str, size: str, called: str) -> None:
    tok = opened(file)
    call = ENTRIES[entry](tok, family_text(family, tok, int(size)))
    if called == "1":
        call()


def main(argv: list[str] | None = None) -> int:
    """Run the law and print what fails; exit code 1 if anything does."""
    parser = argparse.ArgumentParser(prog="python -m tests.property.linear_time", description=__doc__)
    parser.add_argument("--only", default="*", metavar="GLOB", help="files whose place matches (default: all)")
    parser.add_argument("--family", default="*", metavar="GLOB", help="families of texts (default: all)")
    parser.add_argument("--entry", default="*", metavar="GLOB", help="entry points (default: all)")
    parser.add_argument("--unconfirmed", action="store_true", help="do not count instructions of what fails")
    parser.add_argument("--once", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.once:
        _run_once(*options.once)
        return 0
    failed = 0
    for file in fnmatch.filter(files(), options.only):
        tok, start, amount = opened(file), time.process_time(), 0
        for cell in cells_of(file, options.family, options.entry):
            amount += 1
            if options.unconfirmed:
                result = measure(tok, cell)
                found = None if result.is_linear else str(result)
            else:
                found = difference(tok, cell)
            if found:
                failed += 1
                print(found, flush=True)
        print(f"{file}: {amount} cells, {time.process_time() - start:.1f} s", file=sys.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
