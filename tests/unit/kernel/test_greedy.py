"""Greedy: by hand, bounded streams, long texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.inspect.doctor import examine
from anypiece.reference import ReferenceTokenizer

if TYPE_CHECKING:
    from pathlib import Path

PLAIN: dict[str, Any] = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
LONGER = [b"ab", b"abc", b"cd", b"aaaaaaaa", b"\xe6\x97", b"\xe6\x97\xa5"]
SPEC = Spec(
    Pieces.of([(piece, 0.0, Kind.NORMAL) for piece in [*[bytes([byte]) for byte in range(256)], *LONGER]]),
    segmenter="greedy",
    symbols="bytes",
    **PLAIN,
)
TOK = ap.Tokenizer(SPEC)


def test_by_hand() -> None:
    assert TOK.encode("abcd") == [257, ord("d")]
    assert TOK.encode("日日") == [261, 261]
    assert TOK.encode(b"\xe6\x97x") == [260, ord("x")]
    assert TOK.decode(TOK.encode("abcd日")) == "abcd日"


def test_a_stream_holds_less_than_two_of_the_longest_pieces() -> None:
    text = "aaaaaaab" * 1000 + "日"
    stream = TOK.stream_encoder()
    ids: list[int] = []
    for at in range(0, len(text), 5):
        ids += stream.push(text[at : at + 5])
        assert at - sum(len(TOK.id_to_bytes(id)) for id in ids) < 16
    assert ids + stream.flush() == TOK.encode(text)


def test_long_texts() -> None:
    text = "a" * 1_000_003
    assert TOK.encode(text, threads=2) == [259] * 125_000 + [97] * 3
    assert TOK.truncate(text, 1000) == "a" * 8000
    assert TOK.count(text, 5) == 6


def test_with_a_splitter() -> None:
    tok = TOK.replace(splitter="gpt2")
    assert tok.encode("ab cab日c") == ReferenceTokenizer(tok.spec).encode("ab cab日c")


def test_stored_explained_examined(tmp_path: Path) -> None:
    TOK.save(tmp_path / "greedy.anypiece")
    again = ap.load(tmp_path / "greedy.anypiece")
    assert again.encode("abcd日") == TOK.encode("abcd日")
    assert again.explain("abcd日").difference is None
    assert all(finding.severity != "error" for finding in examine(again))
