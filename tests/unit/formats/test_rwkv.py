"""RWKV's vocabulary list: literals without evaluating them, what is refused, the same file again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import Kind
from anypiece.formats import rwkv, sniff

MORE = [
    b"ab",
    b"abc",
    "日".encode(),
    b"it's",
    b'say "it\'s"',
    b"\\n",
    b"\n\n",
    b"\xe6\x97",
    "\u2028é\U0001f600".encode(),
]
PIECES = [*[bytes([byte]) for byte in range(256)], *MORE]


def literal(piece: bytes) -> str:
    try:
        return repr(piece.decode())
    except UnicodeDecodeError:
        return repr(piece)


def listed(pieces: list[bytes], end: str = "\n") -> bytes:
    return "".join(f"{id} {literal(piece)} {len(piece)}{end}" for id, piece in enumerate(pieces, 1)).encode()


FILE = listed(PIECES)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_there_and_back(end: str) -> None:
    data = listed(PIECES, end)
    assert sniff(data, "a file") == "rwkv"
    spec, origin = rwkv.read(data)
    assert [spec.pieces.bytes(id) for id in range(1, len(spec.pieces))] == PIECES
    assert Kind(int(spec.pieces.kinds[0])) == Kind.UNUSED
    assert rwkv.write(spec, origin) == data
    tok = ap.Tokenizer(spec)
    assert tok.encode("abcab") == [258, 257]
    assert tok.decode(tok.encode('日 say "it\'s"\n\n')) == '日 say "it\'s"\n\n'


@given(
    st.lists(
        st.one_of(
            st.text(min_size=1, max_size=6).map(lambda text: text.encode("utf-8", "replace")), st.binary(min_size=1)
        ),
        max_size=20,
    )
)
def test_any_pieces(more: list[bytes]) -> None:
    data = listed(list(dict.fromkeys([*PIECES, *more])))
    spec, origin = rwkv.read(data)
    assert rwkv.write(spec, origin) == data


def test_another_order_and_other_literals() -> None:
    """Double quotes where Python writes single ones, an escape where it writes the character, lines in another order."""
    lines = FILE.replace(b"257 'ab' 2", b'257 "ab" 2').replace(b"258 'abc' 3", b"258 '\\x61bc' 3").splitlines(True)
    data = b"".join(reversed(lines))
    spec, origin = rwkv.read(data)
    assert spec == rwkv.read(FILE)[0]
    assert rwkv.write(spec, origin) == data
    assert rwkv.write(spec) == FILE


def test_special_tokens() -> None:
    spec, origin = rwkv.read(FILE, specials={"<|endoftext|>": 0})
    tok = ap.Tokenizer(spec)
    assert 0 not in tok.encode("a<|endoftext|>")
    assert tok.encode("a<|endoftext|>", specials="parse") == [98, 0]
    assert rwkv.write(spec, origin) == FILE
    for specials, code in [
        ({"<s>": 5}, "rank-special"),
        ({"a": 0, "b": 0}, "rank-special"),
        ({"": 0}, "argument-value"),
    ]:
        with pytest.raises(ap.AnyPieceError) as caught:
            rwkv.read(FILE, specials=specials)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"266 __import__('os') 3\n", "file-corrupt"),
        (b"266 'a' + 'b' 2\n", "file-corrupt"),
        (b"266 'abcd' 3\n", "file-corrupt"),
        (b"266 '\\N{BULLET}' 3\n", "file-corrupt"),
        (b"266 '\\ud800' 3\n", "file-corrupt"),
        (b"266 '\\U00110000' 4\n", "file-corrupt"),
        (b"266 b'\\u0041' 1\n", "file-corrupt"),
        ("266 b'é' 2\n".encode(), "file-corrupt"),
        (b"266 '\xff' 1\n", "file-corrupt"),
        (b"266 '' 0\n", "file-corrupt"),
        (b"266 'ab' 2\n", "file-corrupt"),
        (b"257 'new' 3\n", "file-corrupt"),
        (b"999999999 'new' 3\n", "file-corrupt"),
        (b"9999999999 'new' 3\n", "file-corrupt"),
        (b"266 'new' 3", "file-truncated"),
    ],
)
def test_refused_lines(line: bytes, code: str) -> None:
    with pytest.raises(ap.FormatError) as caught:
        rwkv.read(FILE + line)
    assert caught.value.code == code
    assert caught.value.facts["line"] == 266


def test_missing_bytes() -> None:
    with pytest.raises(ap.FormatError) as caught:
        rwkv.read(listed(PIECES[1:]))
    assert caught.value.code == "rank-bytes"


@pytest.mark.parametrize("data", [b"", b"1 2 3\n", b"1 'a' 2\n", b"1 'a'\n", b"hello 1\n", b"1 'a' 1"])
def test_not_taken_for_one(data: bytes) -> None:
    assert not rwkv.looks_like(data)


def test_only_such_vocabularies_are_written() -> None:
    spec, _ = rwkv.read(FILE)
    with pytest.raises(ap.FormatError) as caught:
        rwkv.write(spec.replace(splitter="gpt2"))
    assert caught.value.code == "format-unwritable"
