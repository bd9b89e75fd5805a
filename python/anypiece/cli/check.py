"""``anypiece check``: whether two tokenizers give the same ids."""

from __future__ import annotations

from typing import Any

import click

from ..check import Check
from ..check import check as compared
from ..files import found_path
from ..loading import accepted_options
from ..tokenizer import Tokenizer, load
from . import inputs, options, output

CHECK_FAILED = 1


@click.command()
@click.argument("first", metavar="TOKENIZER")
@click.argument("second", metavar="TOKENIZER")
@options.reading
@click.option(
    "--no-specials", is_flag=True, help="Compare ordinary text alone, not special tokens nor what is put around a text."
)
@options.input_file
@options.as_json
def check(
    first: str, second: str, reading: dict[str, Any], no_specials: bool, input_file: str | None, as_json: bool
) -> int:
    """Compare the ids and texts of two tokenizers.

    Equal content is a proof. Otherwise the lines of --input are compared, or texts made from both vocabularies, and the
    first that differs is cut down until no character can be left out; then the special tokens of both, as text and parsed,
    and what is put around a text. The exit code is 1 if there is a difference. The options of reading count for each of the
    two files that they mean something for.

    \b
    Examples:
      anypiece check tokenizer.model tokenizer.anypiece
      anypiece check a.model b.model -i corpus.txt
      anypiece check model.gguf tokenizer.json --dialect tokenizers
    """
    texts = None if input_file is None else inputs.lines_of(input_file)
    one, other = _loaded([first, second], reading)
    found = compared(one, other, texts, specials=not no_specials)
    if as_json:
        shown = found.difference.to_json() if found.difference else None
        facts = {"same": bool(found), "proved": found.proved, "texts": found.texts, "specials": found.specials}
        output.write_json({**facts, "difference": shown})
    else:
        output.write(_told(found))
    return 0 if found else CHECK_FAILED


def _loaded(paths: list[str], reading: dict[str, Any]) -> list[Tokenizer]:
    """The tokenizers, each read with the options that its file takes; one that neither takes is refused with the first."""
    given = {name: value for name, value in reading.items() if value is not None}
    accepted = [set(accepted_options(found_path(path))) for path in paths]
    useless = {name: value for name, value in given.items() if not any(name in known for known in accepted)}
    if useless:
        load(paths[0], **useless)
    taken = [{name: value for name, value in given.items() if name in known} for known in accepted]
    return [load(path, **options) for path, options in zip(paths, taken, strict=True)]


def _told(found: Check) -> str:
    if found.proved:
        return "the same: their content is equal\n"
    if found.difference is None:
        return f"no difference in {found.compared}\n"
    what = found.difference
    return f"they differ in {what.what} for {what.text!r}\n  first:  {what.first}\n  second: {what.second}\n"
