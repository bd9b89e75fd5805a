"""The options of ``anypiece shards``: those of a plan, and those of a run."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..corpus.shards import plan_shards
from ..corpus.shards.formats import FORMATS
from ..loading import load
from . import options
from .numbers import Amount

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..corpus.shards.plan import Plan

__all__ = ["OF_IDS", "OUT", "PLANNING", "RUNNING", "part", "planned", "several", "with_options"]

Verb = TypeVar("Verb", bound="Callable[..., Any]")

part = click.option(
    "--part", type=click.Choice(["train", "val"]), help="Which documents, where some are held out. Default: train."
)
OUT = click.option(
    "-o",
    "--output",
    "out",
    type=options.PATH,
    metavar="FOLDER",
    help="The folder of the shards: new, empty, or with this plan.",
)
OF_TEXTS = (
    click.option(
        "--field",
        default="text",
        show_default=True,
        help="The field of JSON objects (meta.text for one within another), or the column of a table.",
    ),
    click.option(
        "--format",
        "input_format",
        type=click.Choice(["text", "jsonl", "csv", "parquet", "arrow"]),
        help="What all files hold. Default: by first bytes and names; text.",
    ),
    click.option("--whole", is_flag=True, help="Take each file of text as one document, instead of each line."),
    options.add_special,
    click.option(
        "--specials",
        type=click.Choice(["text", "parse"]),
        default="text",
        show_default=True,
        help="What text that spells a special token is: text, or that token.",
    ),
    click.option(
        "--on-bad-utf8",
        type=click.Choice(["replace", "skip", "error"]),
        default="replace",
        show_default=True,
        help="A document that is not UTF-8: put U+FFFD in place of what is not, leave it out, or stop.",
    ),
    click.option(
        "--on-bad-line",
        type=click.Choice(["skip", "error"]),
        default="skip",
        show_default=True,
        help="A line or row without a text: leave it out and count it, or stop.",
    ),
    click.option(
        "--on-bad-file",
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="A compressed file that was cut short: stop, or leave out what cannot be read.",
    ),
    click.option("--max-document", metavar="SIZE", help="Cut documents whose text is larger, such as 1MB."),
    click.option(
        "--long-documents",
        type=click.Choice(["cut", "skip"]),
        default="cut",
        show_default=True,
        help="What happens to those: cut at lines, or else at spaces, into several; or left out.",
    ),
    click.option(
        "--validation",
        type=float,
        metavar="SHARE",
        help="Put this share of the documents, such as 0.005, into shards of their own, chosen by a hash of the text.",
    ),
    click.option("--sample", type=float, metavar="ALPHA", help="Draw segmentations; see anypiece sample."),
    click.option(
        "--sample-method",
        type=click.Choice(["lattice", "nbest", "viterbi", "reservoir", "dropout"]),
        default="lattice",
        show_default=True,
        help="How they are drawn.",
    ),
    click.option("--sample-nbest", type=Amount(1), metavar="N", help="How many paths nbest draws from. Default: 64."),
    click.option(
        "--columns",
        metavar="NAME,...",
        help="Keep other fields or columns beside the ids, as texts: in parquet, arrow, mds.",
    ),
)
"""What documents are, and what becomes of their texts."""
OF_IDS = (
    click.option("--to", "output_format", type=click.Choice(list(FORMATS)), help="The format of the shards."),
    click.option(
        "--end-of-text",
        type=click.Choice(["before", "after", "none"]),
        help="Where the end-of-text token of a document stands. Default: before for llmc, none for tables, else after.",
    ),
    click.option("--end-of-text-token", metavar="TOKEN", help="That token. Default: the tokenizer's eos."),
    click.option(
        "--min-tokens", type=Amount(), default=1, show_default=True, metavar="N", help="Leave shorter documents out."
    ),
    click.option("--max-tokens", type=Amount(), metavar="N", help="Leave longer documents out."),
    click.option("--seed", type=Amount(), default=0, show_default=True, metavar="N", help="What draws go by."),
    click.option("--dedupe", is_flag=True, help="Keep only the first of equal texts in the whole corpus."),
    click.option("--shuffle", is_flag=True, help="Write documents in random order over all shards, by --seed."),
    click.option("--budget", type=Amount(1), metavar="N", help="Write at most N tokens, such as 10B."),
    click.option(
        "--weight",
        "weights",
        multiple=True,
        metavar="NAME=SHARE",
        help="The share in the tokens of a source, which is an input named as in NAME=PATH; may be repeated.",
    ),
    click.option(
        "--epochs", multiple=True, metavar="NAME=N", help="How often a source is read, such as 2.5; may be repeated."
    ),
    click.option(
        "--pack", type=Amount(2), metavar="LENGTH", help="Put documents together to sequences of LENGTH tokens."
    ),
    click.option(
        "--packing",
        type=click.Choice(["concat", "fit"]),
        default="concat",
        show_default=True,
        help="One stream that is cut; or best fit, with whole documents and position_ids (parquet, arrow, mds, numpy).",
    ),
    click.option(
        "--shard-size",
        metavar="SIZE",
        help="About how much input makes a shard, such as 256MB. Default: a 256th, at least 64 MB and at most 1 GB.",
    ),
)
"""How their ids are written."""
PLANNING = (*OF_TEXTS, *OF_IDS)
RUNNING = (
    click.option("--processes", type=click.IntRange(min=1), metavar="N", help="Default: one per processor and 4 MB."),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        metavar="N",
        help="Threads of each process. Default: the processors, shared out.",
    ),
    click.option(
        "--max-memory", metavar="SIZE", help="What all processes may hold, such as 4GB; as many run as fit into it."
    ),
    click.option(
        "--engine",
        type=click.Choice(["local", "ray", "spark"]),
        default="local",
        show_default=True,
        help="What runs the tasks: processes of this machine, a Ray cluster, or Spark.",
    ),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="The address of a Ray cluster, or a Spark master. Default: what ray and spark are set to, else this machine.",
    ),
    click.option(
        "--rank", type=click.IntRange(min=0), default=0, metavar="R", help="The number of this machine, from 0."
    ),
    click.option(
        "--world", type=click.IntRange(min=1), default=1, metavar="W", help="How many machines share the work."
    ),
    click.option("--wait", is_flag=True, help="Wait between phases until the other ranks are done."),
)


def with_options(settings: tuple[Callable[[Any], Any], ...]) -> Callable[[Verb], Verb]:
    """Add options to a verb."""

    def add(verb: Any) -> Any:
        return functools.reduce(lambda decorated, option: option(decorated), reversed(settings), verb)

    return add


def several(amount: int, what: str) -> str:
    """A number of things, for people."""
    return f"{amount} {what}{'s' * (amount != 1)}"


def planned(
    inputs: tuple[str, ...], tokenizer_path: str | None, reading: dict[str, Any], out: str | None, given: dict[str, Any]
) -> Plan:
    """The plan that a verb was asked for."""
    if out is None:
        raise click.UsageError("Say where the shards are to be, with --output.")
    if given["output_format"] is None:
        raise click.UsageError(f"Say what shards are wanted, with --to: {', '.join(FORMATS)}.")
    given = {name: value for name, value in given.items() if value is not None}
    given["format"] = given.pop("output_format")
    special = given.pop("add_special", None)
    given["add_special"] = {None: False, "both": True}.get(special, special)
    return plan_shards(inputs, load(options.path_of(tokenizer_path), **reading), out, **given)
