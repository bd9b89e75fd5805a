"""AnyPiece's side of a comparison: the same columns as the peer's, by the kernel or by the reference in Python.

The kernel is asked through the public surface. Texts that are valid UTF-8 go in as ``str`` three times out of four and as
``bytes`` else, so both doors are proved.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tests.support.peer import DIALECTS
from tests.support.protos import SEPARATOR
from tests.support.records import Columns, Digests

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import anypiece as ap
    from anypiece.reference.tokenizer import ReferenceTokenizer

__all__ = ["ByReference", "Ours", "PathsDiffer", "Side", "as_input", "reference_ids"]

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


class ByReference:
    """The reference tokenizer of a Spec."""

    def __init__(self, reference: ReferenceTokenizer) -> None:
        self.reference = reference

    def columns(self, texts: Sequence[bytes], like: Digests | None = None) -> Columns:
        """What the reference in Python says about ``texts``."""
        tokens = [self.reference.encode_spans(text) for text in texts]
        rows = [[token.id for token in row] for row in tokens]
        return _columns(rows, tokens, [self.reference.decode(row) for row in rows], like)
