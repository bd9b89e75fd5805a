"""``anypiece decode``: ids in, text out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal

import click

from ..errors import InputError
from ..text.specials import until
from . import inputs, options, output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..text.decoding import Errors
    from ..tokenizer import Tokenizer

_SEPARATORS = re.compile(r"[\s,\[\]]+")


@click.command()
@click.argument("ids", metavar="[ID]...", nargs=-1)
@options.tokenizer
@options.input_lines
@options.whole
@click.option("--skip-special", is_flag=True, help="Leave out control pieces before anything else.")
@click.option("--stop-at-eos", is_flag=True, help="End each text before its first eos piece.")
@click.option(
    "--errors",
    type=click.Choice(["replace", "ignore", "strict", "lenient"]),
    default="replace",
    show_default=True,
    help="What becomes of byte pieces that are not UTF-8. lenient replaces them and leaves out ids outside the vocabulary.",
)
@click.option("--bytes", "as_bytes", is_flag=True, help="Write the bytes as they are, UTF-8 or not, and no line ends.")
@options.as_json
def decode(
    tokenizer: Tokenizer,
    ids: tuple[str, ...],
    input_file: str | None,
    whole: bool,
    skip_special: bool,
    stop_at_eos: bool,
    errors: Errors,
    as_bytes: bool,
    as_json: bool,
) -> None:
    """Turn ids into text.

    All IDs together, or each line of the input, give one text and a line end; --whole gives one text for the whole input
    and no line end. Ids may be separated by spaces or commas; lines written by `encode --json` are understood too.

    \b
    Examples:
      anypiece decode 12 345 6
      anypiece encode < lines.txt | anypiece decode
      anypiece encode --whole < book.txt | anypiece decode --whole > same.txt
      anypiece decode --bytes 230 151 > half_a_character.bin
      anypiece decode --errors lenient -- -100 264 20646
    """
    if as_bytes and (as_json or (options.is_given("errors") and errors != "lenient")):
        raise click.UsageError("--bytes writes what is there: leave out --json and --errors, but for --errors lenient.")
    for line in _lines(ids, input_file, whole):
        if as_bytes:
            listed = until(_parsed(line), tokenizer.eos_id) if stop_at_eos else _parsed(line)
            known: Literal["strict", "lenient"] = "lenient" if errors == "lenient" else "strict"
            output.write_bytes(tokenizer.decode_bytes(listed, skip_special=skip_special, errors=known))
            output.flush()
            continue
        text = tokenizer.decode(_parsed(line), skip_special=skip_special, errors=errors, stop_at_eos=stop_at_eos)
        if as_json:
            output.write_json({"text": text})
        else:
            output.write(text if whole else text + "\n")
        output.flush()


def _lines(ids: tuple[str, ...], input_file: str | None, whole: bool) -> Iterator[str]:
    joined = (" ".join(ids),) if ids and ids != ("-",) else ()
    for group in inputs.groups_of_texts(joined, input_file, whole, tables=False):
        for line in group:
            yield line.decode(errors="replace") if isinstance(line, bytes) else line


def _parsed(line: str) -> list[int]:
    if line.lstrip().startswith("{"):
        return _parsed_json(line)
    words = [word for word in _SEPARATORS.split(line) if word]
    try:
        return [int(word) for word in words]
    except ValueError:
        wrong = next(word for word in words if not re.fullmatch(r"[+-]?\d+", word))
        raise InputError(
            "input-type",
            f"{wrong[:40]!r} is not an id: decode takes numbers. For text use `anypiece encode`.",
            value=wrong[:40],
        ) from None


def _parsed_json(line: str) -> list[int]:
    try:
        ids = json.loads(line)["ids"]
    except (ValueError, KeyError):
        ids = None
    if not isinstance(ids, list):
        raise InputError("input-type", 'A JSON line must be an object with a list of numbers as "ids".')
    return ids
