"""``anypiece encode``: text in, ids out."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal

import click

from ..text.warnings import SpecialsWarning, notices
from . import inputs, options, output
from .messages import in_options
from .tokens import sources_of, write_ids, write_tokens

if TYPE_CHECKING:
    from ..text.specials import AddSpecial, Specials
    from ..tokenizer import Tokenizer

PARTIAL = 4


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@options.tokenizer
@options.input_files
@options.whole
@options.pieces
@options.spans
@options.unit
@options.add_special
@options.specials
@options.threads
@options.as_json
def encode(
    tokenizer: Tokenizer,
    texts: tuple[str, ...],
    input_files: tuple[str, ...],
    whole: bool,
    pieces: bool,
    spans: bool,
    unit: Literal["char", "byte"],
    add_special: str | None,
    specials: Specials,
    threads: int | None,
    as_json: bool,
) -> int:
    """Turn text into ids.

    Each TEXT, or each text of the input, gives one line of ids. Without TEXT the input is --input or standard input.
    With --spans each text ends with an empty line. Pieces of a .tiktoken file are bytes: --pieces and --spans show a space
    in them as ␣, and what is not UTF-8 as \\xNN.

    Files are those of anypiece shards: lines of text, JSON lines (.jsonl, .json), CSV, Parquet and Arrow, compressed or not.
    With --json each line also has the file of a text and where it begins there: a byte (of what is unpacked), or the number
    of a row. Lines and rows without a text are left out, said on stderr, and the exit code is 4.

    \b
    Examples:
      anypiece encode "Hello world"
      anypiece encode --pieces -t tokenizer.model < lines.txt
      anypiece encode --whole --json -i book.txt
      anypiece encode --json --field text -i "data/*.jsonl.zst"
      anypiece encode --spans "naïve café"
    """
    if pieces and spans:
        raise click.UsageError("--spans prints the pieces too: leave out --pieces.")
    if not spans and options.is_given("unit"):
        raise click.UsageError("--unit is what --spans count: give --spans, or leave it out.")
    special: AddSpecial = {None: False, "both": True}.get(add_special, add_special)  # type: ignore[assignment, arg-type]
    for named in texts:
        for notice in notices(tokenizer, named, add_special=special, specials=specials):
            output.note(in_options(notice, click.get_current_context().command))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecialsWarning)  # said above
        reading = inputs.Reading(whole)
        for group in reading.groups(texts, input_files):
            sources = sources_of(group)
            if pieces or spans:
                for text, source in zip(group.listed, sources, strict=True):
                    tokens = tokenizer.encode_spans(text, unit, add_special=special, specials=specials)
                    write_tokens(tokenizer, tokens, spans, as_json, source)
            elif isinstance(group.texts, list) and len(group.texts) == 1:
                ids = tokenizer.encode(group.texts[0], add_special=special, specials=specials, threads=threads)
                write_ids(ids, as_json, sources[0])
            else:
                batch = tokenizer.encode_batch(group.texts, add_special=special, specials=specials, threads=threads)
                for row, source in zip(batch.tolist(), sources, strict=True):
                    write_ids(row, as_json, source)
            output.flush()
    return PARTIAL if reading.is_partial else 0
