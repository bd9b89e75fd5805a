"""Added tokens and the kinds of pieces, as formats have them that know less about either."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..spec import Added, AddedFlag, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..spec import Spec

__all__ = ["as_added", "as_kinds", "as_normal", "as_specials", "without_flags", "without_strips"]


def without_flags(spec: Spec) -> Spec:
    """``spec`` whose added tokens are looked for in text as it is, where there is nothing that would change it before."""
    if spec.normalizer or not len(spec.added):
        return spec
    return _reflagged(spec, ((text, id, flags & ~AddedFlag.NORMALIZED) for text, id, flags in spec.added))


def without_strips(spec: Spec) -> Spec:
    """``spec`` whose added tokens are found as they are spelled, whatever stands around them."""
    if not any(flags & ~AddedFlag.SPECIAL for _, _, flags in spec.added):
        return spec
    return _reflagged(spec, ((text, id, flags & AddedFlag.SPECIAL) for text, id, flags in spec.added))


def as_specials(spec: Spec) -> Spec:
    """``spec`` whose added tokens are all special ones, found as they are spelled and only where a call permits it."""
    kinds = spec.pieces.kinds.copy()
    kinds[spec.added.ids] = Kind.CONTROL
    rows = ((text, id, AddedFlag.SPECIAL) for text, id, _ in spec.added)
    return _reflagged(spec.replace(pieces=replace(spec.pieces, kinds=kinds)), rows)


def as_added(spec: Spec) -> Spec:
    """``spec`` whose control and unknown pieces can be found in text if a call permits it, and its user-defined ones always.

    So the libraries have it that know added tokens: without being one, such a piece would be found like any other. Where
    nothing but spaces is rewritten, user-defined ones are looked for behind that: some are runs of marks.
    """
    if len(spec.added):
        return spec
    symbol = AddedFlag.NORMALIZED if len(spec.normalizer) == 1 else AddedFlag(0)
    flags = {Kind.UNKNOWN: AddedFlag.SPECIAL, Kind.CONTROL: AddedFlag.SPECIAL, Kind.USER_DEFINED: symbol}
    ids = np.flatnonzero(np.isin(spec.pieces.kinds, list(flags))).tolist()
    return _reflagged(spec, ((spec.pieces.piece(id), id, flags[Kind(int(spec.pieces.kinds[id]))]) for id in ids))


def as_normal(spec: Spec) -> Spec:
    """``spec`` whose user-defined pieces are normal ones, if others stand behind them: in a list without gaps, as unigram
    vocabularies of tokenizers are, such a piece can be found like any other where the text of its token was left alone."""
    kinds = spec.pieces.kinds.copy()
    listed = np.flatnonzero(np.isin(kinds, [Kind.NORMAL, Kind.UNKNOWN, Kind.BYTE]))
    before = kinds[: listed.max(initial=0)]
    before[before == Kind.USER_DEFINED] = Kind.NORMAL
    return spec.replace(pieces=replace(spec.pieces, kinds=kinds))


def as_kinds(spec: Spec) -> Spec:
    """``spec`` whose added tokens that are not special are user-defined pieces, as SentencePiece has them.

    Special ones are control pieces, and no longer found in text. They stay added tokens too where one has another spelling
    than its piece, or more flags, which a kind cannot say.
    """
    kinds = spec.pieces.kinds.copy()
    for _, id, flags in spec.added:
        if kinds[id] != Kind.UNKNOWN:
            kinds[id] = Kind.CONTROL if flags & AddedFlag.SPECIAL else Kind.USER_DEFINED
    plain = all(
        not flags & ~(AddedFlag.NORMALIZED | AddedFlag.SPECIAL)
        and (not flags & AddedFlag.SPECIAL or spec.pieces.bytes(id) == text.encode())
        for text, id, flags in spec.added
    )
    pieces = replace(spec.pieces, kinds=kinds)
    return spec.replace(pieces=pieces, **({"added": Added()} if plain else {}))


def _reflagged(spec: Spec, rows: Iterable[tuple[str, int, AddedFlag]]) -> Spec:
    return spec.replace(added=Added.of((text, id, int(flags)) for text, id, flags in rows))
