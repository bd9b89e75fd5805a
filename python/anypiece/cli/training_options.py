"""Options that the verbs about training share: what a corpus is, and how its text is seen."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..training.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["corpus", "corpus_of", "settings"]

Verb = TypeVar("Verb", bound="Callable[..., Any]")

_CORPUS = (
    click.argument("files", metavar="[FILE]...", nargs=-1),
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
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Take N texts by chance, and no more. Default: all.",
    ),
    click.option(
        "--shuffle-input-sentence/--no-shuffle-input-sentence",
        default=True,
        help="Whether those N are taken by chance, or are the first.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Decides which texts are taken by chance."),
    click.option("--max-memory", metavar="SIZE", help="Stay below so much memory, such as 2GB. Default: no limit."),
    click.option("--kind", type=click.Choice(list(KINDS)), help="The kind of vocabulary. Default: unigram."),
    click.option("--normalization", metavar="NAME", help="nmt_nfkc (default), nfkc, nmt_nfkc_cf, nfkc_cf or identity."),
    click.option("--splitter", metavar="NAME", help="For byte-bpe: gpt2, cl100k (default), o200k, llama3, qwen2 ..."),
    click.option("--pattern", metavar="REGEX", help="For byte-bpe: chunks are the matches of an expression."),
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
            KINDS[rest["kind"] or "unigram"].specials: specials or None,
            "user_defined_symbols": user_defined or None,
        }
        found = {name: value for name, value in named.items() if value is not None}
        sample = {
            "input_sentence_size": input_sentence_size, "shuffle_input_sentence": shuffle_input_sentence, "seed": seed,
        }  # fmt: skip
        return verb(settings=found | settings(others), sample=sample if input_sentence_size else {}, **rest)

    decorated: Any = with_settings
    for option in reversed(_CORPUS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def settings(rows: tuple[str, ...]) -> dict[str, Any]:
    """Options given as ``NAME=VALUE``; a value is JSON where it can be read as that, else text.

    >>> settings(("split_digits=true", "unk_piece=[UNK]", "required_chars=abc", "character_coverage=1"))
    {'split_digits': True, 'unk_piece': '[UNK]', 'required_chars': 'abc', 'character_coverage': 1}
    """
    found = {}
    for row in rows:
        name, sign, value = row.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{row!r} should be NAME=VALUE.", param_hint="--set")
        try:
            found[name.strip().replace("-", "_")] = json.loads(value)
        except ValueError:
            found[name.strip().replace("-", "_")] = value
    return found


def corpus_of(files: tuple[str, ...]) -> str | list[Path]:
    """What the arguments name: standard input where there are none."""
    from .inputs import stdin_is_terminal

    if not files or files == ("-",):
        if stdin_is_terminal():
            raise click.UsageError("There is no corpus: give files, or pipe text to standard input.")
        return "-"
    return [Path(name) for name in files]
