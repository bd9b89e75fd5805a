"""``anypiece convert``: a tokenizer file in another format."""

from __future__ import annotations

import click

from ..convert import Conversion
from ..convert import convert as converted
from ..formats.tiktoken_definitions import DEFINITIONS
from . import options, output


@click.command()
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option("--format", metavar="NAME", help="The format to write. Default: by the suffix of TARGET.")
@click.option("--dialect", metavar="NAME", help="The dialect to read SOURCE by.")
@click.option(
    "--definition", type=click.Choice(list(DEFINITIONS)), help="The encoding that a .tiktoken SOURCE belongs to."
)
@click.option("--allow-lossy", is_flag=True, help="Leave out what TARGET has no place for.")
@options.as_json
def convert(
    source: str,
    target: str,
    format: str | None,
    dialect: str | None,
    definition: str | None,
    allow_lossy: bool,
    as_json: bool,
) -> None:
    """Write a tokenizer file in another format, and prove the result.

    The result is read again and compared with SOURCE before TARGET appears. What TARGET has no place for is named, and
    refused without --allow-lossy.

    \b
    Examples:
      anypiece convert tokenizer.model tokenizer.anypiece
      anypiece convert model.gguf tokenizer.model --dialect sentencepiece
    """
    done = converted(source, target, format=format, allow_lossy=allow_lossy, dialect=dialect, definition=definition)
    if as_json:
        facts = {"target": target, "format": done.format, "lost": list(done.lost), "options": done.options}
        output.write_json({**facts, "texts": done.check.texts, "proved": done.check.proved, "same": bool(done.check)})
    else:
        output.write(f"{target}: {_told(done)}\n")


def _told(done: Conversion) -> str:
    proof = "equal content" if done.check.proved else f"no difference in {done.check.texts} texts"
    if done.check.difference is not None:
        proof = f"differs for {done.check.difference.text!r}"
    needed = f"; to read it, pass {', '.join(done.options)}" if done.options else ""
    return f"{done.format}, {proof}{'; without ' + ', '.join(done.lost) if done.lost else ''}{needed}"
