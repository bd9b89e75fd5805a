"""The figures of the articles in docs/learn, as SVG for light and dark pages, drawn from what the pages compute.

An article's examples are run, and each of its figures is drawn from the names they leave behind: a figure shows what the
page says, or it is stale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .drawing import bars_figure, blocks_figure, fields_figure, table_figure
from .examples import names_of
from .pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FIGURES", "Figure", "drawn"]

LEARN = ROOT / "docs" / "learn"


class Figure(NamedTuple):
    """A figure: its page, its file, and what draws it from the names of the page."""

    page: str
    name: str
    draw: Callable[[dict[str, Any]], str]


def _shares(names: dict[str, Any]) -> str:
    kinds = {"exact": names["exact"], **names["by_method"]}
    kinds = {{"viterbi": "coins"}.get(kind, kind): found for kind, found in kinds.items()}
    groups = {cut: {kind: found[cut] for kind, found in kinds.items()} for cut in names["exact"]}
    return bars_figure(groups, "Shares of four cuts")


def _merges(names: dict[str, Any]) -> str:
    table = names["table"]
    rows = [("bytes", table.first), *((f"merge {number}", one.symbols) for number, one in enumerate(table.merges, 1))]
    shown = [(name, [(one.piece, str(one.id)) for one in symbols]) for name, symbols in rows]
    return blocks_figure(shown, "Merge by merge")


def _engines(names: dict[str, Any]) -> str:
    rows = [
        (name, [(one.piece, str(one.id)) for one in tok.explain(names["text"]).steps.tokens])
        for name, tok in names["engines"].items()
    ]
    return blocks_figure(rows, "One text, cut by six vocabularies")


FIGURES = (
    Figure("viterbi", "viterbi-table", lambda names: table_figure(names["table"], names["text"], "Hello world")),
    Figure("gguf", "gguf-fields", lambda names: fields_figure(names["fields"], "The first fields of a GGUF")),
    Figure(
        "gguf",
        "gguf-path",
        lambda names: table_figure(names["table"], names["fragment"].normalized, "What is LoRA"),
    ),
    Figure("sampling", "sampling-shares", _shares),
    Figure("byte-bpe", "byte-bpe-merges", _merges),
    Figure("one-engine", "one-engine", _engines),
)
"""Each figure, by its page."""


def drawn(page: str) -> dict[str, str]:
    """The figures of a page by their file names."""
    found = [figure for figure in FIGURES if figure.page == page]
    names = names_of(LEARN / f"{page}.md")
    return {f"{figure.name}.svg": figure.draw(names) for figure in found}
