"""``anypiece extend``: a tokenizer with more tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..extend import extend as extended
from . import options, output

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


@click.command()
@click.argument("target", metavar="TARGET")
@options.tokenizer
@click.option("--token", "tokens", multiple=True, metavar="TEXT", help="A token that is whole wherever it stands.")
@click.option("--special", multiple=True, metavar="TEXT", help="A special token, found in text only by permission.")
@options.as_json
def extend(tokenizer: Tokenizer, target: str, tokens: tuple[str, ...], special: tuple[str, ...], as_json: bool) -> None:
    """Write a tokenizer with more tokens; the old ids stay as they are.

    \b
    Examples:
      anypiece extend -t tokenizer.model --token "<think>" --special "<|end|>" bigger.model
    """
    if not tokens and not special:
        raise click.UsageError("Name at least one --token or --special.")
    made = extended(tokenizer, tokens, special=special)
    made.save(target)
    for name in (*tokens, *special):
        id = made.piece_to_id(name)
        if as_json:
            output.write_json({"piece": name, "id": id, "new": id >= tokenizer.vocab_size})
        else:
            output.write(f"{id}\t{name}\n")
