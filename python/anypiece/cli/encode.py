"""``anypiece encode``: text in, ids out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from ..render import BLANK, spelled, visible
from . import inputs, options, output

if TYPE_CHECKING:
    from ..specials import AddSpecial
    from ..tokenizer import Token, Tokenizer


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@options.tokenizer
@options.input_file
@options.whole
@click.option("--pieces", is_flag=True, help="Print pieces instead of ids.")
@click.option("--spans", is_flag=True, help="Print one token per line: id, piece, start, end, separated by tabs.")
@click.option(
    "--unit", type=click.Choice(["char", "byte"]), default="char", show_default=True, help="What spans count."
)
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
    specials: Literal["text", "parse", "error"],
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
    special: AddSpecial = {None: False, "both": True}.get(add_special, add_special)  # type: ignore[assignment, arg-type]
    for group in inputs.groups_of_texts(texts, input_file, whole):
        if pieces or spans:
            for text in group:
                tokens = tokenizer.encode_spans(text, unit, add_special=special, specials=specials)
                _write_tokens(tokenizer, tokens, spans, as_json)
        elif len(group) == 1:
            _write_ids(tokenizer.encode(group[0], add_special=special, specials=specials, threads=threads), as_json)
        else:
            batch = tokenizer.encode_batch(group, add_special=special, specials=specials, threads=threads)
            for ids in batch.tolist():
                _write_ids(ids, as_json)
        output.flush()


def _write_ids(ids: list[int], as_json: bool) -> None:
    if as_json:
        output.write_json({"ids": ids})
    else:
        output.write(" ".join(map(str, ids)) + "\n")


def _write_tokens(tokenizer: Tokenizer, tokens: list[Token], spans: bool, as_json: bool) -> None:
    are_bytes = tokenizer.spec.symbols == "bytes"
    space = BLANK if are_bytes else " "
    if are_bytes:
        tokens = [token._replace(piece=spelled(tokenizer.id_to_bytes(token.id))) for token in tokens]
    if as_json:
        row = {"ids": [token.id for token in tokens], "pieces": [token.piece for token in tokens]}
        output.write_json(row | ({"spans": [[token.start, token.end] for token in tokens]} if spans else {}))
    elif spans:
        rows = [f"{token.id}\t{visible(token.piece, space)}\t{token.start}\t{token.end}\n" for token in tokens]
        output.write("".join(rows) + "\n")
    else:
        output.write(" ".join(visible(token.piece, space) for token in tokens) + "\n")
