"""The bytes of pieces: tokens, edges and lists of pieces keep them where a string cannot."""

from __future__ import annotations

import copy
import pickle

from hypothesis import given

import anypiece as ap
from anypiece import Token
from tests.support.byte_tokenizers import ALL, RAW, TEXTS, TOK
from tests.support.small_vocabularies import UNIGRAM


@given(RAW | TEXTS)
def test_tokens_and_edges_keep_the_bytes_of_their_pieces(text: str | bytes) -> None:
    """In a vocabulary of bytes a piece need not be UTF-8: ``piece`` then shows U+FFFD, ``piece_bytes`` what it is."""
    for tok in ALL:
        tokens = tok.encode_spans(text, specials="parse")
        raw = [token.piece_bytes for token in tokens]
        assert raw == [tok.id_to_bytes(token.id) for token in tokens]
        assert [token.piece for token in tokens] == [piece.decode("utf-8", "replace") for piece in raw]
        assert tok.encode_piece_bytes(text, specials="parse") == raw
        drawn = tok.sample_spans(text, 0.5, seed=1, method="dropout", specials="parse")
        assert [token.piece_bytes for token in drawn] == [tok.id_to_bytes(token.id) for token in drawn]
    edges = TOK.lattice(text).edges
    assert [edge.piece_bytes for edge in edges] == [TOK.id_to_bytes(edge.id) for edge in edges]


def test_a_token_is_a_tuple_of_four_that_keeps_its_bytes() -> None:
    token = TOK.encode_spans("愛")[0]
    id, piece, start, end = token
    assert token == (230, "\ufffd", 0, 1) == (id, piece, start, end)
    assert hash(token) == hash((id, piece, start, end))
    assert repr(token) == "Token(id=230, piece='\ufffd', start=0, end=1)"
    copies = [pickle.loads(pickle.dumps(token)), copy.copy(token), token._replace(start=5, end=6)]
    assert {made.piece_bytes for made in copies} == {b"\xe6"}
    assert token._replace(piece="a").piece_bytes == Token(0, "a", 0, 1).piece_bytes == b"a"
    assert TOK.encode_piece_bytes("愛é", reverse=True) == [b"\xc3\xa9", b"\x9b", b"\x84", b"\xe6"]


def test_unknown_text_keeps_its_bytes() -> None:
    tok = ap.Tokenizer(UNIGRAM)
    raw, own = tok.encode_piece_bytes("愛"), tok.encode_piece_bytes("愛", unk_piece=True)
    assert b"".join(raw).endswith("愛".encode())
    assert own == [tok.id_to_bytes(id) for id in tok.encode("愛")]
    assert [edge.piece_bytes for edge in tok.lattice("愛").edges][-1] == raw[-1]
