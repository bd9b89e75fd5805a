"""``anypiece convert``: a tokenizer file in another format."""

from __future__ import annotations

from typing import Any

import click

from ..conversion.convert import Conversion
from ..conversion.convert import convert as converted
from ..inspect.terminal import quoted
from ..loading import load
from . import inputs, options, output


@click.command()
@click.argument("source", type=options.PATH, metavar="SOURCE")
@click.argument("target", type=options.PATH, metavar="TARGET")
@click.option("--format", metavar="NAME", help="The format to write. Default: by the name of TARGET.")
@options.reading
@click.option("--allow-lossy", is_flag=True, help="Leave out what TARGET has no place for, and accept differences.")
@options.input_file
@options.as_json
def convert(
    source: str,
    target: str,
    format: str | None,
    reading: dict[str, Any],
    allow_lossy: bool,
    input_file: str | None,
    as_json: bool,
) -> None:
    """Write a tokenizer file in another format, and prove the result.

    The result is read again and compared with SOURCE before TARGET appears: on the lines of --input, or on texts made from
    the vocabulary. What TARGET has no place for is named, and refused without --allow-lossy. The options say how SOURCE is
    read. A TARGET that is a folder, or ends in /, becomes the folder of a model, as AutoTokenizer of transformers reads it.

    \b
    Examples:
      anypiece convert tokenizer.model tokenizer.json
      anypiece convert cl100k_base.tiktoken tokenizer.json -i corpus.txt
      anypiece convert model.gguf tokenizer.json --dialect tokenizers
      anypiece convert tokenizer.model my-model/
    """
    texts = None if input_file is None else inputs.lines_of(input_file)
    tokenizer = load(options.path_of(source), **reading)
    done = converted(tokenizer, target, format=format, allow_lossy=allow_lossy, texts=texts)
    if as_json:
        facts: dict[str, Any] = {
            "target": target,
            "format": done.format,
            "lost": list(done.lost),
            "options": done.options,
        }
        facts["nearly"] = list(done.nearly)
        output.write_json({**facts, "texts": done.check.texts, **done.check.to_json()})
    else:
        output.write(f"{target}: {_told(done)}\n")


def _told(done: Conversion) -> str:
    proof = "equal content" if done.check.proved else f"no difference in {done.check.compared}"
    if done.check.difference is not None:
        proof = f"differs for {quoted(done.check.difference.text)}"
    unseen = [name for name in done.nearly if name not in done.lost]
    other = f"; {done.format} has a way of its own for {', '.join(unseen)}" if unseen else ""
    needed = f"; to read it, pass {options.named_options(done.options)}" if done.options else ""
    return f"{done.format}, {proof}{'; without ' + ', '.join(done.lost) if done.lost else ''}{other}{needed}"
