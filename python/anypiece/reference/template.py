"""Template: what is done to the tokens of a text as a whole, in this order: reverse, bos, eos, name the unknowns.

The marks at the edges have no width: bos stands at the beginning of the text, eos at its end. Reversing comes first, so
that it never moves them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InputError
from .tokens import Token

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["apply"]


def apply(
    spec: Spec,
    tokens: list[Token],
    length: int,
    *,
    reverse: bool = False,
    bos: bool = False,
    eos: bool = False,
    unk: bool = False,
) -> list[Token]:
    """``tokens`` of a text of ``length``, with the options applied."""
    out = tokens[::-1] if reverse else list(tokens)
    if bos:
        out.insert(0, _mark(spec, spec.bos_id, "bos", 0))
    if eos:
        out.append(_mark(spec, spec.eos_id, "eos", length))
    if unk:
        name = spec.pieces.piece(spec.unk_id)
        out = [token._replace(piece=name) if token.id == spec.unk_id else token for token in out]
    return out


def _mark(spec: Spec, piece: int | None, name: str, place: int) -> Token:
    if piece is None:
        raise InputError("special-missing", f"this vocabulary has no {name} piece; do not ask for it", special=name)
    return Token(piece, spec.pieces.piece(piece), place, place)
