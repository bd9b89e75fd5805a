"""``anypiece encode``: text in, ids out."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal

import click

from ..text.warnings import SpecialsWarning, notices
from . import inputs, options, output
from .messages import in_options
from .tokens import write_ids, write_tokens

if TYPE_CHECKING:
    from ..text.specials import AddSpecial, Specials
    from ..tokenizer import Tokenizer


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@options.tokenizer
@options.input_file
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
    input_file: str | None,
    whole: bool,
    pieces: bool,
    spans: bool,
    unit: Literal["char", "byte"],
    add_special: str | None,
    specials: Specials,
    threads: int | None,
    as_json: bool,
) -> None:
    """Turn text into ids.

    Each TEXT, or each line of the input, gives one line of ids. Without TEXT the input is --input or standard input.
    With --spans each text ends with an empty line. Pieces of a .tiktoken file are bytes: --pieces and --spans show a space
    in them as ␣, and what is not UTF-8 as \\xNN.

    \b
    Examples:
      anypiece encode "Hello world"
      anypiece encode --pieces -t tokenizer.model < lines.txt
      anypiece encode --whole --json -i book.txt
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
        for group in inputs.groups_of_texts(texts, input_file, whole):
            if pieces or spans:
                for text in group:
                    tokens = tokenizer.encode_spans(text, unit, add_special=special, specials=specials)
                    write_tokens(tokenizer, tokens, spans, as_json)
            elif len(group) == 1:
                write_ids(tokenizer.encode(group[0], add_special=special, specials=specials, threads=threads), as_json)
            else:
                batch = tokenizer.encode_batch(group, add_special=special, specials=specials, threads=threads)
                for ids in batch.tolist():
                    write_ids(ids, as_json)
            output.flush()
