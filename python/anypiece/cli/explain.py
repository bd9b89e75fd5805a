"""``anypiece explain``: every stage of encoding a text, every step of it, and how a draw came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..inspect import terminal
from ..inspect.draw_view import draw_views
from ..inspect.steps_view import step_views
from ..inspect.views import as_rich, as_text
from ..steps import sample_steps
from ..text.sampling import METHODS
from . import inputs, options, output

if TYPE_CHECKING:
    from ..inspect.explain import Explanation
    from ..steps import SampleSteps
    from ..text.sampling import Method
    from ..text.specials import AddSpecial, Specials
    from ..tokenizer import Tokenizer

CHECK_FAILED = 1


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@options.tokenizer
@options.input_file
@click.option(
    "--steps", is_flag=True, help="Add every step: what was replaced and cut, the table of each chunk, its path."
)
@click.option(
    "--sample",
    "alpha",
    type=float,
    metavar="ALPHA",
    help="Add the steps of a draw: the sums, the numbers drawn, and what they decided.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the draw.")
@click.option("--epoch", type=int, default=0, show_default=True, help="The pass over the data that is drawn for.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="lattice",
    show_default=True,
    help="How to draw; dropout is for BPE, the others for unigram vocabularies.",
)
@options.add_special
@options.specials
@options.as_json
def explain(
    tokenizer: Tokenizer,
    texts: tuple[str, ...],
    input_file: str | None,
    steps: bool,
    alpha: float | None,
    seed: int,
    epoch: int,
    method: Method,
    add_special: str | None,
    specials: Specials,
    as_json: bool,
) -> int:
    """Show every stage of encoding a text.

    The normalized text, its units, the tokens with their places and scores, and what almost won.

    Each TEXT, or the whole input, is one text. Short texts are also encoded by the slow reference; if a stage differs, it is
    named and the exit code is 1.

    With --steps also each step that it takes, up to 500 characters: the pieces that meet at each place with their sums, each
    merge with those that lost, each match, what became of unknown characters. With --sample the same of a draw; the texts
    count from index 0.

    \b
    Examples:
      anypiece explain "Hello world"
      anypiece explain --steps "Hello world"
      anypiece explain --sample 0.1 --seed 7 "Hello world"
      anypiece explain --json -t tokenizer.model "naïve" | jq .tokens
    """
    differs, index = False, 0
    whole = input_file is None or inputs.is_text(input_file)
    special: AddSpecial = {None: False, "both": True}.get(add_special, add_special)  # type: ignore[assignment, arg-type]
    for group in inputs.groups_of_texts(texts, input_file, whole):
        for text in group:
            explanation = tokenizer.explain(text, specials=specials, add_special=special)
            differs = differs or explanation.difference is not None
            draw = None
            if alpha is not None:
                key: dict[str, Any] = {"seed": seed, "epoch": epoch, "index": index, "method": method}
                draw = sample_steps(tokenizer, text, alpha, specials=specials, **key)
            _write(explanation, steps, draw, as_json)
            index += 1
    return CHECK_FAILED if differs else 0


def _write(explanation: Explanation, steps: bool, draw: SampleSteps | None, as_json: bool) -> None:
    """One text."""
    if as_json:
        found = explanation.to_json()
        if steps:
            found["steps"] = explanation.steps.to_json()
        if draw is not None:
            found["sample"] = draw.to_json()
        output.write_json(found)
        return
    views = [*(step_views(explanation.steps) if steps else []), *(draw_views(draw) if draw is not None else [])]
    width = terminal.terminal_width()
    if output.is_coloured():
        output.write_rich(explanation.render())
        for line in as_rich(views, width):
            output.write_rich(line)
    else:
        output.write(f"{explanation}\n")
        output.write(f"{as_text(views, width)}\n" if views else "")
