"""``anypiece shards stats|repack|merge``: what can be done with finished shards alone."""

from __future__ import annotations

from typing import Any

import click

from .._core.memory import shown
from ..corpus.shards import merge_shards, repack_shards, shard_statistics
from . import options, output
from .progress import Reporter
from .shard_options import OF_IDS, OUT, RUNNING, several, with_options
from .shard_runs import Way, finished

__all__ = ["merge", "repack", "stats"]


@click.command()
@click.argument("folder", type=options.PATH)
@click.option("--report", type=options.PATH, metavar="FILE", help="Write a page of HTML with charts.")
@options.as_json
def stats(folder: str, report: str | None, as_json: bool) -> None:
    """Count what is in finished shards: lengths, tokens by source, fallback tokens, ids that occur.

    \b
    Examples:
      anypiece shards stats out
      anypiece shards stats --report stats.html out
    """
    progress = Reporter()
    try:
        found = shard_statistics(folder, progress)
    finally:
        progress.close()
    if report is not None:
        found.save(report)
    figures = found.to_json()
    if as_json:
        output.write_json(figures)
        return
    tokens = max(figures["tokens"], 1)
    lengths = figures["lengths"]
    rows = [
        ("documents", f"{figures['documents']}"),
        ("tokens", f"{figures['tokens']}"),
        ("size", shown(figures["bytes"])),
        ("mean length", f"{lengths['mean']:.1f}"),
        ("median length", f"{lengths['p50']}"),
        ("longest", f"{lengths['longest']}"),
        ("fallback", f"{found.fallback / tokens:.3%}"),
        ("padding", f"{figures['padding'] / tokens:.3%}"),
        ("ids that occur", f"{figures['ids_used']} of {figures['vocab_size']}"),
        *((f"tokens of {name}", f"{row['tokens'] / tokens:.1%}") for name, row in figures["sources"].items()),
    ]
    output.write_table(("figure", "value"), rows)


@click.command()
@click.argument("folders", type=options.PATH, metavar="FOLDER...", nargs=-1, required=True)
@OUT
@with_options(OF_IDS)
@with_options(RUNNING)
@options.as_json
def repack(
    folders: tuple[str, ...],
    out: str | None,
    processes: int | None,
    threads: int | None,
    max_memory: str | None,
    engine: str,
    cluster: str | None,
    rank: int,
    world: int,
    wait: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Write finished shards in another format, order, length or size, without the corpus.

    FOLDER has finished shards; several are put together, and each may be a source of its own: NAME=FOLDER. The tokenizer is
    theirs. Run it again after whatever stopped it, or: anypiece shards run FOLDER.

    \b
    Examples:
      anypiece shards repack --to llmc -o other out
      anypiece shards repack --pack 2048 --packing fit --to parquet --shuffle -o packed out
      anypiece shards repack --shuffle --weight web=0.7 --weight code=0.3 -o mixed web=web_ids code=code_ids
    """
    if out is None:
        raise click.UsageError("Say where the new shards are to be, with --output.")
    given["format"] = given.pop("output_format")
    given = {name: value for name, value in given.items() if value is not None}
    plan = repack_shards(folders, out, **given)
    return finished(str(plan.folder), Way(processes, threads, max_memory, rank, world, wait, engine, cluster), as_json)


@click.command()
@click.argument("folders", type=options.PATH, metavar="FOLDER...", nargs=-1, required=True)
@OUT
@with_options(RUNNING)
@options.as_json
def merge(
    folders: tuple[str, ...],
    out: str | None,
    processes: int | None,
    threads: int | None,
    max_memory: str | None,
    engine: str,
    cluster: str | None,
    rank: int,
    world: int,
    wait: bool,
    as_json: bool,
) -> int:
    """Put finished shards of one tokenizer and the same options into one folder, shard by shard.

    \b
    Examples:
      anypiece shards merge -o all monday tuesday
    """
    if out is None:
        raise click.UsageError("Say where the new shards are to be, with --output.")
    plan = merge_shards(folders, out)
    output.note(f"{several(len(plan.tasks), 'shard')} of {several(len(folders), 'folder')}")
    return finished(str(plan.folder), Way(processes, threads, max_memory, rank, world, wait, engine, cluster), as_json)
