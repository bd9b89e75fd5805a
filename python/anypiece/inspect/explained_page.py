"""An explanation as HTML: a page of one file, and the part of it that a notebook shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import Block, Html, blocks, details, facts, fragment, literal, page, paragraph, section, table
from .draw_view import draw_views
from .steps_view import step_views
from .views import as_html, figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..steps.drawing import SampleSteps
    from .explain import Explanation

__all__ = ["explained_fragment", "explained_page"]


def explained_page(
    explanation: Explanation, text: str, lines: list[tuple[str, str]], draws: Sequence[SampleSteps] = ()
) -> str:
    """All of it. ``text`` is the text as it is shown, ``lines`` are those that ``print`` has below the tokens; ``draws``
    come last.
    """
    lead = f"“{text}”" if len(text) <= 100 else f"“{text[:100]}…”"
    views = step_views(explanation.steps) + [view for draw in draws for view in draw_views(draw)]
    return page("A text, step by step", lead, *_summary(explanation, lines), as_html(views))


def explained_fragment(explanation: Explanation, lines: list[tuple[str, str]]) -> str:
    """The tokens, and the rest where it is asked for."""
    head, tokens, notes = _summary(explanation, lines)
    views = as_html(step_views(explanation.steps), 3)
    return fragment(tokens, notes, details("Every step", head, views))


def _summary(explanation: Explanation, lines: list[tuple[str, str]]) -> tuple[Html, Html, Html]:
    text, found = explanation.text, explanation.tokens
    rows = {"tokens": f"{len(found):,}", "characters" if isinstance(text, str) else "bytes": f"{len(text):,}"}
    if explanation.total_score is not None:
        rows["total score"] = f"{explanation.total_score:.6g}"
    columns = ["token", "id", "start", "end", "score", "kind"]
    cells = [
        [literal(one.piece), str(one.id), str(one.start), str(one.end), figure(one.score), one.kind] for one in found
    ]
    shown = (
        Block(one.piece, str(one.id), f"{one.start}–{one.end}, score {figure(one.score)}, {one.kind}") for one in found
    )
    tokens = section("Tokens", blocks(shown, "tokens"), details("As a table", table(columns, cells, "Tokens")))
    return facts(rows), tokens, Html("".join(paragraph(f"{name.strip()}: {said}", note=True) for name, said in lines))
