"""``anypiece explain``: every stage of encoding a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import inputs, options, output

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

CHECK_FAILED = 1


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@options.tokenizer
@options.input_file
@options.as_json
def explain(tokenizer: Tokenizer, texts: tuple[str, ...], input_file: str | None, as_json: bool) -> int:
    """Show every stage of encoding a text.

    The normalized text, its units, the tokens with their places and scores, and what almost won.

    Each TEXT, or the whole input, is one text. Short texts are also encoded by the slow reference; if a stage differs, it is
    named and the exit code is 1.

    \b
    Examples:
      anypiece explain "Hello world"
      anypiece explain --json -t tokenizer.model "naïve" | jq .tokens
    """
    differs = False
    whole = input_file is None or not inputs.is_table(input_file)
    for group in inputs.groups_of_texts(texts, input_file, whole):
        for text in group:
            explanation = tokenizer.explain(text)
            differs = differs or explanation.difference is not None
            if as_json:
                output.write_json(explanation.to_json())
            elif output.is_coloured():
                output.write_rich(explanation.render())
            else:
                output.write(f"{explanation}\n")
    return CHECK_FAILED if differs else 0
