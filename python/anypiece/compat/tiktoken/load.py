"""Rank files as dictionaries, for plugins that read their own. Addresses are looked up in the local folders alone."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from ...formats.wire.rank_lines import join_lines, scan_lines
from ...io.names import rank_folders
from .ranks import dictionary

__all__ = [
    "check_hash",
    "data_gym_to_mergeable_bpe_ranks",
    "dump_tiktoken_bpe",
    "load_tiktoken_bpe",
    "read_file",
    "read_file_cached",
]


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Whether this is the SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest() == expected_hash


def read_file(blobpath: str) -> bytes:
    """The content of a local file, or of the copy of an address in a folder of rank files."""
    if "://" not in blobpath:
        return Path(blobpath).read_bytes()
    names = [hashlib.sha1(blobpath.encode()).hexdigest(), blobpath.rpartition("/")[2]]
    for folder in rank_folders():
        for name in names:
            if name and (folder / name).is_file():
                return (folder / name).read_bytes()
    raise FileNotFoundError(
        f"{blobpath} is not downloaded here. Put {names[1]} into the folder that $ANYPIECE_RANKS names, or fill "
        "$TIKTOKEN_CACHE_DIR with tiktoken itself."
    )


def read_file_cached(blobpath: str, expected_hash: str | None = None) -> bytes:
    """The content of a file; ``ValueError`` if it has another hash."""
    data = read_file(blobpath)
    if expected_hash and not check_hash(data, expected_hash):
        raise ValueError(f"the copy of {blobpath} has another hash than {expected_hash}; remove it and copy it again")
    return data


def load_tiktoken_bpe(tiktoken_bpe_file: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """The ranks of a rank file."""
    return dictionary(scan_lines(read_file_cached(tiktoken_bpe_file, expected_hash).replace(b"\r\n", b"\n")))


def dump_tiktoken_bpe(bpe_ranks: dict[bytes, int], tiktoken_bpe_file: str) -> None:
    """Write a rank file, by rank."""
    Path(tiktoken_bpe_file).write_bytes(join_lines(sorted(bpe_ranks.items(), key=lambda row: row[1])))


def data_gym_to_mergeable_bpe_ranks(
    vocab_bpe_file: str,
    encoder_json_file: str,
    vocab_bpe_hash: str | None = None,
    encoder_json_hash: str | None = None,
    clobber_one_byte_tokens: bool = False,
) -> dict[bytes, int]:
    """The ranks of GPT-2's pair of files; ``AssertionError`` where the two do not agree."""
    printed = [byte for byte in range(256) if chr(byte).isprintable() and byte != 0x20]
    others = [byte for byte in range(256) if byte not in printed]
    letters = {chr(byte): byte for byte in printed} | {chr(256 + place): byte for place, byte in enumerate(others)}
    merges = read_file_cached(vocab_bpe_file, vocab_bpe_hash).decode().split("\n")[1:-1]
    ids = json.loads(read_file_cached(encoder_json_file, encoder_json_hash))
    found = {bytes(letters[letter] for letter in token): id for token, id in ids.items()}
    for name in (b"<|endoftext|>", b"<|startoftext|>"):
        found.pop(name, None)
    ranks = {bytes([byte]): rank for rank, byte in enumerate([*printed, *others])}
    if clobber_one_byte_tokens:
        ranks |= {token: id for token, id in found.items() if len(token) == 1}
    for rank, merge in enumerate(merges, len(ranks)):
        ranks[bytes(letters[letter] for letter in merge.replace(" ", ""))] = rank
    if ranks != found:
        raise AssertionError(f"{vocab_bpe_file} and {encoder_json_file} do not belong together")
    return ranks
