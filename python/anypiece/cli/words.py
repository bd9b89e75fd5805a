"""``anypiece words``: the distinct words of a corpus, counted in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..training.pipeline import count_words
from ..training.spread import Counted, count_words_on
from ..training.words import WordCounts, is_table, merge_words
from . import options, output
from .numbers import Amount
from .progress import Reporter
from .training_options import corpus, corpus_of

if TYPE_CHECKING:
    from ..corpus.readers import Format

PARTIAL = 4


@click.command()
@corpus
@click.option("-o", "--output", "out", type=options.PATH, metavar="FILE", help="Write the table of words to FILE.")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray", "spark"]),
    default="local",
    show_default=True,
    help="What counts: this process, a Ray cluster, or Spark.",
)
@click.option(
    "--cluster", metavar="ADDRESS", help="The address of a Ray cluster, or a Spark master; as for anypiece shards run."
)
@click.option("--top", type=Amount(), metavar="N", help="Print only the N most frequent words.")
@options.threads
@options.as_json
def words(
    files: tuple[str, ...],
    format: Format | None,
    field: str,
    whole: bool,
    max_memory: str | None,
    kind: str | None,
    settings: dict[str, Any],
    sample: dict[str, Any],
    out: str | None,
    engine: str,
    cluster: str | None,
    top: int | None,
    threads: int | None,
    as_json: bool,
) -> int:
    """Count the distinct words of a corpus, or add tables of words up.

    Words are what a vocabulary of --kind will see: normalized and split as it will be. Without --output they are printed,
    the most frequent first. If every FILE is a table that this verb wrote, the tables are added up: so a corpus can be
    counted on many machines; or by --engine, which gives the same file. Lines that are no UTF-8, or have no such field,
    are skipped and reported; the exit code is 4.

    \b
    Examples:
      anypiece words --top 20 corpus.txt
      anypiece words --max-memory 2GB -o part1.words "data/*.jsonl.zst"
      anypiece words -o all.words part1.words part2.words
      anypiece words --engine spark -o all.words "data/*.jsonl.zst"
      anypiece train --vocab-size 32000 -o tokenizer.model all.words
    """
    if out is not None and (top is not None or as_json):
        raise click.UsageError("With --output nothing is printed: leave out --top and --json.")
    _refuse_useless(engine, cluster, out, sample)
    if files and all(is_table(name) for name in files):
        if sample:
            raise click.UsageError("The words of tables are counted already; leave --input-sentence-size out.")
        if out is None:
            if len(files) > 1:
                raise click.UsageError("Say where the sum of the tables is to be written, with --output.")
            _print(WordCounts.load(files[0], max_memory), top, as_json)
            return 0
        amount, total = merge_words(files, out)
        output.note(f"{out}: {amount} words, seen {total} times")
        return 0
    if engine != "local":
        reading = {"format": format, "field": field, "whole": whole, "max_memory": max_memory}
        return _counted_on(engine, cluster, files, str(out), kind, threads, {**reading, **settings})
    report = Reporter()
    try:
        counts = count_words(
            corpus_of(files),
            kind or "unigram",
            format=format,
            field=field,
            whole=whole,
            threads=threads,
            max_memory=max_memory,
            out=out,
            progress=report,
            **sample,
            **settings,
        )
    finally:
        report.close()
    if out is None:
        _print(counts, top, as_json)
        left = f"; {counts.left.words} rare words did not fit and are not shown" if counts.left.words else ""
    else:
        left = ""
    facts = counts.facts
    output.note(f"{facts['texts']} texts, {len(counts) + counts.left.words} words{left}{f', in {out}' if out else ''}")
    return told_rejects(counts)


def _refuse_useless(engine: str, cluster: str | None, out: str | None, sample: dict[str, Any]) -> None:
    """Options that do not go with an engine, or without one."""
    if engine == "local" and cluster is not None:
        raise click.UsageError("--cluster is for --engine ray or spark.")
    if engine != "local" and out is None:
        raise click.UsageError(f"Say where {engine} is to write the table, with --output.")
    if engine != "local" and sample:
        raise click.UsageError(
            f"A choice of texts needs all of the corpus in one place: leave it out, or --engine {engine}."
        )


def _counted_on(
    engine: str,
    cluster: str | None,
    files: tuple[str, ...],
    out: str,
    kind: str | None,
    threads: int | None,
    options: dict[str, Any],
) -> int:
    """Have a cluster count; the exit code."""
    report = Reporter()
    try:
        counted = count_words_on(
            engine,
            corpus_of(files),
            out,
            kind or "unigram",
            cluster=cluster,
            threads=threads or 1,
            progress=report,
            **options,
        )
    finally:
        report.close()
    output.note(f"{counted.facts['texts']} texts, {counted.words} words, in {out}")
    return told_rejects(counted)


def told_rejects(counts: WordCounts | Counted) -> int:
    """Say which lines were skipped; the exit code that goes with it."""
    amount = int(counts.facts["rejected"])
    for reject in counts.rejects[:5]:
        output.note(f"skipped {reject.source}:{reject.line}: {reject.reason}")
    if amount > 5:
        output.note(f"skipped {amount} lines in all")
    return PARTIAL if amount else 0


def _print(counts: WordCounts, top: int | None, as_json: bool) -> None:
    for word, count in counts.most_common(len(counts) if top is None else top):
        if as_json:
            output.write_json({"word": word, "count": count})
        else:
            output.write(f"{word}\t{count}\n")
