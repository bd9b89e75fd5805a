"""N-best lists and draws: paths of the lattice as rows of pieces, and the random numbers of the module.

Draws are those of ``Tokenizer.sample``: the distribution of sentencepiece, and other numbers. One counter serves all
threads, so that each draw is another one.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

from .errors import RefusedError, refusals
from .protos import Row, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...lattice import Lattice
    from .model import Model

__all__ = ["MOST", "best_paths", "best_rows", "drawn_paths", "method_of", "next_key", "rows_of_path", "set_seed"]

MOST = 512
"""sentencepiece's bound on the number of best paths."""


class _Seed:
    """The seed of the module and how many draws it has given."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.draws: Iterator[int] = itertools.count()


_now = _Seed(int.from_bytes(os.urandom(8), "little"))


def set_seed(seed: int) -> None:
    """Begin the draws of a seed."""
    global _now
    _now = _Seed(int(seed))


def next_key() -> dict[str, Any]:
    """The key of the next draw."""
    now = _now
    return {"seed": now.seed, "index": next(now.draws)}


def method_of(model: Model, nbest_size: int, alpha: float) -> dict[str, Any]:
    """The arguments of ``Tokenizer.sample`` for those of sentencepiece."""
    if alpha < 0:
        raise RefusedError(f"alpha must not be negative, it is {alpha}")
    if nbest_size > MOST:
        raise RefusedError(f"nbest_size must be nbest_size <= {MOST}")
    if model.is_unigram:
        return {"alpha": alpha} | ({"method": "nbest", "nbest": nbest_size} if nbest_size > 1 else {})
    if model.tokenizer.spec.segmenter == "bpe":
        return {"alpha": min(alpha, 1.0), "method": "dropout"}
    raise RefusedError("SampleEncode is not available for the current model.")


def best_paths(model: Model, text: str | bytes, count: int) -> list[tuple[list[int], float]]:
    """The ids and scores of the best segmentations."""
    _refuse(model, "NBestEncode")
    if count > MOST:
        raise RefusedError(f"nbest_size must be nbest_size <= {MOST}")
    with refusals():
        found = model.tokenizer.nbest(text, max(count, 1))
    return list(zip(found.batch.tolist(), found.scores.tolist(), strict=True))


def best_rows(model: Model, text: str | bytes, raw: bytes, count: int) -> list[Rows]:
    """The best segmentations with places."""
    _refuse(model, "NBestEncode")
    if count > MOST:
        raise RefusedError(f"nbest_size must be nbest_size <= {MOST}")
    with refusals():
        lattice = model.tokenizer.lattice(raw)
        return [rows_of_path(model, lattice, raw, path.edges, path.score) for path in lattice.nbest(max(count, 1))]


def drawn_paths(
    model: Model, raw: bytes, count: int, alpha: float, wor: bool, include_best: bool
) -> tuple[Lattice, list[tuple[Sequence[int], list[int], float]]]:
    """The lattice, and the edges, ids and scores of draws: logarithms of their probabilities, or, without replacement
    (``wor``), of being among those drawn."""
    _refuse(model, "SampleEncodeAndScore")
    if not raw:
        raise RefusedError("SampleEncodeAndScore returns empty result.")
    with refusals():
        lattice = model.tokenizer.lattice(raw)
        if wor:
            paths = lattice.sample_without_replacement(count, alpha, include_best=include_best, **next_key())
            return lattice, [(path.edges, path.ids, path.log_inclusion or 0.0) for path in paths]
        drawn = [lattice.sample(alpha, **next_key()) for _ in range(count)]
        return lattice, [(path.edges, path.ids, path.log_probability or 0.0) for path in drawn]


def _refuse(model: Model, what: str) -> None:
    if not model.is_unigram:
        raise RefusedError(f"{what} is not available for the current model.")


def rows_of_path(model: Model, lattice: Lattice, raw: bytes, edges: Sequence[int], score: float | None) -> Rows:
    """A path with places: neighbouring unknowns are one, or each is its bytes where the model has these."""
    rows: list[Row] = []
    falls_back = model.tokenizer.spec.byte_fallback
    was_unknown = False
    for number in edges:
        edge = lattice.edges[number]
        start, end = edge.source
        unknown = edge.id == model.unk_id
        if unknown and falls_back:
            rows += _byte_rows(model, edge.piece_bytes, raw, start, end)
        elif unknown and was_unknown:
            last = rows[-1]
            surface = (last.surface or b"") + raw[start:end]
            rows[-1] = last._replace(piece=last.piece + edge.piece_bytes, surface=surface, end=end)
        else:
            rows.append(Row(edge.piece_bytes, edge.id, raw[start:end], start, end))
        was_unknown = unknown
    return Rows(raw, rows, score)


def _byte_rows(model: Model, piece: bytes, raw: bytes, start: int, end: int) -> list[Row]:
    """The pieces of the bytes of an unknown character; the last has its place."""
    names = [f"<0x{byte:02X}>" for byte in piece]
    rows = [Row(name.encode(), model.ids[name], None, start, start) for name in names]
    return [*rows[:-1], rows[-1]._replace(surface=raw[start:end], end=end)]
