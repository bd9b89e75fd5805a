"""What calls give out besides lists of ids: a token with its place, two texts as one sequence, the ids of many texts.

A batch is one flat array and one array of offsets. This is also the shape that goes to disk, so nothing changes between
memory and a shard. A row is a view, never a copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from ._core.checks import checked_count
from .errors import InputError
from .report import Block, blocks, details, fragment, literal, paragraph, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Self

__all__ = [
    "Batch",
    "Encoded",
    "KeepsBytes",
    "Padded",
    "Pair",
    "SpanBatch",
    "SpanRow",
    "Token",
    "TokenList",
    "framed",
    "tokens_of",
]

_LARGEST = 2**32 - 1


class KeepsBytes:
    """A named tuple with a ``piece`` that remembers the bytes of it where they are not UTF-8. They are no item of it."""

    piece: str

    @property
    def piece_bytes(self) -> bytes:
        """The bytes of the piece. Where they are not UTF-8, ``piece`` shows U+FFFD in the place of what is not."""
        held = self.__dict__.get("_piece_bytes")
        return self.piece.encode() if held is None else held

    def with_bytes(self, raw: bytes) -> Self:
        """``self``, with these as the bytes of its piece."""
        self.__dict__["_piece_bytes"] = raw
        return self

    def _replace(self, **changes: Any) -> Self:
        made: Self = super()._replace(**changes)  # type: ignore[misc]
        if "piece" not in changes:
            made.__dict__.update(self.__dict__)
        return made


class _Token(NamedTuple):
    id: int
    piece: str
    start: int
    end: int


class Token(KeepsBytes, _Token):
    """One occurrence of a piece in a text. ``start`` and ``end`` are a half-open range of the text as it was given.

    A tuple of those four; ``piece_bytes`` is an attribute besides.

    >>> from anypiece import Pieces, Spec, Tokenizer
    >>> rows = [(bytes([byte]), 0, 1) for byte in range(256)]
    >>> plain = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    >>> tok = Tokenizer(Spec(Pieces.of(rows), segmenter="bpe", symbols="bytes", unk_surface="", **plain))
    >>> [(token.piece, token.piece_bytes) for token in tok.encode_spans("é")]
    [('�', b'\\xc3'), ('�', b'\\xa9')]
    """


class TokenList(list[Token]):
    """A list of tokens that a notebook shows as coloured blocks with a table.

    >>> TokenList([Token(5, "a", 0, 1)])._repr_html_().count("<li")
    1
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        spelled = [token.piece_bytes.decode("utf-8", "backslashreplace") for token in self]
        shown = (Block(piece, str(one.id), f"{one.start}–{one.end}") for piece, one in zip(spelled, self, strict=True))
        rows = [
            [literal(piece), str(one.id), str(one.start), str(one.end)]
            for piece, one in zip(spelled, self, strict=True)
        ]
        listed = details("As a table", table(["token", "id", "start", "end"], rows, "Tokens"))
        return fragment(paragraph(f"{len(self):,} tokens", note=True), blocks(shown, "tokens"), listed)


def tokens_of(rows: Sequence[tuple[int, str, int, int]], lost: Sequence[tuple[int, bytes]]) -> TokenList:
    """Rows as tokens, where ``lost`` has the bytes of those by number whose pieces are not UTF-8."""
    tokens = TokenList(map(Token._make, rows))
    for number, raw in lost:
        tokens[number].with_bytes(raw)
    return tokens


class Pair(NamedTuple):
    """Two texts as one sequence: ``type_ids[i]`` says what ``ids[i]`` belongs to."""

    ids: list[int]
    type_ids: list[int]


class Padded(NamedTuple):
    """Rows of one length: ``mask`` is true where ``ids`` are those of the text, false where they only fill up."""

    ids: NDArray[np.uint32]
    mask: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """Ids of many texts: text ``i`` is ``ids[offsets[i]:offsets[i + 1]]``. ``ids`` is uint32, ``offsets`` int64.

    >>> batch = Batch(np.array([5, 6, 7], np.uint32), np.array([0, 2, 2, 3], np.int64))
    >>> len(batch), batch.tolist()
    (3, [[5, 6], [], [7]])
    >>> batch[-1].tolist(), batch[:2].tolist(), batch.lengths.tolist()
    ([7], [[5, 6], []], [2, 0, 1])
    """

    ids: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    around: tuple[int, int] = (0, 0)
    """How many ids at the beginning and at the end of each row were put around its text."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tokens each text has."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> NDArray[np.uint32]: ...
    @overload
    def __getitem__(self, index: slice) -> Batch: ...
    def __getitem__(self, index: int | slice) -> NDArray[np.uint32] | Batch:
        rows = range(len(self))[index]  # raises IndexError and TypeError as any sequence does
        if isinstance(rows, range):
            return self._rows(rows)
        return self.ids[self.offsets[rows] : self.offsets[rows + 1]]

    def _rows(self, rows: range) -> Batch:
        if rows.step == 1 and len(rows):
            offsets = self.offsets[rows.start : rows.stop + 1]
            return Batch(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0], self.around)
        parts = [self[row] for row in rows]
        ids = np.concatenate(parts) if parts else self.ids[:0]
        return Batch(ids, np.cumsum([0, *map(len, parts)], dtype=np.int64), self.around)

    def __iter__(self) -> Iterator[NDArray[np.uint32]]:
        return (self[row] for row in range(len(self)))

    def padded(
        self,
        pad_id: int | None,
        length: int | None = None,
        *,
        side: Literal["right", "left"] = "right",
        truncate: bool = False,
    ) -> Padded:
        """The rows as one array, filled up with ``pad_id`` to ``length`` or to the longest, and where the ids are.

        A row that is longer than ``length`` is refused, or with ``truncate`` loses the ids at the end of its text; what
        ``add_special`` put around the text stays.

        >>> rows = Batch(np.array([5, 6, 7], np.uint32), np.array([0, 2, 3], np.int64))
        >>> rows.padded(0).ids.tolist(), rows.padded(0, 3, side="left").ids.tolist()
        ([[5, 6], [7, 0]], [[0, 5, 6], [0, 0, 7]])
        """
        if pad_id is None:
            message = "This vocabulary has no pad piece. Pass the id that rows are to be filled up with."
            raise InputError("special-missing", message, special="pad")
        filler = checked_count(pad_id, "pad_id")
        if filler > _LARGEST:
            message = f"pad_id must be at most {_LARGEST}, as ids are uint32; it is {filler}."
            raise InputError("argument-value", message, argument="pad_id", value=filler)
        longest = int(self.lengths.max(initial=0))
        width = longest if length is None else checked_count(length, "length")
        if longest > width and not truncate:
            message = f"A row has {longest} ids, more than length={width}. Pass truncate=True to cut it."
            raise InputError("argument-value", message, argument="length", value=width)
        if side not in ("right", "left"):
            message = f'side must be "right" or "left", not {side!r}.'
            raise InputError("argument-value", message, argument="side", value=repr(side))
        if longest > width < sum(self.around):
            message = f"length={width} is less than the {sum(self.around)} ids that add_special put around each text."
            raise InputError("argument-value", message, argument="length", value=width)
        lengths = self.lengths[:, None]
        kept = np.minimum(lengths, width)
        place = np.arange(width)[None, :] - (width - kept if side == "left" else 0)
        mask = (place >= 0) & (place < kept)
        source = self.offsets[:-1, None] + place + np.where(place >= kept - self.around[1], lengths - kept, 0)
        ids = np.full((len(self), width), filler, np.uint32)
        ids[mask] = self.ids[source[mask]]
        return Padded(ids, mask)

    def tolist(self) -> list[list[int]]:
        """The rows as lists of ints."""
        flat, edges = self.ids.tolist(), self.offsets.tolist()
        return [flat[start:end] for start, end in pairwise(edges)]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Batch)
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.ids, other.ids)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} texts, {len(self.ids)} tokens>"


class Encoded(dict[str, Any]):
    """What a call of a tokenizer returns: a dictionary of rows by the names that models know, also as attributes.

    >>> rows = Encoded(input_ids=[[5, 6]], attention_mask=[[1, 1]])
    >>> rows.input_ids, sorted(dict(**rows))
    ([[5, 6]], ['attention_mask', 'input_ids'])
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"There is no {name!r} here, only {', '.join(self)}.") from None

    def to(self, *where: Any, **options: Any) -> Encoded:
        """A copy with its tensors on another device or of another type, as ``torch.Tensor.to``; what is no tensor stays.

        >>> Encoded(input_ids=[[5, 6]]).to("cpu")
        {'input_ids': [[5, 6]]}
        """
        moved = {name: one.to(*where, **options) if hasattr(one, "to") else one for name, one in self.items()}
        return Encoded(moved)


class SpanRow(NamedTuple):
    """The tokens of one text as columns: token ``i`` has the half-open range from ``starts[i]`` to ``ends[i]``."""

    ids: NDArray[np.uint32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class SpanBatch:
    """Tokens of many texts with their places: those of text ``i`` are from ``offsets[i]`` to ``offsets[i + 1]`` in ``ids``,
    ``starts`` and ``ends``. ``ids`` is uint32, the others are int64.

    >>> columns = np.array([5, 6, 7], np.uint32), np.array([0, 2, 0]), np.array([2, 3, 4])
    >>> batch = SpanBatch(*columns, np.array([0, 2, 3]))
    >>> batch[0].ends.tolist(), batch.tolist()
    ([2, 3], [[(5, 0, 2), (6, 2, 3)], [(7, 0, 4)]])
    """

    ids: NDArray[np.uint32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    offsets: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tokens each text has."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> SpanRow:
        row = range(len(self))[index]
        found = slice(self.offsets[row], self.offsets[row + 1])
        return SpanRow(self.ids[found], self.starts[found], self.ends[found])

    def __iter__(self) -> Iterator[SpanRow]:
        return (self[row] for row in range(len(self)))

    def tolist(self) -> list[list[tuple[int, int, int]]]:
        """Id, start and end of each token, as a list for each text."""
        flat = list(zip(self.ids.tolist(), self.starts.tolist(), self.ends.tolist(), strict=True))
        return [flat[start:end] for start, end in pairwise(self.offsets.tolist())]

    def __repr__(self) -> str:
        return f"<SpanBatch of {len(self)} texts, {len(self.ids)} tokens>"


def framed(batch: Batch, before: list[int], after: list[int], reverse: bool) -> Batch:
    """Each row reversed if asked, then put between ``before`` and ``after``.

    >>> rows = Batch(np.array([5, 6, 7], np.uint32), np.array([0, 2, 3], np.int64))
    >>> framed(rows, [1], [2], reverse=True).tolist()
    [[1, 6, 5, 2], [1, 7, 2]]
    """
    if not (before or after or reverse):
        return batch
    numbers = np.arange(len(batch) + 1, dtype=np.int64)
    offsets = batch.offsets + numbers * (len(before) + len(after))
    ids = np.empty(offsets[-1], np.uint32)
    is_text = np.ones(len(ids), bool)
    around = [(offsets[:-1] + place, special) for place, special in enumerate(before)]
    around += [(offsets[1:] - place, special) for place, special in enumerate(reversed(after), 1)]
    for places, special in around:
        is_text[places] = False
        ids[places] = special
    ids[is_text] = _reversed(batch) if reverse else batch.ids
    return Batch(ids, offsets, (len(before), len(after)))


def _reversed(batch: Batch) -> NDArray[np.uint32]:
    """The ids with each row turned around.

    >>> _reversed(Batch(np.array([5, 6, 7], np.uint32), np.array([0, 2, 3], np.int64))).tolist()
    [6, 5, 7]
    """
    ends = batch.offsets[:-1] + batch.offsets[1:] - 1
    turned: NDArray[np.uint32] = batch.ids[np.repeat(ends, batch.lengths) - np.arange(len(batch.ids), dtype=np.int64)]
    return turned
