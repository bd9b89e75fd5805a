"""Options that several verbs share, each defined once."""

from __future__ import annotations

import functools
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from ..formats.gguf import DIALECTS
from ..formats.tiktoken.definitions import DEFINITIONS
from ..formats.transformers.classes import PAIR_CLASSES
from ..loading import load
from . import inputs

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "PATH",
    "add_special",
    "as_json",
    "field",
    "input_file",
    "input_files",
    "input_format",
    "input_lines",
    "is_given",
    "named_options",
    "path_of",
    "pieces",
    "reading",
    "spans",
    "specials",
    "threads",
    "tokenizer",
    "tokenizer_argument",
    "tokenizer_path",
    "unit",
    "whole",
]

Verb = TypeVar("Verb", bound="Callable[..., Any]")

PATH = click.Path(readable=False)
"""A path that shells complete; whether it is there and can be read is found out when it is."""

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")

whole = click.option("--whole", is_flag=True, help="Take the whole input as one text instead of one text per line.")

input_lines = click.option(
    "-i",
    "--input",
    "input_file",
    type=PATH,
    metavar="FILE",
    help="Read from FILE, line by line, compressed or not; - is standard input.",
)


def _kept(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(context: click.Context, parameter: click.Parameter, given: Any) -> None:
        context.meta[name] = given

    return keep


field = click.option(
    "--field",
    default="text",
    show_default=True,
    expose_value=False,
    callback=_kept(inputs.FIELD),
    help="The field of JSON objects (meta.text for one within another), or the column of CSV or a table.",
)
input_format = click.option(
    "--format",
    "input_format",
    type=click.Choice(["text", "jsonl", "csv", "parquet", "arrow"]),
    expose_value=False,
    callback=_kept(inputs.FORMAT),
    help="What all files hold. Default: by first bytes and names; text.",
)


def _input(several: bool) -> Callable[[Any], Any]:
    what = "files, globs or folders, - for standard input; may be repeated" if several else "FILE; - is standard input"
    return click.option(
        "-i",
        "--input",
        "input_files" if several else "input_file",
        type=PATH,
        metavar="FILE",
        multiple=several,
        help=f"Read texts, compressed or not, from {what}. A line of text, a line of JSON, a row is a text.",
    )


def input_file(verb: Verb) -> Verb:
    """Add --input and --field, which files have texts."""
    decorated: Verb = _input(False)(field(verb))
    return decorated


def input_files(verb: Verb) -> Verb:
    """Add --input, which may be repeated, --field and --format."""
    decorated: Verb = _input(True)(field(input_format(verb)))
    return decorated


pieces = click.option("--pieces", is_flag=True, help="Print pieces instead of ids.")

spans = click.option(
    "--spans", is_flag=True, help="Print one token per line: id, piece, start, end, separated by tabs."
)

unit = click.option(
    "--unit", type=click.Choice(["char", "byte"]), default="char", show_default=True, help="What spans count."
)

threads = click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="How many threads to use. Default: one per processor."
)

add_special = click.option(
    "--add-special",
    type=click.Choice(["bos", "eos", "both"]),
    help="Put the bos piece, the eos piece, or both around each text.",
)

_mode = click.option(
    "--specials",
    type=click.Choice(["text", "parse", "error"]),
    default="text",
    show_default=True,
    help="What text that spells a control piece is: ordinary text, that piece, or an error.",
)

_allowed = click.option(
    "--allow-special",
    "allowed",
    multiple=True,
    metavar="TOKEN",
    help="Take the text of this special token for the token, and refuse that of all others. May be repeated.",
)


def is_given(name: str) -> bool:
    """Whether an option was given on the command line, with whatever value."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def specials(verb: Verb) -> Verb:
    """Add --specials and --allow-special, and call the verb with what they permit."""

    @functools.wraps(verb)
    def with_specials(*, specials: str, allowed: tuple[str, ...], **rest: Any) -> Any:
        if allowed and is_given("specials"):
            raise click.UsageError("Give --specials or --allow-special, not both.")
        return verb(specials=frozenset(allowed) or specials, **rest)

    return _mode(_allowed(with_specials))  # type: ignore[return-value]


tokenizer_path = click.option(
    "-t",
    "--tokenizer",
    "tokenizer_path",
    type=PATH,
    metavar="PATH",
    help="The tokenizer file or its folder. Default: the embedded one, which is also called default.",
)

_dialect = click.option(
    "--dialect",
    type=click.Choice(["transformers", *DIALECTS]),
    help="Whose results a folder, .model or .gguf file must give. Default: transformers, the newest release, llama.cpp.",
)

_definition = click.option(
    "--definition",
    type=click.Choice([*DEFINITIONS, *PAIR_CLASSES]),
    help="The encoding of a .tiktoken file, or the class of a vocab.json. Default: by content and config.",
)

_pre = click.option(
    "--pre", metavar="NAME", help="The pre-tokenizer of a .gguf file. Default: the one that the file names."
)


_lowercase = click.option(
    "--lowercase/--cased", default=None, help="What a vocab.txt may leave open: whether text is put into lower case."
)

_accents = click.option(
    "--strip-accents/--keep-accents",
    default=None,
    help="Whether text loses its accents, for a vocab.txt. Default: with --lowercase.",
)

_splitter = click.option(
    "--splitter", metavar="NAME", help="How text is split, for a .tiktoken file that is none of the known ones."
)

_pattern = click.option(
    "--pattern", metavar="REGEX", help="The same by a regular expression, as tiktoken takes it, in place of --splitter."
)


def _numbered(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, int] | None:
    """Tokens and their ids; the last sign parts them, as tokens may have one."""
    rows = [row.rpartition("=") for row in given]
    if not all(token and id.isascii() and id.isdigit() for token, _, id in rows):
        raise click.BadParameter("give a token, = and its id.", context, parameter)
    return {token: int(id) for token, _, id in rows} or None


def _named(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str] | None:
    rows = [row.partition("=") for row in given]
    if not all(role in ("bos", "eos", "pad") and token for role, _, token in rows):
        raise click.BadParameter("give bos=TOKEN, eos=TOKEN or pad=TOKEN.", context, parameter)
    return {role: token for role, _, token in rows} or None


_special = click.option(
    "--special-token",
    "specials_of_file",
    multiple=True,
    metavar="TOKEN=ID",
    callback=_numbered,
    help="A special token of a .tiktoken file or of RWKV's list, which do not say it. May be repeated.",
)

_role = click.option(
    "--role",
    "roles",
    multiple=True,
    metavar="ROLE=TOKEN",
    callback=_named,
    help="The token that is bos, eos or pad where a .tiktoken file or tokenizer.json does not say it. May be repeated.",
)

_READING = {
    "dialect": _dialect,
    "definition": _definition,
    "splitter": _splitter,
    "pattern": _pattern,
    "specials_of_file": _special,
    "roles": _role,
    "pre": _pre,
    "lowercase": _lowercase,
    "strip_accents": _accents,
}
"""What ``load`` can be told of a file."""
_NAMES = {"specials_of_file": "specials"}
"""What ``load`` calls it; some verbs have another option of that name."""


def _with_reading(verb: Callable[..., Any]) -> Any:
    """Add --tokenizer and the options of reading."""
    for option in reversed(_READING.values()):
        verb = option(verb)
    return tokenizer_path(verb)


_SWITCHES = {
    "lowercase": {True: "--lowercase", False: "--cased"},
    "strip_accents": {True: "--strip-accents", False: "--keep-accents"},
}
_FEW = 20
"""How many special tokens are shown; more fill the screen."""


def named_options(options: dict[str, Any]) -> str:
    """Options of ``load`` as they are given on the command line.

    >>> named_options({"splitter": "gpt2", "specials": {"<|end|>": 9}, "roles": {"eos": "<|end|>"}})
    "--splitter gpt2 --special-token '<|end|>=9' --role 'eos=<|end|>'"
    >>> named_options({"lowercase": False, "strip_accents": None}), named_options({"strip_accents": False})
    ('--cased', '--keep-accents')
    """
    words: list[str] = []
    for name, value in options.items():
        if name in ("specials", "roles"):
            flag = "--special-token" if name == "specials" else "--role"
            rows = [f"{flag} {shlex.quote(f'{key}={item}')}" for key, item in value.items()]
            words += rows[:_FEW]
            words += [f"... ({len(rows) - _FEW} more; --json lists all)"] if len(rows) > _FEW else []
        elif name in _SWITCHES:
            words += [] if value is None else [_SWITCHES[name][value]]
        elif name in _READING:
            words += [f"--{name}", shlex.quote(str(value))]
        else:
            words.append(f"{name}={value!r}")
    return " ".join(words)


def path_of(given: str | None) -> str | None:
    """The path of a tokenizer; None for the embedded one, which is called default unless a file is."""
    return None if given == "default" and not os.path.exists(given) else given


def _taken(rest: dict[str, Any]) -> dict[str, Any]:
    """The options of reading, taken out of all options."""
    taken = {name: rest.pop(name) for name in _READING}
    return {_NAMES.get(name, name): value for name, value in taken.items()}


def reading(verb: Verb) -> Verb:
    """Add the options of reading, and call the verb with a table of them."""

    @functools.wraps(verb)
    def with_options(**rest: Any) -> Any:
        return verb(reading=_taken(rest), **rest)

    decorated: Any = with_options
    for option in reversed(_READING.values()):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def tokenizer(verb: Verb) -> Verb:
    """Add --tokenizer and the options of reading, and call the verb with the tokenizer they name."""

    @functools.wraps(verb)
    def with_tokenizer(*, tokenizer_path: str | None, **rest: Any) -> Any:
        return verb(tokenizer=load(path_of(tokenizer_path), **_taken(rest)), **rest)

    return _with_reading(with_tokenizer)  # type: ignore[no-any-return]


def tokenizer_argument(verb: Verb) -> Verb:
    """For verbs about a file: it may also stand as the argument. Samples are left for the verb to judge."""

    @functools.wraps(verb)
    def with_tokenizer(*, file: str | None, tokenizer_path: str | None, **rest: Any) -> Any:
        if file is not None and tokenizer_path is not None:
            raise click.UsageError("Give the tokenizer as the argument or with --tokenizer, not both.")
        path = path_of(file or tokenizer_path)
        loaded = load(path, verify=True, check_samples=False, **_taken(rest))
        return verb(tokenizer=loaded, name="the embedded default" if path is None else str(Path(path)), **rest)

    argument = click.argument("file", type=PATH, metavar="[TOKENIZER]", required=False)
    return argument(_with_reading(with_tokenizer))  # type: ignore[no-any-return]
