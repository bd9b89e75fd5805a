"""``anypiece normalize``: the text as the segmenter sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import inputs, options, output

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@options.tokenizer
@options.input_file
@options.whole
@options.as_json
def normalize(tokenizer: Tokenizer, texts: tuple[str, ...], input_file: str | None, whole: bool, as_json: bool) -> None:
    """Print text as the segmenter sees it, with ▁ for a space.

    Each TEXT, or each line of the input, gives one line. With --json, "offsets" holds for each character of the result the
    character of the text that it came from, and the end.

    \b
    Examples:
      anypiece normalize "Ｈｅｌｌｏ  ｗｏｒｌｄ"
      anypiece normalize --json "ﬁne"
    """
    for group in inputs.groups_of_texts(texts, input_file, whole):
        for text in group:
            if as_json:
                normalized, offsets = tokenizer.normalize_offsets(text, "char")
                output.write_json({"normalized": normalized, "offsets": offsets.tolist()})
            else:
                output.write(tokenizer.normalize(text) + "\n")
        output.flush()
