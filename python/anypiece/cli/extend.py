"""``anypiece extend``: a tokenizer with more tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..conversion.extend import extend as extended
from ..conversion.extend import save_extended
from ..inspect.terminal import visible
from ..loading import load
from . import options, output
from .numbers import Amount
from .progress import Reporter
from .training_options import corpus_of

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


@click.command()
@click.argument("target", type=options.PATH, metavar="TARGET")
@options.tokenizer_path
@options.reading
@click.option("--token", "tokens", multiple=True, metavar="TEXT", help="A token that is whole wherever it stands.")
@click.option("--special", multiple=True, metavar="TEXT", help="A special token, found in text only by permission.")
@click.option(
    "--train-on",
    "corpus",
    multiple=True,
    type=options.PATH,
    metavar="FILE",
    help="Learn new pieces from FILE. May be repeated.",
)
@click.option("--grow", type=Amount(1), metavar="N", help="How many pieces to learn, at most.")
@click.option(
    "--map",
    "map_file",
    type=options.PATH,
    metavar="FILE",
    help="Write which old ids each learned piece was before, as JSON.",
)
@click.option("--max-memory", metavar="SIZE", help="Stay below so much memory when learning, such as 2GB.")
@click.option("--allow-lossy", is_flag=True, help="Write TARGET though its format has no place for a token.")
@options.as_json
def extend(
    target: str,
    tokenizer_path: str | None,
    reading: dict[str, Any],
    tokens: tuple[str, ...],
    special: tuple[str, ...],
    corpus: tuple[str, ...],
    grow: int | None,
    map_file: str | None,
    max_memory: str | None,
    allow_lossy: bool,
    as_json: bool,
) -> None:
    """Write a tokenizer with more tokens; the old ids stay as they are.

    Tokens that are named are found before text is segmented. Pieces that are learned with --train-on and --grow become part
    of the vocabulary itself; that is for the files of SentencePiece and for byte-level BPE. TARGET is read again, and tokens
    that its format has no place for are refused without --allow-lossy. A TARGET that is a folder, or ends in /, becomes the
    folder of a model.

    \b
    Examples:
      anypiece extend -t tokenizer.model --token "<think>" --special "<|end|>" bigger.model
      anypiece extend -t tokenizer.model --train-on german.txt.gz --grow 8000 --map map.json bigger.model
      anypiece extend -t tokenizer.json --train-on "code/*.py" --grow 2000 bigger.json
    """
    if not tokens and not special and not corpus:
        raise click.UsageError("Name at least one --token or --special, or text to --train-on.")
    if bool(corpus) != (grow is not None):
        raise click.UsageError("--train-on and --grow go together: which text, and how many pieces.")
    if grow is None and (map_file is not None or max_memory is not None):
        raise click.UsageError(
            "--map and --max-memory are about learned pieces: give --train-on and --grow, or leave them out."
        )
    tokenizer = load(options.path_of(tokenizer_path), **reading)
    made = extended(tokenizer, tokens, special=special) if tokens or special else tokenizer
    if grow is not None:
        made = _grown(made, corpus, grow, map_file, max_memory, as_json)
    save_extended(made, target, (*tokens, *special), reading, allow_lossy=allow_lossy)
    for name in (*tokens, *special):
        id = made.piece_to_id(name)
        if as_json:
            output.write_json({"piece": name, "id": id, "new": id >= tokenizer.vocab_size})
        else:
            output.write(f"{id}\t{visible(name)}\n")
        if id < tokenizer.vocab_size:
            output.note(f"{name!r} has been a piece before, and keeps its id {id}")


def _grown(
    tokenizer: Tokenizer,
    corpus: tuple[str, ...],
    amount: int,
    map_file: str | None,
    max_memory: str | None,
    as_json: bool,
) -> Tokenizer:
    from ..training import grow_on

    report = Reporter()
    try:
        growth = grow_on(tokenizer, corpus_of(corpus), amount, max_memory=max_memory, progress=report)
    finally:
        report.close()
    if map_file is not None:
        growth.save_map(map_file)
    new = growth.tokenizer.vocab_size - growth.first
    if as_json:
        output.write_json(
            {"pieces": new, "first": growth.first, "before": growth.tokens_before, "after": growth.tokens_after}
        )
    else:
        share = 100 * (1 - growth.tokens_after / growth.tokens_before)
        output.write(f"{new} pieces from id {growth.first} on; {share:.1f} % fewer tokens on this text\n")
    return growth.tokenizer
