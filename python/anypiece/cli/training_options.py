"""Options that the verbs about training share: what a corpus is, and how its text is seen."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..training.kinds import KINDS
from . import options
from .numbers import Amount, amount_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["corpus", "corpus_of", "joined", "settings"]

Verb = TypeVar("Verb", bound="Callable[..., Any]")

_CORPUS = (
    click.argument("files", type=options.PATH, metavar="[FILE]...", nargs=-1),
    click.option(
        "--format",
        type=click.Choice(["text", "jsonl", "tsv", "parquet"]),
        help="What the files hold. Default: by their names; text. tsv is a text, a tab and how often it counts.",
    ),
    click.option(
        "--field", default="text", show_default=True, help="The field of JSON objects, or the column of a table."
    ),
    click.option("--whole", is_flag=True, help="Take each file of text as one text, instead of each line."),
    click.option(
        "--input-sentence-size",
        type=Amount(),
        default=0,
        metavar="N",
        help="Train on a random sample of N texts. Default: all.",
    ),
    click.option(
        "--shuffle-input-sentence/--no-shuffle-input-sentence",
        default=True,
        help="Whether those N are a random sample, or the first.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random sample."),
    click.option("--max-memory", metavar="SIZE", help="Stay below so much memory, such as 2GB. Default: no limit."),
    click.option("--kind", type=click.Choice(list(KINDS)), help="The kind of vocabulary. Default: unigram."),
    click.option("--normalization", metavar="NAME", help="nmt_nfkc (default), nfkc, nmt_nfkc_cf, nfkc_cf or identity."),
    click.option("--splitter", metavar="NAME", help="For byte-bpe: gpt2, cl100k (default), o200k, llama3, qwen2 ..."),
    click.option("--pattern", metavar="REGEX", help="For byte-bpe: chunks are the matches of an expression."),
    click.option(
        "--ties",
        metavar="NAME",
        help="Which pair of several with one count is merged first. For bpe: sentencepiece (default) or first-seen, the "
        "first in the corpus. For byte-bpe: tokenizers (default), rustbpe or first-seen.",
    ),
    click.option("--special", "specials", multiple=True, metavar="TOKEN", help="A special token. May be repeated."),
    click.option(
        "--user-defined-symbol", "user_defined", multiple=True, metavar="TEXT", help="A piece that is always whole."
    ),
    click.option(
        "--set",
        "others",
        multiple=True,
        metavar="NAME=VALUE",
        help="Any other option of the trainer, such as split_digits=true. May be repeated.",
    ),
)


def corpus(verb: Verb) -> Verb:
    """Add the options, and call the verb with ``settings``, those of the trainer by their names, and ``sample``."""

    @functools.wraps(verb)
    def with_settings(
        *,
        normalization: str | None,
        splitter: str | None,
        pattern: str | None,
        ties: str | None,
        specials: tuple[str, ...],
        user_defined: tuple[str, ...],
        others: tuple[str, ...],
        input_sentence_size: int,
        shuffle_input_sentence: bool,
        seed: int,
        **rest: Any,
    ) -> Any:
        named: dict[str, Any] = {
            "normalization_rule_name": normalization,
            "splitter": splitter,
            "pattern": pattern,
            "ties": ties,
            KINDS[rest["kind"] or "unigram"].specials: specials or None,
            "user_defined_symbols": user_defined or None,
        }
        found = {name: value for name, value in named.items() if value is not None}
        _refuse_useless(rest["format"], rest["whole"], input_sentence_size)
        sample = {
            "input_sentence_size": input_sentence_size, "shuffle_input_sentence": shuffle_input_sentence, "seed": seed,
        }  # fmt: skip
        return verb(settings=joined(found, settings(others)), sample=sample if input_sentence_size else {}, **rest)

    decorated: Any = with_settings
    for option in reversed(_CORPUS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


_OPTIONS = {
    "normalization_rule_name": "--normalization",
    "specials": "--special",
    "control_symbols": "--special",
    "user_defined_symbols": "--user-defined-symbol",
    "max_vocab_size": "--vocab-size",
}
"""Options whose name is not that of the trainer."""


def joined(named: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    """Options by their own names and those of ``--set``; one that is given both ways is an error.

    >>> joined({"vocab_size": 8000}, {"split_digits": True})
    {'vocab_size': 8000, 'split_digits': True}
    """
    twice = [name for name in others if name in named or (name == "max_vocab_size" and "vocab_size" in named)]
    if twice:
        option = _OPTIONS.get(twice[0], f"--{twice[0].replace('_', '-')}")
        raise click.UsageError(f"{option} and --set {twice[0]} are the same option: give one of them.")
    return named | others


def _refuse_useless(format: str | None, whole: bool, taken: int) -> None:
    """Options that would change nothing together with the others."""
    if whole and format not in (None, "text"):
        raise click.UsageError(f"--whole is for files of text, not {format}.")
    if format in ("text", "tsv") and options.is_given("field"):
        raise click.UsageError(f"--field is for JSON lines and Parquet, not {format}.")
    for name in ("shuffle_input_sentence", "seed"):
        if not taken and options.is_given(name):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} is about a choice of texts: give --input-sentence-size, or leave it out.")


def settings(rows: tuple[str, ...]) -> dict[str, Any]:
    """Options given as ``NAME=VALUE``; a value is JSON where it can be read as that, else text. Sizes may be such as 32k.

    >>> settings(("split_digits=true", "unk_piece=[UNK]", "required_chars=abc", "character_coverage=1"))
    {'split_digits': True, 'unk_piece': '[UNK]', 'required_chars': 'abc', 'character_coverage': 1}
    >>> settings(("vocab_size=32k",))
    {'vocab_size': 32000}
    """
    found: dict[str, Any] = {}
    for row in rows:
        name, sign, value = row.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{row!r} should be NAME=VALUE.", param_hint="--set")
        name = name.strip().replace("-", "_")
        if name in found:
            raise click.UsageError(f"--set {name} is given twice: leave one out.")
        found[name] = _value(name, value)
    return found


def _value(name: str, value: str) -> Any:
    size = amount_of(value) if name.endswith("_size") else None
    if size is not None:
        return size
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def corpus_of(files: tuple[str, ...]) -> str | list[Path]:
    """What the arguments name: standard input where there are none."""
    from .inputs import stdin_is_terminal

    if not files or files == ("-",):
        if stdin_is_terminal():
            raise click.UsageError("There is no corpus: give files, or pipe text to standard input.")
        return "-"
    return [Path(name) for name in files]
