"""A small tekken.json, made by hand."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from anypiece.formats.tiktoken.definitions import SPLITTERS

PATTERN = next(pattern for pattern, name in SPLITTERS.items() if name == "tekken")
PIECES = [*[bytes([byte]) for byte in range(256)], b"ab", b"abc", b" ab", b"\xe6\x97", b"never"]
SPECIALS = 24


def entry(rank: int, piece: bytes) -> dict[str, Any]:
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        text = None
    return {"rank": rank, "token_bytes": b64encode(piece).decode(), "token_str": text}


def content(**changes: Any) -> dict[str, Any]:
    config = {
        "pattern": PATTERN,
        "num_vocab_tokens": len(PIECES),
        "default_vocab_size": len(PIECES) - 1 + SPECIALS,
        "default_num_special_tokens": SPECIALS,
        "version": "v3",
    }
    config |= changes.pop("config", {})
    return {"config": config, "vocab": [entry(*row) for row in enumerate(PIECES)], "image": {"size": 1}} | changes


def file_of(whole: Any = None, **form: Any) -> bytes:
    return json.dumps(whole or content(), **form).encode()
