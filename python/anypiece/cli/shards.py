"""``anypiece shards``: a corpus to training shards, planned first, so that it can be stopped and gone on with."""

from __future__ import annotations

from typing import Any

import click

from .._core.memory import shown
from ..corpus.shards import Shards, estimate_shards, verify_shards
from . import options, output, shard_tools
from .progress import Reporter
from .shard_options import OUT, PLANNING, RUNNING, part, planned, several, with_options
from .shard_runs import Way, finished, told


@click.group()
def shards() -> None:
    """Turn a corpus of any size into training shards.

    A plan in the folder fixes what each shard is made of; running it can be stopped, killed and repeated, on one machine or
    many, and always gives the same bytes.

    \b
    Examples:
      anypiece shards run -t tokenizer.json --to megatron -o out "data/*.jsonl.zst"
      anypiece shards run out
      anypiece shards verify out
      anypiece shards inspect out 12
      anypiece shards stats --report stats.html out
    """


@shards.command()
@click.argument("inputs", type=options.PATH, metavar="INPUT...", nargs=-1, required=True)
@options.tokenizer_path
@options.reading
@OUT
@with_options(PLANNING)
@click.option(
    "--machines",
    type=click.IntRange(min=1),
    metavar="N",
    help="Measure a sample of the inputs for some seconds, and say what N machines need: hours, disk, memory.",
)
@click.option(
    "--processors", type=click.IntRange(min=1), metavar="N", help="Of each machine. Default: as many as here."
)
@click.option("--corpus-size", metavar="SIZE", help="Say it for a corpus of this size, such as 10TB, of such inputs.")
@options.as_json
def plan(
    inputs: tuple[str, ...],
    tokenizer_path: str | None,
    reading: dict[str, Any],
    out: str | None,
    machines: int | None,
    processors: int | None,
    corpus_size: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Fix what the shards of a corpus will be, without writing any.

    INPUT is a file, a glob, a folder, or @FILE with a list of such, one on a line. Files are text (a document on each line),
    JSON lines (.jsonl, .json), CSV, Parquet or Arrow; text, JSON and CSV may be compressed by gzip, bzip2, xz or Zstandard.
    URLs such as s3://bucket/data are read by fsspec (extra [fsspec]).
    NAME=INPUT makes it part of a source, for --weight and --epochs.
    Making the same plan again is fine; another one in the same folder is refused.

    \b
    Examples:
      anypiece shards plan -t tokenizer.json --to megatron -o out "data/*.jsonl.zst"
      anypiece shards plan --to nanogpt --field content -o out corpus.parquet
      anypiece shards plan --to llmc -o out @files.txt
      anypiece shards plan --to megatron --machines 8 --processors 32 --corpus-size 10TB -o out sample.jsonl
      anypiece shards plan --to megatron --shuffle --weight web=0.7 --weight code=0.3 -o out web=data/web code=data/code
    """
    if machines is None and (processors is not None or corpus_size is not None):
        raise click.UsageError("--processors and --corpus-size go with --machines: say how many there are.")
    made = planned(inputs, tokenizer_path, reading, out, given)
    size = sum(file.size for file in made.files)
    found = None
    if machines is not None:
        found = estimate_shards(made, machines, processors=processors, corpus_size=corpus_size)
    if as_json:
        row = {"shards": len(made.tasks), "files": len(made.files), "bytes": size, "plan": made.digest}
        output.write_json({**row, **({} if found is None else {"estimate": found.to_json()})})
        return
    output.write(f"{several(len(made.tasks), 'shard')} from {several(len(made.files), 'file')} of {shown(size)}\n")
    for line in () if found is None else found.lines():
        output.write(f"{line}\n")
    output.note(f"write them: anypiece shards run {made.folder}")


@shards.command()
@click.argument("inputs", type=options.PATH, metavar="FOLDER | INPUT...", nargs=-1, required=True)
@options.tokenizer_path
@options.reading
@OUT
@with_options(PLANNING)
@with_options(RUNNING)
@options.as_json
def run(
    inputs: tuple[str, ...],
    tokenizer_path: str | None,
    reading: dict[str, Any],
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
    """Write the shards of a plan that are not written yet.

    With --output and INPUT the plan is made first; see the help of plan. Without --output, FOLDER is one that has a plan.
    Run it again after whatever stopped it: what is done is kept. Ctrl-C finishes the shards that are being written; twice
    leaves at once. On many machines with a common folder give each its --rank, from 0, and --world; where documents are
    deduplicated, drawn or shuffled, --wait as well. Or let Ray or Spark hand out the tasks, with --engine.

    The exit code is 4 if documents could not be used and were left out, and 130 if the work was interrupted.

    \b
    Examples:
      anypiece shards run -t tokenizer.json --to megatron -o out "data/*.jsonl.zst"
      anypiece shards run out
      anypiece shards run --rank 3 --world 16 out
      anypiece shards run --engine ray --threads 4 out
    """
    folder = out
    if out is not None:
        planned(inputs, tokenizer_path, reading, out, given)
    elif len(inputs) > 1:
        raise click.UsageError("Say where the shards are to be, with --output.")
    else:
        folder = inputs[0]
        _refuse_planning()
    way = Way(processes, threads, max_memory, rank, world, wait, engine, cluster)
    return finished(str(folder), way, as_json)


def _refuse_planning() -> None:
    """Options of a plan do nothing where there is one."""
    context = click.get_current_context()
    names = {
        "inputs",
        "out",
        "processes",
        "threads",
        "max_memory",
        "engine",
        "cluster",
        "rank",
        "world",
        "wait",
        "as_json",
    }
    given = [item for item in context.command.params if item.name not in names and options.is_given(str(item.name))]
    if given:
        raise click.UsageError(
            f"{given[0].opts[-1]} belongs to the plan, which the folder has: give --output, or leave it out."
        )


@shards.command()
@click.argument("folder", type=options.PATH)
@click.option("--deep", is_flag=True, help="Encode the corpus again, which must give the same bytes.")
@options.threads
@options.as_json
def verify(folder: str, deep: bool, threads: int | None, as_json: bool) -> None:
    """Check that shards are what their manifest says.

    Sizes, hashes, the structure of each file, the range of the ids, and that nothing else lies in the folder. The exit
    code is 5 if something is wrong.

    \b
    Examples:
      anypiece shards verify out
      anypiece shards verify --deep out
    """
    report = Reporter()
    try:
        manifest = verify_shards(folder, deep=deep, threads=threads, progress=report)
    finally:
        report.close()
    told(manifest, as_json)


@shards.command()
@click.argument("folder", type=options.PATH)
@click.argument("documents", type=int, metavar="[NUMBER]...", nargs=-1)
@click.option("--ids", is_flag=True, help="Print ids instead of text.")
@part
@options.as_json
def inspect(folder: str, documents: tuple[int, ...], ids: bool, part: Any, as_json: bool) -> None:
    """Show what is in shards: a table of them, or documents by their numbers, from 0, decoded.

    \b
    Examples:
      anypiece shards inspect out
      anypiece shards inspect out 0 12
      anypiece shards inspect --ids out 12
    """
    found = Shards(folder, part)
    if not documents and ids:
        raise click.UsageError("--ids is for documents: give their numbers.")
    for number in documents:
        if not 0 <= number < len(found):
            raise click.UsageError(f"There is no document {number}; there are {len(found)}.")
        row = found[number].tolist()
        text = found.tokenizer.decode(row)
        if as_json:
            output.write_json({"document": number, "ids": row, "text": text})
        else:
            output.write(" ".join(map(str, row)) + "\n" if ids else text + "\n")
    if documents:
        return
    if as_json:
        for record in found.manifest.shards:
            output.write_json(record._asdict())
        return
    rows = [
        (
            record.shard,
            record.documents,
            record.tokens,
            shown(sum(file["bytes"] for file in record.files)),
            _from(record.first),
        )
        for record in found.manifest.shards
    ]
    output.write_table(("shard", "documents", "tokens", "size", "from"), rows)


def _from(place: dict[str, Any] | None) -> str:
    return "" if place is None else f"{place['file']} {place['at']}"


for tool in (shard_tools.stats, shard_tools.repack, shard_tools.merge):
    shards.add_command(tool)
