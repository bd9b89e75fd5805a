"""``anypiece check``: whether two tokenizers give the same ids."""

from __future__ import annotations

import click

from ..check import Check
from ..check import check as compared
from ..tokenizer import load
from . import inputs, options, output

CHECK_FAILED = 1


@click.command()
@click.argument("first", metavar="TOKENIZER")
@click.argument("second", metavar="TOKENIZER")
@options.input_file
@options.as_json
def check(first: str, second: str, input_file: str | None, as_json: bool) -> int:
    """Compare the ids and texts of two tokenizers.

    Equal content is a proof. Otherwise the lines of --input are compared, or texts made from both vocabularies, and the
    first that differs is cut down until no character can be left out. The exit code is 1 if there is a difference.

    \b
    Examples:
      anypiece check tokenizer.model tokenizer.anypiece
      anypiece check a.model b.model -i corpus.txt
    """
    texts = None if input_file is None else inputs.lines_of(input_file)
    found = compared(load(first), load(second), texts)
    if as_json:
        shown = found.difference.to_json() if found.difference else None
        output.write_json({"same": bool(found), "proved": found.proved, "texts": found.texts, "difference": shown})
    else:
        output.write(_told(found))
    return 0 if found else CHECK_FAILED


def _told(found: Check) -> str:
    if found.proved:
        return "the same: their content is equal\n"
    if found.difference is None:
        return f"no difference in {found.texts} texts\n"
    what = found.difference
    return f"they differ in {what.what} for {what.text!r}\n  first:  {what.first}\n  second: {what.second}\n"
