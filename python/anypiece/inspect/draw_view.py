"""Steps of a draw as views: the sums, the numbers drawn, what they decided."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .steps_view import path_row
from .views import Grid, Note, Piece, View, figure

if TYPE_CHECKING:
    from ..steps.drawing import Draw, DrawnUnit, SampleSteps
    from .views import Part

__all__ = ["draw_views"]

_METHODS = {
    "lattice": "a path by its weight, exp(alpha · score)",
    "nbest": "one of the best paths by its weight",
    "viterbi": "at each place a coin for each piece, by the sigmoid of the difference to the one kept so far",
    "reservoir": "at each place a piece by its share of all weight so far",
    "dropout": "merges, each skipped with the probability alpha",
}


def draw_views(steps: SampleSteps) -> list[View]:
    """How a draw came about, unit by unit.

    >>> import anypiece
    >>> from anypiece.steps import sample_steps
    >>> view, = draw_views(sample_steps(anypiece.load(), "Hello", seed=3))
    >>> view.title
    'Draw: alpha 0.1, seed 3, epoch 0, index 0'
    """
    title = f"Draw: alpha {figure(steps.alpha)}, seed {steps.seed}, epoch {steps.epoch}, index {steps.index}"
    parts: list[Part] = [Note(f"Method {steps.method}: {_METHODS[steps.method]}")]
    if steps.note:
        parts.append(Note(f"Not shown: {steps.note}"))
    parts += [View(f"“{unit.text}”", _unit(unit)) for unit in steps.units]
    if steps.log_probability is not None:
        share = math.exp(steps.log_probability)
        parts.append(Note(f"Log-probability of the path: {figure(steps.log_probability)} ({share:.6g})"))
    parts.append(Note("ids: " + " ".join(map(str, steps.ids))))
    return [View(title, parts)]


def _unit(unit: DrawnUnit) -> list[Part]:
    parts: list[Part] = []
    if unit.sums:
        way = "from the beginning to each place" if unit.direction == "forward" else "from each place to the end"
        rows = tuple((str(place), figure(value)) for place, value in unit.sums)
        parts.append(Grid(("#place", "#log of the sum"), rows, f"The weight of all ways {way}"))
    parts += [_draw(draw) for draw in unit.draws]
    if unit.coins:
        parts.append(_coins(unit))
    if unit.tries:
        tries = tuple(
            (figure(one.rank), Piece(one.piece), str(one.place), figure(one.number), one.outcome) for one in unit.tries
        )
        parts.append(Grid(("#rank", "would make", "#at", "#number", "outcome"), tries, "Merges as they came up"))
    return [*parts, path_row(unit.path)] if unit.path else parts


def _draw(draw: Draw) -> Grid:
    rows, up_to = [], 0.0
    for number, one in enumerate(draw.choices):
        up_to += one.share
        outcome = "taken" if number == draw.taken else ""
        pieces = tuple(map(Piece, one.pieces))
        rows.append(
            (pieces, str(one.start), str(one.end), figure(one.score), figure(one.share), figure(up_to), outcome)
        )
    columns = ("pieces", "#start", "#end", "#score", "#share", "#up to", "outcome")
    return Grid(columns, tuple(rows), f"At {draw.place} the number {figure(draw.number)}", frozenset([draw.taken]))


def _coins(unit: DrawnUnit) -> Grid:
    rows = tuple(
        (
            str(one.place), Piece(one.piece), str(one.start), figure(one.score), figure(one.chance),
            "none: the first" if one.number is None else figure(one.number), "kept" if one.kept else "not kept",
        )
        for one in unit.coins
    )  # fmt: skip
    columns = ("#ends at", "piece", "#begins at", "#score so far", "#chance", "#number", "outcome")
    return Grid(columns, rows, "A piece is kept if its number is below its chance")
