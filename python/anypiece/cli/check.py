"""``anypiece check``: whether two tokenizers give the same ids."""

from __future__ import annotations

from typing import Any

import click

from ..comparison.aspects import ASPECTS, AspectName
from ..comparison.check import Aspect, Check
from ..comparison.check import check as compared
from ..comparison.fields import COLUMNS
from ..inspect.terminal import quoted
from ..io.names import located
from ..io.paths import default_path, found_path
from ..io.read import accepted_options
from ..loading import load
from ..tokenizer import Tokenizer
from . import inputs, options, output

CHECK_FAILED = 1


@click.command()
@click.argument("first", type=options.PATH, metavar="TOKENIZER")
@click.argument("second", type=options.PATH, metavar="TOKENIZER")
@options.reading
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(ASPECTS),
    help="Compare this alone. May be repeated. Default: all of them.",
)
@options.input_file
@options.as_json
def check(
    first: str,
    second: str,
    reading: dict[str, Any],
    only: tuple[AspectName, ...],
    input_file: str | None,
    as_json: bool,
) -> int:
    """Compare what two tokenizers make of texts.

    Ids, pieces, spans, special tokens and decoding are compared separately: on how many texts each differs, with a smallest
    text that shows it, and then the settings in which the two differ. The texts are the lines of --input, or made from both
    vocabularies. Equal content is a proof. The exit code is 1 if anything that was asked for differs. The options of reading
    count for each of the two files that they mean something for.

    \b
    Examples:
      anypiece check tokenizer.model tokenizer.anypiece
      anypiece check a.model b.model -i corpus.txt
      anypiece check model.gguf tokenizer.json --only ids --only specials
    """
    texts = None if input_file is None else inputs.lines_of(input_file)
    one, other = _loaded([first, second], reading)
    found = compared(one, other, texts, only=only or None)
    if as_json:
        output.write_json({**found.to_json(), "texts": found.texts})
    else:
        output.write(_told(found))
    return 0 if found else CHECK_FAILED


def _loaded(paths: list[str], reading: dict[str, Any]) -> list[Tokenizer]:
    """The tokenizers, each read with the options that its file takes; one that neither takes is refused with the first."""
    given = {name: value for name, value in reading.items() if value is not None}
    named = [options.path_of(path) for path in paths]
    files = [default_path() if path is None else found_path(located(path)[0]) for path in named]
    accepted = [set(accepted_options(file, given.get("dialect"))) for file in files]
    useless = {name: value for name, value in given.items() if not any(name in known for known in accepted)}
    if useless:
        load(named[0], **useless)
    taken = [{name: value for name, value in given.items() if name in known} for known in accepted]
    return [load(path, **told) for path, told in zip(named, taken, strict=True)]


def _told(found: Check) -> str:
    if found.proved:
        return "the same: their content is equal\n"
    lines = [line for aspect in found.aspects for line in _told_aspect(aspect)]
    if found.fields:
        lines.append("settings that differ, first | second:")
        for field in found.fields:
            shown = str if field.name in COLUMNS else _value
            lines.append(f"  {field.name}: {shown(field.first)} | {shown(field.second)}")
    return "\n".join(lines) + "\n"


def _told_aspect(aspect: Aspect) -> list[str]:
    label = f"{aspect.name:<9} "
    if aspect.smallest is None:
        return [f"{label}no difference in {aspect.texts:,} texts"]
    shown = aspect.smallest
    alone = ""
    if aspect.name in ("pieces", "spans"):
        alone = f", {aspect.alone:,} of them with equal ids"
    what = f" in {shown.what}" if aspect.name == "specials" else ""
    return [
        f"{label}{aspect.differing:,} of {aspect.texts:,} texts differ{alone}; the smallest{what}: {quoted(shown.text)}",
        f"            first:  {_value(shown.first)}",
        f"            second: {_value(shown.second)}",
    ]


_LONGEST = 300
"""Longer values are cut on the screen; --json has them whole."""


def _value(value: Any) -> str:
    if isinstance(value, str):
        told = quoted(value)
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        told = f"[{', '.join(map(quoted, value))}]".replace(
            "\\\\", "\\"
        )  # bytes of pieces are spelled as escapes already
    else:
        told = "none" if value is None else str(value)
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}… ({len(told) - _LONGEST} more characters)"
