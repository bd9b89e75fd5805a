"""Small vocabularies made by hand, for tests whose answers can be worked out on paper."""

from __future__ import annotations

from anypiece import Kind, Pieces, Spec

__all__ = ["BPE", "BYTES", "CHAR", "SPECIALS", "UNIGRAM"]

_SPECIALS = [("<unk>", 0.0, Kind.UNKNOWN), ("<s>", 0.0, Kind.CONTROL), ("</s>", 0.0, Kind.CONTROL)]
_WORDS = [("▁", -3.0), ("a", -3.0), ("b", -3.0), ("c", -3.5), ("é", -4.0), ("▁a", -1.0), ("ab", -2.0), ("▁ab", -2.5)]
_NORMAL = [(piece, score, Kind.NORMAL) for piece, score in _WORDS]

UNIGRAM = Spec(Pieces.of([*_SPECIALS, *_NORMAL]), bos_id=1, eos_id=2)
"""Ids 3 ``▁`` 4 ``a`` 5 ``b`` 6 ``c`` 7 ``é`` 8 ``▁a`` 9 ``ab`` 10 ``▁ab``; unknown characters fuse into 0."""

BYTES = Spec(
    Pieces.of([*_SPECIALS, *[(f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)], *_NORMAL]),
    byte_fallback=True,
    bos_id=1,
    eos_id=2,
)
"""The same with byte fallback: byte ``n`` is id ``3 + n``, and ``▁`` is 259."""

BPE = UNIGRAM.replace(
    segmenter="bpe",
    pieces=Pieces.of([*_SPECIALS, *[(piece, -float(rank), Kind.NORMAL) for rank, (piece, _) in enumerate(_WORDS)]]),
)

CHAR = UNIGRAM.replace(segmenter="char")

SPECIALS = UNIGRAM.replace(
    pieces=Pieces.of([*_SPECIALS, *_NORMAL, ("[SEP]", 0.0, Kind.CONTROL), ("[USER]", 0.0, Kind.USER_DEFINED)])
)
"""Id 11 ``[SEP]`` is a control piece and 12 ``[USER]`` a user-defined one."""
