"""Vocabularies with a list of merges, drawn by a seed with every option there is, and the same made for ``tokenizers``."""

from __future__ import annotations

import json
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

from anypiece.spec import Kind, Pieces, Spec

__all__ = ["MERGE_SPECS", "byte_letters", "drawn", "listed", "original", "spec_of_model"]

CHARACTERS = ["a", "b", "c", "é", "日", "本", "😀", " ", "<", "\n", "▁"]
OFF: dict[str, Any] = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}


@lru_cache
def byte_letters() -> dict[int, str]:
    """How byte-level files of ``tokenizers`` write each byte: printable ones as they are, the others from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(0x100 + n) for n, byte in enumerate(others)}


def listed(spec: Spec) -> tuple[list[str], list[tuple[str, str]]]:
    """Pieces and merges as ``tokenizers`` writes them."""
    letters = byte_letters()
    names = [spec.pieces.bytes(id) for id in range(len(spec.pieces))]
    shown = [
        name.decode() if spec.symbols == "characters" else "".join(letters[byte] for byte in name) for name in names
    ]
    return shown, [(shown[left], shown[right]) for left, right, _ in spec.merges.tolist()]


def original(spec: Spec) -> Tokenizer:
    """The same tokenizer, made of ``tokenizers``' own parts."""
    names, merges = listed(spec)
    options: dict[str, Any] = {}
    if spec.unknown in ("fuse", "each") and spec.unk_id >= 0:
        options |= {"unk_token": names[spec.unk_id], "fuse_unk": spec.unknown == "fuse"}
    if spec.symbol_prefix:
        options["continuing_subword_prefix"] = spec.symbol_prefix
    if spec.end_suffix:
        options["end_of_word_suffix"] = spec.end_suffix
    options |= {"byte_fallback": spec.byte_fallback, "ignore_merges": spec.whole_chunks}
    made = Tokenizer(models.BPE({name: id for id, name in enumerate(names)}, merges, **options))
    if spec.symbols == "bytes":
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=spec.splitter is not None)
    return made


def spec_of_model(content: bytes, **settings: Any) -> Spec:
    """The Spec of the BPE section of a ``tokenizer.json``, without the stages around it."""
    section = json.loads(content)["model"]
    vocab = section["vocab"]
    bytes_of = {letter: byte for byte, letter in byte_letters().items()}
    rows = []
    for name in sorted(vocab, key=vocab.__getitem__):
        kind = Kind.NORMAL
        if settings["symbols"] == "bytes":
            kind = Kind.UNKNOWN if name == section.get("unk_token") else kind
            rows.append((bytes(bytes_of[letter] for letter in name), 0.0, kind))
            continue
        if section.get("byte_fallback") and len(name) == 6 and name.startswith("<0x"):
            kind = Kind.BYTE
        rows.append((name, 0.0, Kind.UNKNOWN if name == section.get("unk_token") else kind))
    pairs = [pair.split(" ") if isinstance(pair, str) else pair for pair in section["merges"]]
    merges = np.array([(vocab[left], vocab[right], vocab[left + right]) for left, right in pairs], np.uint32)
    return Spec(
        Pieces.of(rows),
        "bpe",
        merges=merges,
        unknown=("fuse" if section.get("fuse_unk") else "each") if section.get("unk_token") else "drop",
        byte_fallback=bool(section.get("byte_fallback")),
        end_suffix=section.get("end_of_word_suffix") or "",
        whole_chunks=bool(section.get("ignore_merges")),
        **OFF,
        **settings,
    )


class _Draw:
    """One vocabulary on its way."""

    def __init__(self, random: Random, settings: dict[str, Any]) -> None:
        self.random = random
        chance = random.random
        self.bytes = settings.get("symbols", random.choice(["characters", "bytes"])) == "bytes"
        self.prefix = random.choice(["", "", "", "##", "a"])
        self.suffix = random.choice(["", "", "", "</w>", "b"])
        self.unknown = random.choice(["", "<unk>", "<unk>", "a"])
        self.byte_pieces = 0.0 if self.bytes else random.choice([0.0, 0.7, 1.0, 1.0])
        self.named = chance() < 0.3
        self.names: list[bytes] = []
        self.merges: list[tuple[bytes, bytes]] = []

    def add(self, name: bytes) -> None:
        if name and name not in self.names:
            self.names.append(name)

    def draw(self) -> None:
        random = self.random
        used = random.sample(CHARACTERS, random.randint(2, 7))
        symbols = [character.encode() for character in used]
        if self.bytes:
            symbols = [bytes([byte]) for byte in set(b"".join(symbols))]
            symbols = [bytes([byte]) for byte in range(256)] if random.random() < 0.5 else sorted(symbols)
        prefix, suffix = self.prefix.encode(), self.suffix.encode()
        share = random.choice([0.85, 1.0])
        for symbol in symbols:
            for name in (symbol, prefix + symbol, symbol + suffix, prefix + symbol + suffix):
                if random.random() < share:
                    self.add(name)
        self.add(self.unknown.encode())
        for byte in range(256):
            if random.random() < self.byte_pieces:
                self.add(b"<0x%02X>" % byte)
        self.join(prefix)
        if random.random() < 0.5:
            random.shuffle(self.names)

    def join(self, prefix: bytes) -> None:
        random = self.random
        fallback = [name for name in self.names if self.is_fallback(name)]
        pool = [name for name in self.names if not self.is_fallback(name)]
        if self.named and fallback:
            pool += random.sample(fallback, min(4, len(fallback)))
            pool += [name for name in (b"<0xE6>", b"<0x97>", b"<0xA5>") if name in self.names]
        common = random.sample(pool, min(len(pool), 8))
        for _ in range(random.randint(5, 60)):
            left, right = random.choice(common + pool), random.choice(common + pool)
            result = left + right[len(prefix) :]
            if right.startswith(prefix) and (left, right) not in self.merges and len(result) <= 40:
                self.add(result)
                common.append(result)
                self.merges.append((left, right))

    def is_fallback(self, name: bytes) -> bool:
        is_byte = self.byte_pieces > 0 and len(name) == 6 and name.startswith(b"<0x")
        return is_byte or name == self.unknown.encode()

    def kind(self, name: bytes) -> Kind:
        if name == self.unknown.encode():
            return Kind.UNKNOWN
        return Kind.BYTE if self.is_fallback(name) else Kind.NORMAL


def drawn(seed: object, **settings: Any) -> Spec:
    """A random vocabulary; ``settings`` are fields of its Spec that are not."""
    random = Random(f"merge lists {seed}")
    draw = _Draw(random, settings)
    while not draw.merges:
        draw.draw()
    ids = {name: id for id, name in enumerate(draw.names)}
    merges = [(ids[left], ids[right], ids[left + right[len(draw.prefix) :]]) for left, right in draw.merges]
    found: dict[str, Any] = {
        "symbols": "bytes" if draw.bytes else "characters",
        "splitter": random.choice([None, "gpt2"]) if draw.bytes else None,
        "whole_chunks": random.random() < 0.3,
        "unknown": random.choice(["fuse", "each"]) if draw.unknown else "drop",
        "symbol_prefix": draw.prefix,
        "end_suffix": draw.suffix,
        "byte_fallback": draw.byte_pieces > 0,
    }
    rows = [(name, 0.0, draw.kind(name)) for name in draw.names]
    return Spec(Pieces.of(rows), "bpe", merges=np.array(merges, np.uint32), **(OFF | found | settings))


MERGE_SPECS: dict[str, Spec] = {
    **{f"merges-{seed}": drawn(seed) for seed in range(12)},
    **{f"merges-split-{seed}": drawn(seed, symbols="characters", splitter="cl100k") for seed in range(4)},
    **{f"merges-omit-{seed}": drawn(seed, unknown="omit") for seed in range(4)},
    **{
        f"merges-escaped-{seed}": drawn(
            seed, symbols="characters", add_dummy_prefix=True, remove_extra_whitespaces=True, escape_whitespaces=True
        )
        for seed in range(4)
    },
}
"""Drawn vocabularies for the laws: seeds that together have all options."""
