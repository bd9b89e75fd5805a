"""What is timed in each mode, and how its results are checked.

``run_pass`` holds the only timed loops of the benchmarks. Garbage collection is the caller's affair; results are kept
until the timer has stopped, then ``check`` reduces them to eight bytes per document.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.engines import Engine, Ids
from benchmarks.harness.definition import Sampling

WHOLE = ("batch", "column", "spans-batch")
"""The modes in which one call takes all documents."""
VERIFIED = 20
"""The number of documents whose draws an engine verifies itself, where it can."""
GROUP = 64
"""The number of documents that become rows of one length together."""


@dataclass(frozen=True)
class Pass:
    """One timed pass: CPU seconds of the whole process, wall seconds, and the raw results."""

    cpu: float
    wall: float
    results: list[Any]


def run_pass(engine: Engine, mode: str, inputs: Sequence[Any], sampling: Sampling) -> Pass:
    """Run every input through the engine once."""
    call = call_of(engine, mode, sampling)
    if mode == "padded":
        groups = [list(inputs[start : start + GROUP]) for start in range(0, len(inputs), GROUP)]
        return timed(lambda: [call(group) for group in groups])
    if mode in WHOLE:
        given = engine.column_of(inputs) if mode == "column" else inputs
        return timed(lambda: [call(given)])
    return timed(lambda: [call(one) for one in inputs])


def call_of(engine: Engine, mode: str, sampling: Sampling) -> Callable[[Any], Any]:
    """Return the library's call for a mode."""
    calls: dict[str, Callable[[], Callable[[Any], Any]]] = {
        "array": engine.array,
        "list": engine.listed,
        "face": engine.face,
        "batch": engine.batch,
        "padded": engine.padded,
        "column": engine.column,
        "count": engine.count,
        "spans": engine.spans,
        "spans-batch": engine.spans_batch,
        "decode": engine.decode,
        "sample": lambda: engine.sample(sampling),
        "nbest": lambda: engine.nbest(sampling.n),
    }
    return calls[mode]()


def timed(work: Callable[[], list[Any]]) -> Pass:
    """Time one callable by the CPU time of all threads of the process and by the clock."""
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    results = work()
    cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
    return Pass(cpu / 1e9, wall / 1e9, results)


@dataclass(frozen=True)
class Checked:
    """Eight bytes per document, equal if and (barring collisions) only if the results are, and the number of tokens."""

    digests: list[bytes]
    tokens: int

    def differing(self, other: Checked) -> int:
        """Count the documents whose results differ."""
        pairs = zip(self.digests, other.digests, strict=True)
        return sum(mine != theirs for mine, theirs in pairs)

    def digest(self) -> str:
        """Return one digest of all documents."""
        return hashlib.blake2b(b"".join(self.digests), digest_size=16).hexdigest()


def check(engine: Engine, mode: str, results: list[Any], inputs: Sequence[Any], sampling: Sampling) -> Checked:
    """Reduce the results of a pass to what is compared."""
    if mode == "sample":
        found = list(drawn(engine, results, inputs, sampling))
    elif mode == "nbest":
        scores = engine.scores() if sampling.compare == "scores" else None
        found = [packed_paths(engine.unpack_nbest(result), scores) for result in results]
    else:
        found = list(contents(engine, mode, results))
    hashes = [hashlib.blake2b(content, digest_size=8).digest() for content, _ in found]
    return Checked(hashes, sum(tokens for _, tokens in found))


def contents(engine: Engine, mode: str, results: list[Any]) -> Iterable[tuple[bytes, int]]:
    """Return each document's result as bytes, in one form for all engines, and its number of tokens."""
    if mode == "batch":
        return (packed(ids) for ids in engine.unpack_batch(results[0]))
    if mode == "padded":
        return (packed_row(ids, mask) for one in results for ids, mask in zip(*engine.unpack_padded(one), strict=True))
    if mode == "column":
        return (packed(ids) for ids in engine.unpack_column(results[0]))
    if mode == "spans-batch":
        return (packed_spans(spans) for spans in engine.unpack_spans_batch(results[0]))
    if mode == "spans":
        return (packed_spans(engine.unpack_spans(one)) for one in results)
    if mode == "decode":
        return ((one.encode() if isinstance(one, str) else bytes(one), 0) for one in results)
    if mode == "count":
        return ((str(one).encode(), one) for one in results)
    return (packed(engine.unpack(one)) for one in results)


def drawn(engine: Engine, results: list[Any], inputs: Sequence[Any], sampling: Sampling) -> Iterable[tuple[bytes, int]]:
    """Return what all draws of a document have in common: the text that they decode to.

    An engine that can recompute its draws does so for the first documents; a draw it cannot reproduce counts as no text.
    """
    decode = engine.decode()
    for number, (text, result) in enumerate(zip(inputs, results, strict=True)):
        ids = engine.unpack(result)
        verified = number >= VERIFIED or engine.verifies(text, ids, sampling)
        content = decode(ids if engine.wants_arrays else list(ids))
        yield (content.encode() if verified else b"\0refuted"), len(ids)


def packed_paths(paths: Sequence[Ids], scores: Sequence[float] | None) -> tuple[bytes, int]:
    """Return an n-best list as what is compared: the scores of all paths in thousandths, or without scores the ids of the
    best one.

    Scores are summed by one rule from those of the pieces, so that equal paths have equal ones.
    """
    tokens = sum(map(len, paths))
    if scores is None:
        return len(paths).to_bytes(4, "little") + packed(paths[0])[0], tokens
    sums = sorted(-round(1000 * math.fsum(scores[id] for id in map(int, path))) for path in paths)
    return np.asarray(sums, dtype="<i8").tobytes(), tokens


def packed(ids: Any) -> tuple[bytes, int]:
    """Return ids as little-endian 32-bit integers, and how many there are."""
    return np.asarray(ids, dtype="<u4").tobytes(), len(ids)


def packed_row(ids: Any, mask: Any) -> tuple[bytes, int]:
    """Return a row that is filled up and its mask as little-endian 64-bit integers, and the number of tokens in it."""
    return np.asarray([ids, mask], dtype="<i8").tobytes(), int(mask.sum())


def packed_spans(spans: list[tuple[int, int, int]]) -> tuple[bytes, int]:
    """Return (id, start, end) as little-endian 64-bit integers, and how many there are."""
    return np.asarray(spans, dtype="<i8").tobytes(), len(spans)
