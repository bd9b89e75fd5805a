"""What ``SentencePieceProcessor.Encode`` and its kin return, for one text and for many.

A ``Shape`` is what a call asks for: the type of the result and what is done to the pieces. Ids take the kernel's fast way;
pieces are looked up by their ids unless one is unknown; everything else is made of rows with places.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._core.calls import span_rows
from ..._core.checks import REFUSALS, raise_native
from ..._native import NativeError
from ...spec import Kind
from .drawing import best_paths, best_rows, drawn_paths, method_of, next_key, rows_of_path
from .errors import RefusedError, WrongTypeError, refusals
from .protos import (
    ImmutableNBestSentencePieceText,
    ImmutableSentencePieceText,
    Row,
    Rows,
    in_characters,
    serialized,
    serialized_all,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .model import Model

__all__ = ["EXTRA", "Shape", "encoded", "encoded_batch", "encoded_best", "encoded_draws", "shown"]

EXTRA = ("bos", "eos", "reverse", "unk", "unk_piece")
"""What ``SetEncodeExtraOptions`` knows."""
_PROTOS = ("serialized_proto", "immutable_proto", "proto", "offset_mapping")


class Shape(NamedTuple):
    """What a call returns: its type, what is put around the pieces or done to them, and how it is drawn."""

    kind: Any = int
    add_bos: bool = False
    add_eos: bool = False
    reverse: bool = False
    unk_piece: bool = False
    draws: bool = False
    nbest_size: int = -1
    alpha: float = 0.1
    extra: tuple[str, ...] = ()
    """Options of the processor, which are applied first and in their order."""
    as_bytes: bool = False
    """Whether pieces of an offset mapping are bytes, and places count bytes."""

    @property
    def is_plain(self) -> bool:
        """Whether ids are just what the kernel gives."""
        return not (self.add_bos or self.add_eos or self.reverse or self.draws or self.extra)

    def refuse_marks(self) -> None:
        """Protos have neither bos nor eos and are not turned around, as in sentencepiece."""
        if self.add_bos or self.add_eos or self.reverse or self.unk_piece:
            raise NotImplementedError("add_bos, add_eos, reverse and emit_unk_piece are not supported for protos")


def checked(text: object) -> str | bytes:
    """A text, or the error that sentencepiece has for what is none."""
    if not isinstance(text, (str, bytes)):
        raise WrongTypeError(f"the text must be str or bytes, not {type(text).__name__}")
    return text


def raw_of(text: str | bytes) -> bytes:
    """A text as bytes; a lone surrogate is refused."""
    whole = checked(text)
    try:
        return whole if isinstance(whole, bytes) else whole.encode()
    except UnicodeEncodeError:
        raise WrongTypeError("the text has a lone surrogate") from None


def encoded(model: Model, text: str | bytes, shape: Shape) -> Any:
    """A text in the shape that is asked for."""
    kind = shape.kind
    if kind is int:
        ids = _ids(model, text, shape)
        return ids if shape.is_plain else _marked(model, ids, shape)
    if kind == "numpy" and shape.is_plain:
        try:
            return model.kernel.encode_array(text).view(np.int32)
        except REFUSALS:
            pass  # looked at below
    if kind == "numpy":
        return np.array(_marked(model, _ids(model, text, shape), shape), np.int32)
    if kind is str or kind is bytes:
        return _pieces(model, text, shape)
    shape.refuse_marks()
    return shown(kind, _with_extra(model, _rows(model, raw_of(text), shape), shape), shape)


def encoded_batch(model: Model, texts: Sequence[Any], shape: Shape, threads: int) -> list[Any]:
    """Many texts, by several threads where these help."""
    if shape.kind is not int or not shape.is_plain:
        return [encoded(model, text, shape) for text in texts]
    try:
        ids, offsets = model.kernel.encode_batch(texts, threads)
    except REFUSALS:
        return [encoded(model, text, shape) for text in texts]
    flat = ids.tolist()
    return [flat[start:end] for start, end in pairwise(offsets.tolist())]


def encoded_best(model: Model, text: str | bytes, count: int, shape: Shape) -> Any:
    """The best segmentations of a text."""
    if shape.kind in _PROTOS:
        shape.refuse_marks()
        return _shown_all(shape.kind, [_with_extra(model, rows, shape) for rows in _best(model, text, count, shape)])
    if shape.kind is str or shape.kind is bytes:
        return [_spelled(model, rows, shape) for rows in _best(model, text, count, shape)]
    found = [_ids(model, text, shape)] if count <= 1 else [ids for ids, _ in best_paths(model, _whole(text), count)]
    marked = [_marked(model, ids, shape) for ids in found]
    return [np.array(ids, np.int32) for ids in marked] if shape.kind == "numpy" else marked


def _best(model: Model, text: str | bytes, count: int, shape: Shape) -> list[Rows]:
    raw = raw_of(text)
    if count <= 1 and model.is_unigram:
        return [_rows(model, raw, shape)._replace(score=0.0)]
    return best_rows(model, text, raw, count)


def encoded_draws(
    model: Model, text: str | bytes, count: int, alpha: float, wor: bool, include_best: bool, shape: Shape
) -> Any:
    """Draws from all segmentations, with their scores."""
    raw = raw_of(text)
    lattice, drawn = drawn_paths(model, raw, count, alpha, wor, include_best)
    if shape.kind is int:
        return [(_marked(model, ids, shape), score) for _, ids, score in drawn]
    rows = [rows_of_path(model, lattice, raw, edges, score) for edges, _, score in drawn]
    if shape.kind is str or shape.kind is bytes:
        return [(_spelled(model, row, shape), row.score) for row in rows]
    if shape.kind not in _PROTOS:
        raise RefusedError(f"{shape.kind} is not supported for draws with scores")
    shape.refuse_marks()
    return _shown_all(shape.kind, [_with_extra(model, row, shape) for row in rows])


# -- ids


def _whole(text: str | bytes) -> str | bytes:
    raw_of(text)
    return text


def _ids(model: Model, text: str | bytes, shape: Shape) -> list[int]:
    if shape.draws:
        with refusals():
            return model.tokenizer.sample(_whole(text), **method_of(model, shape.nbest_size, shape.alpha), **next_key())
    try:
        return model.kernel.encode(text)
    except (TypeError, UnicodeEncodeError):
        raw_of(text)
        raise
    except NativeError as error:
        with refusals():
            raise_native(error)


def _marked(model: Model, ids: list[int], shape: Shape) -> list[int]:
    for option in shape.extra:
        if option == "reverse":
            ids = ids[::-1]
        elif option == "bos":
            ids = [model.mark("bos"), *ids]
        elif option == "eos":
            ids = [*ids, model.mark("eos")]
    ids = ids[::-1] if shape.reverse else ids
    before = [model.mark("bos")] if shape.add_bos else []
    return before + ids + ([model.mark("eos")] if shape.add_eos else [])


# -- pieces


def _pieces(model: Model, text: str | bytes, shape: Shape) -> list[Any]:
    if not shape.draws:
        ids = _ids(model, text, shape)
        if model.unk_id not in ids:
            table: Sequence[Any] = model.pieces if shape.kind is str else model.raw_pieces
            marked = ids if shape.is_plain else _marked(model, ids, shape)
            return [table[id] for id in marked]
    return _spelled(model, _rows(model, raw_of(text), shape), shape)


def _spelled(model: Model, rows: Rows, shape: Shape) -> list[Any]:
    """The spellings of rows, with what is asked for around them."""
    found = [row.piece for row in _with_extra(model, rows, shape).rows]
    if shape.unk_piece:
        unknown = model.raw_pieces[model.unk_id]
        pairs = zip(found, _with_extra(model, rows, shape).rows, strict=True)
        found = [unknown if row.id == model.unk_id else piece for piece, row in pairs]
    found = found[::-1] if shape.reverse else found
    before = [model.raw_pieces[model.mark("bos")]] if shape.add_bos else []
    whole = before + found + ([model.raw_pieces[model.mark("eos")]] if shape.add_eos else [])
    return whole if shape.kind is bytes else [piece.decode("utf-8", "replace") for piece in whole]


# -- rows


def _rows(model: Model, raw: bytes, shape: Shape) -> Rows:
    """A text with its pieces and their places."""
    with refusals():
        if shape.draws:
            settings = method_of(model, shape.nbest_size, shape.alpha)
            found: Sequence[Any] = model.tokenizer.sample_spans(raw, unit="byte", **settings, **next_key())
            lost: Sequence[tuple[int, bytes]] = [(place, token.piece_bytes) for place, token in enumerate(found)]
        else:
            found, lost = span_rows(model.kernel, raw, False)
    kinds, byte = model.kinds, Kind.BYTE
    rows = [Row(piece.encode(), id, raw[start:end], start, end) for id, piece, start, end in found]
    if model.tokenizer.spec.byte_fallback:
        left = 0
        for place, row in enumerate(rows):
            if kinds[row.id] == byte:
                left = (left or _width(int(row.piece[3:5], 16))) - 1
                rows[place] = row._replace(surface=None) if left else row
    for place, piece in lost:
        rows[place] = rows[place]._replace(piece=piece)
    return Rows(raw, rows)


def _width(first: int) -> int:
    """How many bytes a character has that begins with this one."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _with_extra(model: Model, rows: Rows, shape: Shape) -> Rows:
    """Rows after the processor's extra options."""
    found = list(rows.rows)
    for option in shape.extra:
        if option == "reverse":
            found.reverse()
        elif option == "bos":
            id = model.mark("bos")
            found.insert(0, Row(model.raw_pieces[id], id, None, 0, 0))
        elif option == "eos":
            id, end = model.mark("eos"), len(rows.text)
            found.append(Row(model.raw_pieces[id], id, None, end, end))
        else:
            unknown = model.raw_pieces[model.unk_id]
            found = [row._replace(piece=unknown) if row.id == model.unk_id else row for row in found]
    return rows._replace(rows=found)


def shown(kind: Any, rows: Rows, shape: Shape, *, with_text: bool = False) -> Any:
    """Rows in the type that is asked for."""
    if kind == "serialized_proto":
        return serialized(rows)
    if kind == "proto":
        return ImmutableSentencePieceText(rows)
    if kind == "immutable_proto":
        return ImmutableSentencePieceText(in_characters(rows))
    placed = rows if shape.as_bytes else in_characters(rows)
    spelled: Callable[[bytes], Any] = bytes if shape.as_bytes else _text
    mapping = {"text": spelled(rows.text)} if with_text else {}
    return mapping | {
        "ids": [row.id for row in placed.rows],
        "pieces": [spelled(row.piece) for row in placed.rows],
        "offsets": [(row.begin, row.end) for row in placed.rows],
    }


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _shown_all(kind: Any, texts: list[Rows]) -> Any:
    if kind == "serialized_proto":
        return serialized_all(texts)
    if kind == "offset_mapping":
        raise RefusedError("unknown return_type=offset_mapping")
    return ImmutableNBestSentencePieceText(list(map(in_characters, texts)) if kind == "immutable_proto" else texts)
