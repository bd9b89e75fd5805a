"""tiktoken's own tests, of 0.14.0. Its cache is filled with the rank files, and with GPT-2's, which r50k_base determines."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from tests.compat.suite import Suite
from tests.support.data import rank_file

_URL = "https://openaipublic.blob.core.windows.net"
_FILES = ("r50k_base", "p50k_base", "cl100k_base", "o200k_base")


def _prepare(folder: Path) -> dict[str, str]:
    cache = folder / "ranks"
    cache.mkdir()
    contents = {f"{_URL}/encodings/{name}.tiktoken": rank_file(name) for name in _FILES}
    contents |= {f"{_URL}/gpt-2/encodings/main/{name}": content for name, content in _gpt2_files().items()}
    for url, content in contents.items():
        (cache / hashlib.sha1(url.encode()).hexdigest()).write_bytes(content)
    return {"TIKTOKEN_CACHE_DIR": str(cache), "TIKTOKEN_MAX_EXAMPLES": "50"}


def _gpt2_files() -> dict[str, bytes]:
    """``encoder.json`` and ``vocab.bpe``, which have the same vocabulary as r50k_base; the original checks their hashes."""
    lines = [line.split() for line in rank_file("r50k_base").splitlines()]
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in lines}
    printed = [byte for byte in range(256) if chr(byte).isprintable() and byte != 32]
    hidden = [byte for byte in range(256) if byte not in printed]
    letters = {byte: chr(byte) for byte in printed} | {byte: chr(256 + n) for n, byte in enumerate(hidden)}

    def spelled(piece: bytes) -> str:
        return "".join(letters[byte] for byte in piece)

    pieces = sorted(ranks, key=lambda piece: ranks[piece])
    encoder = {spelled(piece): ranks[piece] for piece in pieces} | {"<|endoftext|>": len(pieces)}
    merges = [" ".join(map(spelled, _halves(piece, ranks))) for piece in pieces if len(piece) > 1]
    return {
        "encoder.json": json.dumps(encoder).encode(),
        "vocab.bpe": "".join(f"{line}\n" for line in ["#version: 0.2", *merges]).encode(),
    }


def _halves(piece: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """The two pieces that are merged last."""
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while len(parts) > 2:
        pairs = [parts[at] + parts[at + 1] for at in range(len(parts) - 1)]
        at = min(range(len(pairs)), key=lambda n: ranks.get(pairs[n], len(ranks)))
        parts[at : at + 2] = [pairs[at]]
    return parts


SUITE = Suite(
    name="tiktoken",
    version="0.14.0",
    packages=("tiktoken==0.14.0", "regex==2026.11.9"),
    upstream="tiktoken/tests",
    tests=("tests",),
    aliases={"tiktoken": "anypiece.compat.tiktoken"},
    prepare=_prepare,
    sample=("tests/test_offsets.py", "tests/test_pickle.py", "tests/test_simple_public.py"),
)
