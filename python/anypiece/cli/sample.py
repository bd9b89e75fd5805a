"""``anypiece sample``: segmentations drawn at random, and how often they come against how often they should."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np

from ..text.sampling import METHODS
from . import inputs, options, output
from .lattice import pieces_of, shown_pieces, shown_share
from .numbers import Amount
from .tokens import pieces_of_tokens, write_ids, write_tokens

if TYPE_CHECKING:
    from ..text.sampling import Method
    from ..text.specials import Specials
    from ..tokenizer import Tokenizer

__all__ = ["sample"]

_BAR = 24


@dataclass(frozen=True)
class _Settings:
    """Settings of the draws."""

    alpha: float
    method: Method
    nbest: int
    seed: int
    specials: Specials

    def at(self, epoch: int, index: int) -> dict[str, Any]:
        """The arguments of a draw."""
        return {**asdict(self), "epoch": epoch, "index": index}


@dataclass(frozen=True)
class _Row:
    """A segmentation: how often it was drawn, and its exact probability where there is one."""

    ids: list[int]
    pieces: list[str]
    drawn: float
    exact: float | None


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@options.tokenizer
@options.input_file
@options.whole
@click.option(
    "--alpha",
    type=float,
    default=0.1,
    show_default=True,
    help="Draw paths by exp(alpha * score), or pass over merges with this probability.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="lattice",
    show_default=True,
    help="How to draw; dropout is for BPE, the others for unigram vocabularies.",
)
@click.option(
    "--nbest", type=Amount(1, 1_000_000), metavar="N", default=64, show_default=True, help="For --method nbest."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same draws, anywhere.")
@click.option("--epoch", type=int, default=0, show_default=True, help="The pass over the data, or the first of them.")
@click.option("--index", type=int, default=0, show_default=True, help="The place of the first text in the data.")
@click.option(
    "--count",
    type=Amount(1, 1_000_000),
    metavar="N",
    default=1,
    show_default=True,
    help="Draw each text in N epochs, and compare how often each segmentation came.",
)
@click.option("--top", type=Amount(1), metavar="N", default=10, show_default=True, help="How many to compare.")
@options.pieces
@options.spans
@options.unit
@options.specials
@options.as_json
def sample(
    tokenizer: Tokenizer,
    texts: tuple[str, ...],
    input_file: str | None,
    whole: bool,
    alpha: float,
    method: Method,
    nbest: int,
    seed: int,
    epoch: int,
    index: int,
    count: int,
    top: int,
    pieces: bool,
    spans: bool,
    unit: Literal["char", "byte"],
    specials: Specials,
    as_json: bool,
) -> None:
    """Turn text into ids by a segmentation that is drawn at random.

    Each TEXT, or each line of the input, gives one line of ids, drawn as the text of the next index. With --count it is
    drawn in N epochs: a bar shows how often each of the most frequent segmentations came, a line across it how often
    it should have (for --method viterbi by the exact distribution, which it misses). --pieces and --spans print what they do
    for encode.

    \b
    Examples:
      anypiece sample --seed 7 "Hello world"
      anypiece sample --spans "naïve café"
      anypiece sample --count 1000 --alpha 0.3 "Hello world"
      anypiece sample --method dropout -t llama2.model < lines.txt
    """
    _refuse_useless(count, method)
    settings = _Settings(alpha, method, nbest, seed, specials)
    for group in inputs.groups_of_texts(texts, input_file, whole):
        for text in group:
            if count > 1:
                rows = _compared(tokenizer, text, settings, range(epoch, epoch + count), index)
                _write_rows(rows, count, top, as_json)
            elif pieces or spans:
                tokens = tokenizer.sample_spans(text, unit=unit, **settings.at(epoch, index))
                write_tokens(tokenizer, tokens, spans, as_json)
            else:
                write_ids(tokenizer.sample(text, **settings.at(epoch, index)), as_json)
            index += 1
        output.flush()


def _refuse_useless(count: int, method: Method) -> None:
    """Options that would change nothing together with the others."""
    for name in ("pieces", "spans"):
        if count > 1 and options.is_given(name):
            raise click.UsageError(f"--{name} shows one draw: leave out --count.")
    if count == 1 and options.is_given("top"):
        raise click.UsageError("--top is for several draws: give --count.")
    if method != "nbest" and options.is_given("nbest"):
        raise click.UsageError(f"--nbest is for --method nbest, not {method}.")


def _compared(tokenizer: Tokenizer, text: str | bytes, settings: _Settings, epochs: range, index: int) -> list[_Row]:
    """The segmentations that were drawn, the most frequent first."""
    alpha, seed, method = settings.alpha, settings.seed, settings.method
    if method in ("nbest", "dropout") or math.isinf(alpha):
        drawn = [tuple(tokenizer.sample(text, **settings.at(epoch, index))) for epoch in epochs]
        counts, first = Counter(drawn), dict(zip(reversed(drawn), reversed(epochs), strict=True))
        shares = {} if method == "dropout" else dict.fromkeys(drawn[:1], 1.0)  # at infinity there is but one
        shares = _among_best(tokenizer, text, settings) if method == "nbest" else shares
        listed = sorted(counts.items(), key=lambda item: (-item[1], item[0]))

        def pieces(ids: tuple[int, ...]) -> list[str]:
            return pieces_of_tokens(tokenizer, tokenizer.sample_spans(text, **settings.at(first[ids], index)))

        return [_Row([*ids], pieces(ids), number / len(epochs), shares.get(ids)) for ids, number in listed]
    lattice = tokenizer.lattice(text, specials=settings.specials)
    paths = [lattice.sample(alpha, seed=seed, epoch=epoch, index=index, method=method) for epoch in epochs]
    by_edges, numbers = {path.edges: path for path in paths}, Counter(path.edges for path in paths)
    return [
        _Row(
            by_edges[edges].ids,
            pieces_of(tokenizer, lattice, edges),
            number / len(epochs),
            math.exp(min(by_edges[edges].log_probability or 0.0, 0.0)),
        )
        for edges, number in sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    ]


def _among_best(tokenizer: Tokenizer, text: str | bytes, settings: _Settings) -> dict[tuple[int, ...], float]:
    """For ids the share of their paths among the best."""
    paths = tokenizer.nbest(text, settings.nbest, specials=settings.specials)
    if math.isinf(settings.alpha):
        return {tuple(paths[0].ids): 1.0}
    weights = np.exp(settings.alpha * (paths.scores - paths.scores[0]))
    shares: dict[tuple[int, ...], float] = {}
    for ids, share in zip(paths.batch.tolist(), (weights / weights.sum()).tolist(), strict=True):
        shares[tuple(ids)] = shares.get(tuple(ids), 0.0) + share
    return shares


def _write_rows(rows: list[_Row], count: int, top: int, as_json: bool) -> None:
    if as_json:
        shown = [{"ids": row.ids, "pieces": row.pieces, "drawn": row.drawn, "exact": row.exact} for row in rows[:top]]
        output.write_json({"draws": count, "different": len(rows), "most": shown})
        return
    scale = max([row.drawn for row in rows[:top]] + [row.exact or 0.0 for row in rows[:top]])
    listed = []
    for row in rows[:top]:
        exact = "" if row.exact is None else shown_share(row.exact)
        listed.append((f"{row.drawn:.4f}", exact, _bar(row, scale), shown_pieces(row.pieces)))
    output.write_table(["#drawn", "#exact", f"{'':{_BAR}}", "pieces"], listed)
    different = "one segmentation" if len(rows) == 1 else f"{len(rows):,} different segmentations"
    rest = sum(row.drawn for row in rows[top:])
    more = f"; those not shown: {rest:.4f}" if rest else ""
    output.write(f"{count:,} draws, {different}{more}\n")


def _bar(row: _Row, scale: float) -> str:
    """A bar as long as what was drawn, with a line where it should end."""
    bar = list("█" * round(_BAR * row.drawn / scale))
    if row.exact is not None:
        place = min(round(_BAR * row.exact / scale), _BAR)
        bar += [" "] * (place + 1 - len(bar))
        bar[place] = "│"
    return "".join(bar)
