"""Vocabularies that are written down piece by piece, and the tables of their steps."""

from __future__ import annotations

from anypiece import Kind, Pieces, Spec, Tokenizer
from anypiece.steps.data import Merging, Viterbi

__all__ = ["CONTROLS", "PLAIN", "byte_pairs", "merged", "unigram", "viterbi"]

PLAIN = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}
CONTROLS = [("<unk>", 0.0, Kind.UNKNOWN), ("<s>", 0.0, Kind.CONTROL), ("</s>", 0.0, Kind.CONTROL)]


def unigram(pieces: dict[str, float], **settings: object) -> Tokenizer:
    """Pieces with their scores, behind unknown, bos and eos."""
    rows = [*CONTROLS, *((piece, score, Kind.NORMAL) for piece, score in pieces.items())]
    return Tokenizer(Spec(Pieces.of(rows), bos_id=1, eos_id=2, **settings))  # type: ignore[arg-type]


def viterbi(tok: Tokenizer, text: str) -> Viterbi:
    """The table of the first chunk."""
    table = tok.explain(text).steps.chunks()[0].table
    assert isinstance(table, Viterbi)
    return table


def byte_pairs(pieces: dict[int, bytes], size: int | None = None, **settings: object) -> Tokenizer:
    """Byte ``n`` is id ``n``; other ids as given, and unused ones between them."""
    top = size or max(pieces, default=255) + 1
    rows = [(bytes([id]) if id < 256 else pieces.get(id, b""), 0.0 - id) for id in range(top)]
    kinds = [Kind.NORMAL if id < 256 or id in pieces else Kind.UNUSED for id in range(top)]
    made = Pieces.of((piece, score, kind) for (piece, score), kind in zip(rows, kinds, strict=True))
    return Tokenizer(Spec(made, segmenter="bpe", symbols="bytes", unk_surface="", **(PLAIN | settings)))  # type: ignore[arg-type]


def merged(tok: Tokenizer, text: str, number: int = 0) -> list[list[int | None]]:
    """The ids of the symbols, at first and after each merge."""
    table = tok.explain(text).steps.chunks()[number].table
    assert isinstance(table, Merging)
    return [[one.id for one in row] for row in (table.first, *(merge.symbols for merge in table.merges))]
