"""A report on a vocabulary: how it fits the words it was trained on, what it uses, and what its pieces are like.

Every word is encoded once and counts as often as it was seen, so that a report on a corpus of any size takes seconds. Slices
are the beginnings of the files of the corpus.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..comparison.compare import compare
from ..corpus.readers import Block, Corpus
from ..errors import InputError
from ..io.paths import checked_path, write_bytes
from ..report import bars, columns, facts, page, pieces, section, table
from ..spec import SPACE_MARK, Kind
from ..tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .words import WordCounts

__all__ = ["Report", "Slice", "report_on", "usage"]

_BATCH = 100_000
_SLICE = 1_000_000
_SLICES = 40
_SHOWN = 40
_BINS = 40


@dataclass(frozen=True)
class Slice:
    """The beginning of a file of the corpus."""

    name: str
    bytes: int
    tokens: int
    unknown: int
    partial: int


@dataclass(frozen=True)
class Report:
    """What there is to say about a vocabulary and the words it was trained on."""

    kind: str
    vocab_size: int
    texts: int
    words: int
    occurrences: int
    """Words, each as often as it was seen."""
    bytes: int
    """Of all of them."""
    tokens: int
    coverage: float
    """The share of characters that are in no unknown token and not spelled in bytes."""
    unused: int
    """Pieces that no word comes to; meta pieces do not count."""
    longest: list[str]
    rarest: list[tuple[str, int]]
    commonest: list[tuple[str, int]]
    lengths: list[tuple[int, int]]
    """Lengths of pieces in characters, and how many have it."""
    scores: list[tuple[float, int]]
    """Where bins of scores begin, and how many pieces are in each; empty where scores say nothing."""
    slices: list[Slice] = field(default_factory=list)

    @property
    def bytes_per_token(self) -> float:
        """Of the words, spaces included."""
        return self.bytes / max(1, self.tokens)

    def json(self) -> str:
        """All of it as JSON."""
        return json.dumps(
            {**asdict(self), "bytes_per_token": round(self.bytes_per_token, 4)}, ensure_ascii=False, indent=1
        )

    def html(self) -> str:
        """A page with plots that loads no other file."""
        lead = f"{self.kind}, {self.vocab_size:,} pieces, from {self.words:,} distinct words of {self.texts:,} texts"
        figures = {
            "bytes per token": f"{self.bytes_per_token:.3f}",
            "tokens": f"{self.tokens:,}",
            "characters covered": f"{100 * self.coverage:.4f} %",
            "pieces never used": f"{self.unused:,}",
        }
        slices = {one.name: {"bytes per token": one.bytes / max(1, one.tokens)} for one in self.slices}
        return page(
            "A vocabulary and its corpus",
            lead,
            facts(figures),
            section("Bytes per token, by file", bars(slices, "bytes per token") if slices else "", self._slice_table()),
            section("Longest pieces", pieces(self.longest)),
            section("Most frequent pieces", pieces((name, f"{count:,}") for name, count in self.commonest)),
            section("Rarest pieces in use", pieces((name, f"{count:,}") for name, count in self.rarest)),
            section("Lengths", columns([(str(n), float(m)) for n, m in self.lengths], "pieces", "characters in a piece")),
            section("Scores", columns([(f"{n:.1f}", float(m)) for n, m in self.scores], "pieces", "score")),
        )  # fmt: skip

    def _slice_table(self) -> str:
        if not self.slices:
            return ""
        rows = [
            [one.name, f"{one.bytes:,}", f"{one.tokens:,}", f"{100 * one.unknown / max(1, one.tokens):.3f} %",
             f"{100 * one.partial / max(1, one.tokens):.2f} %"]
            for one in self.slices
        ]  # fmt: skip
        return table(["file", "bytes", "tokens", "unknown", "partial"], rows, "At most a megabyte of each file.")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as HTML or JSON, as the name ends."""
        page = checked_page(path)
        text = self.json() + "\n" if page.suffix.lower() == ".json" else self.html()
        write_bytes(page, text.encode())


def checked_page(path: str | os.PathLike[str]) -> Path:
    """The path of a report, whose name says what is written."""
    page = checked_path(path)
    if page.suffix.lower() not in (".html", ".json"):
        raise InputError("argument-value", f"{page} should end in .html or .json.", path=str(page))
    return page


def report_on(tokenizer: Tokenizer, counts: WordCounts, slices: Mapping[str, Any] | None = None) -> Report:
    """The report on a tokenizer and the counts it was trained from. ``slices`` are texts, path objects or corpora by name.

    >>> import anypiece as ap
    >>> counts = ap.count_words(["low lower lowest", "new newer newest"] * 10)
    >>> found = report_on(ap.train(counts, vocab_size=18), counts)
    >>> found.words, found.occurrences, found.coverage
    (6, 60, 1.0)
    """
    spec = tokenizer.spec
    used, size, covered, characters = usage(tokenizer, counts)
    names = [spec.pieces.piece(id) for id in range(len(spec.pieces))]
    plain = (spec.pieces.kinds == Kind.NORMAL) | (spec.pieces.kinds == Kind.USER_DEFINED)
    order = [int(id) for id in np.argsort(used, kind="stable") if plain[id]]
    in_use = [id for id in order if used[id]]
    by_length = sorted(np.flatnonzero(plain).tolist(), key=lambda id: (-len(names[id]), names[id]))
    return Report(
        kind=counts.preparation.kind,
        vocab_size=tokenizer.vocab_size,
        texts=int(counts.facts.get("texts", 0)),
        words=len(counts),
        occurrences=counts.total,
        bytes=size,
        tokens=int(used.sum()),
        coverage=covered / max(1, characters),
        unused=len(order) - len(in_use),
        longest=[names[id] for id in by_length[:_SHOWN]],
        rarest=[(names[id], int(used[id])) for id in in_use[:_SHOWN]],
        commonest=[(names[id], int(used[id])) for id in in_use[::-1][:_SHOWN]],
        lengths=_lengths([names[id] for id in np.flatnonzero(plain)]),
        scores=_scores(tokenizer, plain),
        slices=_slices(tokenizer, slices or {}),
    )


def _plain(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer for words that are normalized already."""
    spec = tokenizer.spec
    if spec.normalizer or spec.split_rules or spec.symbols == "bytes":
        return tokenizer
    return tokenizer.replace(charsmap=b"", add_dummy_prefix=False, remove_extra_whitespaces=False)


def usage(tokenizer: Tokenizer, counts: WordCounts) -> tuple[NDArray[np.int64], int, int, int]:
    """How often each piece is used, the bytes of all text, and how many of its characters are covered."""
    plain, spec = _plain(tokenizer), tokenizer.spec
    used = np.zeros(tokenizer.vocab_size, np.int64)
    missed = spec.pieces.kinds == Kind.BYTE
    if spec.unk_id >= 0:
        missed[spec.unk_id] = True
    size = covered = characters = 0
    words: list[bytes] = []
    times: list[int] = []

    def settle() -> None:
        nonlocal size, covered, characters
        batch = plain.encode_batch(words)
        weights = np.array(times, np.int64)
        per_token = np.repeat(weights, np.diff(batch.offsets))
        np.add.at(used, batch.ids, per_token)
        odd = np.add.reduceat(np.append(missed[batch.ids], False).astype(np.int64), batch.offsets[:-1])
        odd[np.diff(batch.offsets) == 0] = 0
        for index, word in enumerate(words):
            text = word.decode("utf-8", "replace")
            size += times[index] * (len(word) - 2 * text.count(SPACE_MARK) * spec.escape_whitespaces)
            characters += times[index] * len(text)
            good = len(text) if not odd[index] else _covered(plain, text, missed)
            covered += times[index] * good
        words.clear()
        times.clear()

    for word, count in counts.items():
        words.append(word)
        times.append(count)
        if len(words) == _BATCH:
            settle()
    if words:
        settle()
    return used, size, covered, characters


def _covered(tokenizer: Tokenizer, text: str, missed: NDArray[np.bool_]) -> int:
    """Characters of a word that are in a token of their own kind."""
    lost = {place for one in tokenizer.encode_spans(text) if missed[one.id] for place in range(one.start, one.end)}
    return len(text) - len(lost)


def _lengths(names: list[str]) -> list[tuple[int, int]]:
    found = np.bincount([min(len(name), 64) for name in names] or [0])
    return [(length, int(found[length])) for length in range(1, len(found))]


def _scores(tokenizer: Tokenizer, plain: NDArray[np.bool_]) -> list[tuple[float, int]]:
    scores = np.asarray(tokenizer.spec.pieces.scores, np.float64)[plain]
    if tokenizer.spec.segmenter != "unigram" or not len(scores):
        return []
    amounts, edges = np.histogram(scores, bins=_BINS)
    return [(float(edge), int(amount)) for edge, amount in zip(edges, amounts, strict=False)]


def _has_text(text: Any) -> bool:
    """Whether there is anything to show a slice of: a file may be empty, or have no such field."""
    if isinstance(text, os.PathLike):
        text = Corpus(text)
    if not isinstance(text, Corpus):
        return len(text) > 0
    return any(part.data if isinstance(part, Block) else any(part.texts) for part in text.parts())


def _slices(tokenizer: Tokenizer, slices: Mapping[str, Any]) -> list[Slice]:
    some = {name: text for name, text in list(slices.items())[:_SLICES] if _has_text(text)}
    if not some:
        return []
    found = compare({"": tokenizer}, some, limit=_SLICE)
    return [Slice(row.text, row.bytes, row.tokens, row.unknown, row.partial) for row in found.rows]
