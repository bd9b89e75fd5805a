"""How a native call is made: try it first, and only when it is refused find out why.

So the ordinary call pays for no checks in Python. A refused call is looked at by ``_checks``: the argument is repaired (a
lone surrogate), refused with a clear error, or the kernel's own error is translated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from .. import _native
from ..errors import InputError
from .checks import (
    BAD_BYTE,
    REFUSALS,
    char_ends,
    char_positions,
    checked_id,
    checked_ids,
    checked_text,
    checked_texts,
    raise_native,
    without_surrogates,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..spec import Spec
    from .columns import Texts

__all__ = [
    "SPACES",
    "Bound",
    "Permit",
    "Skipped",
    "call",
    "call_batch",
    "call_ids",
    "counts_characters",
    "normalized_offsets",
    "plain_ids",
    "span_rows",
    "text_length",
    "trimmed",
    "truncated_length",
]

Result = TypeVar("Result")
Unit = Literal["char", "byte"]
Permit = bool | list[int] | tuple[tuple[int, int], ...] | None
"""``None`` for no special token, ``True`` for all, the ids of some, or the ranges of bytes in which all may be found."""
Row = tuple[int, str, int, int]


def call(method: Callable[..., Result], text: str | bytes, *arguments: Any) -> Result:
    """``method(text, ...)``, with lone surrogates repaired and errors translated."""
    try:
        return method(text, *arguments)
    except REFUSALS as error:
        refused = error
    checked = checked_text(text, stand_in=_stand_in(method))
    if checked is text:
        raise_native(refused)
    return call(method, checked, *arguments)


def _stand_in(method: Callable[..., object]) -> bytes:
    """What stands for a lone surrogate, by the tokenizer or stream whose method this is."""
    owner: _native.Tokenizer | _native.StreamEncoder = method.__self__  # type: ignore[attr-defined]
    return owner.lone_surrogate


class Bound:
    """A native function of a kernel and a text as one of the text alone, as calls are made."""

    __slots__ = ("__self__", "_function")

    def __init__(self, function: Callable[..., Any], kernel: _native.Tokenizer) -> None:
        self._function = function
        self.__self__ = kernel

    def __call__(self, *arguments: Any) -> Any:
        return self._function(self.__self__, *arguments)


def call_batch(method: Callable[..., Result], texts: Texts, *arguments: Any) -> Result:
    """``method(texts, ...)``, with lone surrogates repaired and errors translated."""
    try:
        return method(texts, *arguments)
    except REFUSALS as error:
        refused = error
    if isinstance(texts, _native.TextColumn):
        raise_native(refused)
    checked = checked_texts(texts, _stand_in(method))
    if all(new is old for new, old in zip(checked, texts, strict=True)):
        raise_native(refused)
    return call_batch(method, checked, *arguments)


def call_ids(
    method: Callable[..., Result], ids: list[int] | NDArray[np.uint32], vocab_size: int, *arguments: Any
) -> Result:
    """``method(ids, ...)``; when it is refused, the error names the id."""
    try:
        return method(ids, *arguments)
    except REFUSALS as error:
        refused = error
    for item in ids:
        checked_id(item, vocab_size)
    raise_native(refused)


class Skipped(NamedTuple):
    """The ids that ``skip_special`` leaves out, as a mark for each id and as a set."""

    marks: NDArray[np.bool_]
    ids: frozenset[int]


def plain_ids(ids: object, vocab_size: int, skipped: Skipped | None) -> list[int] | NDArray[np.uint32]:
    """Checked ids without those that are ``skipped``."""
    checked = checked_ids(ids, vocab_size)
    if skipped is None:
        return checked
    if isinstance(checked, np.ndarray):
        return checked[~skipped.marks[checked]]
    # Most lists have none of them.
    return checked if skipped.ids.isdisjoint(checked) else [id for id in checked if id not in skipped.ids]


def counts_characters(text: str | bytes, unit: Unit | None) -> bool:
    """Whether places in ``text`` count characters; bytes otherwise."""
    if unit is None:
        return not isinstance(text, bytes)
    if unit not in ("char", "byte"):
        raise InputError(
            "argument-value", f'unit must be "char" or "byte", not {unit!r}.', argument="unit", value=repr(unit)
        )
    return unit == "char"


def text_length(native: _native.Tokenizer, text: str | bytes, chars: bool) -> int:
    """The length of ``text`` in characters or bytes; a byte that is no UTF-8 counts as one character."""
    if isinstance(text, str):
        return len(text) if chars else len(without_surrogates(text, native.lone_surrogate))
    return len(text.decode("utf-8", "surrogateescape")) if chars else len(text)


def span_rows(
    native: _native.Tokenizer, text: str | bytes, chars: bool, permit: Permit = None
) -> tuple[list[Row], list[tuple[int, bytes]]]:
    """``(id, piece, start, end)`` of each token, in the places of ``text`` as given even if it holds lone surrogates.

    With them come, by the numbers of the rows, the bytes of pieces that are not UTF-8.
    """
    try:
        return native.encode_spans(text, chars, permit)
    except REFUSALS as error:
        raw = _repaired(native, text, error)
    rows, lost = call(native.encode_spans, raw, False, permit)
    if not chars:
        return rows, lost
    places = char_positions(raw).tolist()
    ends = places if native.lone_surrogate == BAD_BYTE else char_ends(raw).tolist()
    return [(piece_id, piece, places[start], ends[end]) for piece_id, piece, start, end in rows], lost


_WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
SPACES = _WHITE + "\u0120"
"""White space of Unicode, and the character that stands for a space in byte-level vocabularies."""


def trimmed(spec: Spec, rows: Sequence[Row], chars: bool) -> Sequence[Row]:
    """Rows of tokens whose spans have lost the spaces that the tokens begin and end with, where the Spec asks for it.

    Then the rows of added tokens come with the text that was found, which has the white space that they took.
    """
    if spec.trim_spans == "none":
        return rows
    added = set(spec.added.ids.tolist())
    out = []
    for place, (id, piece, start, end) in enumerate(rows):
        text = piece
        if id in added or id == spec.unk_id:
            text, piece = _seen(spec, id, piece, id in added)
        # Where pieces are bytes, other white space than the space is spelled otherwise.
        spaces = " " if spec.symbols == "bytes" and id not in added else SPACES
        before, behind = text[: len(text) - len(text.lstrip(spaces))], text[len(text.rstrip(spaces)) :]
        if len(before) == 1 and (place == 0 or start == 0) and spec.trim_spans == "inner":
            before = ""
        left, right = (len(part if chars else part.encode()) for part in (before, behind))
        start = min(start + left, end)
        out.append((id, piece, start, max(end - right, start) if end >= right else end))
    return out


def _seen(spec: Spec, id: int, text: str, is_added: bool) -> tuple[str, str]:
    """The text in which spaces are looked for, and what the token is called.

    Something unknown is called by its text, but seen as the unknown piece where that is what the segmenter finds.
    """
    name = spec.pieces.piece(id)
    forms = [step["pieces"].get(name) for step in spec.decoder or () if step["type"] == "respell"]
    if is_added and (id != spec.unk_id or text.strip(_WHITE) in (name, *forms)):
        return text, name
    return (text if spec.segmenter == "unigram" else name), text


def normalized_offsets(native: _native.Tokenizer, text: str | bytes, chars: bool) -> tuple[str, NDArray[np.int64]]:
    """The normalized text and where each of its characters came from, in the places of ``text`` as given."""
    try:
        return native.normalize_offsets(text, chars)
    except REFUSALS as error:
        raw = _repaired(native, text, error)
    normalized, offsets = call(native.normalize_offsets, raw, False)
    return normalized, (char_positions(raw)[offsets] if chars else offsets)


def truncated_length(native: _native.Tokenizer, text: str | bytes, n: int) -> int:
    """The length of the longest prefix of at most ``n`` tokens, in characters of a ``str`` or in bytes."""
    try:
        return native.truncate(text, n)
    except REFUSALS as error:
        raw = _repaired(native, text, error)
    return int(char_positions(raw[: call(native.truncate, raw, n)])[-1])


def _repaired(native: _native.Tokenizer, text: str | bytes, refused: BaseException) -> bytes:
    """Bytes for a ``str`` with lone surrogates, which was refused; if that was not the reason, an error."""
    checked = checked_text(text, stand_in=native.lone_surrogate)
    if isinstance(checked, str) or checked is text:
        raise_native(refused)
    return checked
