"""SentencePiece ``.model`` files: bytes to (Spec, Origin) and back.

The file is one protobuf message: the pieces, then how they were trained, how text is normalized, and sentences to test
with. Settings that change ids go into the Spec; everything else is kept in the Origin, so that a file that was read and
not changed is written byte for byte as it was. Which release's arithmetic to follow is not in the file: it is ``dialect``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..._core.checks import raise_native
from ..._native import NativeError, scan_wire_records
from ...errors import FormatError, InputError, SpecError
from ...metadata import Metadata
from ...spec import Kind, Pieces, Spec
from ..settings import lost_fields
from ..wire import protobuf
from ..wire.records import STYLES, Style, join_records, odd_records, style_of
from .fields import (
    MESSAGES,
    NORMALIZER,
    TRAINER,
    VOCAB_SIZE,
    Message,
    changed,
    merged,
    names_unknown,
    spec_values,
    with_numbers,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DIALECTS", "OPTIONS", "PLACES", "Origin", "looks_like", "read", "rules_of", "write"]

CARRIED = frozenset(
    {
        "segmenter",
        "arithmetic",
        "user_defined_score",
        "reserved",
        "byte_fallback",
        "charsmap",
        "denormalizer",
        "add_dummy_prefix",
    }
    | {"remove_extra_whitespaces", "escape_whitespaces", "whitespace_as_suffix", "unk_surface", "samples"}
    | {"bos_id", "eos_id", "pad_id"}
)
"""The fields of a Spec that a file says, or that its dialect does."""

OPTIONS = ("dialect",)
"""What ``read`` can be told."""
PLACES = {
    "": "pieces",
    "spec-charsmap": "normalizer_spec.precompiled_charsmap",
    "spec-special-id": "trainer_spec",
    "spec-config": "",
}
"""Where a file says what a Spec may be refused for, by the code of the error; the first is where it says the rest."""

_NEWEST = {"arithmetic": "f32-rebased", "user_defined_score": "length-bonus", "reserved": "unknown"}
DIALECTS: dict[str, dict[str, Any]] = {
    "sentencepiece": _NEWEST,
    "sentencepiece-0.2.3": _NEWEST,
    "sentencepiece-0.2.2": _NEWEST | {"reserved": "matched"},
    "sentencepiece-0.2.1": {"arithmetic": "f64-compared", "user_defined_score": "near-best", "reserved": "matched"},
}
"""What each release adds to a file. ``sentencepiece`` is the newest; 0.2.1 also stands for 0.1.99 and 0.2.0."""


def rules_of(dialect: str, segmenter: str) -> dict[str, Any]:
    """The fields of a Spec that a release sets: what becomes of reserved pieces matters only where symbols are looked up.

    >>> rules_of("sentencepiece-0.2.2", "unigram") == rules_of("sentencepiece", "unigram")
    True
    """
    rules = DIALECTS[dialect]
    return rules | {"reserved": "unknown"} if segmenter == "unigram" else rules


_PIECE = 1
_EXTENSIONS = 200
_SUBFIELDS = {1: protobuf.LENGTH, 2: protobuf.FIXED32, 3: protobuf.VARINT}


@dataclass(frozen=True)
class Origin:
    """What a ``.model`` file holds beyond its Spec. Small: the pieces are not kept a second time."""

    style: Style = STYLES[0]
    pieces: int = 0
    """How many pieces the file had."""
    odd: tuple[tuple[int, bytes], ...] = ()
    """Records that the style does not reproduce: (piece index, raw field), unknown subfields and odd lengths included."""
    rest: tuple[tuple[int, bytes, int], ...] = ()
    """Every other top-level field: (number, raw bytes with its tag, number of pieces before it)."""
    names_unknown: bool = True
    """Whether the file names its unknown piece rightly. If not, that is left alone."""
    metadata: Metadata = field(default_factory=Metadata)
    """The chat templates of its folder."""


def looks_like(data: bytes) -> bool:
    """Whether ``data`` begins as a ``.model`` file does. A damaged or cut file still looks like one.

    >>> looks_like(bytes.fromhex("0a0e0a053c756e6b3e15000000001802")), looks_like(b"{}")
    (True, False)
    """
    try:
        for field in protobuf.fields(data):
            if field.wire != protobuf.LENGTH or max(MESSAGES) < field.number < _EXTENSIONS:
                return False
            if field.number == _PIECE:
                return _is_piece(cast("bytes", field.value))
    except FormatError as error:
        return error.code == "file-truncated" and _starts_message(data)
    return False


def _is_piece(record: bytes) -> bool:
    known = (f.number >= _EXTENSIONS or _SUBFIELDS.get(f.number) == f.wire for f in protobuf.fields(record))
    return record[:1] == b"\x0a" and all(known)


def _starts_message(data: bytes) -> bool:
    """Whether the first field, perhaps cut short, is of a known number and begins with a field of its own."""
    position = next((at for at in range(1, len(data)) if data[at] < 0x80), len(data)) + 1
    inner = data[position : position + 1]
    if data[:1] == b"\x0a":
        return inner == b"\x0a"
    wires = (protobuf.VARINT, protobuf.LENGTH, protobuf.FIXED32)
    return data[:1] in (b"\x12", b"\x1a") and inner != b"" and 8 <= inner[0] < 0x80 and inner[0] & 7 in wires


def read(data: bytes, *, dialect: str = "sentencepiece") -> tuple[Spec, Origin]:
    """The Spec of a ``.model`` file, and what must be kept to write the same file again.

    ``dialect`` is one of ``DIALECTS``. Raises ``FormatError`` for damaged data and ``SpecError`` for what cannot be
    reproduced. Whether the vocabulary makes sense is checked when the Spec is compiled.
    """
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        known = ", ".join(DIALECTS)
        message = f"no SentencePiece dialect is called {dialect!r}; known are {known}"
        raise InputError("argument-value", message, argument="dialect", value=dialect, known=list(DIALECTS))
    pieces, rest = _columns(data)
    _refuse_cut(len(pieces), rest)
    origin = _origin(data, pieces, rest)
    if origin.odd:
        pieces = _with_known_kinds(pieces, origin.odd)
    messages = {number: _message(data, rest, number) for number in MESSAGES}
    origin = replace(origin, names_unknown=names_unknown(messages[TRAINER], pieces))
    values = spec_values(messages, pieces)
    return Spec(pieces, **values, **rules_of(dialect, values["segmenter"])), origin


_Rest = list[tuple[int, int, int, int]]


def _columns(data: bytes) -> tuple[Pieces, _Rest]:
    """The pieces, and every other top-level field as (number, start, end, pieces before it)."""
    try:
        blob, offsets, floats, ints, _, rest = scan_wire_records(data, _PIECE)
    except NativeError as error:
        raise_native(error)
    places = np.frombuffer(offsets, np.uint32)
    _refuse_empty(places)
    numbers = np.frombuffer(ints, np.uint32)
    known = (numbers >= Kind.NORMAL) & (numbers <= Kind.BYTE)
    kinds = np.where(known, numbers, Kind.NORMAL).astype(np.uint8)
    return Pieces(blob, places, np.frombuffer(floats, np.float32), kinds), rest


def _refuse_cut(pieces: int, rest: _Rest) -> None:
    """Refuse a file that ends with its pieces, as one that was cut between two of them does: the settings come behind."""
    if pieces and not any(number in (TRAINER, NORMALIZER) for number, *_ in rest):
        message = (
            f"the file ends after {pieces} pieces, without the settings of training and normalization that every "
            "SentencePiece file has: it is incomplete; copy or download it again"
        )
        raise FormatError("file-truncated", message, pieces=pieces)


def _refuse_empty(offsets: NDArray[np.uint32]) -> None:
    """Refuse an empty piece, as compiling will: two bytes of a hostile file would take a hundred of columns until then."""
    empty = offsets[1:] == offsets[:-1]
    if empty.any():
        index = int(empty.argmax())
        raise SpecError("spec-piece-empty", f"piece {index} is empty; remove it or give it a text", id=index, piece="")


def _with_known_kinds(pieces: Pieces, odd: tuple[tuple[int, bytes], ...]) -> Pieces:
    """The kinds of odd records as protobuf reads them, which the scan does not know: see ``_kind_of``."""
    kinds = pieces.kinds.copy()
    for index, raw in odd:
        kinds[index] = _kind_of(_payload(raw))
    return replace(pieces, kinds=kinds)


def _payload(raw: bytes) -> bytes:
    return cast("bytes", next(protobuf.fields(raw)).value)


def _kind_of(payload: bytes) -> int:
    """The last value of a record's kind that is one: protobuf sets an enum value that it does not know aside."""
    values = (f.value & 0xFFFFFFFF for f in protobuf.fields(payload) if f.number == 3 and isinstance(f.value, int))
    known = [value for value in values if Kind.NORMAL <= value <= Kind.BYTE]
    return known[-1] if known else Kind.NORMAL


def _message(data: bytes, rest: _Rest, number: int) -> Message:
    return merged([(data[start:end], start) for found, start, end, _ in rest if found == number])


def _origin(data: bytes, pieces: Pieces, rest: _Rest) -> Origin:
    records = _without(data, rest)
    kept = tuple((number, data[start:end], before) for number, start, end, before in rest)
    style = style_of(_PIECE, pieces, records)
    odd = () if style else tuple(odd_records(_PIECE, pieces, records))
    return Origin(style or STYLES[0], len(pieces), odd, kept)


def _without(data: bytes, rest: _Rest) -> bytes:
    """``data`` with the fields of ``rest`` cut out: the records alone."""
    starts = [0, *(end for _, _, end, _ in rest)]
    ends = [*(start for _, start, _, _ in rest), len(data)]
    return b"".join(data[start:end] for start, end in zip(starts, ends, strict=True))


def write(spec: Spec, origin: Origin | None = None) -> bytes:
    """A ``.model`` file of ``spec``. With the ``origin`` of the file it came from, what did not change stays as it was.

    Where the two disagree the Spec wins. The dialect is not written: the file has no place for it. Raises ``FormatError``
    (``format-unwritable``) when bos, eos or pad is not a control piece, or for a field that the file has no place for.
    """
    lost = lost_fields(spec, CARRIED)
    rules = [rules_of(dialect, spec.segmenter) for dialect in DIALECTS]
    if not any(all(getattr(spec, name) == value for name, value in one.items()) for one in rules):
        lost += ["arithmetic", "user_defined_score", "reserved"]
    nameless = spec.unk_id < 0 and len(spec.pieces) > 0
    if lost or nameless or spec.segmenter not in ("unigram", "bpe", "char", "word"):
        other = "a vocabulary without an unknown piece" if nameless else f"the segmenter {spec.segmenter}"
        what = ", ".join(lost) or other
        message = f"a .model file has no place for {what}; write .anypiece instead"
        raise FormatError("format-unwritable", message, format="sentencepiece", fields=lost)
    rows = _messages(spec, origin or Origin(pieces=len(spec.pieces)), made_by_hand=origin is None)
    records, ends = _all_records(spec.pieces, origin or Origin())
    out, done = [], 0
    for raw, before in rows:
        count = min(before, len(spec.pieces))
        end = int(ends[count - 1]) if count else 0
        out += [records[done:end], raw]
        done = max(done, end)
    return b"".join([*out, records[done:]])


def _messages(spec: Spec, origin: Origin, *, made_by_hand: bool) -> list[tuple[bytes, int]]:
    """Every top-level field but the pieces, as it will stand in the file, with the number of pieces before it."""
    rows = list(origin.rest)
    for number in MESSAGES:
        old = merged([(raw, 0) for found, raw, _ in rows if found == number]).payload
        new = changed(number, old, spec, name_unknown=origin.names_unknown)
        if number == TRAINER and made_by_hand:
            new = with_numbers(new, spec)
        elif number == TRAINER and origin.pieces != len(spec.pieces):
            new = protobuf.replace_field(new, VOCAB_SIZE, protobuf.varint_field(VOCAB_SIZE, len(spec.pieces)))
        if new != old:
            rows = _put(rows, number, protobuf.bytes_field(number, new) if new else b"", len(spec.pieces))
    return [(raw, before) for _, raw, before in rows]


def _put(rows: list[tuple[int, bytes, int]], number: int, raw: bytes, pieces: int) -> list[tuple[int, bytes, int]]:
    """``rows`` with all fields ``number`` replaced by one, where the first stood, or at the end."""
    first = next((index for index, row in enumerate(rows) if row[0] == number), None)
    if first is None:
        return [*rows, (number, raw, pieces)]
    kept = [row for index, row in enumerate(rows) if row[0] != number or index == first]
    return [(n, raw, before) if n == number else (n, old, before) for n, old, before in kept]


def _all_records(pieces: Pieces, origin: Origin) -> tuple[bytes, NDArray[np.int64]]:
    """All records and where each ends; odd ones as they were, if they still say what the Spec says."""
    records, ends = join_records(_PIECE, pieces, origin.style)
    sizes = ends - np.concatenate([[0], ends])[:-1]
    out, done = [], 0
    for index, raw in origin.odd:
        record = _odd_record(pieces, index, raw) if index < len(pieces) else None
        if record is not None:
            out += [records[done : int(ends[index]) - int(sizes[index])], record]
            done, sizes[index] = int(ends[index]), len(record)
    return b"".join([*out, records[done:]]), np.cumsum(sizes)


def _odd_record(pieces: Pieces, index: int, raw: bytes) -> bytes | None:
    """The record to write for an odd one: itself, or the new values and its unknown subfields; None for another piece."""
    name = pieces.bytes(index)
    one = Pieces(name, np.array([0, len(name)], np.uint32), pieces.scores[index:][:1], pieces.kinds[index:][:1])
    payload = _payload(raw)
    # Of one record alone; how many unknown fields a file may have goes by its size.
    last = {f.number: f.value for f in protobuf.fields(payload) if _SUBFIELDS.get(f.number) == f.wire}
    if last.get(1, b"") != name:
        return None
    if last.get(2, bytes(4)) == one.scores.astype("<f4").tobytes() and _kind_of(payload) == one.kinds[0]:
        return raw
    strays = [payload[f.start : f.end] for f in protobuf.fields(payload) if _SUBFIELDS.get(f.number) != f.wire]
    plain = next(protobuf.fields(join_records(_PIECE, one, STYLES[0])[0])).value
    return protobuf.bytes_field(_PIECE, cast("bytes", plain) + b"".join(strays))
