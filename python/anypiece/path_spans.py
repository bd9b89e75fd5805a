"""From a path of a lattice to tokens with their places, as the kernel gives them for what it draws itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .lattice import Lattice
    from .spec import Spec

__all__ = ["char_rows", "path_rows"]

Row = tuple[int, str, int, int]


def path_rows(lattice: Lattice, edges: Sequence[int]) -> list[Row]:
    """``(id, piece, start, end)`` of each token of a path, in the places that the lattice counts.

    An edge may be several tokens, the bytes of an unknown character: all but the last are empty, or where byte pieces match
    text by their spelling, each has the span of the whole unknown run. Neighbouring unknowns are one token where their ids
    are one.
    """
    native, spec = lattice._native, lattice._tokenizer.spec
    starts, ends, ids, begins, stops = lattice._columns
    widths, drawn = native.widths(), native.ids(edges)
    rows: list[Row] = []
    at, first, is_one = 0, 0, None
    run = 0  # where the bytes begin that share a span
    for number, edge in enumerate(edges):
        id, start, end = int(ids[edge]), int(starts[edge]), int(ends[edge])
        begin, stop, width = int(begins[edge]), int(stops[edge]), int(widths[edge])
        is_next = number > 0 and id == spec.unk_id == ids[edges[number - 1]]
        if is_next and (is_one is None or spec.split_rules):  # rules may part them; else all are alike
            is_one = len(native.ids(edges[number - 1 : number + 1])) == 1
        if is_next and is_one:
            rows[-1] = (id, lattice._piece(id, first, end), rows[-1][2], stop)
            continue
        first = start
        is_bytes = spec.match_kinds == "spelled" and id == spec.unk_id and drawn[at] != spec.unk_id
        run = run if is_bytes else len(rows) + width
        for place, token in enumerate(drawn[at : at + width], 1):
            rows.append((token, lattice._piece(token, start, end), begin, stop if place == width else begin))
        at += width
        if is_bytes:
            rows[run:] = [(token, piece, rows[run][2], stop) for token, piece, _, _ in rows[run:]]
    return rows


def char_rows(rows: list[Row], raw: bytes, spec: Spec) -> list[Row]:
    """Rows whose places count bytes of ``raw`` as rows that count its characters; a byte that is no UTF-8 counts as one.

    A piece of bytes that ends within a character ends with it.
    """
    places, ends = [0], [0]  # the character that a byte lies in, and the first that does not begin before it
    for number, character in enumerate(raw.decode("utf-8", "surrogateescape"), 1):
        inside = len(character.encode("utf-8", "surrogateescape")) - 1
        places += [number - 1] * inside + [number]
        ends += [number] * (inside + 1)
    last = ends if spec.symbols == "bytes" else places
    return [(id, piece, places[start], last[end]) for id, piece, start, end in rows]
