"""Rank files made by hand: what is read, what is written back, and every refusal."""

from __future__ import annotations

import base64
import hashlib
import pickle
import re
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from anypiece import formats
from anypiece.errors import FormatError, InputError
from anypiece.formats import sentencepiece, tiktoken
from anypiece.formats.tiktoken.definitions import DEFINITIONS, Definition, definition_of
from anypiece.formats.wire.rank_lines import explained_lines, scan_lines
from anypiece.spec import Kind, Pieces, Spec

if TYPE_CHECKING:
    from collections.abc import Callable

SINGLES = [bytes([byte]) for byte in range(256)]
PIECES = [*SINGLES, b"ab", b"abc", b"\xff\xfe", b" " * 40]


def line(piece: bytes, rank: int) -> bytes:
    return base64.b64encode(piece) + b" %d\n" % rank


def file_of(pieces: list[bytes], first: int = 0) -> bytes:
    return b"".join(line(piece, first + index) for index, piece in enumerate(pieces))


FILE = file_of(PIECES)
SIZE = len(PIECES)
LIMIT = 4 * SIZE + 4096
SPECIALS = {"<|end|>": SIZE, "<|é|>": SIZE + 3}


def read(data: bytes = FILE, **options: Any) -> Spec:
    return tiktoken.read(data, **{"splitter": "cl100k", **options})[0]


def rows(spec: Spec) -> list[tuple[bytes, float, Kind]]:
    return list(spec.pieces)


def test_what_is_read() -> None:
    spec = read(specials=SPECIALS)
    unused = (b"", 0.0, Kind.UNUSED)
    assert rows(spec) == [
        *((piece, -float(rank), Kind.NORMAL) for rank, piece in enumerate(PIECES)),
        (b"<|end|>", 0.0, Kind.CONTROL),
        unused,
        unused,
        ("<|é|>".encode(), 0.0, Kind.CONTROL),
    ]
    assert (spec.segmenter, spec.symbols, spec.splitter, spec.whole_chunks) == ("bpe", "bytes", "cl100k", True)
    off = (spec.add_dummy_prefix, spec.remove_extra_whitespaces, spec.escape_whitespaces, spec.byte_fallback)
    assert not any(off)
    assert (spec.unk_surface, spec.charsmap, spec.denormalizer) == ("", b"", b"")
    assert (spec.unk_id, spec.bos_id, spec.eos_id, spec.pad_id) == (-1, None, None, None)


def test_the_columns_are_those_of_rows() -> None:
    read_columns, made = read(specials=SPECIALS).pieces, Pieces.of(rows(read(specials=SPECIALS)))
    assert read_columns.blob == made.blob
    for name in ("offsets", "scores", "kinds"):
        got, expected = getattr(read_columns, name), getattr(made, name)
        assert got.dtype == expected.dtype
        assert got.tobytes() == expected.tobytes()


def test_a_special_between_the_ranks() -> None:
    data = FILE + line(b"after", SIZE + 2)
    spec = read(data, specials={"<|x|>": SIZE})
    assert rows(spec)[SIZE:] == [
        (b"<|x|>", 0.0, Kind.CONTROL),
        (b"", 0.0, Kind.UNUSED),
        (b"after", -SIZE - 2.0, Kind.NORMAL),
    ]
    assert tiktoken.write(spec) == data


LAYOUTS: dict[str, bytes] = {
    "plain": FILE,
    "crlf": FILE.replace(b"\n", b"\r\n"),
    "backwards": b"".join(FILE.splitlines(keepends=True)[::-1]),
    "a gap": FILE + line(b"far", SIZE + 50),
    "ranks from 7": file_of(PIECES, 7),
}


@pytest.mark.parametrize("data", LAYOUTS.values(), ids=LAYOUTS)
def test_written_as_it_was_read(data: bytes) -> None:
    spec, origin = tiktoken.read(data, splitter="gpt2", specials={"<|end|>": SIZE + 100})
    assert tiktoken.write(spec, origin) == data
    assert tiktoken.write(spec, pickle.loads(pickle.dumps(origin))) == data
    again, _ = tiktoken.read(tiktoken.write(spec), splitter="gpt2", specials={"<|end|>": SIZE + 100})
    assert again == spec


def test_the_order_of_the_lines_changes_nothing() -> None:
    assert read(LAYOUTS["backwards"]) == read() == read(LAYOUTS["crlf"])


def test_the_old_order_is_left_where_ranks_were_added() -> None:
    spec, origin = tiktoken.read(LAYOUTS["backwards"], splitter="gpt2")
    more = spec.replace(pieces=Pieces.of([*spec.pieces, (b"new", -float(SIZE), Kind.NORMAL)]))
    assert tiktoken.write(more, origin) == FILE + line(b"new", SIZE)


# What a file is.

OTHERS: dict[str, bytes] = {
    "empty": b"",
    "vocab.txt": b"[PAD]\n[UNK]\nthe\n##ing\n",
    "words": b"the\nthat\nwith\n",
    "words and counts": b"that 10\nwith 7\nfrom 5\nhave 4\nthis 4\nthey 3\nwere 2\nbeen 2\nwhen 1\n",
    "a vocab of scores": b"<unk>\t0\n\xe2\x96\x81a\t-1.5\n",
    "merges.txt": b"#version: 0.2\n\xc4\xa0 t\n\xc4\xa0 a\n",
    "json": b'{"model": {"vocab": {"a": 0}}}',
    "prose": b"Once upon a time there were 10\n",
    "no rank": b"IQ==\nIg==\n",
    "no line end": b"IQ== 0",
    "tabs": b"IQ==\t0\nIg==\t1\n",
    "other lines after the first": b"IQ== 0\nnot a line of ranks\n",
    "a wrong end": b"IQ== 0\nIg== x\n",
}


@pytest.mark.parametrize("data", OTHERS.values(), ids=OTHERS)
def test_other_files_are_not_taken_for_one(data: bytes) -> None:
    assert not tiktoken.looks_like(data)


@pytest.mark.parametrize("data", LAYOUTS.values(), ids=LAYOUTS)
def test_known_by_content_wherever_it_is_cut(data: bytes) -> None:
    first = data.index(b"\n") + 1
    assert all(formats.sniff(data[:cut], "a file") == "tiktoken" for cut in range(first, first + 200))
    assert formats.sniff(data, "a file") == "tiktoken"
    assert not sentencepiece.looks_like(data)


def test_damage_further_on_does_not_hide_what_it_is() -> None:
    assert tiktoken.looks_like(FILE[:1000] + b"\0\xff damaged")


# Damage.

BAD_LINES: dict[str, tuple[bytes, str]] = {
    "not base64": (b"I*== 300\n", "base64"),
    "high bytes": (b"\xc3\xa9\xc3\xa9 300\n", "base64"),
    "a length that base64 has not": (b"IQ= 300\n", "multiple of four"),
    "filled in the middle": (b"IQ==IQ== 300\n", "base64"),
    "filled three times": (b"I=== 300\n", "base64"),
    "only filling": (b"==== 300\n", "base64"),
    "filled before the end": (b"IQ=a 300\n", "base64"),
    "bits that go unused": (b"IR== 300\n", "unused"),
    "more bits that go unused": (b"ISF= 300\n", "unused"),
    "empty piece": (b" 300\n", "empty piece"),
    "empty line": (b"\n", "one space"),
    "no space": (b"YWFh\n", "one space"),
    "two spaces": (b"YWFh  300\n", "one space"),
    "a tab": (b"YWFh\t300\n", "one space"),
    "a word more": (b"YWFh 300 x\n", "one space"),
    "no rank": (b"YWFh \n", "no rank"),
    "negative": (b"YWFh -3\n", "plain number"),
    "not a number": (b"YWFh 3x\n", "plain number"),
    "a fraction": (b"YWFh 3.5\n", "plain number"),
    "zeros in front": (b"YWFh 0300\n", "plain number"),
    "one CR": (b"YWFh 300\r\n", "ends in CR LF"),
    "a CR instead of a rank": (b"YWFh \r\n", "ends in CR LF"),
    "sparse": (b"YWFh %d\n" % (LIMIT + 1), f"above {LIMIT}"),
    "huge": (b"YWFh 99999999999999999999999999\n", f"above {LIMIT}"),
    "a rank again": (b"YWFh 97\n", "rank that an earlier line has"),
    "a piece again": (b"YWI= 300\n", "piece that an earlier line has"),
}


@pytest.mark.parametrize(("bad", "said"), BAD_LINES.values(), ids=BAD_LINES)
@pytest.mark.parametrize("after", [b"", line(b"zz", 301)], ids=["last", "not last"])
def test_a_bad_line(bad: bytes, said: str, after: bytes) -> None:
    data = file_of(PIECES[: SIZE - 1 - bool(after)]) + bad + after
    assert data.count(b"\n") == SIZE
    with pytest.raises(FormatError) as caught:
        read(data)
    assert caught.value.code == "file-corrupt"
    assert caught.value.facts == {"line": SIZE - bool(after)}
    assert said in str(caught.value)
    assert "copy the file again" in str(caught.value)


def test_the_first_of_bad_lines_is_named() -> None:
    with pytest.raises(FormatError, match=r"^line 3 "):
        read(b"IQ== 0\nIg== 1\nIQ== 2\nIw== 3\nIg== 4\n")
    with pytest.raises(FormatError, match=r"^line 2 "):
        read(b"IQ== 5\nIg== 5\nIw== 5\n")


def read_by_line(data: bytes) -> list[tuple[bytes, int]] | None:
    """What ``scan_lines`` gives, a line at a time; None where it must refuse."""
    lines = data.split(b"\n")
    if lines.pop():
        return None
    found: dict[bytes, int] = {}
    for each in lines:
        parts = re.fullmatch(rb"([A-Za-z0-9+/]+={0,2}) (0|[1-9][0-9]*)", each)
        if parts is None or len(parts[1]) % 4:
            return None
        piece, rank = base64.b64decode(parts[1]), int(parts[2])
        if base64.b64encode(piece) != parts[1] or rank > 4 * len(lines) + 4096 or piece in found:
            return None
        found[piece] = rank
    return list(found.items()) if lines and len(set(found.values())) == len(found) else None


def scanned(data: bytes) -> list[tuple[bytes, int]] | None:
    try:
        lines = scan_lines(data)
    except FormatError:
        return None
    pieces = [lines.blob[start:end] for start, end in pairwise(lines.offsets.tolist())]
    return list(zip(pieces, lines.ranks.tolist(), strict=True))


def test_damaged_files_are_read_as_line_by_line() -> None:
    random = Random(20)
    whole = file_of([random.randbytes(3 + index % 6) for index in range(30)])
    counts = [0, 0]
    for _ in range(3000):
        data = bytearray(whole[: random.randrange(len(whole) * 2)])
        data += b"\n" * (random.random() < 0.5 and not data.endswith(b"\n"))
        for _ in range(random.randrange(3)):
            place = random.randrange(len(data) + 1)
            data[place : place + random.randrange(2)] = random.choices(b"ABz09+/=\n \r\t-\0\xff", k=random.randrange(2))
        expected = read_by_line(bytes(data))
        counts[expected is None] += 1
        assert scanned(bytes(data)) == expected, data
    assert min(counts) > 300


@pytest.mark.parametrize("data", [b"", b"IQ==", FILE[:-1], FILE[:-3], FILE + b"YWFh"], ids=range(5))
def test_cut_off(data: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        read(data)
    assert caught.value.code == "file-truncated"
    assert caught.value.facts == {"line": data.count(b"\n") + 1}


@pytest.mark.parametrize("missing", [0, 97, 255])
def test_every_byte_must_be_there(missing: int) -> None:
    with pytest.raises(FormatError) as caught:
        read(file_of([piece for piece in PIECES if piece != bytes([missing])]))
    assert caught.value.code == "rank-bytes"
    assert caught.value.facts == {"missing": [missing]}
    assert f"0x{missing:02X}" in str(caught.value)


# Definitions.


def made_file(definition: Definition) -> bytes:
    """A rank file with as many ranks as the definition wants: bytes, then numbers."""
    gaps = set(definition.specials.values())
    ranks = [rank for rank in range(definition.ranks + len(gaps)) if rank not in gaps][: definition.ranks]
    pieces = [*SINGLES, *(b"%06d" % number for number in range(definition.ranks - 256))]
    return b"".join(line(piece, rank) for piece, rank in zip(pieces, ranks, strict=True))


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
def test_by_name(definition: Definition) -> None:
    spec, origin = tiktoken.read(made_file(definition), definition=definition.name)
    assert origin == tiktoken.Origin(definition.name)
    assert len(spec.pieces) == definition.n_vocab
    assert (spec.splitter, tiktoken.pattern_of(spec)) == (definition.splitter, definition.pattern)
    kinds = spec.pieces.kinds
    assert int((kinds == Kind.NORMAL).sum()) == definition.ranks
    assert {spec.pieces.piece(id): id for id in np.flatnonzero(kinds == Kind.CONTROL).tolist()} == definition.specials
    names = (definition.bos, definition.eos, definition.pad)
    roles = (spec.bos_id, spec.eos_id, spec.pad_id)
    assert roles == tuple(None if name is None else definition.specials[name] for name in names)


FACTS = {
    "gpt2": ("gpt2", 50257, 1),
    "r50k_base": ("gpt2", 50257, 1),
    "p50k_base": ("gpt2", 50281, 1),
    "p50k_edit": ("gpt2", 50284, 4),
    "cl100k_base": ("cl100k", 100277, 5),
    "o200k_base": ("o200k", 200019, 2),
    "o200k_harmony": ("o200k", 201088, 1090),
    "llama3": ("llama3", 128256, 256),
    "llama4": ("o200k", 202048, 2048),
    "qwen": ("qwen2", 151851, 208),
    "kimi_k2": (None, 163842, 258),
    "kimi_k2_5": (None, 163842, 258),
}


def test_definitions() -> None:
    assert {d.name: (d.splitter, d.n_vocab, len(d.specials)) for d in DEFINITIONS.values()} == FACTS
    for name, definition in DEFINITIONS.items():
        assert definition.name == name
        assert len(set(definition.specials.values())) == len(definition.specials)
        assert all(
            role is None or role in definition.specials for role in (definition.bos, definition.eos, definition.pad)
        )
    ids = {
        "llama3": {"<|begin_of_text|>": 128000, "<|eot_id|>": 128009, "<|reserved_special_token_245|>": 128255},
        "llama4": {"<|header_start|>": 200005, "<|image_start|>": 200080, "<|reserved_special_token_0|>": 201144},
        "o200k_harmony": {"<|startoftext|>": 199998, "<|call|>": 200012, "<|reserved_201087|>": 201087},
        "qwen": {"<|im_end|>": 151645, "<|extra_204|>": 151850},
        "kimi_k2": {"[BOS]": 163584, "<|im_middle|>": 163601, "<|reserved_token_163602|>": 163602, "[PAD]": 163839},
        "kimi_k2_5": {"<|im_end|>": 163586, "<think>": 163606, "<|reserved_token_163841|>": 163841},
    }
    for name, some in ids.items():
        assert some.items() <= DEFINITIONS[name].specials.items()


def test_by_content() -> None:
    known = {definition.sha256: definition for definition in DEFINITIONS.values() if definition.sha256}
    assert [d.name for d in known.values()] == [
        "r50k_base",
        "p50k_base",
        "cl100k_base",
        "o200k_base",
        "llama3",
        "llama4",
        "kimi_k2",
    ]
    assert all(definition_of(sha256) is definition for sha256, definition in known.items())
    assert definition_of("0" * 64) is None


def test_known_by_content_with_either_line_end(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Definition("mine", "gpt2", SIZE, SIZE + 1, {"<|end|>": SIZE}, eos="<|end|>")
    sha256 = hashlib.sha256(FILE).hexdigest()
    monkeypatch.setattr(tiktoken, "definition_of", {sha256: mine}.get)
    for data in (FILE, LAYOUTS["crlf"]):
        spec, origin = tiktoken.read(data)
        assert (spec.splitter, spec.eos_id, origin.definition) == ("gpt2", SIZE, "mine")
    changed = tiktoken.read(FILE, splitter="o200k", specials={"<|more|>": SIZE + 1})[0]
    assert (changed.splitter, changed.eos_id, len(changed.pieces)) == ("o200k", SIZE, SIZE + 2)
    renamed = tiktoken.read(FILE, specials={"<|stop|>": SIZE})[0]
    assert (renamed.pieces.piece(SIZE), renamed.eos_id) == ("<|stop|>", None)
    moved = tiktoken.read(FILE, specials={"<|end|>": SIZE + 4})[0]
    assert (moved.eos_id, len(moved.pieces), moved.pieces.kinds[SIZE]) == (SIZE + 4, SIZE + 5, Kind.UNUSED)


@pytest.mark.parametrize("options", [{}, {"specials": SPECIALS}, {"definition": "cl200k"}], ids=str)
def test_what_is_not_known(options: dict[str, Any]) -> None:
    with pytest.raises(FormatError) as caught:
        tiktoken.read(FILE, **options)
    assert caught.value.code == "definition-unknown"
    assert caught.value.facts["known"] == list(DEFINITIONS)
    for said in (*DEFINITIONS, "definition=", "splitter=", "pattern=", "specials="):
        assert said in str(caught.value)


def test_a_definition_for_another_file() -> None:
    with pytest.raises(FormatError, match=r"cl100k_base has 100256.*splitter=") as caught:
        tiktoken.read(FILE, definition="cl100k_base")
    assert caught.value.code == "definition-mismatch"
    assert caught.value.facts == {"definition": "cl100k_base", "ranks": SIZE}
    right = DEFINITIONS["gpt2"]
    shifted = file_of([*SINGLES, *(b"%06d" % number for number in range(right.ranks - 256))], first=9)
    with pytest.raises(FormatError, match="definition"):
        tiktoken.read(shifted, definition="gpt2")


@pytest.mark.parametrize("specials", [{"<|a|>": 97}, {"<|a|>": SIZE, "<|b|>": SIZE}], ids=str)
def test_ids_that_are_taken(specials: dict[str, int]) -> None:
    with pytest.raises(FormatError, match="id of its own") as caught:
        read(specials=specials)
    assert caught.value.code == "rank-special"
    assert caught.value.facts == {"specials": list(specials)}


BAD_SPECIALS: list[Any] = [
    {"": SIZE},
    {"\ud800": SIZE},
    {b"<|a|>": SIZE},
    {"<|a|>": -1},
    {"<|a|>": True},
    {"<|a|>": "300"},
    {"<|a|>": LIMIT + 1},
]


@pytest.mark.parametrize("specials", BAD_SPECIALS, ids=ascii)
def test_specials_that_cannot_be(specials: Any) -> None:
    with pytest.raises(InputError) as caught:
        read(specials=specials)
    assert (caught.value.code, caught.value.facts["argument"]) == ("argument-value", "specials")


def test_there_are_no_dialects() -> None:
    assert formats.read(FILE, "a file", splitter="gpt2", dialect=None)[0] == read(splitter="gpt2")
    with pytest.raises(InputError, match="dialect= means nothing for a file of format tiktoken") as caught:
        formats.read(FILE, "a file", splitter="gpt2", dialect="sentencepiece-0.2.1")
    assert (caught.value.code, caught.value.facts["argument"]) == ("argument-value", "dialect")


# Writing.


def with_rows(change: Callable[[list[tuple[bytes, float, Kind]]], Any]) -> Spec:
    changed = rows(read())
    change(changed)
    return read().replace(pieces=Pieces.of(changed))


UNWRITABLE: dict[str, tuple[Spec, str]] = {
    "characters": (read().replace(symbols="characters"), "symbols"),
    "unigram": (read().replace(segmenter="unigram"), "segmenter"),
    "merged chunks": (read().replace(whole_chunks=False), "whole_chunks"),
    "a prefix": (read().replace(add_dummy_prefix=True), "add_dummy_prefix"),
    "a character map": (read().replace(charsmap=b"x"), "charsmap"),
    "a score": (with_rows(lambda r: r.__setitem__(256, (b"ab", -1.0, Kind.NORMAL))), "score"),
    "a kind": (
        with_rows(lambda r: r.__setitem__(256, (b"ab", -256.0, Kind.USER_DEFINED))),
        "neither normal nor control",
    ),
    "an unused text": (
        with_rows(lambda r: r.__setitem__(256, (b"ab", 0.0, Kind.UNUSED))),
        "neither normal nor control",
    ),
    "an empty piece": (with_rows(lambda r: r.__setitem__(256, (b"", -256.0, Kind.NORMAL))), "an empty piece"),
    "the same twice": (with_rows(lambda r: r.__setitem__(256, (b"abc", -256.0, Kind.NORMAL))), "same bytes"),
    "a byte less": (with_rows(lambda r: r.__setitem__(9, (b"xyz", -9.0, Kind.NORMAL))), "256 single bytes"),
    "no pieces": (read().replace(pieces=Pieces.of([])), "256 single bytes"),
    "a far id": (
        with_rows(lambda r: r.extend([(b"", 0.0, Kind.UNUSED)] * 6000 + [(b"far", -6000.0 - SIZE, Kind.NORMAL)])),
        "an id above",
    ),
}


@pytest.mark.parametrize(("spec", "said"), UNWRITABLE.values(), ids=UNWRITABLE)
def test_what_a_rank_file_has_no_place_for(spec: Spec, said: str) -> None:
    with pytest.raises(FormatError, match=r"write \.anypiece instead") as caught:
        tiktoken.write(spec)
    assert caught.value.code == "format-unwritable"
    assert said in str(caught.value)


def test_a_model_file_has_no_place_for_ranks() -> None:
    with pytest.raises(FormatError) as caught:
        sentencepiece.write(read())
    assert caught.value.code == "format-unwritable"


def test_the_scanner_is_the_way_in_python() -> None:
    def outcome(scan: Callable[[bytes], Any], data: bytes) -> Any:
        try:
            found = scan(data)
        except FormatError as error:
            return error.code, str(error), error.facts
        return found.blob, found.offsets.tolist(), found.ranks.tolist()

    random = Random(5)
    for _ in range(300):
        data = bytearray(file_of(random.sample(PIECES, 12), random.choice([0, 7, 4100, 99_999_990])))
        for _ in range(random.choice([0, 1, 1, 2])):
            at = random.randrange(len(data))
            data[at : at + random.randint(0, 2)] = random.choice(
                [b"", b"=", b" ", b"\n", b"0", b"9", b"A", b"\r", b"-"]
            )
        assert outcome(scan_lines, bytes(data)) == outcome(explained_lines, bytes(data)), bytes(data)
