"""From a group of texts whose hashes differ to the shortest text that shows it.

It asks both sides for whole answers, finds the first text on which they differ, removes parts of it as long as it still
differs, and prints both answers around the first place.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tests.support.ours import PathsDiffer, Side
from tests.support.records import WHATS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.peer import Peer

__all__ = ["Difference", "difference_of", "shorten"]

PATIENCE_SECONDS = 15.0
SHOWN = 12

Part = TypeVar("Part", str, bytes)


@dataclass(frozen=True)
class Difference:
    """The first difference in a text set."""

    where: str
    what: str
    text: bytes
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        shown: str | bytes = self.text
        with suppress(UnicodeDecodeError):
            shown = self.text.decode()
        text = repr(shown) if len(self.text) <= 400 else f"{shown[:100]!r} … {shown[-100:]!r}, {len(self.text)} bytes"
        at = _first_place(self.ours, self.theirs)
        sides = f"    ours   {_around(self.ours, at)}\n    theirs {_around(self.theirs, at)}"
        return f"{self.where}: {self.what} differ from place {at} on\n    text   {text}\n{sides}"


def _first_place(ours: Sequence[Any], theirs: Sequence[Any]) -> int:
    for place, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
        if mine != other:
            return place
    return min(len(ours), len(theirs))


def _around(row: Sequence[Any], at: int) -> str:
    if len(row) <= 4 * SHOWN:
        return repr(row)
    start = max(0, at - SHOWN // 2)
    return f"{len(row)} in all, from {start}: {row[start : start + SHOWN]!r}"


def _compared(ours: Side, peer: Peer, text: bytes) -> tuple[str, Any, Any] | None:
    """What differs for one text and both answers, or None."""
    columns = peer.columns([text])
    theirs = columns.rows()[0]
    try:
        mine = ours.columns([text], columns.digests()).rows()[0]
    except PathsDiffer as error:
        return "ids of encode_batch and encode_spans", error.batch, error.spans
    for what in WHATS:
        if mine[what] != theirs[what]:
            return what, mine[what], theirs[what]
    return None


def difference_of(ours: Side, peer: Peer, group: Sequence[bytes], name: str) -> Difference:
    """The first difference in a group whose hashes differ, on a text as short as could be found."""
    for index, text in enumerate(group):
        if _compared(ours, peer, text) is None:
            continue
        short = shorten(text, lambda part: _compared(ours, peer, part) is not None)
        found = _compared(ours, peer, short)
        if found is None:
            return Difference(f"{name}, text {index} of its group", "answers to the same text", text, [], [])
        return Difference(f"{name}, text {index} of its group", *found[:1], short, *found[1:])
    return Difference(
        name, "ids of a text within a batch, though alone they are equal: the state of the tables", b"", [], []
    )


def shorten(text: bytes, differs: Callable[[bytes], bool], patience: float = PATIENCE_SECONDS) -> bytes:
    """A short part of ``text`` for which ``differs`` still holds: by characters where it is valid UTF-8, else by bytes."""
    deadline = time.monotonic() + patience
    try:
        whole = text.decode()
    except UnicodeDecodeError:
        return _shorten(text, differs, deadline)
    return _shorten(whole, lambda part: differs(part.encode()), deadline).encode()


def _shorten(text: Part, differs: Callable[[Part], bool], deadline: float) -> Part:
    size = len(text) // 2
    while size and time.monotonic() < deadline:
        at, before = 0, len(text)
        while at < len(text) and time.monotonic() < deadline:
            shorter = text[:at] + text[at + size :]
            if differs(shorter):
                text = shorter
            else:
                at += size
        if size > 1 or len(text) == before:
            size //= 2
    return text
