"""The shards that are read: documents of many kinds, two vocabularies, and what each document's ids must be."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import anypiece as ap
from anypiece.corpus.shards import plan_shards, run_shards
from anypiece.corpus.shards.manifest import Manifest
from tests.support.data import ROOT

__all__ = ["PLACES", "Case", "cases", "made"]

PLACES = {
    "megatron": "after", "nanogpt": "after", "llmc": "before", "datatrove": "after", "numpy": "after",
    "mds": "after", "litdata": "after", "parquet": "none", "arrow": "none",
}  # fmt: skip
"""Where the programs that these layouts belong to have the end of a text."""
_COLUMNS = ("mds", "parquet", "arrow")
_SHARD = 60_000
_EXTRA = 3000


class Case(NamedTuple):
    """One folder of shards."""

    format: str
    is_wide: bool
    """Whether ids go beyond 65535."""
    validation: float = 0.0

    def __str__(self) -> str:
        return f"{self.format} {'32' if self.is_wide else '16'} bits{' train and val' if self.validation else ''}"


def cases(formats: list[str]) -> list[Case]:
    """Both vocabularies, and documents held out where that changes the folders."""
    found = []
    for format in formats:
        found += [Case(format, False), Case(format, False, 0.2)]
        if format != "nanogpt":
            found.append(Case(format, True))
    return found


@lru_cache
def tokenizer(is_wide: bool) -> ap.Tokenizer:
    """The embedded vocabulary, or with pieces behind it whose ids do not fit into 16 bits."""
    tok = ap.load()
    if not is_wide:
        return tok
    extra = [(f"⟨{number}⟩", 0.0, ap.Kind.USER_DEFINED) for number in range(_EXTRA)]
    wide = ap.Tokenizer(tok.spec.replace(pieces=ap.Pieces.of([*tok.spec.pieces, *extra])))
    assert wide.vocab_size > 2**16
    return wide


@lru_cache
def documents() -> tuple[str, ...]:
    """Texts of this project, some with pieces of the wide vocabulary, and odd ones; all are different but the empty ones."""
    draw = random.Random(4)
    texts = []
    for path in sorted((ROOT / "docs").rglob("*.md")):
        texts += [part for part in path.read_text("utf-8").split("\n\n") if part.strip()]
    draw.shuffle(texts)
    odd = ["a", "</s>", "<s> text that spells special tokens </s>", "\0\x01", "🦊" * 300]
    odd += ["日本語のテキスト。" * 40, "مرحبا بالعالم " * 9]
    found = [f"{number} {text} ⟨{number % _EXTRA}⟩" for number, text in enumerate(texts[:600])] + odd
    found.append("a long document " + " ".join(str(draw.getrandbits(40)) for _ in range(14_000)))
    draw.shuffle(found)
    return ("", *found[:300], "", *found[300:])


def made(case: Case, folder: Path) -> tuple[Manifest, list[list[int]]]:
    """The shards of a case in a folder, and the ids of every document in the order of the corpus."""
    tok = tokenizer(case.is_wide)
    source = folder.with_suffix(".jsonl")
    rows = [{"text": text, "id": str(number)} for number, text in enumerate(documents())]
    source.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    options: dict[str, Any] = {"format": case.format, "shard_size": _SHARD, "validation": case.validation}
    # Without marks at ends a document without text has no ids at all, which is kept where a format can.
    options["min_tokens"] = 0
    if case.format in _COLUMNS:
        options["columns"] = ("id",)
    plan_shards(source, tok, folder, **options)
    manifest = run_shards(folder, processes=1)
    assert manifest is not None
    return manifest, [framed(case.format, tok, text) for text in documents()]


def framed(format: str, tok: ap.Tokenizer, text: str) -> list[int]:
    """The ids of a document with the mark of its end."""
    ids, end = tok.encode(text), tok.eos_id
    assert end is not None
    place = PLACES[format]
    return [end, *ids] if place == "before" else [*ids, end] if place == "after" else ids
