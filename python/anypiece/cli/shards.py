"""``anypiece shards``: a corpus to training shards, planned first, so that it can be stopped and gone on with."""

from __future__ import annotations

import functools
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .._core.memory import shown
from ..corpus.shards import Shards, plan_shards, run_shards, verify_shards
from ..corpus.shards.formats import FORMATS
from ..loading import load
from . import options, output
from .numbers import Amount
from .progress import Reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..corpus.shards.manifest import Manifest
    from ..corpus.shards.plan import Plan

PARTIAL = 4
INTERRUPTED = 130
_BY_LENGTH = ("too_short", "too_long")
_SAID = {
    "bad_file": "files that could not be read to their end", "bad_line": "lines that are no JSON or CSV",
    "bad_utf8": "documents that are not UTF-8", "no_field": "lines without the field", "no_text": "fields that are no text",
    "refused": "documents that the tokenizer refuses", "too_long": "documents of too many tokens",
    "too_short": "documents of too few tokens",
}  # fmt: skip

Verb = TypeVar("Verb", bound="Callable[..., Any]")

_OUT = click.option(
    "-o",
    "--output",
    "out",
    type=options.PATH,
    metavar="FOLDER",
    help="The folder of the shards: new, empty, or with this plan.",
)
_PLANNING = (
    click.option("--to", "output_format", type=click.Choice(list(FORMATS)), help="The format of the shards."),
    click.option(
        "--field",
        default="text",
        show_default=True,
        help="The field of JSON objects (meta.text for one within another), or the column of a table.",
    ),
    click.option(
        "--format",
        "input_format",
        type=click.Choice(["text", "jsonl", "csv", "parquet", "arrow"]),
        help="What all files hold. Default: by first bytes and names; text.",
    ),
    click.option("--whole", is_flag=True, help="Take each file of text as one document, instead of each line."),
    click.option(
        "--end-of-text",
        type=click.Choice(["before", "after", "none"]),
        help="Where the end-of-text token of a document stands. Default: before for llmc, none for tables, else after.",
    ),
    click.option("--end-of-text-token", metavar="TOKEN", help="That token. Default: the tokenizer's eos."),
    options.add_special,
    click.option(
        "--specials",
        type=click.Choice(["text", "parse"]),
        default="text",
        show_default=True,
        help="What text that spells a special token is: text, or that token.",
    ),
    click.option(
        "--on-bad-utf8",
        type=click.Choice(["replace", "skip", "error"]),
        default="replace",
        show_default=True,
        help="A document that is not UTF-8: put U+FFFD in place of what is not, leave it out, or stop.",
    ),
    click.option(
        "--on-bad-line",
        type=click.Choice(["skip", "error"]),
        default="skip",
        show_default=True,
        help="A line or row without a text: leave it out and count it, or stop.",
    ),
    click.option(
        "--on-bad-file",
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="A compressed file that was cut short: stop, or leave out what cannot be read.",
    ),
    click.option(
        "--min-tokens", type=Amount(), default=1, show_default=True, metavar="N", help="Leave shorter documents out."
    ),
    click.option("--max-tokens", type=Amount(), metavar="N", help="Leave longer documents out."),
    click.option(
        "--shard-size",
        metavar="SIZE",
        help="About how much input makes a shard, such as 256MB. Default: a 256th, at least 64 MB and at most 1 GB.",
    ),
)
_RUNNING = (
    click.option("--processes", type=click.IntRange(min=1), metavar="N", help="Default: one per processor."),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        metavar="N",
        help="Threads of each process. Default: the processors, shared out.",
    ),
    click.option(
        "--rank", type=click.IntRange(min=0), default=0, metavar="R", help="The number of this machine, from 0."
    ),
    click.option(
        "--world", type=click.IntRange(min=1), default=1, metavar="W", help="How many machines share the work."
    ),
)


def _with(settings: tuple[Callable[[Any], Any], ...]) -> Callable[[Verb], Verb]:
    def add(verb: Any) -> Any:
        return functools.reduce(lambda decorated, option: option(decorated), reversed(settings), verb)

    return add


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
    """


@shards.command()
@click.argument("inputs", type=options.PATH, metavar="INPUT...", nargs=-1, required=True)
@options.tokenizer_path
@options.reading
@_OUT
@_with(_PLANNING)
@options.as_json
def plan(
    inputs: tuple[str, ...],
    tokenizer_path: str | None,
    reading: dict[str, Any],
    out: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Fix what the shards of a corpus will be, without writing any.

    INPUT is a file, a glob, a folder, or @FILE with a list of such, one on a line. Files are text (a document on each line),
    JSON lines (.jsonl, .json), CSV, Parquet or Arrow; text, JSON and CSV may be compressed by gzip, bzip2, xz or Zstandard.
    Making the same plan again is fine; another one in the same folder is refused.

    \b
    Examples:
      anypiece shards plan -t tokenizer.json --to megatron -o out "data/*.jsonl.zst"
      anypiece shards plan --to nanogpt --field content -o out corpus.parquet
      anypiece shards plan --to llmc -o out @files.txt
    """
    made = _planned(inputs, tokenizer_path, reading, out, given)
    size = sum(file.size for file in made.files)
    if as_json:
        output.write_json({"shards": len(made.tasks), "files": len(made.files), "bytes": size, "plan": made.digest})
        return
    output.write(f"{_several(len(made.tasks), 'shard')} from {_several(len(made.files), 'file')} of {shown(size)}\n")
    output.note(f"write them: anypiece shards run {made.folder}")


def _several(amount: int, what: str) -> str:
    return f"{amount} {what}{'s' * (amount != 1)}"


def _planned(
    inputs: tuple[str, ...], tokenizer_path: str | None, reading: dict[str, Any], out: str | None, given: dict[str, Any]
) -> Plan:
    if out is None:
        raise click.UsageError("Say where the shards are to be, with --output.")
    if given["output_format"] is None:
        raise click.UsageError(f"Say what shards are wanted, with --to: {', '.join(FORMATS)}.")
    given = {name: value for name, value in given.items() if value is not None}
    given["format"] = given.pop("output_format")
    special = given.pop("add_special", None)
    given["add_special"] = {None: False, "both": True}.get(special, special)
    return plan_shards(inputs, load(options.path_of(tokenizer_path), **reading), out, **given)


@shards.command()
@click.argument("inputs", type=options.PATH, metavar="FOLDER | INPUT...", nargs=-1, required=True)
@options.tokenizer_path
@options.reading
@_OUT
@_with(_PLANNING)
@_with(_RUNNING)
@options.as_json
def run(
    inputs: tuple[str, ...],
    tokenizer_path: str | None,
    reading: dict[str, Any],
    out: str | None,
    processes: int | None,
    threads: int | None,
    rank: int,
    world: int,
    as_json: bool,
    **given: Any,
) -> int:
    """Write the shards of a plan that are not written yet.

    With --output and INPUT the plan is made first; see the help of plan. Without --output, FOLDER is one that has a plan.
    Run it again after whatever stopped it: what is done is kept. Ctrl-C finishes the shards that are being written; twice
    leaves at once. On many machines with a common folder give each its --rank, from 0, and --world.

    The exit code is 4 if documents could not be used and were left out, and 130 if the work was interrupted.

    \b
    Examples:
      anypiece shards run -t tokenizer.json --to megatron -o out "data/*.jsonl.zst"
      anypiece shards run out
      anypiece shards run --rank 3 --world 16 out
    """
    if rank >= world:
        raise click.UsageError(f"--rank is from 0 to {world - 1} where --world is {world}.")
    folder = out
    if out is not None:
        _planned(inputs, tokenizer_path, reading, out, given)
    elif len(inputs) > 1:
        raise click.UsageError("Say where the shards are to be, with --output.")
    else:
        folder = inputs[0]
        _refuse_planning()
    report = Reporter()
    with _stopped() as stop:
        try:
            manifest = run_shards(
                str(folder), processes=processes, threads=threads, rank=rank, world=world, progress=report, stop=stop
            )
        finally:
            report.close()
    if manifest is None:
        if stop.is_set():
            output.note(f"interrupted; go on: anypiece shards run {folder}")
            return INTERRUPTED
        output.note("this part is done; whoever is done last writes the manifest")
        return 0
    return _told(manifest, as_json)


def _refuse_planning() -> None:
    """Options of a plan do nothing where there is one."""
    context = click.get_current_context()
    names = {"inputs", "out", "processes", "threads", "rank", "world", "as_json"}
    given = [item for item in context.command.params if item.name not in names and options.is_given(str(item.name))]
    if given:
        raise click.UsageError(
            f"{given[0].opts[-1]} belongs to the plan, which the folder has: give --output, or leave it out."
        )


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


def _told(manifest: Manifest, as_json: bool) -> int:
    """Say what was made; the exit code that goes with it."""
    sums = {name: value for name, value in manifest._asdict().items() if name != "shards"}
    if as_json:
        output.write_json({**sums, "shards": len(manifest.shards)})
    else:
        output.write(
            f"{_several(len(manifest.shards), 'shard')}, {_several(manifest.documents, 'document')}, "
            f"{_several(manifest.tokens, 'token')} as {manifest.dtype}, "
            f"{shown(manifest.bytes)}\n"
        )
        for reason, amount in manifest.left_out.items():
            output.note(f"left out: {amount} {_SAID[reason]}")
        if manifest.repaired:
            output.note(f"{manifest.repaired} documents are not UTF-8 and have U+FFFD in place of what is not")
        if manifest.with_specials:
            output.note(f"{manifest.with_specials} documents contain the spelling of a special token")
        for reject in [reject for record in manifest.shards for reject in record.rejects][:5]:
            output.note(f"left out {reject['file']} at {reject['at']}: {reject['reason']}")
    return PARTIAL if set(manifest.left_out) - set(_BY_LENGTH) else 0


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
    _told(manifest, as_json)


@shards.command()
@click.argument("folder", type=options.PATH)
@click.argument("documents", type=int, metavar="[NUMBER]...", nargs=-1)
@click.option("--ids", is_flag=True, help="Print ids instead of text.")
@options.as_json
def inspect(folder: str, documents: tuple[int, ...], ids: bool, as_json: bool) -> None:
    """Show what is in shards: a table of them, or documents by their numbers, from 0, decoded.

    \b
    Examples:
      anypiece shards inspect out
      anypiece shards inspect out 0 12
      anypiece shards inspect --ids out 12
    """
    found = Shards(folder)
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
