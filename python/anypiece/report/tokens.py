"""Pieces as coloured blocks, each with its facts as a description."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .page import Html, plain
from .style import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Block", "blocks"]


class Block(NamedTuple):
    """A piece, what is written below it, and what is said of it where the pointer rests."""

    piece: str
    below: str = ""
    hint: str = ""


def blocks(rows: Iterable[Block], label: str) -> Html:
    """Pieces one after the other, each in the next colour. ``label`` names the list.

    >>> blocks([Block("a", "5"), Block("<b>", "6")], "tokens").count("<li")
    2
    """
    shown = ""
    for number, (piece, below, hint) in enumerate(rows):
        said = f' title="{plain(hint)}"' if hint else ""
        foot = f'<span class="k">{plain(below)}</span>' if below else ""
        shown += f'<li{said}><bdi class="piece t{number % BLOCKS}">{plain(piece) or "&#8203;"}</bdi>{foot}</li>'
    return Html(f'<ol class="blocks" aria-label="{plain(label)}">{shown}</ol>' if shown else "")
