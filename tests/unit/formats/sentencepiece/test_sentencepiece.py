"""The SentencePiece format on hand-made files: what each field means, what is kept, what is refused."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from anypiece import formats
from anypiece.errors import FormatError, InputError, SpecError
from anypiece.formats import sentencepiece as model_format
from anypiece.formats.wire import protobuf
from anypiece.spec import Kind, Pieces, Sample, Spec
from tests.support.charsmap_builder import build

ROWS: list[tuple[str, float, Kind]] = [
    ("<unk>", 0.0, Kind.UNKNOWN),
    ("<s>", 0.0, Kind.CONTROL),
    ("</s>", 0.0, Kind.CONTROL),
    ("▁a", -1.5, Kind.NORMAL),
    ("a", -2.0, Kind.NORMAL),
    ("b", -3.0, Kind.NORMAL),
    ("▁", -1.0, Kind.NORMAL),
    ("<x>", 0.0, Kind.USER_DEFINED),
    ("q", -9.0, Kind.UNUSED),
]
SPEC = Spec(Pieces.of(ROWS), bos_id=1, eos_id=2)
TEXTS = ["a b", "aab<x>q", "", "  a", "ﬁ", "日本 a"]


def record(name: bytes, score: float, *kinds: int) -> bytes:
    kind_fields = b"".join(protobuf.varint_field(3, kind) for kind in kinds)
    return protobuf.bytes_field(1, protobuf.bytes_field(1, name) + protobuf.float_field(2, score) + kind_fields)


SETTINGS = protobuf.bytes_field(3, b"")
"""The least that a file has behind its pieces."""


def load(data: bytes) -> Any:
    return sentencepiece.SentencePieceProcessor(model_proto=data)


CHANGES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "bpe": {"segmenter": "bpe"},
    "char": {"segmenter": "char"},
    "word": {"segmenter": "word"},
    "no dummy prefix": {"add_dummy_prefix": False},
    "extra spaces kept": {"remove_extra_whitespaces": False},
    "not escaped": {"escape_whitespaces": False},
    "mark behind words": {"whitespace_as_suffix": True},
    "unknown surface": {"unk_surface": "?"},
    "empty unknown surface": {"unk_surface": ""},
    "charsmap": {"charsmap": build({"ﬁ": "a", "日": "b"})},
    "denormalizer": {"denormalizer": build({"a": "A"})},
    "no bos": {"bos_id": None},
    "another eos": {"eos_id": 1},
    "pad": {"pad_id": 2},
    "samples": {"samples": (Sample("a b", ("▁a", "▁", "b")),)},
    "bytes": {
        "byte_fallback": True,
        "pieces": Pieces.of([*ROWS, *((f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256))]),
    },
    "other pieces": {"pieces": Pieces.of([*ROWS, ("ab", -0.5, Kind.NORMAL)])},
    "other scores": {"pieces": Pieces.of([(name, score * 2, kind) for name, score, kind in ROWS])},
    "other kinds": {"pieces": Pieces.of([*ROWS[:-1], ("q", -9.0, Kind.NORMAL)])},
    "unknown renamed": {"pieces": Pieces.of([("?", 0.0, Kind.UNKNOWN), *ROWS[1:]])},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_made_by_hand(change: dict[str, Any]) -> None:
    spec = SPEC.replace(**change)
    data = model_format.write(spec)
    assert model_format.read(data)[0] == spec
    check_package(data, spec)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_spec_wins_and_the_rest_is_kept(change: dict[str, Any]) -> None:
    unknown = protobuf.varint_field(300, 7)
    trainer = (
        protobuf.bytes_field(1, b"corpus.txt")
        + protobuf.varint_field(3, 1)
        + protobuf.varint_field(4, len(ROWS))
        + unknown
    )
    normalizer = protobuf.bytes_field(1, b"identity") + protobuf.varint_field(5, 1) + unknown
    records = b"".join(record(name.encode(), score, kind) for name, score, kind in ROWS)
    data = (
        unknown
        + protobuf.bytes_field(3, normalizer)
        + records
        + protobuf.bytes_field(2, trainer)
        + protobuf.bytes_field(250, b"end")
    )
    read, origin = model_format.read(data)
    assert read == SPEC
    assert model_format.write(read, origin) == data
    spec = SPEC.replace(**change)
    written = model_format.write(spec, pickle.loads(pickle.dumps(origin)))
    assert model_format.read(written)[0] == spec
    assert (written == data) == (not change)
    assert written.startswith(unknown)
    assert protobuf.bytes_field(1, b"corpus.txt") in written
    assert protobuf.bytes_field(250, b"end") in written
    assert written.count(unknown) == 3
    check_package(written, spec)


def check_package(data: bytes, spec: Spec) -> None:
    """The package loads the file and agrees on the specials and on a plain encoding of each kind."""
    processor = load(data)
    expected = (processor.unk_id(), processor.bos_id(), processor.eos_id(), processor.pad_id())
    assert tuple(-1 if i is None else i for i in (spec.unk_id, spec.bos_id, spec.eos_id, spec.pad_id)) == expected
    assert processor.get_piece_size() == len(spec.pieces)
    numbers = {field.number: field.value for field in trainer_fields(data)}
    assert numbers[4] == len(spec.pieces)
    for text in TEXTS:
        assert processor.decode(processor.encode(text)) is not None


def trainer_fields(data: bytes) -> list[protobuf.Field]:
    payload = next(field.value for field in protobuf.fields(data) if field.number == 2)
    assert isinstance(payload, bytes)
    return list(protobuf.fields(payload))


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((), Kind.NORMAL),
        ((1,), Kind.NORMAL),
        ((4,), Kind.USER_DEFINED),
        ((99,), Kind.NORMAL),
        ((0,), Kind.NORMAL),
        ((5, 99), Kind.UNUSED),
        ((5, 0), Kind.UNUSED),
        ((99, 5), Kind.UNUSED),
        ((5, 4), Kind.USER_DEFINED),
        ((2**32 + 5,), Kind.UNUSED),
        ((-1,), Kind.NORMAL),
    ],
)
def test_kind_is_the_last_that_protobuf_knows(kinds: tuple[int, ...], expected: Kind) -> None:
    data = record(b"<unk>", 0, 2) + record(b"ab", -1, *kinds) + record(b"c", -1) + protobuf.bytes_field(3, b"")
    spec, origin = model_format.read(data)
    assert spec.pieces.kinds.tolist() == [Kind.UNKNOWN, expected, Kind.NORMAL]
    assert model_format.write(spec, origin) == data
    assert load(data).is_unused(1) == (expected == Kind.UNUSED)


def test_a_record_of_many_unknown_fields_is_written_again() -> None:
    """There are more of them than a file of the record's size may have, and fewer than this one may."""
    strays = protobuf.varint_field(9, 1) * 20_000
    odd = protobuf.bytes_field(1, _payload_of(record(b"a", -1)) + strays)
    many = b"".join(record(f"piece {number}".encode(), -2.0 - number) for number in range(30_000))
    data = record(b"<unk>", 0, 2) + odd + many + SETTINGS
    spec, origin = model_format.read(data)
    assert model_format.write(spec, origin) == data
    scores = spec.pieces.scores.copy()
    scores[1] = -7
    again = model_format.write(spec.replace(pieces=dataclasses.replace(spec.pieces, scores=scores)), origin)
    assert strays in again
    assert model_format.read(again)[0].pieces.scores[1] == -7


def _payload_of(raw: bytes) -> bytes:
    value = next(protobuf.fields(raw)).value
    assert isinstance(value, bytes)
    return value


def test_odd_records_are_kept_until_their_piece_changes() -> None:
    stray = protobuf.bytes_field(200, b"note")
    odd = protobuf.bytes_field(
        1, stray + protobuf.float_field(2, -1.0) + protobuf.bytes_field(1, b"old") + protobuf.bytes_field(1, b"ab")
    )
    data = record(b"<unk>", 0, 2) + odd + record(b"c", -2) + SETTINGS
    spec, origin = model_format.read(data)
    assert [spec.pieces.piece(index) for index in range(3)] == ["<unk>", "ab", "c"]
    assert model_format.write(spec, origin) == data
    rescored = spec.replace(
        pieces=Pieces.of([("<unk>", 0, Kind.UNKNOWN), ("ab", -7, Kind.NORMAL), ("c", -2, Kind.NORMAL)])
    )
    written = model_format.write(rescored, origin)
    assert stray in written
    assert model_format.read(written)[0] == rescored
    renamed = spec.replace(pieces=Pieces.of([("<unk>", 0, Kind.UNKNOWN), ("x", -1, Kind.NORMAL)]))
    written = model_format.write(renamed, origin)
    assert stray not in written
    assert model_format.read(written)[0] == renamed


def test_absent_fields_have_their_defaults() -> None:
    spec, _ = model_format.read(
        protobuf.bytes_field(1, protobuf.bytes_field(1, b"a")) + record(b"<unk>", 0, 2) + SETTINGS
    )
    assert spec.pieces.scores[0] == 0.0
    assert spec.pieces.kinds[0] == Kind.NORMAL
    assert (spec.segmenter, spec.unk_surface, spec.byte_fallback) == ("unigram", " \u2047 ", False)
    assert spec.add_dummy_prefix
    assert spec.remove_extra_whitespaces
    assert spec.escape_whitespaces
    assert (spec.bos_id, spec.eos_id, spec.pad_id, spec.samples) == (None, None, None, ())


def test_messages_that_occur_twice_are_merged() -> None:
    data = record(b"<unk>", 0, 2) + record(b"a", -1)
    data += protobuf.bytes_field(2, protobuf.varint_field(3, 2) + protobuf.varint_field(24, 1)) + protobuf.bytes_field(
        2, protobuf.varint_field(3, 4)
    )
    spec, origin = model_format.read(data)
    assert (spec.segmenter, spec.whitespace_as_suffix) == ("char", True)
    assert model_format.write(spec, origin) == data
    assert model_format.read(model_format.write(spec.replace(segmenter="word"), origin))[0].segmenter == "word"


@pytest.mark.parametrize(
    ("values", "expected"), [((2,), "bpe"), ((2, 9), "bpe"), ((9,), "unigram"), ((2**32 + 4,), "char")]
)
def test_segmenter_is_the_last_that_protobuf_knows(values: tuple[int, ...], expected: str) -> None:
    trainer = b"".join(protobuf.varint_field(3, value) for value in values)
    spec, _ = model_format.read(record(b"<unk>", 0, 2) + protobuf.bytes_field(2, trainer))
    assert spec.segmenter == expected


def test_specials_are_found_by_name_and_kind() -> None:
    rows = record(b"<unk>", 0, 2) + record(b"<s>", 0, 4) + record(b"[B]", 0, 3) + record(b"</s>", 0, 3)
    assert model_format.read(rows + SETTINGS)[0].bos_id is None
    trainer = protobuf.bytes_field(46, b"[B]") + protobuf.bytes_field(47, b"") + protobuf.varint_field(41, 3)
    data = rows + record(b"a", -1) + protobuf.bytes_field(2, trainer)
    spec, _ = model_format.read(data)
    assert (spec.bos_id, spec.eos_id) == (2, 3)
    assert (load(data).bos_id(), load(data).eos_id()) == (2, 3)


def test_an_unknown_piece_that_the_file_does_not_name() -> None:
    data = record(b"[UNK]", 0, 2) + record(b"a", -1) + SETTINGS
    spec, origin = model_format.read(data)
    assert (spec.unk_id, load(data).unk_id()) == (0, 0)
    assert model_format.write(spec, origin) == data
    assert b"[UNK]" in [field.value for field in trainer_fields(model_format.write(spec))]


def test_dialects() -> None:
    data = model_format.write(SPEC)
    newest, _ = model_format.read(data)
    assert (newest.arithmetic, newest.user_defined_score) == ("f32-rebased", "length-bonus")
    assert model_format.read(data, dialect="sentencepiece-0.2.3")[0] == newest
    assert model_format.read(data, dialect="sentencepiece-0.2.2")[0] == newest, "unigram"
    merged = model_format.write(SPEC.replace(segmenter="bpe"))
    kinds = [model_format.read(merged, dialect=name)[0].reserved for name in model_format.DIALECTS]
    assert kinds == ["unknown", "unknown", "matched", "matched"]
    older, origin = model_format.read(data, dialect="sentencepiece-0.2.1")
    assert (older.arithmetic, older.user_defined_score) == ("f64-compared", "near-best")
    assert model_format.write(older, origin) == data
    with pytest.raises(InputError, match=r"sentencepiece-0\.2\.1") as caught:
        model_format.read(data, dialect="sentencepiece-9")
    assert caught.value.code == "argument-value"


@pytest.mark.parametrize(
    "expected", ["▁a ▁ b", "▁ a ▁ b", "▁a ▁ b b"], ids=["the right one", "a worse one", "another text"]
)
def test_samples(expected: str) -> None:
    """They are read and written; the library that is installed does not look at them."""
    spec = SPEC.replace(samples=(Sample("a b", tuple(expected.split(" "))),))
    data = model_format.write(spec)
    assert model_format.read(data)[0].samples == spec.samples
    assert load(data).encode("a b", out_type=str) == ["▁a", "▁", "b"]


def test_too_many_samples() -> None:
    with pytest.raises(FormatError, match="10000") as caught:
        model_format.read(model_format.write(SPEC) + protobuf.bytes_field(4, b"\x0a\x00" * 10_001))
    assert caught.value.code == "file-corrupt"


@pytest.mark.parametrize("number", [3, 4, 5])
def test_denormalizer_with_flags_is_refused(number: int) -> None:
    flags = b"".join(protobuf.varint_field(flag, 0) for flag in (3, 4, 5) if flag != number)
    denormalizer = protobuf.bytes_field(2, build({"a": "A"})) + flags
    with pytest.raises(SpecError, match="denormalizer_spec") as caught:
        model_format.read(model_format.write(SPEC) + protobuf.bytes_field(5, denormalizer))
    assert caught.value.code == "spec-config"
    assert model_format.read(model_format.write(SPEC) + protobuf.bytes_field(5, flags))[0] == SPEC


@pytest.mark.parametrize("piece", [0, 3, 7, 99, -1])
def test_a_special_that_is_no_control_piece_is_unwritable(piece: int) -> None:
    with pytest.raises(FormatError, match="bos_id") as caught:
        model_format.write(SPEC.replace(bos_id=piece))
    assert caught.value.code == "format-unwritable"


@pytest.mark.parametrize(
    ("tail", "code"),
    [
        (b"\x0a\x7f", "file-truncated"),
        (b"\x0a\x02\x0a\x7f", "file-truncated"),
        (b"\x0b", "file-corrupt"),
        (protobuf.bytes_field(2, b"\x0b"), "file-corrupt"),
        (protobuf.bytes_field(3, b"\x12\x7f"), "file-truncated"),
        (protobuf.bytes_field(2, protobuf.bytes_field(44, b"\xff")), "file-corrupt"),
        (protobuf.bytes_field(4, protobuf.bytes_field(1, protobuf.bytes_field(1, b"\xff"))), "file-corrupt"),
        (protobuf.bytes_field(4, protobuf.bytes_field(1, b"\x0a\x7f")), "file-truncated"),
    ],
)
def test_damaged(tail: bytes, code: str) -> None:
    data = model_format.write(SPEC) + tail
    assert model_format.looks_like(data)
    with pytest.raises(FormatError) as caught:
        model_format.read(data)
    assert caught.value.code == code


@pytest.mark.parametrize("pieces", [1, 2, len(ROWS)])
def test_a_file_that_ends_between_its_pieces(pieces: int) -> None:
    records = [data for number, data in top_level(model_format.write(SPEC)) if number == 1][:pieces]
    data = b"".join(records)
    assert model_format.looks_like(data)
    with pytest.raises(FormatError, match=f"ends after {pieces} pieces.*download it again") as caught:
        model_format.read(data)
    assert (caught.value.code, caught.value.facts) == ("file-truncated", {"pieces": pieces})
    for number in (2, 3):
        assert len(model_format.read(data + protobuf.bytes_field(number, b""))[0].pieces) == pieces


def top_level(data: bytes) -> list[tuple[int, bytes]]:
    return [(field.number, data[field.start : field.end]) for field in protobuf.fields(data)]


def test_the_place_of_damage_is_named() -> None:
    whole = model_format.write(SPEC)
    data = whole + protobuf.bytes_field(3, b"\x08\x01\x12\x7f")
    with pytest.raises(FormatError, match=f"byte {len(whole) + 4}"):
        model_format.read(data)


OTHERS = [b"", b"{}", b"hello\n", b"\n\nhello", b"\x00\x01", b"GGML\x03\0\0\0", b"\x12", b"\x22\x01a", b'"quoted" text']


@pytest.mark.parametrize("data", OTHERS)
def test_other_content(data: bytes) -> None:
    assert not model_format.looks_like(data)
    with pytest.raises(FormatError, match="anypiece, sentencepiece") as caught:
        formats.sniff(data, "some file")
    assert caught.value.code == "format-unknown"


def test_no_pieces_at_all() -> None:
    spec, origin = model_format.read(b"")
    assert len(spec.pieces) == 0
    assert model_format.write(spec, origin) == b""
    assert len(model_format.read(model_format.write(spec.replace(segmenter="bpe"), origin))[0].pieces) == 0


def test_sniff_and_read() -> None:
    data = model_format.write(SPEC)
    assert formats.sniff(data, "x") == "sentencepiece"
    assert formats.read(data, "x", dialect="sentencepiece-0.2.1")[0].arithmetic == "f64-compared"
    assert formats.sniff(b"ANYPIECE\0\0", "x") == "anypiece"
    with pytest.raises(FormatError) as caught:
        formats.read(b"ANYPIECE\0\0", "x")
    assert caught.value.code == "format-unknown"


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200)
scores = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.dictionaries(names, st.tuples(scores, st.sampled_from([1, 3, 4, 5])), max_size=30), st.booleans())
def test_pieces_round_trip(rows: dict[str, tuple[float, int]], fallback: bool) -> None:
    """Names of every length and scores of every bit pattern, -0.0 among them."""
    rows.pop("<unk>", None)
    pieces = Pieces.of([("<unk>", 0.0, 2), *((name, score, kind) for name, (score, kind) in rows.items())])
    spec = Spec(pieces, byte_fallback=fallback)
    data = model_format.write(spec)
    again, origin = model_format.read(data)
    assert again.pieces.blob == pieces.blob
    assert np.array_equal(again.pieces.offsets, pieces.offsets)
    assert again.pieces.scores.tobytes() == pieces.scores.tobytes()
    assert np.array_equal(again.pieces.kinds, pieces.kinds)
    assert again == spec
    assert origin.odd == ()
    assert model_format.write(again, origin) == data
