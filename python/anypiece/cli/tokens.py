"""How verbs print what a text became: ids, pieces, or tokens with their places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..inspect.terminal import BLANK, spelled, visible
from . import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..results import Token
    from ..tokenizer import Tokenizer
    from .inputs import Group

__all__ = ["pieces_of_tokens", "sources_of", "write_ids", "write_tokens"]

_NONE: dict[str, Any] = {}


def sources_of(group: Group) -> list[dict[str, Any]]:
    """What JSON says of where each text is from; nothing of arguments and standard input."""
    if not group.source:
        return [_NONE] * len(group.texts)
    return [{"file": group.source, "at": int(place)} for place in group.places]


def write_ids(ids: Sequence[int], as_json: bool, source: dict[str, Any] = _NONE) -> None:
    """Ids on a line."""
    if as_json:
        output.write_json({**source, "ids": ids})
    else:
        output.write(" ".join(map(str, ids)) + "\n")


def pieces_of_tokens(tokenizer: Tokenizer, tokens: Sequence[Token]) -> list[str]:
    """The pieces of tokens, where they are bytes with escapes for what is no UTF-8."""
    if tokenizer.spec.symbols == "bytes":
        return [spelled(token.piece_bytes) for token in tokens]
    return [token.piece for token in tokens]


def write_tokens(
    tokenizer: Tokenizer, tokens: Sequence[Token], spans: bool, as_json: bool, source: dict[str, Any] = _NONE
) -> None:
    """Pieces on a line, or with ``spans`` a token on each line, and an empty one behind them."""
    space = BLANK if tokenizer.spec.symbols == "bytes" else " "
    pieces = pieces_of_tokens(tokenizer, tokens)
    if as_json:
        row = {**source, "ids": [token.id for token in tokens], "pieces": pieces}
        output.write_json(row | ({"spans": [[token.start, token.end] for token in tokens]} if spans else {}))
    elif spans:
        rows = zip(tokens, pieces, strict=True)
        lines = [f"{token.id}\t{visible(piece, space)}\t{token.start}\t{token.end}\n" for token, piece in rows]
        output.write("".join(lines) + "\n")
    else:
        output.write(" ".join(visible(piece, space) for piece in pieces) + "\n")
