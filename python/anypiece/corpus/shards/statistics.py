"""Finished shards in figures: lengths, tokens by source, how many of them are fallbacks; as JSON and as a page of HTML.

Every id is read once, a shard at a time. A fallback is an unknown token, or a byte piece of a vocabulary that has others.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.memory import shown
from ...io.paths import checked_path, file_error
from ...report import Html, bars, columns, facts, page, paragraph, pieces, section, table
from ...spec import Kind
from .reader import Shards
from .remote import is_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ...tokenizer import Tokenizer
    from .manifest import Manifest
    from .plan import Plan

__all__ = ["Statistics", "shard_statistics"]

_COUNTED = 1 << 16
"""Lengths are counted one by one below this, by powers of two above."""
_BARS, _PIECES, _SOURCES = 64, 40, 24


@dataclass(frozen=True)
class Statistics:
    """Figures of finished shards."""

    folder: Path
    manifest: Manifest
    lengths: dict[int, int]
    """The number of documents by their number of tokens; from 65536 on by the powers of two that they reach."""
    longest: int
    shards: list[tuple[str, int, int, int]]
    """The name, documents, tokens and fallback tokens of each shard."""
    sources: dict[str, tuple[int, int]]
    """The documents and tokens of named sources, or else of files, or of folders where files are many."""
    used: int
    """How many different ids there are."""
    vocab_size: int
    frequent: list[tuple[bytes, int]]
    """The most frequent pieces."""
    rare: dict[int, int]
    """How many ids occur fewer times than 1, 10 and 100."""

    @property
    def fallback(self) -> int:
        """How many tokens are fallbacks."""
        return sum(row[3] for row in self.shards)

    def percentile(self, share: float) -> int:
        """The length that such a share of the documents does not exceed."""
        wanted, seen = share * sum(self.lengths.values()), 0
        for length, amount in sorted(self.lengths.items()):
            seen += amount
            if seen >= wanted:
                return length
        return 0

    def to_json(self) -> dict[str, Any]:
        """As JSON-ready values."""
        manifest = self.manifest
        return {
            "format": manifest.format,
            "documents": manifest.documents,
            "tokens": manifest.tokens,
            "bytes": manifest.bytes,
            "padding": manifest.padding,
            "fallback": self.fallback,
            "ids_used": self.used,
            "vocab_size": self.vocab_size,
            "rarer_than": {str(most): amount for most, amount in self.rare.items()},
            "lengths": {
                "mean": round(manifest.tokens / max(manifest.documents, 1), 3),
                **{f"p{share}": self.percentile(share / 100) for share in (5, 25, 50, 75, 95, 99)},
                "longest": self.longest,
            },
            "sources": {name: {"documents": row[0], "tokens": row[1]} for name, row in self.sources.items()},
            "parts": manifest.parts,
            "left_out": manifest.left_out,
        }

    def to_html(self) -> str:
        """A page that needs nothing else."""
        manifest, tokens = self.manifest, max(self.manifest.tokens, 1)
        row = "sequences" if manifest.packed else "documents"
        figures = {
            row: f"{manifest.documents:,}",
            "tokens": f"{manifest.tokens:,}",
            "on disk": shown(manifest.bytes),
            "format": f"{manifest.format}, {manifest.dtype}",
            "shards": f"{len(manifest.shards):,}",
            "fallback": f"{self.fallback / tokens:.3%}",
            "ids that occur": f"{self.used:,} of {self.vocab_size:,}",
            **({"padding": f"{manifest.padding / tokens:.2%}"} if manifest.packed else {}),
            **{f"{name} tokens": f"{part['tokens']:,}" for name, part in manifest.parts.items()},
        }
        shares = {name: 100 * found[1] / tokens for name, found in self.sources.items()}
        return page(
            f"Shards in {self.folder.name}",
            f"{manifest.tokens:,} tokens of {manifest.documents:,} {row}, by the tokenizer {manifest.fingerprint[:12]}.",
            facts(figures),
            section(f"Lengths of {row}", self._lengths()),
            section("Tokens by source", bars({name: {"": share} for name, share in shares.items()}, "% of tokens")),
            section("Fallback", self._fallback()),
            section("Pieces", self._pieces()),
            section("Left out", self._left_out()),
            section("Shards", self._table()),
        )

    def _lengths(self) -> Html:
        named = {"mean": f"{self.manifest.tokens / max(self.manifest.documents, 1):.1f}"}
        named |= {
            name: f"{self.percentile(share):,}" for name, share in (("5 %", 0.05), ("median", 0.5), ("95 %", 0.95))
        }
        return Html(
            facts({**named, "longest": f"{self.longest:,}"})
            + columns(_binned(self.lengths), "documents", "tokens of a document")
        )

    def _fallback(self) -> Html:
        if not self.fallback:
            return paragraph("No token is unknown or a byte piece.")
        rows = self.shards if len(self.shards) <= _BARS else _joined(self.shards, _BARS)
        shares = [(name, 100 * fallback / max(tokens, 1)) for name, _, tokens, fallback in rows]
        said = paragraph(
            "Unknown tokens, and byte pieces of a vocabulary that has others, as a share of the tokens of a shard."
        )
        return Html(said + columns(shares, "% fallback", "shard"))

    def _pieces(self) -> Html:
        total = max(self.manifest.tokens, 1)
        rows = [(piece, f"{amount / total:.2%}") for piece, amount in self.frequent]
        rare = ", ".join(f"{amount:,} fewer than {most} times" for most, amount in self.rare.items() if most > 1)
        unused = f"{self.vocab_size - self.used:,} ids never occur, {rare}."
        return Html(paragraph(f"The most frequent ones. {unused}") + pieces(rows))

    def _left_out(self) -> Html:
        rows = [(reason.replace("_", " "), f"{amount:,}") for reason, amount in self.manifest.left_out.items()]
        return table(["reason", "documents"], rows) if rows else Html("")

    def _table(self) -> Html:
        rows = [
            (name, f"{documents:,}", f"{tokens:,}", f"{fallback / max(tokens, 1):.3%}")
            for name, documents, tokens, fallback in _joined(self.shards, 4 * _BARS)
        ]
        return table(["shard", "documents", "tokens", "fallback"], rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page."""
        target = checked_path(path)
        try:
            target.write_text(self.to_html(), "utf-8")
        except OSError as error:
            raise file_error("file-unwritable", target, error) from None


def shard_statistics(
    folder: str | os.PathLike[str], progress: Callable[[str, int, int], None] = lambda stage, done, total: None
) -> Statistics:
    """Read all ids of finished shards and count.

    >>> from pathlib import Path
    >>> from anypiece.corpus.shards import plan_shards, run_shards
    >>> _ = Path("lines.txt").write_text("Hello world\\nHi\\n")
    >>> _ = plan_shards("lines.txt", None, "out", format="numpy")
    >>> _ = run_shards("out")
    >>> found = shard_statistics("out")
    >>> found.manifest.documents, found.longest, found.fallback
    (2, 4, 0)
    """
    path = checked_path(folder)
    first = Shards(path)
    plan, manifest = first.plan, first.manifest
    count = _Count(plan)
    done = 0
    for part in plan.parts:
        shards = Shards(path, part or None)  # type: ignore[arg-type]
        for number, record in enumerate(shards.records):
            count.take(record.shard, *shards.shard(number))
            done += record.tokens
            progress("tokens", done, manifest.tokens)
    order = np.argsort(-count.ids, kind="stable")[:_PIECES].tolist()
    tokenizer = count.tokenizer
    frequent = [(_piece(tokenizer, id), int(count.ids[id])) for id in order if count.ids[id]]
    return Statistics(
        path,
        manifest,
        {length: amount for length, amount in count.lengths() if amount},
        count.longest,
        count.shards,
        _sources(plan, manifest),
        int((count.ids > 0).sum()),
        tokenizer.vocab_size,
        frequent,
        {most: int((count.ids < most).sum()) for most in (1, 10, 100)},
    )


class _Count:
    """The counts of each shard."""

    def __init__(self, plan: Plan) -> None:
        self.tokenizer = plan.tokenizer()
        self.ids = np.zeros(plan.largest + 1, np.int64)
        self.short = np.zeros(_COUNTED, np.int64)
        self.long: dict[int, int] = defaultdict(int)
        self.longest = 0
        self.shards: list[tuple[str, int, int, int]] = []
        self.fallback = _fallbacks(self.tokenizer, plan.largest + 1)

    def take(self, name: str, ids: NDArray[Any], ends: NDArray[Any]) -> None:
        """Count one shard."""
        lengths = np.diff(np.asarray(ends).astype(np.int64), prepend=0)
        self.short += np.bincount(lengths[lengths < _COUNTED], minlength=_COUNTED)
        for length in lengths[lengths >= _COUNTED].tolist():
            self.long[1 << (length.bit_length() - 1)] += 1
        self.longest = max(self.longest, int(lengths.max(initial=0)))
        found = np.zeros(len(self.ids), np.int64)
        for start in range(0, len(ids), 1 << 22):
            found += np.bincount(np.asarray(ids[start : start + (1 << 22)]).astype(np.int64), minlength=len(found))
        self.ids += found
        self.shards.append((name, len(lengths), len(ids), int(found[self.fallback].sum())))

    def lengths(self) -> list[tuple[int, int]]:
        """The lengths, and how many documents have each."""
        return [*enumerate(self.short.tolist()), *sorted(self.long.items())]


def _fallbacks(tokenizer: Tokenizer, amount: int) -> NDArray[np.bool_]:
    """Which ids are unknown tokens or byte pieces."""
    marks = np.zeros(amount, bool)
    for id, kind in enumerate(tokenizer.spec.pieces.kinds.tolist()):
        marks[id] = kind in (Kind.BYTE, Kind.UNKNOWN)
    return marks


def _piece(tokenizer: Tokenizer, id: int) -> bytes:
    return tokenizer.id_to_bytes(id) or tokenizer.id_to_piece(id).encode()


def _sources(plan: Plan, manifest: Manifest) -> dict[str, tuple[int, int]]:
    """Documents and tokens by the names of sources, or by files, or by the folders of files where these are many."""
    found: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for record in manifest.shards:
        for number, documents, tokens in record.inputs:
            found[number][0] += documents
            found[number][1] += tokens
    if any(plan.sources):
        names = [name or "(without a name)" for name in plan.sources]
    else:
        paths = [
            os.path.dirname(os.path.dirname(file.path)) if file.kind == "shards" else file.path for file in plan.files
        ]
        are_urls = any(map(is_url, paths))
        shared = "" if are_urls else os.path.commonpath([os.path.dirname(path) for path in paths])
        names = paths if are_urls else [os.path.relpath(path, shared) for path in paths]
        if len(paths) > _SOURCES:
            names = [os.path.dirname(name) or "." for name in names]
    sums: dict[str, tuple[int, int]] = {}
    for number, (documents, tokens) in sorted(found.items()):
        before = sums.get(names[number], (0, 0))
        sums[names[number]] = before[0] + documents, before[1] + tokens
    rows = sorted(sums.items(), key=lambda row: -row[1][1])
    kept = dict(rows[:_SOURCES])
    if rest := rows[_SOURCES:]:
        kept[f"{len(rest)} others"] = sum(row[1][0] for row in rest), sum(row[1][1] for row in rest)
    return kept


def _binned(lengths: dict[int, int]) -> list[tuple[str, float]]:
    """Lengths in at most 64 columns: one for each length, or eight for each power of two.

    >>> _binned({1: 2, 3: 5})
    [('1', 2), ('2', 0), ('3', 5)]
    """
    if not lengths:
        return []
    low, high = min(lengths), max(lengths)
    if high - low < _BARS:
        return [(str(length), lengths.get(length, 0)) for length in range(low, high + 1)]
    found: dict[int, int] = {}
    steps = 4 if high < 1 << 16 else 2
    for length, amount in lengths.items():
        step = int(steps * np.log2(max(length, 1)) + 1e-9)
        found[step] = found.get(step, 0) + amount
    return [(f"{2 ** (step / steps):.0f}", found.get(step, 0)) for step in range(min(found), max(found) + 1)]


def _joined(rows: list[tuple[str, int, int, int]], most: int) -> list[tuple[str, int, int, int]]:
    """Rows of at most ``most`` groups of shards that follow each other."""
    size = -(-len(rows) // most)
    if size <= 1:
        return rows
    groups = [rows[start : start + size] for start in range(0, len(rows), size)]
    return [(f"{g[0][0]}-{g[-1][0]}", sum(r[1] for r in g), sum(r[2] for r in g), sum(r[3] for r in g)) for g in groups]
