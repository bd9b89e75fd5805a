"""``anypiece train``: a vocabulary from a corpus or from counts of words."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._core import memory
from ..conversion.convert import convert
from ..corpus.readers import Corpus
from ..errors import FormatError
from ..io.write import content_format, format_of
from ..training.bpe import ByteBpeOptions
from ..training.checks import too_small
from ..training.kinds import chosen_options
from ..training.pipeline import counts_for, plan_of, trained
from ..training.report import checked_page, report_on
from ..training.words import is_table
from . import options, output
from .numbers import Amount
from .progress import Reporter
from .training_options import corpus, corpus_of, joined
from .words import told_rejects

if TYPE_CHECKING:
    from ..corpus.readers import Format
    from ..tokenizer import Tokenizer
    from ..training.report import Report
    from ..training.words import WordCounts


@click.command()
@corpus
@click.option(
    "-o",
    "--output",
    "out",
    type=options.PATH,
    metavar="FILE",
    required=True,
    help="The tokenizer file to write, or a folder/.",
)
@click.option("--output-format", metavar="NAME", help="The format to write. Default: by the name of FILE.")
@click.option("--allow-lossy", is_flag=True, help="Leave out what the format has no place for.")
@click.option(
    "--report", "reports", multiple=True, type=options.PATH, metavar="FILE", help="Write a report as .html or .json."
)
@click.option(
    "--vocab-size",
    type=Amount(1),
    metavar="N",
    help="How many pieces, such as 8000 or 32k. Default: that of the kind; 8000 for unigram.",
)
@click.option(
    "--character-coverage", type=float, metavar="SHARE", help="The share of text whose characters are pieces."
)
@click.option("--byte-fallback", is_flag=True, default=None, help="Spell unknown characters in bytes.")
@options.threads
@options.as_json
def train(
    files: tuple[str, ...],
    format: Format | None,
    field: str,
    whole: bool,
    max_memory: str | None,
    kind: str | None,
    settings: dict[str, Any],
    sample: dict[str, Any],
    out: str,
    output_format: str | None,
    allow_lossy: bool,
    reports: tuple[str, ...],
    vocab_size: int | None,
    character_coverage: float | None,
    byte_fallback: bool | None,
    threads: int | None,
    as_json: bool,
) -> int:
    """Train a vocabulary, and write it as a tokenizer file.

    FILEs are text, one text per line, JSON lines, or Parquet, compressed or not; or one table that `anypiece words` wrote.
    First the words are counted, then the vocabulary is made from the counts, so that the result does not depend on threads
    or on the order of the corpus. Only --ties first-seen asks for the order, too.

    \b
    Examples:
      anypiece train --vocab-size 8k -o tokenizer.model corpus.txt
      anypiece train --kind byte-bpe --splitter o200k --special "<|end|>" -o tokenizer.json "data/*.jsonl"
      anypiece train --input-sentence-size 1000000 --vocab-size 32000 -o tokenizer.model "data/*.txt.gz"
      anypiece train --max-memory 4GB --byte-fallback --vocab-size 64000 -o big.model "data/*.txt.zst"
      anypiece train --report report.html --set split_digits=true --set shrinking_factor=0.8 -o tokenizer.model counts.words
    """
    given = {"vocab_size": vocab_size, "character_coverage": character_coverage, "byte_fallback": byte_fallback}
    settings = joined({name: value for name, value in given.items() if value is not None}, settings)
    # Options are checked before the corpus is counted, which may take hours.
    _check_room(kind, content_format(format_of(out, output_format)), settings)
    for page in reports:
        checked_page(page)
    began, report = time.monotonic(), Reporter()
    try:
        source = corpus_of(files)
        table = source[0] if len(source) == 1 and is_table(source[0]) else source
        counts = counts_for(
            table, kind, format=format, field=field, whole=whole, threads=threads, max_memory=max_memory, progress=report,
            **sample, **settings,
        )  # fmt: skip
        report.close()
        if len(counts):
            output.note(str(plan_of(counts, threads=threads, **settings)))
        if counts.left.words:
            output.note(
                f"{counts.left.words} words seen less than {counts.left.least} times were left out to save memory: "
                f"{100 * counts.left.occurrences / (counts.left.occurrences + counts.total):.3f} % of the text"
            )
        tokenizer = trained(counts, kind, threads=threads, progress=report, **settings)
    finally:
        report.close()
    _write(tokenizer, out, output_format, allow_lossy)
    for page in reports:
        _reported(tokenizer, counts, source, format, field).save(page)
    _tell(tokenizer, counts, out, time.monotonic() - began, as_json)
    return told_rejects(counts)


def _check_room(kind: str | None, format: str, settings: dict[str, Any]) -> None:
    """Refuse a vocabulary of bytes without a merge, where the file cannot hold one."""
    if kind != "byte-bpe":
        return
    for chosen in chosen_options(kind, settings).values():
        if format == "huggingface" and isinstance(chosen, ByteBpeOptions) and chosen.vocab_size == chosen.least_size:
            what = "a tokenizer.json needs a merge; special tokens, bytes and a merge"
            raise too_small(chosen.vocab_size, chosen.least_size + 1, what)


def _write(tokenizer: Tokenizer, out: str, format: str | None, allow_lossy: bool) -> None:
    """Write the file; where its format has no place for the result, keep that in our own instead of losing it."""
    try:
        done = convert(tokenizer, out, format=format, allow_lossy=allow_lossy)
    except FormatError as error:
        if error.code == "file-unwritable":
            raise
        kept = f"{out.rstrip('/')}.anypiece"
        tokenizer.save(kept)
        output.note(f"the vocabulary is in {kept}; `anypiece convert` makes other files of it")
        raise
    if done.options:
        output.note(f"to read {out}, pass {options.named_options(done.options)}")


def _reported(tokenizer: Tokenizer, counts: WordCounts, source: Any, format: Format | None, field: str) -> Report:
    """The report, with a slice for each file of the corpus; a table and standard input have none."""
    paths = [] if source == "-" or is_table(source[0]) else Corpus(source).paths
    names = [path.name for path in paths]
    slices = {
        path.name if names.count(path.name) == 1 else str(path): Corpus(path, format, field)
        for path in paths
        if path.is_file()
    }
    return report_on(tokenizer, counts, slices)


def _tell(tokenizer: Tokenizer, counts: WordCounts, out: str, seconds: float, as_json: bool) -> None:
    folder = Path(out)
    facts = {
        "file": out,
        "kind": counts.preparation.kind,
        "vocab_size": tokenizer.vocab_size,
        "bytes": (folder / "tokenizer.json" if folder.is_dir() else folder).stat().st_size,
        "words": len(counts),
        "texts": counts.facts.get("texts", 0),
        "seconds": round(seconds, 2),
        "peak_memory": memory.peak(),
    }
    if as_json:
        output.write_json(facts)
    else:
        output.write(
            f"{out}: {facts['vocab_size']} pieces from {facts['words']} words of {facts['texts']} texts, in {seconds:.1f} s "
            f"and {memory.shown(memory.peak())}\n"
        )
