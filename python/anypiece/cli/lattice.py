"""``anypiece lattice`` and ``anypiece nbest``: all segmentations of a text at once, and the best of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..inspect.terminal import BLANK, spelled, visible
from ..io.paths import write_bytes
from . import inputs, options, output
from .numbers import Amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..lattice.lattice import Lattice
    from ..text.specials import Specials
    from ..tokenizer import Tokenizer

__all__ = ["lattice", "nbest", "pieces_of", "shown_pieces", "shown_share"]


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@options.tokenizer
@options.input_file
@options.whole
@click.option(
    "--alpha", type=float, default=1.0, show_default=True, help="Weigh paths by exp(alpha * score): 0 makes all alike."
)
@click.option(
    "--svg", type=options.PATH, metavar="FILE", help="Draw it into FILE; - is standard output, without the table."
)
@options.specials
@options.as_json
def lattice(
    tokenizer: Tokenizer,
    texts: tuple[str, ...],
    input_file: str | None,
    whole: bool,
    alpha: float,
    svg: str | None,
    specials: Specials,
    as_json: bool,
) -> None:
    """Show every piece that fits somewhere in a text.

    One line for each: where it begins and ends in the normalized text (in bytes, a ▁ counts as one), its score, the
    probability that a segmentation drawn at --alpha has it, and whether the best path or the runner-up goes through it. Each
    TEXT, or each line of the input, is one text.

    \b
    Examples:
      anypiece lattice "Hello world"
      anypiece lattice --alpha 0.1 --svg lattice.svg "Hello world"
      anypiece lattice --json -t tokenizer.model "naïve" | jq .entropy
    """
    if svg == "-" and as_json:
        raise click.UsageError("--svg - writes the picture to standard output: leave out --json, or name a file.")
    for group in inputs.groups_of_texts(texts, input_file, whole):
        for text in group:
            if svg is not None and (len(texts) > 1 or len(group) > 1):
                raise click.UsageError("--svg draws one text: give one, or --whole.")
            made = tokenizer.lattice(text, specials=specials)
            if svg is not None:
                _draw(made.svg(alpha), svg)
            if svg != "-":
                _write(tokenizer, made, alpha, as_json)
        output.flush()


def _draw(picture: str, name: str) -> None:
    if name == "-":
        output.write(picture)
    else:
        write_bytes(Path(name), picture.encode())


def _write(tokenizer: Tokenizer, lattice: Lattice, alpha: float, as_json: bool) -> None:
    best = set(lattice.viterbi().edges)
    second = set(lattice.runner_up().edges) if lattice.is_scored and len(lattice) else set()
    marginals = lattice.marginals(alpha).tolist()
    pieces = pieces_of(tokenizer, lattice, range(len(lattice)))
    if as_json:
        edges = [
            {**edge._asdict(), "piece": pieces[number], "marginal": marginals[number], "best": number in best}
            for number, edge in enumerate(lattice.edges)
        ]
        sums = {"log_partition": lattice.log_partition(alpha), "log_paths": lattice.log_partition(0)}
        sums |= {"entropy": lattice.entropy(alpha), "expected_tokens": lattice.expected_tokens(alpha)}
        output.write_json({"normalized": lattice.normalized.decode("utf-8", "replace"), "edges": edges, **sums})
        return
    rows: list[list[object]] = []
    for number, edge in sorted(enumerate(lattice.edges), key=lambda row: (row[1].start, row[1].end)):
        path = "best" if number in best else "second" if number in second else ""
        score = [f"{edge.score:.3f}"] if lattice.is_scored else []
        marginal = shown_share(marginals[number])
        rows.append([edge.start, edge.end, edge.id, *score, marginal, path, visible(pieces[number], BLANK)])
    scores = ["#score"] if lattice.is_scored else []
    # Pieces come last: one that is written from right to left would take numbers behind it along.
    output.write_table(["#start", "#end", "#id", *scores, "#marginal", "path", "piece"], rows)
    output.write(f"{lattice.summary(alpha)}\n")


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@options.tokenizer
@options.input_file
@options.whole
@click.option("-n", "number", type=Amount(1, 1_000_000), metavar="N", default=5, show_default=True, help="How many.")
@options.specials
@options.as_json
def nbest(
    tokenizer: Tokenizer,
    texts: tuple[str, ...],
    input_file: str | None,
    whole: bool,
    number: int,
    specials: Specials,
    as_json: bool,
) -> None:
    """Show the best segmentations of a text, with their scores and probabilities.

    They are exact, for unigram vocabularies. Each TEXT, or each line of the input, is one text.

    \b
    Examples:
      anypiece nbest "Hello world"
      anypiece nbest -n 20 -t tokenizer.model "naïve"
      anypiece nbest --json "Hello" | jq .paths[0].score
    """
    for group in inputs.groups_of_texts(texts, input_file, whole):
        for text in group:
            made = tokenizer.lattice(text, specials=specials)
            paths, total = made.nbest(number), made.log_partition()
            if as_json:
                rows = [
                    {"score": path.score, "ids": path.ids, "pieces": pieces_of(tokenizer, made, path.edges)}
                    for path in paths
                ]
                output.write_json({"paths": rows, "log_partition": total})
                continue
            shown = [
                (
                    f"{path.score:.4f}",
                    shown_share(math.exp(min(path.score - total, 0.0))),
                    shown_pieces(pieces_of(tokenizer, made, path.edges)),
                )
                for path in paths
            ]
            output.write_table(["#score", "#probability", "pieces"], shown)
        output.flush()


def pieces_of(tokenizer: Tokenizer, lattice: Lattice, edges: Iterable[int]) -> list[str]:
    """The pieces of edges, where they are bytes with escapes for what is no UTF-8."""
    if tokenizer.spec.symbols != "bytes":
        return [lattice.edges[number].piece for number in edges]
    places = [(int(lattice.starts[number]), int(lattice.ends[number])) for number in edges]
    return [spelled(lattice.normalized[start:end]) for start, end in places]


def shown_share(share: float) -> str:
    """A probability in few characters, and never as 0 if it is not."""
    return f"{share:.0e}" if 0 < share < 0.00005 else f"{share:.4f}"


def shown_pieces(pieces: Sequence[str]) -> str:
    """Pieces on a line, with a space between them."""
    return " ".join(visible(piece, BLANK) for piece in pieces)
