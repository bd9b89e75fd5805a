"""A small BytePiece vocabulary, made by hand."""

from __future__ import annotations

import json
from base64 import b64encode

from anypiece import Spec
from anypiece.formats import bytepiece

BYTE_COUNTS = {bytes([byte]): 1 for byte in range(256)} | {
    b"\xe6\x97": 40,
    "日".encode(): 30,
    b"\xa5\xe6": 20,
    b"ab": 9,
}


def bytepiece_spec() -> Spec:
    whole = {b64encode(piece).decode(): [id, "", BYTE_COUNTS[piece]] for id, piece in enumerate(sorted(BYTE_COUNTS), 3)}
    return bytepiece.read(json.dumps(whole).encode())[0]
