"""``anypiece compare``: tokenizers side by side."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._core.memory import size_of
from ..comparison.compare import compare as compared
from ..inspect.terminal import visible
from ..loading import load
from . import inputs, options, output

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..comparison.compare import Comparison, Row


@click.command()
@click.argument("tokenizers", type=options.PATH, metavar="[TOKENIZER]...", nargs=-1)
@click.option(
    "-i",
    "--text",
    "texts",
    multiple=True,
    type=options.PATH,
    metavar="[NAME=]FILE",
    help="A text to compare on; - is standard input. May be repeated.",
)
@click.option("--parallel", is_flag=True, help="The texts say the same: compare how many tokens each takes.")
@click.option("--limit", default="10MB", show_default=True, metavar="SIZE", help="Take so much of each text, at most.")
@click.option(
    "-o",
    "--output",
    "outs",
    multiple=True,
    type=options.PATH,
    metavar="FILE",
    help="Write a .html, .json, .csv or .png file.",
)
@options.as_json
def compare(
    tokenizers: tuple[str, ...],
    texts: tuple[str, ...],
    parallel: bool,
    limit: str,
    outs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare tokenizers on texts.

    Bytes per token with an interval of 95 % (by bootstrap over lines, of 20 or more), tokens per word, unknown and partial
    tokens, the Rényi efficiency, the share of the vocabulary in use and of lines that decode to themselves, speed.

    A TOKENIZER may have a name in front: NAME=FILE. The word default is the embedded one. Speed is one pass on one thread of
    a text seen once before: good for a rough idea.

    \b
    Examples:
      anypiece compare default t5=spiece.model cl100k_base.tiktoken -i README.md
      anypiece compare default llama.gguf -i en=en.txt -i de=de.txt --parallel -o report.html
      anypiece compare old.model new.model -i heldout.txt.gz --json
    """
    if not texts:
        raise click.UsageError("Give at least one text, with -i.")
    paths = _by_name([_named(one) for one in tokenizers or ("default",)])
    found = compared(
        {name: load(options.path_of(path)) for name, path in paths.items()},
        {name: _text(path) for name, path in _by_name([_named(one) for one in texts]).items()},
        parallel=parallel,
        limit=size_of(limit),
    )
    for out in outs:
        found.save(out)
    if as_json:
        for row in found.facts():
            output.write_json(row)
    else:
        _write(found)


def _named(given: str) -> tuple[str, str]:
    name, sign, path = given.partition("=")
    if sign and not os.path.exists(given):
        return name, path
    return (given, given) if given in ("default", "-") else (Path(given).name, given)


def _by_name(rows: list[tuple[str, str]]) -> dict[str, str]:
    """Paths by their names; files that are called the same in several folders are named by their whole paths."""
    names = [name for name, _ in rows]
    found = {path if names.count(name) > 1 else name: path for name, path in rows}
    if len(found) < len(rows):
        raise click.UsageError("A file is named twice; leave one out, or give them names: NAME=FILE.")
    return found


def _text(path: str) -> Any:
    if path == "-":
        with inputs.opened("-") as file:
            return file.read()
    return Path(path)


def _write(found: Comparison) -> None:
    columns: dict[str, Callable[[Row], str]] = {
        "pieces": lambda row: f"{found.sizes[row.tokenizer]:,}",
        "tokens": lambda row: f"{row.tokens:,}",
        "bytes/tok": lambda row: f"{row.bytes_per_token:.3f}",
        "95 %": lambda row: f"{row.interval[0]:.3f}–{row.interval[1]:.3f}" if row.interval else "",
        "tok/word": lambda row: f"{row.tokens_per_word:.3f}",
        "unknown": lambda row: f"{100 * row.unknown / max(1, row.tokens):.3f} %",
        "partial": lambda row: f"{100 * row.partial / max(1, row.tokens):.2f} %",
        "Rényi": lambda row: f"{row.renyi_efficiency:.4f}",
        "used": lambda row: f"{100 * row.used / max(1, row.vocab_size):.2f} %",
        "same": lambda row: f"{100 * row.returned / max(1, row.lines):.2f} %",
        "MB/s": lambda row: f"{row.megabytes_per_second:.0f}",
    }
    if found.parallel:
        columns["parity"] = lambda row: f"{found.parity(row.tokenizer, row.text):.3f}"
    heads = ["tokenizer", *(f"#{name}" for name in columns)]
    for number, text in enumerate(found.texts):
        rows = [found.row(name, text) for name in found.tokenizers]
        blank = "\n" if number else ""
        output.write(f"{blank}{output.styled(f'{visible(text)}: {rows[0].bytes:,} bytes')}\n")
        output.write_table(heads, [[visible(row.tokenizer), *(cell(row) for cell in columns.values())] for row in rows])
