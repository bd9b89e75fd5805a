"""BytePiece's JSON: scores from counts, what is refused, the same file again."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import Kind
from anypiece.formats import bytepiece, sniff
from anypiece.reference import ReferenceTokenizer

if TYPE_CHECKING:
    from pathlib import Path

MORE = {
    b"ab": 40,
    b"abc": 9,
    "日本".encode(): 30,
    b" \xe6": 12,
    b"\xa5\xe6": 2,
    b"of the": 500,
    b"\n\n": 7,
    b"b\nc": 900,
}
COUNTS = {bytes([byte]): 1 + byte % 7 for byte in range(256)} | MORE
Whole = dict[str, list[Any]]


def key(piece: bytes) -> str:
    return b64encode(piece).decode()


def made(counts: dict[bytes, int]) -> Whole:
    rows = sorted(counts, key=lambda piece: (len(piece), piece))
    return {key(piece): [id, piece.decode(errors="ignore"), counts[piece]] for id, piece in enumerate(rows, 3)}


def packed(whole: Whole, **style: Any) -> bytes:
    return json.dumps(whole, **{"indent": 4, "ensure_ascii": False} | style).encode()


WHOLE = made(COUNTS)
FILE = packed(WHOLE)
TEXTS = [
    "abcab",
    "a of the日本",
    "b\nc\n\nd",
    "\n\nab",
    "日日本本",
    "e\u0301",
    "",
    "\0 \x85",
    "x" * 300 + "of the" * 200,
]


def test_there_and_back(tmp_path: Path) -> None:
    assert sniff(FILE, "a file") == "bytepiece"
    spec, origin = bytepiece.read(FILE)
    assert [spec.pieces.piece(id) for id in range(3)] == ["<pad>", "<bos>", "<eos>"]
    assert bytepiece.write(spec, origin) == FILE == bytepiece.write(spec)
    tok = ap.Tokenizer(spec)
    assert [tok.id_to_bytes(id) for id in tok.encode("abc of the")] == [b"abc", b" ", b"of the"]
    assert tok.encode("ab", add_special=True) == [1, *tok.encode("ab"), 2]
    assert tok.decode([0, *tok.encode("ab日"), 2]) == "ab日"
    assert tok.score(tok.encode("ab")[0]) == np.log(40) - np.log(sum(COUNTS.values()))
    tok.save(tmp_path / "it.anypiece")
    again = ap.load(tmp_path / "it.anypiece")
    assert again == tok
    assert [again.encode(text) for text in TEXTS] == [tok.encode(text) for text in TEXTS]
    again.save(tmp_path / "it.model", format="bytepiece")
    assert (tmp_path / "it.model").read_bytes() == FILE


def test_another_name_needs_the_format(tmp_path: Path) -> None:
    """A .model file is SentencePiece's by its name; BytePiece's files have the same."""
    spec, _ = bytepiece.read(FILE)
    (tmp_path / "it.model").write_bytes(FILE)
    for tok in (ap.load(tmp_path / "it.model"), ap.Tokenizer(spec)):
        with pytest.raises(ap.FormatError, match=r"write \.anypiece instead, or pass format='bytepiece'") as caught:
            tok.save(tmp_path / "other.model")
        assert caught.value.code == "format-unwritable"
        tok.save(tmp_path / "other.model", format="bytepiece")
        assert (tmp_path / "other.model").read_bytes() == FILE
        with pytest.raises(ap.FormatError) as caught:
            tok.replace(bos_id=None).save(tmp_path / "other.model")
        assert "bytepiece" not in str(caught.value)


def test_lines_are_chunks_and_text_is_composed() -> None:
    tok = ap.Tokenizer(bytepiece.read(FILE)[0])
    assert [tok.id_to_bytes(id) for id in tok.encode("ab\nc\n\nd")] == [b"ab", b"\n", b"c", b"\n\n", b"d"]
    assert tok.normalize("e\u0301") == "é"
    assert tok.encode("e\u0301") == tok.encode("é")


def test_special_pieces_are_found_in_no_text() -> None:
    tok = ap.Tokenizer(bytepiece.read(FILE)[0])
    for specials in ("text", "parse"):
        assert not {0, 1, 2} & set(tok.encode("<pad><bos><eos>", specials=specials))
    assert tok.decode([1, *tok.encode("<bos>"), 2]) == "<bos>"


@pytest.mark.parametrize("text", TEXTS)
def test_as_the_reference_says(text: str) -> None:
    tok = ap.Tokenizer(bytepiece.read(FILE)[0])
    expected = ReferenceTokenizer(tok.spec).encode_spans(text, chars=True)
    found = tok.encode_spans(text)
    assert [(token.id, token.start, token.end) for token in found] == [
        (token.id, token.start, token.end) for token in expected
    ]
    assert tok.encode(text) == [token.id for token in expected]
    assert tok.explain(text).difference is None


@given(st.text(alphabet="abc of the\n日本é\u0301\0😀", max_size=60))
def test_any_text(text: str) -> None:
    tok = ap.Tokenizer(bytepiece.read(FILE)[0])
    ids = tok.encode(text)
    assert ids == ReferenceTokenizer(tok.spec).encode(text)
    assert tok.decode(ids) == tok.normalize(text)


@pytest.mark.parametrize("style", [{"indent": None}, {"indent": 2, "ensure_ascii": True}, {"ensure_ascii": True}])
def test_other_styles(style: dict[str, Any]) -> None:
    data = packed(WHOLE, **style)
    spec, origin = bytepiece.read(data)
    assert spec == bytepiece.read(FILE)[0]
    assert bytepiece.write(spec, origin) == data


def test_another_order_gaps_and_other_texts() -> None:
    whole = {name: [3 * row[0], "?", 5 * row[2]] for name, row in reversed(WHOLE.items())}
    whole[key(b"ab")] = [whole[key(b"ab")][0], whole[key(b"ab")][-1]]
    data = packed(whole) + b"\n"
    spec, origin = bytepiece.read(data)
    assert bytepiece.write(spec, origin) == data
    assert Kind(int(spec.pieces.kinds[5])) == Kind.UNUSED
    tok = ap.Tokenizer(spec)
    plain = ap.Tokenizer(bytepiece.read(FILE)[0])
    assert [id // 3 for id in tok.encode("abc of the日本")] == plain.encode("abc of the日本")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"": [300, "", 1]}, "file-corrupt"),
        ({"YWI": [300, "ab", 1]}, "file-corrupt"),
        ({"eHl6\n": [300, "xyz", 1]}, "file-corrupt"),
        ({"eHl6 5\neHl6eA==": [300, "xyz", 1]}, "file-corrupt"),
        ({"日本": [300, "xyz", 1]}, "file-corrupt"),
        ({"eHl6": [2, "xyz", 1]}, "file-corrupt"),
        ({"eHl6": [3, "xyz", 1]}, "file-corrupt"),
        ({"eHl6": [-1, "xyz", 1]}, "file-corrupt"),
        ({"eHl6": [10**9, "xyz", 1]}, "file-corrupt"),
        ({"eHl6": [10**30, "xyz", 1]}, "file-corrupt"),
        ({"eHl6": [300, "xyz", 0]}, "file-corrupt"),
        ({"eHl6": [300, "xyz", 10**19]}, "file-corrupt"),
        ({"eHl6": [300, "xyz", 1.5]}, "file-corrupt"),
        ({"eHl6": [300, "xyz", True]}, "file-corrupt"),
        ({"eHl6": [300]}, "file-corrupt"),
        ({"eHl6": {"id": 300}}, "file-corrupt"),
        ({"eHl6": 300}, "file-corrupt"),
    ],
)
def test_refused(change: dict[str, Any], code: str) -> None:
    with pytest.raises(ap.FormatError) as caught:
        bytepiece.read(packed(WHOLE | change))
    assert caught.value.code == code
    assert caught.value.facts["field"] in {*change, ""}


@pytest.mark.parametrize("data", [FILE[:-3], FILE + b"x", b"[]", b"{}", b'{"a": ' * 5000, b"\xff"])
def test_no_such_json(data: bytes) -> None:
    with pytest.raises(ap.FormatError) as caught:
        bytepiece.read(data)
    assert caught.value.code == "file-corrupt"


def test_a_key_twice() -> None:
    with pytest.raises(ap.FormatError, match="earlier"):
        bytepiece.read(FILE[:-2] + b',"YWI=": [2999, "ab", 1]}')


def test_missing_bytes() -> None:
    with pytest.raises(ap.FormatError) as caught:
        bytepiece.read(packed({name: row for name, row in WHOLE.items() if name != "AA=="}))
    assert (caught.value.code, caught.value.facts["missing"]) == ("rank-bytes", [0])


@pytest.mark.parametrize(
    "data", [b"", b"{}", b'{"a": 0}', b'{"YWI=": [1.5, 2]}', b'{"YWI": [1, 2]}', b'{"model": [1, 2]}']
)
def test_not_taken_for_one(data: bytes) -> None:
    assert not bytepiece.looks_like(data)


@pytest.mark.parametrize(
    "change", [{"splitter": None}, {"normalizer": ()}, {"bos_id": None}, {"decoding": "surface"}, {"added": True}]
)
def test_only_such_vocabularies_are_written(change: dict[str, Any]) -> None:
    if "added" in change:
        change = {"added": ap.Added.of([("<x>", 0, 1)])}
    with pytest.raises(ap.FormatError) as caught:
        bytepiece.write(bytepiece.read(FILE)[0].replace(**change))
    assert caught.value.code == "format-unwritable"


def test_scores_of_no_counts_are_not_written() -> None:
    spec, origin = bytepiece.read(FILE)
    pieces = ap.Pieces(spec.pieces.blob, spec.pieces.offsets, spec.pieces.scores * 1.25, spec.pieces.kinds)
    with pytest.raises(ap.FormatError, match="counts"):
        bytepiece.write(spec.replace(pieces=pieces), origin)
