"""The laws that steps obey, for any tokenizer and any text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from anypiece.steps.data import Lookup, Matching, Merging, Viterbi

if TYPE_CHECKING:
    import anypiece as ap
    from anypiece.steps import SampleSteps, Steps
    from anypiece.steps.data import Chunk, Fragment, Part

__all__ = ["assert_draw", "assert_steps"]


def assert_steps(tok: ap.Tokenizer, text: str | bytes, **options: object) -> Steps:
    """The steps of a text: they end with the ids of ``encode``, are JSON, and every table leads to its path."""
    found = tok.explain(text, **options).steps  # type: ignore[arg-type]
    assert list(found.ids) == tok.encode(text, **options)  # type: ignore[arg-type]
    assert json.loads(json.dumps(found.to_json())) == found.to_json()
    assert [token.id for token in (*found.around.before, *found.tokens, *found.around.after)] == list(found.ids)
    at = 0
    for part in found.parts:
        assert (part.start, part.special is None) == (at, part.fragment is not None)
        at = part.end
        if part.fragment is not None and not found.limits:
            _check_replacements(part, part.fragment)
            for chunk in part.fragment.chunks:
                _check_chunk(chunk)
    assert at == len(text)
    return found


def _check_replacements(part: Part, fragment: Fragment) -> None:
    """Replacing what was replaced gives the normalized text."""
    at, places = 0, []
    for one in fragment.replacements:
        assert part.start <= one.start <= one.end <= part.end
        assert fragment.normalized[one.at : one.to] == one.result
        assert one.source != one.result
        assert at <= one.at
        at = one.to
        places.append(one.start)
    assert places == sorted(places)


def _check_chunk(chunk: Chunk) -> None:
    table, size = chunk.table, len(chunk.symbols)
    assert chunk.source_start <= chunk.source_end
    if isinstance(table, Viterbi):
        rows = {row.at: row for row in table.positions}
        walked = [0] if table.direction == "right-to-left" else [size]
        while walked[-1] != (size if table.direction == "right-to-left" else 0):
            row = rows[walked[-1]]
            assert row.winner is not None
            walked.append(row.back if row.back is not None else -1)
        assert tuple(walked) == table.trace or table.direction == "right-to-left"
        ids = {(segment.start, segment.end): segment.id for segment in chunk.path}
        assert sorted(ids) == sorted(zip(sorted(walked), sorted(walked)[1:], strict=False))
        for row in table.positions:
            for number, one in enumerate(row.candidates):
                assert one.end == row.at or one.start == row.at
                if number == row.winner and (one.start, one.end) in ids and row.at in walked:
                    assert one.id == ids[one.start, one.end]
    elif isinstance(table, Merging):
        before = table.first
        for merge in table.merges:
            assert (merge.left, merge.right) == before[merge.place : merge.place + 2]
            assert merge.made == merge.symbols[merge.place]
            assert len(merge.symbols) == len(before) - 1
            before = merge.symbols
    elif isinstance(table, Matching):
        found = tuple(match.found for match in table.matches)
        assert found == chunk.path or None in found or table.too_long
    else:
        assert isinstance(table, Lookup)
        assert table.found == chunk.path


def assert_draw(tok: ap.Tokenizer, text: str | bytes, alpha: float, **options: Any) -> SampleSteps:
    """The steps of a draw: the ids of ``sample``, and every number leads to what was taken."""
    found = tok.sample_steps(text, alpha, **options)
    assert list(found.ids) == tok.sample(text, alpha, **options)
    assert json.loads(json.dumps(found.to_json())) == found.to_json()
    for unit in found.units:
        for draw in unit.draws:
            shares = [choice.share for choice in draw.choices]
            assert abs(sum(shares) - 1) < 1e-9
            ends = [sum(shares[: place + 1]) for place in range(len(shares))]
            assert min(sum(draw.number >= end for end in ends), len(shares) - 1) == draw.taken
            if len(unit.draws) > 1:
                assert draw.choices[draw.taken].pieces[0] in [segment.piece for segment in unit.path]
        for coin in unit.coins:
            assert coin.kept == (coin.number is None or coin.number < coin.chance)
    return found
