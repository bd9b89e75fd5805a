"""What the fields of a SentencePiece file mean for a Spec, both ways: values out of messages, and changed values into them.

One table of settings and one of named specials; reading and writing walk the same tables, so they cannot drift apart.
Where the messages stand in the file, and how pieces are written, is the business of ``sentencepiece``.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ...errors import FormatError, SpecError
from ...spec import Kind, Sample
from ..wire import protobuf

if TYPE_CHECKING:
    from ...spec import Pieces, Spec

__all__ = [
    "MESSAGES",
    "NORMALIZER",
    "TRAINER",
    "VOCAB_SIZE",
    "Message",
    "changed",
    "merged",
    "names_unknown",
    "spec_values",
    "with_numbers",
]

TRAINER, NORMALIZER, _SAMPLES, _DENORMALIZER = 2, 3, 4, 5
MESSAGES = (TRAINER, NORMALIZER, _SAMPLES, _DENORMALIZER)
"""The top-level fields that are messages of settings."""

VOCAB_SIZE = 4
_CHARSMAP = 2
_SEGMENTERS = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}


class _Setting(NamedTuple):
    """A Spec attribute that is one field of a message, with the value it has when the field is absent."""

    attribute: str
    message: int
    number: int
    wire: int
    default: int | bytes


_SETTINGS = (
    _Setting("segmenter", TRAINER, 3, protobuf.VARINT, 1),
    _Setting("whitespace_as_suffix", TRAINER, 24, protobuf.VARINT, 0),
    _Setting("byte_fallback", TRAINER, 35, protobuf.VARINT, 0),
    _Setting("unk_surface", TRAINER, 44, protobuf.LENGTH, " \u2047 ".encode()),
    _Setting("charsmap", NORMALIZER, _CHARSMAP, protobuf.LENGTH, b""),
    _Setting("add_dummy_prefix", NORMALIZER, 3, protobuf.VARINT, 1),
    _Setting("remove_extra_whitespaces", NORMALIZER, 4, protobuf.VARINT, 1),
    _Setting("escape_whitespaces", NORMALIZER, 5, protobuf.VARINT, 1),
    _Setting("denormalizer", _DENORMALIZER, _CHARSMAP, protobuf.LENGTH, b""),
)


class _Named(NamedTuple):
    """A special that a file names by its piece; the number stored beside the name is not what counts."""

    attribute: str
    piece_number: int
    id_number: int
    default: bytes
    kind: Kind


_NAMED = (
    _Named("unk_id", 45, 40, b"<unk>", Kind.UNKNOWN),
    _Named("bos_id", 46, 41, b"<s>", Kind.CONTROL),
    _Named("eos_id", 47, 42, b"</s>", Kind.CONTROL),
    _Named("pad_id", 48, 43, b"<pad>", Kind.CONTROL),
)


_WANTED = {setting.number for setting in _SETTINGS} | {named.piece_number for named in _NAMED}
_MAX_SAMPLES = 10_000


class Message:
    """One message and the values in it that matter here. ``at`` is where it begins in the file, for error messages."""

    def __init__(self, payload: bytes, at: int = 0) -> None:
        self.payload = payload
        fields = protobuf.fields(payload, at)
        self._last = {(field.number, field.wire): field.value for field in fields if field.number in _WANTED}

    def last(self, number: int, wire_type: int) -> int | bytes | None:
        """The value of the last field ``number``; one of another wire type does not count, as in protobuf."""
        return self._last.get((number, wire_type))


def merged(raw_fields: list[tuple[bytes, int]]) -> Message:
    """One message from all the times it occurs, given as (raw field, start): protobuf merges by joining the payloads."""
    payloads, at = [], 0
    for raw, start in raw_fields:
        field = next(protobuf.fields(raw, start))
        if isinstance(field.value, bytes) and field.wire == protobuf.LENGTH:
            at = at or start + len(raw) - len(field.value)
            payloads.append(field.value)
    return Message(b"".join(payloads), at)


def spec_values(messages: dict[int, Message], pieces: Pieces) -> dict[str, Any]:
    """Every attribute of a Spec that these messages decide."""
    _refuse_denormalizer_flags(messages[_DENORMALIZER])
    values = {s.attribute: _setting(messages[s.message], s) for s in _SETTINGS}
    for named in _NAMED:
        if named.kind == Kind.CONTROL:
            values[named.attribute] = _named_id(messages[TRAINER], named, pieces)
    values["samples"] = _samples(messages[_SAMPLES])
    return values


def _setting(message: Message, setting: _Setting) -> Any:
    if setting.attribute == "segmenter":
        return _segmenter(message)
    value = message.last(setting.number, setting.wire)
    value = setting.default if value is None else value
    if setting.attribute == "unk_surface":
        return _text(cast("bytes", value), "unk_surface")
    return value if isinstance(value, bytes) else value != 0


def _segmenter(message: Message) -> str:
    """The last known value: an enum value that protobuf does not know is set aside, not stored."""
    name = "unigram"
    for field in protobuf.fields(message.payload):
        if field.number == 3 and isinstance(field.value, int):
            name = _SEGMENTERS.get(field.value & 0xFFFFFFFF, name)
    return name


def _text(value: bytes, what: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        message = f"{what} is not UTF-8 (byte {error.start} of it); the file is damaged: copy or download it again"
        raise FormatError("file-corrupt", message, field=what) from None


def _named_id(trainer: Message, named: _Named, pieces: Pieces) -> int | None:
    """The id of a special by its name, if the piece of that name has the right kind. An empty name is the default one."""
    name = trainer.last(named.piece_number, protobuf.LENGTH) or named.default
    return _find(pieces, cast("bytes", name), named.kind)


def _find(pieces: Pieces, name: bytes, kind: Kind) -> int | None:
    lengths = pieces.offsets[1:] - pieces.offsets[:-1]
    candidates = np.flatnonzero((pieces.kinds == kind) & (lengths == len(name)))
    return next((int(index) for index in candidates if pieces.bytes(int(index)) == name), None)


def _samples(message: Message) -> tuple[Sample, ...]:
    rows = (f.value for f in protobuf.fields(message.payload) if (f.number, f.wire) == (1, protobuf.LENGTH))
    samples = tuple(_sample(cast("bytes", row)) for row in islice(rows, _MAX_SAMPLES + 1))
    if len(samples) > _MAX_SAMPLES:
        text = (
            f"the file has more than {_MAX_SAMPLES} self-test samples, and trainers write at most 1000: it is damaged"
        )
        raise FormatError("file-corrupt", text, field="self_test_data")
    return samples


def _sample(row: bytes) -> Sample:
    values = {field.number: field.value for field in protobuf.fields(row) if field.wire == protobuf.LENGTH}
    text, expected = (_text(cast("bytes", values.get(number, b"")), "a self-test sample") for number in (1, 2))
    return Sample(text, tuple(expected.split(" ")))


def _refuse_denormalizer_flags(message: Message) -> None:
    """Refuse a denormalizer that also adds, trims or escapes spaces. No trainer writes one; a Spec has no place for it."""
    flags = {3: "add_dummy_prefix", 4: "remove_extra_whitespaces", 5: "escape_whitespaces"}
    if not message.last(_CHARSMAP, protobuf.LENGTH):
        return
    for number, name in flags.items():
        if message.last(number, protobuf.VARINT) != 0:
            field = f"denormalizer_spec.{name}"
            text = f"{field} is not false; of a denormalizer only its character map is supported: set it to false"
            raise SpecError("spec-config", text, field=field)


def names_unknown(trainer: Message, pieces: Pieces) -> bool:
    """Whether the name of the unknown piece is that of the piece of this kind. Nothing depends on it when loading."""
    return _named_id(trainer, _NAMED[0], pieces) is not None


def changed(number: int, payload: bytes, spec: Spec, *, name_unknown: bool) -> bytes:
    """The message ``number`` with only those fields replaced that say something other than the Spec."""
    message = Message(payload)
    if number == _SAMPLES:
        return payload if _samples(message) == spec.samples else _with_samples(payload, spec.samples)
    out = payload
    for setting in _SETTINGS:
        if setting.message == number and _setting(message, setting) != getattr(spec, setting.attribute):
            out = protobuf.replace_field(out, setting.number, _setting_field(spec, setting))
    if number == _DENORMALIZER and out != payload:
        for flag in (3, 4, 5):
            out = protobuf.replace_field(out, flag, protobuf.varint_field(flag, 0))
    return _with_named(out, spec, name_unknown) if number == TRAINER else out


def _setting_field(spec: Spec, setting: _Setting) -> bytes:
    value = getattr(spec, setting.attribute)
    if setting.attribute == "segmenter":
        value = next(number for number, name in _SEGMENTERS.items() if name == value)
    if setting.wire == protobuf.VARINT:
        return protobuf.varint_field(setting.number, int(value))
    return protobuf.bytes_field(setting.number, value.encode() if isinstance(value, str) else value)


def _with_samples(payload: bytes, samples: tuple[Sample, ...]) -> bytes:
    rows = (
        protobuf.bytes_field(1, s.text.encode()) + protobuf.bytes_field(2, " ".join(s.pieces).encode()) for s in samples
    )
    return protobuf.replace_field(payload, 1, b"".join(protobuf.bytes_field(1, row) for row in rows))


def _with_named(trainer: bytes, spec: Spec, name_unknown: bool) -> bytes:
    """``trainer`` with names that lead to the ids of the Spec, with the ids."""
    for named in _NAMED if name_unknown and spec.unk_id >= 0 else _NAMED[1:]:
        wanted = getattr(spec, named.attribute)
        if _named_id(Message(trainer), named, spec.pieces) == wanted:
            continue
        name = _free_name(spec.pieces, named) if wanted is None else _checked_name(spec.pieces, named, wanted)
        trainer = protobuf.replace_field(trainer, named.piece_number, protobuf.bytes_field(named.piece_number, name))
        trainer = protobuf.replace_field(
            trainer, named.id_number, protobuf.varint_field(named.id_number, _number(wanted))
        )
    return trainer


def _checked_name(pieces: Pieces, named: _Named, wanted: int) -> bytes:
    if not 0 <= wanted < len(pieces) or pieces.kinds[wanted] != named.kind:
        message = (
            f"{named.attribute} is {wanted}, which is not a piece of kind {named.kind.name}; a .model file can name "
        )
        message += f"no other: change its kind or set {named.attribute} to None"
        raise FormatError("format-unwritable", message, setting=named.attribute, id=wanted)
    return pieces.bytes(wanted)


def _free_name(pieces: Pieces, named: _Named) -> bytes:
    """A name under which no special will be found."""
    name = named.default
    while _find(pieces, name, named.kind) is not None:
        name = b"no " + name
    return name


def with_numbers(trainer: bytes, spec: Spec) -> bytes:
    """``trainer`` with the fields that loading does not need but other tools read: kind, size, ids of the specials."""
    numbers = {n.id_number: _number(getattr(spec, n.attribute)) for n in _NAMED} | {VOCAB_SIZE: len(spec.pieces)}
    for number, value in numbers.items():
        trainer = protobuf.replace_field(trainer, number, protobuf.varint_field(number, value))
    return protobuf.replace_field(trainer, 3, _setting_field(spec, _SETTINGS[0]))


def _number(piece_id: int | None) -> int:
    return -1 if piece_id is None else piece_id
