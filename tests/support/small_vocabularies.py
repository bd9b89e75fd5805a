"""Small vocabularies made by hand, for tests whose answers can be worked out on paper."""

from __future__ import annotations

from anypiece import Added, AddedFlag, Kind, Pieces, Spec

__all__ = ["BPE", "BYTES", "CHAR", "RANKS", "SPECIALS", "UNIGRAM"]

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

_SINGLES = [bytes([byte]) for byte in range(256)]
_MERGES = [
    b"th",
    b" t",
    b"he",
    b" th",
    b" the",
    b"  ",
    b"\xc3\xa9",
    b"\xe6\x97",
    b"\xe6\x97\xa5",
    b" \xe6",
    b"xyz",
    b"\n\n",
]
_CONTROLS: list[tuple[bytes, float, Kind]] = [
    (b"", 0.0, Kind.UNUSED),
    (b"<|end|>", 0.0, Kind.CONTROL),
    (b"<|end|>!", 0.0, Kind.CONTROL),
    ("<|日|>".encode(), 0.0, Kind.CONTROL),
]

RANKS = Spec(
    Pieces.of(
        [
            *[(piece, 0.0 - rank, Kind.NORMAL) for rank, piece in enumerate([*_SINGLES, *_MERGES])],
            *_CONTROLS,
        ]
    ),
    segmenter="bpe",
    symbols="bytes",
    splitter="cl100k",
    whole_chunks=True,
    added=Added.of(
        (piece.decode(), 269 + index, AddedFlag.SPECIAL) for index, (piece, _, _) in enumerate(_CONTROLS[1:])
    ),
    add_dummy_prefix=False,
    remove_extra_whitespaces=False,
    escape_whitespaces=False,
    unk_surface="",
    bos_id=269,
    eos_id=270,
)
"""Pieces are bytes: byte ``n`` is id ``n``, then 256 ``th`` 257 `` t`` 258 ``he`` 259 `` th`` 260 `` the`` 261 two spaces
262 ``é`` 263 two bytes of ``日`` 264 ``日`` 265 a space and its first byte 266 ``xyz``, which no merges lead to, 267 two
line ends; 268 is unused, and 269 ``<|end|>`` 270 ``<|end|>!`` 271 ``<|日|>`` are control pieces."""
