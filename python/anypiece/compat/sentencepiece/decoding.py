"""From ids or pieces to a text, and to the part of the text that each stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...spec import SPACE_MARK, Kind
from .protos import Row, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Model

__all__ = ["decoded_rows"]

_MARK = SPACE_MARK.encode()
_REPLACEMENT = "\ufffd".encode()


def decoded_rows(model: Model, pieces: Sequence[bytes], ids: Sequence[int]) -> Rows:
    """The text of pieces that may be none of the vocabulary: such a piece, of the unknown id, is text as it stands."""
    surfaces: list[bytes | None] = []
    pending: list[int] = []
    at_start, is_empty = True, True
    spec = model.tokenizer.spec
    strips = spec.add_dummy_prefix or spec.remove_extra_whitespaces
    for piece, id in zip(pieces, ids, strict=True):
        kind = model.kinds[id]
        if kind == Kind.BYTE:
            pending.append(int(piece[3:5], 16))
            continue
        bytes_shown = _byte_surfaces(bytes(pending))
        surfaces += bytes_shown
        is_empty = is_empty and not any(bytes_shown)
        pending.clear()
        at_start = at_start and is_empty
        shown, took_mark = _shown(model, piece, id, kind, at_start and strips)
        surfaces.append(shown)
        is_empty = is_empty and not shown
        if took_mark and not spec.remove_extra_whitespaces:
            at_start = False
    surfaces += _byte_surfaces(bytes(pending))
    rows, place = [], 0
    for piece, id, surface in zip(pieces, ids, surfaces, strict=True):
        end = place + len(surface or b"")
        rows.append(Row(piece, id, surface, place, end))
        place = end
    return Rows(_denormalized(model, b"".join(row.surface or b"" for row in rows), ids, pieces), rows)


def _shown(model: Model, piece: bytes, id: int, kind: int, strips: bool) -> tuple[bytes, bool]:
    """What a piece prints, and whether it lost the mark of a space in front."""
    if kind == Kind.CONTROL:
        return b"", False
    if kind == Kind.UNKNOWN:
        return (model.tokenizer.spec.unk_surface.encode() if piece == model.pieces[id].encode() else piece), False
    has_mark = strips and piece.startswith(_MARK)
    return (piece[len(_MARK) :] if has_mark else piece).replace(_MARK, b" "), has_mark


def _byte_surfaces(raw: bytes) -> list[bytes | None]:
    """What the pieces of single bytes print: the last of a character has all of it, one that is of none has U+FFFD."""
    found: list[bytes | None] = []
    while len(found) < len(raw):
        start = len(found)
        size = next((size for size in range(1, 5) if _is_character(raw[start : start + size])), 0)
        if size:
            found += [b""] * (size - 1) + [raw[start : start + size]]
        else:
            found.append(_REPLACEMENT)
    return found


def _is_character(raw: bytes) -> bool:
    try:
        return len(raw.decode()) == 1
    except UnicodeDecodeError:
        return False


def _denormalized(model: Model, text: bytes, ids: Sequence[int], pieces: Sequence[bytes]) -> bytes:
    if not model.tokenizer.spec.denormalizer:
        return text
    if any(piece != model.pieces[id].encode() for piece, id in zip(pieces, ids, strict=True)):
        raise NotImplementedError("a denormalizer, for pieces that the vocabulary does not have, is not supported")
    return model.tokenizer.decode(ids).encode()
