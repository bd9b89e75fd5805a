"""Merging by score, by rank and by a list, each as the other.

By score any two neighbours may be joined whose text is a piece; so the list that does the same has every way to part every
piece into two, the pieces of the highest score first. Back from a list, the pieces get scores in the order in which the list
makes them. Both say the same only where the list makes each piece in one go, and where no two ways to part a piece compete
for the same text; the first is looked at here, the second is left to a comparison of the results.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.bridge import compiled
from .._core.calls import call_batch
from .._core.checks import checked_threads
from .._native import CACHE_SLOTS
from ..errors import FormatError
from ..spec import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..spec import Pieces, Spec

__all__ = ["as_list", "as_ranks", "as_scores", "with_whole_chunks"]


def as_list(spec: Spec) -> Spec:
    """``spec`` with a list of merges in the place of scores or ranks. Unused pieces, which scores merge through, stay."""
    if spec.segmenter != "bpe" or len(spec.merges):
        return spec
    pieces = spec.pieces
    normal = np.flatnonzero(pieces.kinds == Kind.NORMAL)
    order = normal[np.argsort(-pieces.scores[normal], kind="stable")]
    rows = np.array(list(_parted(pieces, order)), np.uint32).reshape(-1, 3)
    if not len(rows):
        return spec
    changes: dict[str, Any] = {"unknown": "drop"} if spec.unk_id < 0 else {}
    return spec.replace(merges=rows, pieces=replace(pieces, scores=np.zeros(len(pieces), np.float32)), **changes)


def _parted(pieces: Pieces, order: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Every way to part a piece into two pieces, in the order of the pieces."""
    ids = {pieces.bytes(id): id for id in order.tolist()}
    find = ids.get
    for name, id in ids.items():
        pairs = [
            (left, right)
            for at in range(1, len(name))
            if (left := find(name[:at])) is not None and (right := find(name[at:])) is not None
        ]
        for left, right in sorted(pairs):
            yield left, right, id


def as_ranks(spec: Spec, *, first: int) -> Spec:
    """``spec`` with ranks in the place of a list of merges or of other scores; the rank of a piece is its id less ``first``.

    Raises ``format-unwritable`` where pieces are not made in the order of their ids.
    """
    if spec.segmenter != "bpe" or spec.symbols != "bytes" or spec.symbol_prefix or spec.end_suffix:
        return spec
    _refuse_another_order(spec)
    spec = with_whole_chunks(spec, True)
    normal = spec.pieces.kinds == Kind.NORMAL
    ranks = np.where(normal, first - np.arange(len(normal)), 0).astype(np.float32)
    bare: dict[str, Any] = {"merges": spec.merges[:0], "unknown": "fuse"}
    return spec.replace(pieces=replace(spec.pieces, scores=ranks), **bare)


def _refuse_another_order(spec: Spec) -> None:
    made = _made(spec)
    falls = np.flatnonzero(np.diff(made.astype(np.int64)) < 0)
    if len(falls):
        one, other = (int(made[falls[0] + place]) for place in (0, 1))
        _refuse(
            f"of {spec.pieces.piece(one)!r} (id {one}) and {spec.pieces.piece(other)!r} (id {other}) the first is merged "
            "first, and ranks are ids: pieces would have to be merged in the order of their ids"
        )


def _made(spec: Spec) -> NDArray[np.int64]:
    """The pieces of more than one byte that merging makes, in the order in which it makes them."""
    if len(spec.merges):
        return _in_one_go(spec)
    kinds, sizes = spec.pieces.kinds, np.diff(spec.pieces.offsets.astype(np.int64))
    ids = np.flatnonzero((kinds == Kind.NORMAL) & (sizes > 1))
    return ids[np.argsort(-spec.pieces.scores[ids], kind="stable")]


def _in_one_go(spec: Spec) -> NDArray[np.int64]:
    """The results of the list, each once. Raises where the list comes back to one."""
    results = spec.merges[:, 2].astype(np.int64)
    starts = np.flatnonzero(np.diff(results, prepend=-1) != 0)
    made = results[starts]
    unique, counts = np.unique(made, return_counts=True)
    if (counts > 1).any():
        id = int(unique[counts.argmax()])
        _refuse(f"the merges that make {spec.pieces.piece(id)!r} (id {id}) have others between them")
    return made


def with_whole_chunks(spec: Spec, wanted: bool) -> Spec:
    """``spec`` that takes a chunk that is a piece for that piece, or merges it, which is the same if merges lead to it.

    Raises ``format-unwritable`` for a piece that shows the difference when it is a text by itself.
    """
    if spec.whole_chunks == wanted:
        return spec
    ids = np.flatnonzero(spec.pieces.kinds == Kind.NORMAL).tolist()
    names = [spec.pieces.bytes(id) for id in ids]
    kernels = [compiled(spec.replace(whole_chunks=whole), CACHE_SLOTS) for whole in (True, False)]
    counts = [call_batch(kernel.count_batch, names, checked_threads(None), None) for kernel in kernels]
    differ = np.flatnonzero(counts[0] != counts[1])
    if len(differ):
        id = ids[int(differ[0])]
        way = "merges it all the same" if spec.whole_chunks else "takes it as a whole"
        shown = f"{spec.pieces.piece(id)!r} (id {id})"
        _refuse(f"no merges lead to {shown}, and for a chunk that is a piece the format {way}", "whole_chunks")
    return spec.replace(whole_chunks=wanted)


def as_scores(spec: Spec) -> Spec:
    """``spec`` over characters with scores in the place of its list of merges: those that the list makes first the highest.

    Raises ``format-unwritable`` where the list makes a piece at two places.
    """
    if spec.segmenter != "bpe" or spec.symbols != "characters" or not len(spec.merges):
        return spec
    made = _in_one_go(spec)
    scores = np.zeros(len(spec.pieces), np.float32)
    normal = np.isin(spec.pieces.kinds, [Kind.NORMAL, Kind.USER_DEFINED])
    scores[normal] = -len(made)
    scores[made] = -np.arange(len(made))
    bare: dict[str, Any] = {"merges": spec.merges[:0], "unknown": "fuse"}
    return spec.replace(pieces=replace(spec.pieces, scores=scores), **bare)


def _refuse(what: str, field: str = "merges") -> None:
    raise FormatError("format-unwritable", f"{what}; write tokenizer.json or .anypiece instead", fields=[field])
