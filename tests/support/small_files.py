"""Small tokenizer files made by hand, of formats that are plain text."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING

from anypiece.formats.huggingface.model import BYTE_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["BYTE_RANKS", "RWKV_LIST", "VOCAB_TXT", "rank_file", "written_pair"]


def rank_file(pieces: Sequence[bytes]) -> bytes:
    """A rank file with these pieces, in this order."""
    return b"".join(b"%b %d\n" % (b64encode(piece), rank) for rank, piece in enumerate(pieces))


BYTE_RANKS = rank_file([bytes([byte]) for byte in range(256)])

RWKV_LIST = "".join(f"{byte + 1} {bytes([byte])!r} 1\n" for byte in range(256)).encode()

VOCAB_TXT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b", "A", "é", "e", "中", "中文", "##文", "!"]
"""The lines of a vocab.txt."""


def written_pair(folder: Path) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """A vocab.json and a merges.txt in ``folder``, and what they hold."""
    letters = [chr(character) for character in BYTE_CHARACTERS]
    vocab = {name: id for id, name in enumerate([*letters, "he", "Ġhe", "<|endoftext|>"])}
    merges = [("h", "e"), ("Ġ", "he")]
    (folder / "vocab.json").write_text(json.dumps(vocab))
    (folder / "merges.txt").write_bytes(b"#version: 0.2\r\nh e\n\xc4\xa0 he\n")
    return vocab, merges
