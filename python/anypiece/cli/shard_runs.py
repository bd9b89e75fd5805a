"""How a run of ``anypiece shards`` goes: interrupted, partly done, or told when it is finished."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .._core.memory import shown
from ..corpus.engines import ray, spark
from ..corpus.shards import run_shards
from ..corpus.shards.plan import read_plan
from . import output
from .progress import Reporter
from .shard_options import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..corpus.shards.manifest import Manifest

__all__ = ["Way", "finished", "told"]

ENGINES = {"ray": ray.run, "spark": spark.run}
PARTIAL = 4
INTERRUPTED = 130
_BY_CHOICE = ("too_short", "too_long", "too_large", "duplicate", "over_budget")
_SAID = {
    "bad_file": "files that could not be read to their end", "bad_line": "lines that are no JSON or CSV",
    "bad_utf8": "documents that are not UTF-8", "no_field": "lines without the field", "no_text": "fields that are no text",
    "refused": "documents that the tokenizer refuses", "too_large": "documents of too many bytes",
    "too_long": "documents of too many tokens",
    "too_short": "documents of too few tokens", "duplicate": "documents whose text came before",
    "over_budget": "documents beyond the budget or the share of their source",
}  # fmt: skip


class Way(NamedTuple):
    """Who does the tasks."""

    processes: int | None
    threads: int | None
    max_memory: str | None = None
    rank: int = 0
    world: int = 1
    wait: bool = False
    engine: str = "local"
    cluster: str | None = None


def finished(folder: str, way: Way, as_json: bool) -> int:
    """Do what a plan has left to do, and say what came of it; the exit code."""
    if way.rank >= way.world:
        raise click.UsageError(f"--rank is from 0 to {way.world - 1} where --world is {way.world}.")
    if way.engine == "local" and way.cluster is not None:
        raise click.UsageError("--cluster is for --engine ray or spark.")
    if way.engine != "local" and way.world > 1:
        raise click.UsageError(f"--rank and --world share the work without an engine; {way.engine} does it itself.")
    if way.engine != "local" and way.max_memory is not None:
        raise click.UsageError(f"--max-memory bounds processes of this machine; {way.engine} has settings of its own.")
    report = Reporter()
    with _stopped() as stop:
        try:
            manifest = _run(folder, way, report, stop)
        finally:
            report.close()
    if manifest is None:
        if stop.is_set():
            output.note(f"interrupted; go on: anypiece shards run {folder}")
            return INTERRUPTED
        if read_plan(folder).options.is_arranged:
            output.note("this part of a phase is done; when all ranks are, run them again, or give all of them --wait")
        else:
            output.note("this part is done; whoever is done last writes the manifest")
        return 0
    return told(manifest, as_json)


def _run(folder: str, way: Way, report: Reporter, stop: threading.Event) -> Manifest | None:
    shared: dict[str, Any] = {"processes": way.processes, "progress": report, "stop": stop}
    if way.engine == "local":
        mine: dict[str, Any] = {"rank": way.rank, "world": way.world, "wait": way.wait}
        return run_shards(folder, threads=way.threads, max_memory=way.max_memory, **mine, **shared)
    return ENGINES[way.engine](folder, cluster=way.cluster, threads=way.threads or 1, **shared)


@contextmanager
def _stopped() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one ends the program."""
    stop = threading.Event()

    def interrupted(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        sys.stderr.write("\nanypiece: finishing the shards that are being written; Ctrl-C again leaves at once\n")

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def told(manifest: Manifest, as_json: bool) -> int:
    """Say what was made; the exit code that goes with it."""
    sums = {name: value for name, value in manifest._asdict().items() if name != "shards"}
    if as_json:
        output.write_json({**sums, "shards": len(manifest.shards)})
    else:
        row = "sequence" if manifest.packed else "document"
        output.write(
            f"{several(len(manifest.shards), 'shard')}, {several(manifest.documents, row)}, "
            f"{several(manifest.tokens, 'token')} as {manifest.dtype}, "
            f"{shown(manifest.bytes)}\n"
        )
        for name, amounts in manifest.sources.items():
            if name:
                output.note(
                    f"{name}: {several(amounts['documents'], 'document')}, {several(amounts['tokens'], 'token')}"
                )
        for part, amounts in manifest.parts.items():
            output.note(f"{part}: {several(amounts['documents'], 'document')}, {several(amounts['tokens'], 'token')}")
        if manifest.packed:
            share = 100 * manifest.padding / max(manifest.tokens, 1)
            output.note(f"packed: {several(manifest.packed, 'document')} in these sequences, {share:.2f} % padding")
        if manifest.cut:
            output.note(f"cut into several: {several(manifest.cut, 'document')} of too many bytes")
        for reason, amount in manifest.left_out.items():
            output.note(f"left out: {amount} {_SAID[reason]}")
        if manifest.repaired:
            output.note(f"{manifest.repaired} documents are not UTF-8 and have U+FFFD in place of what is not")
        if manifest.with_specials:
            output.note(f"{manifest.with_specials} documents contain the spelling of a special token")
        for reject in manifest.rejects[:5]:
            output.note(f"left out {reject['file']} at {reject['at']}: {reject['reason']}")
    return PARTIAL if set(manifest.left_out) - set(_BY_CHOICE) else 0
