"""What is compared between two tokenizers: the columns of a group of texts, and their digests.

A group is a run of texts small enough to look at again when its digests differ. Both sides build the same ``Columns``
(the peer in its own process), so equal digests mean equal ids, pieces, byte spans and decoded texts.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.support.protos import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["WHATS", "Columns", "Digests", "group_texts"]

WHATS = ("ids", "pieces", "spans", "decoded")
"""What a parity run proves, each hashed on its own."""

GROUP_BYTES = 200_000
GROUP_TEXTS = 500


@dataclass(frozen=True)
class Digests:
    """The hashes of one group, and the texts for which the peer had no answer or ids only."""

    hashes: dict[str, str]
    ids_only: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return asdict(self)


@dataclass(frozen=True)
class Columns:
    """All that one side says about a group of texts.

    ``pieces`` and ``spans`` have a row for each token that the spans call returned, ``counts`` and ``span_counts`` say how
    many belong to each text. A text in ``refused`` has none at all, one in ``ids_only`` none in ``pieces`` and ``spans``.
    """

    counts: NDArray[np.int64]
    ids: NDArray[np.uint32]
    span_counts: NDArray[np.int64]
    pieces: bytes
    spans: NDArray[np.uint32]
    decoded: list[bytes]
    ids_only: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)

    def digests(self) -> Digests:
        """The hash of each column, its division into texts included."""
        parts: dict[str, Sequence[bytes]] = {
            "ids": (self.counts.tobytes(), self.ids.tobytes()),
            "pieces": (self.span_counts.tobytes(), self.pieces),
            "spans": (self.span_counts.tobytes(), self.spans.tobytes()),
            "decoded": (*(len(text).to_bytes(8, "little") for text in self.decoded), *self.decoded),
        }
        return Digests({what: digest_of(parts[what]) for what in WHATS}, self.ids_only, self.refused)

    def rows(self) -> list[dict[str, Any]]:
        """For each text, what was said about it, as plain values."""
        ids = np.split(self.ids, np.cumsum(self.counts)[:-1])
        at = np.cumsum(self.span_counts)[:-1]
        pieces = np.split(np.array(self.pieces.split(bytes([SEPARATOR]))[:-1], dtype=object), at)
        spans = np.split(self.spans.reshape(-1, 2), at)
        columns = zip(ids, pieces, spans, self.decoded, strict=True)
        return [{"ids": i.tolist(), "pieces": p.tolist(), "spans": s.tolist(), "decoded": d} for i, p, s, d in columns]

    def to_blobs(self) -> list[bytes]:
        """As bytes for a pipe; ``from_blobs`` reads them."""
        head = json.dumps({"ids_only": self.ids_only, "refused": self.refused}).encode()
        arrays = (self.counts, self.ids, self.span_counts, self.spans)
        return [head, self.pieces, *(array.tobytes() for array in arrays), *self.decoded]

    @classmethod
    def from_blobs(cls, blobs: Sequence[bytes]) -> Columns:
        """The inverse of ``to_blobs``."""
        counts, ids, span_counts, spans = blobs[2:6]
        return cls(
            np.frombuffer(counts, np.int64),
            np.frombuffer(ids, np.uint32),
            np.frombuffer(span_counts, np.int64),
            blobs[1],
            np.frombuffer(spans, np.uint32),
            list(blobs[6:]),
            **json.loads(blobs[0]),
        )


def digest_of(parts: Sequence[bytes]) -> str:
    """One short hash over several blobs, their lengths included."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def group_texts(texts: Sequence[bytes]) -> Iterator[list[bytes]]:
    """The texts in order, in groups of a bounded size; a long text is a group of its own."""
    group: list[bytes] = []
    size = 0
    for text in texts:
        if group and (size + len(text) > GROUP_BYTES or len(group) == GROUP_TEXTS):
            yield group
            group, size = [], 0
        group.append(text)
        size += len(text)
    if group:
        yield group
