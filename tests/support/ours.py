"""AnyPiece's side of a comparison: the same columns as the peer's, by the kernel or by the reference in Python.

The kernel is asked through the public surface. Texts that are valid UTF-8 go in as ``str`` three times out of four and as
``bytes`` else, so both doors are proved.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tests.support.peer import DIALECTS
from tests.support.protos import SEPARATOR
from tests.support.records import Columns, Digests

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    import anypiece as ap
    from anypiece.reference.tokenizer import ReferenceTokenizer

__all__ = ["ByReference", "Ours", "OursByBatches", "PathsDiffer", "Side", "as_input", "reference_ids"]

_SEPARATOR = chr(0xDC00 + SEPARATOR)


class PathsDiffer(AssertionError):
    """``encode_batch`` and ``encode_spans`` gave different ids for the same text."""

    def __init__(self, batch: list[int], spans: list[int]) -> None:
        super().__init__(f"encode_batch says {batch[:20]}…, encode_spans says {spans[:20]}…")
        self.batch, self.spans = batch, spans


class TokenLike(Protocol):
    """An id, its piece, and its byte span."""

    @property
    def id(self) -> int: ...
    @property
    def piece(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Side(Protocol):
    """Whatever is compared with the peer."""

    def columns(self, texts: Sequence[bytes], like: Digests | None = None) -> Columns:
        """What is said about ``texts``, but for what the peer could not say of them (``like``)."""


def as_input(index: int, text: bytes) -> str | bytes:
    """``text`` as it is handed in at ``index``: ``str`` where it can be and ``index`` is not a fourth one."""
    if index % 4 == 3:
        return text
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text


def reference_ids(tok: ap.Tokenizer, text: str | bytes) -> list[int]:
    """By the reference path: no cut points, no unit cache, no threads."""
    return tok._kernel.encode_reference(text)


def _columns(
    rows: list[list[int]], tokens: Sequence[Sequence[TokenLike]], decoded: Sequence[str], like: Digests | None
) -> Columns:
    refused, ids_only = (like.refused, like.ids_only) if like else ([], [])
    rows = [[] if index in refused else row for index, row in enumerate(rows)]
    tokens = [[] if index in refused or index in ids_only else row for index, row in enumerate(tokens)]
    flat = list(chain.from_iterable(tokens))
    return Columns(
        np.array([len(row) for row in rows], np.int64),
        np.fromiter(chain.from_iterable(rows), np.uint32),
        np.array([len(row) for row in tokens], np.int64),
        "".join(token.piece + _SEPARATOR for token in flat).encode("utf-8", "surrogateescape"),
        np.array([place for token in flat for place in (token.start, token.end)], np.uint32),
        [b"" if index in refused else text.encode() for index, text in enumerate(decoded)],
        list(ids_only),
        list(refused),
    )


class Ours:
    """A tokenizer file opened with the dialect of a release of sentencepiece."""

    def __init__(self, path: Path, version: str) -> None:
        import anypiece as ap

        self.tok: ap.Tokenizer = ap.load(path, dialect=DIALECTS[version])

    def columns(self, texts: Sequence[bytes], like: Digests | None = None) -> Columns:
        """What the kernel says about ``texts``."""
        inputs: list[str | bytes] = [as_input(index, text) for index, text in enumerate(texts)]
        rows = self.tok.encode_batch(inputs, threads=1).tolist()
        tokens = [self.tok.encode_spans(text, unit="byte") for text in inputs]
        for row, own in zip(rows, tokens, strict=True):
            ids = [token.id for token in own]
            if row != ids:
                raise PathsDiffer(row, ids)
        return _columns(rows, tokens, [self.tok.decode(row) for row in rows], like)


class OursByBatches(Ours):
    """The same columns by calls for all texts; an unknown token, whose piece is a part of the text, needs one of its own."""

    @cached_property
    def _pieces(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """All pieces with their separators, where each begins, and how long it is."""
        names = (self.tok.id_to_piece(id) + _SEPARATOR for id in range(self.tok.vocab_size))
        rows = [name.encode("utf-8", "surrogateescape") for name in names]
        sizes = np.array([len(row) for row in rows], np.int64)
        return np.frombuffer(b"".join(rows), np.uint8), np.cumsum(sizes) - sizes, sizes

    def columns(self, texts: Sequence[bytes], like: Digests | None = None) -> Columns:
        """What the kernel says about ``texts``."""
        if like and (like.refused or like.ids_only):
            return super().columns(texts, like)
        inputs: list[str | bytes] = [as_input(index, text) for index, text in enumerate(texts)]
        rows = self.tok.encode_batch(inputs, threads=1)
        spans = np.empty((len(rows.ids), 2), np.uint32)
        self._place([index for index, text in enumerate(inputs) if isinstance(text, str)], inputs, rows, spans)
        self._place([index for index, text in enumerate(inputs) if isinstance(text, bytes)], inputs, rows, spans)
        return Columns(
            rows.lengths,
            rows.ids,
            rows.lengths,
            b"".join(self._spelled(inputs, rows)),
            spans.ravel(),
            [text.encode() for text in self.tok.decode_batch(rows)],
        )

    def _place(self, numbers: list[int], inputs: list[str | bytes], rows: ap.Batch, spans: NDArray[np.uint32]) -> None:
        """Fill in the places of the tokens of some texts."""
        texts = [inputs[number] for number in numbers]
        found = self.tok.encode_spans_batch(texts, threads=1)  # in characters of strings, by the quickest path
        for number, text, own in zip(numbers, texts, found, strict=True):
            place = slice(rows.offsets[number], rows.offsets[number + 1])
            if not np.array_equal(rows.ids[place], own.ids):
                raise PathsDiffer(rows.ids[place].tolist(), own.ids.tolist())
            starts, ends = own.starts, own.ends
            if isinstance(text, str) and not text.isascii():
                raw = np.frombuffer(text.encode(), np.uint8)
                at = np.append(np.flatnonzero((raw & 0xC0) != 0x80), len(raw))
                starts, ends = at[starts], at[ends]
            spans[place, 0], spans[place, 1] = starts, ends

    def _spelled(self, inputs: list[str | bytes], rows: ap.Batch) -> Iterator[bytes]:
        """The pieces of a group; those of texts with an unknown token by single calls."""
        unknown = np.add.reduceat(np.append(rows.ids == self.tok.spec.unk_id, False), rows.offsets[:-1], dtype=np.int64)
        single = np.flatnonzero((unknown > 0) & (rows.lengths > 0)).tolist()
        for first, last in pairwise([-1, *single, len(inputs)]):
            yield self._of_ids(rows.ids[rows.offsets[first + 1] : rows.offsets[last]])
            if last < len(inputs):
                own = self.tok.encode_spans(inputs[last], unit="byte")
                yield "".join(token.piece + _SEPARATOR for token in own).encode("utf-8", "surrogateescape")

    def _of_ids(self, ids: NDArray[np.uint32]) -> bytes:
        letters, begins, lengths = self._pieces
        sizes = lengths[ids]
        shifts = begins[ids] - (np.cumsum(sizes) - sizes)
        return letters[np.arange(sizes.sum()) + np.repeat(shifts, sizes)].tobytes()


class ByReference:
    """The reference tokenizer of a Spec."""

    def __init__(self, reference: ReferenceTokenizer) -> None:
        self.reference = reference

    def columns(self, texts: Sequence[bytes], like: Digests | None = None) -> Columns:
        """What the reference in Python says about ``texts``."""
        tokens = [self.reference.encode_spans(text) for text in texts]
        rows = [[token.id for token in row] for row in tokens]
        return _columns(rows, tokens, [self.reference.decode(row) for row in rows], like)
