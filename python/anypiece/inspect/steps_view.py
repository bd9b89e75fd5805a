"""Steps as views: what a person reads of them, in the order in which they happen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .terminal import BLANK
from .views import Grid, Note, Piece, Row, View, figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..steps.data import (
        Candidate,
        Chunk,
        Fragment,
        Lookup,
        Matching,
        Merging,
        Position,
        Segment,
        Special,
        Steps,
        StepToken,
        Viterbi,
    )  # fmt: skip
    from .views import Cell, Part

__all__ = ["path_row", "step_views"]

_HOWS = {
    "piece": "a piece",
    "unknown": "unknown",
    "fused": "unknown, a run of them as one",
    "bytes": "byte fallback",
    "special": "special token",
    "bos": "put before the text",
    "eos": "put behind the text",
    "template": "put there by the template",
}


def step_views(steps: Steps) -> list[View]:
    """Every step, in order.

    >>> import anypiece
    >>> [view.title for view in step_views(anypiece.load().explain("Hi").steps)]
    ['Normalization', 'Segmentation', 'From pieces to tokens']
    """
    views = [View("Limits", [Note(one) for one in steps.limits])] if steps.limits else []
    found = [part.special for part in steps.parts if part.special]
    inside = [special for part in steps.parts if part.fragment for special in part.fragment.specials]
    if steps.spelled or found or inside:
        views.append(View("Special tokens", [_specials([*found, *inside, *steps.spelled])]))
    fragments = [part.fragment for part in steps.parts if part.fragment]
    views += [View("Normalization", [part for one in fragments for part in _normalization(one, steps)])]
    if any(fragment.splits for fragment in fragments):
        views.append(View("Splitting", [part for one in fragments for part in _splits(one)]))
    views.append(View("Segmentation", _chunks(steps)))
    views.append(View("From pieces to tokens", [_tokens(steps)]))
    return [view for view in views if view.parts]


def _range(start: int, end: int) -> str:
    return f"{start}–{end}"


# -- before segmentation


def _specials(rows: Sequence[Special]) -> Grid:
    return Grid(
        ("token", "#id", "place", "became", "by"),
        tuple(
            (
                Piece(row.piece), str(row.id), _range(row.start, row.end),
                f"the token, in {'the text' if row.where == 'text' else row.where}" if row.found else "text", row.by,
            )
            for row in rows
        ),
        "Special and added tokens that the text spells",
    )  # fmt: skip


def _normalization(fragment: Fragment, steps: Steps) -> list[Part]:
    parts: list[Part] = []
    if fragment.steps:
        rows = tuple(
            (one.name, _options(one.options), Piece(one.text) if one.changed else "changes nothing")
            for one in fragment.steps
        )
        parts.append(Grid(("step", "options", "text after it"), rows, "The steps of the normalizer"))
    if fragment.replacements:
        changes = tuple(
            (_range(one.start, one.end), Piece(one.source), _range(one.at, one.to), Piece(one.result), one.why)
            for one in fragment.replacements
        )
        unit = "characters" if steps.places == "char" else "bytes"
        columns = ("in the text", "was", "normalized", "became", "why")
        parts.append(Grid(columns, changes, f"What was replaced; places in the text count its {unit}"))
    if parts:
        parts.append(Row("normalized text", ((fragment.normalized, ""),)))
    elif fragment.normalized:
        parts.append(Note("Nothing is replaced: the text is segmented as it is."))
    return parts


def _options(options: dict[str, object]) -> str:
    return json.dumps(options, ensure_ascii=False) if options else ""


def _splits(fragment: Fragment) -> list[Part]:
    rows = tuple(
        (
            one.name, _options(one.options),
            tuple(map(Piece, one.chunks)) if one.changed else "cuts nothing more",
        )
        for one in fragment.splits
    )  # fmt: skip
    return [Grid(("rule", "options", "chunks after it"), rows, "The rules that cut")] if rows else []


# -- segmentation


def _chunks(steps: Steps) -> list[Part]:
    chunks = steps.chunks()
    views: list[Part] = []
    known: dict[object, int] = {}
    for number, chunk in enumerate(chunks, 1):
        name = f"“{chunk.text}”" if len(chunks) == 1 else f"Chunk {number} of {len(chunks)}: “{chunk.text}”"
        head = Note(f"Characters {_range(chunk.start, chunk.end)} of the normalized text" + _cut_by(chunk))
        if steps.symbols == "bytes" and len(chunk.symbols) != len(chunk.text):
            head = Note(f"{len(chunk.symbols)} bytes" + _cut_by(chunk))
        first = known.setdefault((chunk.text, chunk.table, chunk.path), number)
        parts: list[Part] = [Note(f"As in chunk {first}.")] if first != number else _table(chunk)
        views.append(View(name, [head, *parts, path_row(chunk.path)] if chunk.path else [head, *parts]))
    return views


def _cut_by(chunk: Chunk) -> str:
    return f", cut by {chunk.rule}" if chunk.rule else ""


def path_row(path: Iterable[Segment]) -> Row:
    """A path: its pieces, each with its id."""
    return Row("path", tuple((one.piece, "" if one.id is None else str(one.id)) for one in path))


def _table(chunk: Chunk) -> list[Part]:
    table = chunk.table
    if table is None:
        return [Note("A limit was reached: its table is left out.")] if chunk.symbols else []
    if table.kind == "viterbi":
        return _viterbi(table)  # type: ignore[arg-type]
    if table.kind == "merges":
        return _merges(table)  # type: ignore[arg-type]
    if table.kind == "matches":
        return _matches(table)  # type: ignore[arg-type]
    return _lookups(table)  # type: ignore[arg-type]


def _viterbi(table: Viterbi) -> list[Part]:
    backwards = table.direction != "left-to-right"
    rows: list[tuple[Cell, ...]] = []
    won = set()
    for position in table.positions:
        for number, one in enumerate(position.candidates):
            if number == position.winner:
                won.add(len(rows))
            other = one.end if backwards else one.start
            verdict = _verdict(position, number)
            rows.append(
                (
                    str(position.at),
                    Piece(one.piece),
                    str(one.id),
                    str(other),
                    figure(one.score),
                    figure(one.total),
                    verdict,
                )
            )
    columns = ("#begins at", "piece", "#id", "#ends at", "#score", "#sum", "verdict")
    if not backwards:
        columns = ("#ends at", "piece", "#id", "#begins at", "#score", "#sum", "verdict")
    parts: list[Part] = [
        Grid(columns, tuple(rows), "All pieces by the place where they meet, and the best sum there", frozenset(won))
    ]
    arrow = " → " if backwards else " ← "
    parts.append(Note("Back-trace: " + arrow.join(map(str, table.trace))))
    if table.rebased:
        places = ", ".join(map(str, table.rebased))
        parts.append(Note(f"All sums were brought back to near zero at {places}, so the last one is not the total."))
    elif table.total is not None:
        parts.append(Note(f"Total: {figure(table.total)}"))
    return parts


def _verdict(position: Position, number: int) -> str:
    """Why a candidate won its place, or by how much it lost."""
    assert position.winner is not None
    one, best = position.candidates[number], position.candidates[position.winner]
    others = [other for place, other in enumerate(position.candidates) if place != number]
    if number != position.winner:
        if one.total == best.total:
            return "equal, and not the one that stays"
        return f"{figure(best.total - one.total)} behind"
    if not others:
        return "wins: the only one"
    if position.tied:
        return "wins the tie: " + ("the longer one" if one.verdict == "longer" else "it was there first")
    return f"wins by {figure(_lead(one, others))}"


def _lead(one: Candidate, others: Sequence[Candidate]) -> float:
    return one.total - max(other.total for other in others)


def _merges(table: Merging) -> list[Part]:
    if table.whole:
        return [Note("The chunk is a piece itself: nothing is merged.")]
    rows = []
    for number, one in enumerate(table.merges, 1):
        lost = ", ".join(f"{figure(rank)} {piece.replace(' ', BLANK)} at {place}" for rank, place, piece in one.lost)
        more = f" and {one.more_lost} more" if one.more_lost else ""
        rows.append(
            (
                str(number), figure(one.rank), (Piece(one.left.piece), Piece(one.right.piece)), Piece(one.made.piece),
                str(one.place), _names(one.symbols), (lost + more) or "no other was possible",
            )
        )  # fmt: skip
    first = Row("symbols at first", tuple((one.piece, "") for one in table.first))
    if not rows:
        return [first, Note("No two neighbours can be merged.")]
    by = "#rank" if table.by == "rank" else "#score"
    columns = ("#merge", by, "pair", "became", "#at symbol", "symbols after it", "possible, and lost")
    order = "the lowest rank" if table.by == "rank" else "the highest score"
    parts: list[Part] = [first, Grid(columns, tuple(rows), f"Merges: {order} first")]
    if table.unmerged:
        parts.append(Note(f"{table.unmerged} more merges are not shown: a limit was reached."))
    return parts


def _names(segments: Iterable[Segment]) -> tuple[Piece, ...]:
    return tuple(Piece(one.piece) for one in segments)


def _matches(table: Matching) -> list[Part]:
    if table.too_long:
        return [Note("The chunk has more characters than may be looked up: it is unknown as a whole.")]
    rows = []
    for one in table.matches:
        found = one.found
        more = one.tries - len(one.tried) - (found is not None)
        tries = f"{one.tries}, the last {more} not shown" if more > 0 else str(one.tries)
        rows.append(
            (
                str(one.start), Piece(found.piece) if found else "nothing: all of the chunk is unknown",
                "" if found is None or found.id is None else str(found.id), tries, tuple(map(Piece, one.tried)),
            )
        )  # fmt: skip
    columns = ("#from", "longest match", "#id", "#look-ups", "longer, and no piece")
    return [Grid(columns, tuple(rows), "The longest piece that begins where the last one ended")]


def _lookups(table: Lookup) -> list[Part]:
    rows = tuple(
        (Piece(one.piece), "no piece" if one.id is None else str(one.id), _range(one.start, one.end))
        for one in table.found
    )
    return [Grid(("looked up", "#id", "symbols"), rows, "Each is looked up as it is")] if rows else []


# -- tokens


def _tokens(steps: Steps) -> Grid:
    around = steps.around
    tokens: list[StepToken] = [*around.before, *steps.tokens, *around.after]
    rows = []
    for one in tokens:
        how = _HOWS.get(one.how, one.how)
        if one in around.before or one in around.after:
            how += f" ({around.by})" if around.by else ""
        rows.append((Piece(one.piece), str(one.id), str(one.start), str(one.end), how))
    return Grid(("token", "#id", "#start", "#end", "how"), tuple(rows), "How each token came about")
