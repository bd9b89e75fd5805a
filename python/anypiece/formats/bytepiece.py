r"""BytePiece's JSON: bytes to (Spec, Origin) and back.

One object: base64 of a piece's bytes, and for each a list of its id, how it reads and how often it was counted. Scores are
logarithms of counts, ids 0, 1 and 2 are pad, bos and eos, which no text becomes. Text is brought to NFC and cut into lines;
of each line the most probable pieces are taken.
"""

from __future__ import annotations

import json
import re
from binascii import b2a_base64
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._core.json_text import parsed
from ..errors import FormatError
from ..metadata import Metadata
from ..spec import Kind, Pieces, Spec
from .settings import UNCHANGED
from .wire.rank_lines import RankLines, rank_limit, scan_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["OPTIONS", "Origin", "looks_like", "read", "write"]

OPTIONS = ()
"""What ``read`` can be told."""

_SETTINGS: dict[str, Any] = {
    "segmenter": "unigram",
    "symbols": "bytes",
    "arithmetic": "f64",
    "splitter": "lines",
    "normalizer": ({"type": "nfc-14.0"},),
    "split_rules": (),
    "decoding": "unmarked",
    "bos_id": 1,
    "eos_id": 2,
    "pad_id": 0,
    **UNCHANGED,
}
"""What every such file means."""

_SPECIALS = ("<pad>", "<bos>", "<eos>")
_BEGINNING = re.compile(rb'\s*\{\s*"([A-Za-z0-9+/]+={0,2})"\s*:\s*\[\s*\d+\s*,')
_INDENT = re.compile(rb'\{\r?\n( *)"')
_MOST = 2**63 - 1
_SMALLEST_COUNTS = 64


@dataclass(frozen=True)
class Origin:
    """What such a file shows beyond its Spec."""

    counts: bytes = b""
    """How often the pieces were counted, by ascending id, as little-endian int64."""
    order: bytes = b""
    """The ids in the order of the file, as little-endian uint32; empty where they ascend."""
    between: tuple[tuple[int, str], ...] = ()
    """Ids whose lists have something else between id and count than the bytes as text, with that as JSON."""
    indent: int | None = 4
    """The spaces of a level of indentation."""
    is_ascii: bool = False
    """Whether characters beyond ASCII are escaped."""
    tail: bytes = b""
    """What follows the last brace."""
    metadata: Metadata = field(default_factory=Metadata)
    """The chat templates of its folder."""


def looks_like(data: bytes) -> bool:
    """Whether ``data`` begins as such a file does: an object, base64, a list that begins with a number.

    >>> looks_like(b'{"AA==": [3, "", 7]}'), looks_like(b'{"model": {"vocab": {}}}')
    (True, False)
    """
    found = _BEGINNING.match(data[:4096])
    return found is not None and len(found[1]) % 4 == 0


def read(data: bytes) -> tuple[Spec, Origin]:
    """The Spec of a file, and what must be kept to write the same file again. Raises ``FormatError``."""
    rows = _rows(data)
    lines = _lines(rows)
    by_id = np.argsort(lines.ranks, kind="stable")
    counts = np.array([row[-1] for _, row in rows], np.int64)[by_id]
    pieces = _pieces(lines, by_id, _scores(counts))
    return Spec(pieces, **_SETTINGS), _origin(data, rows, lines, by_id, counts)


def _rows(data: bytes) -> list[tuple[str, list[Any]]]:
    """Keys and lists in the order of the file, checked for what they are."""
    try:
        rows = parsed(data, list)
    except ValueError as error:
        message = f"the file is not JSON ({error}); copy it again"
        raise FormatError("file-corrupt", message, field="") from None
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], tuple):
        _raise("", "must be an object with pieces")
    limit, total = rank_limit(len(rows)), 0
    for key, row in rows:
        if type(row) is not list or len(row) < 2 or type(row[0]) is not int or type(row[-1]) is not int:
            _raise(key, "must have a list of an id, a text and a count")
        if not len(_SPECIALS) <= row[0] <= limit:
            _raise(key, f"has the id {row[0]}; for this file it must be from {len(_SPECIALS)} to {limit}")
        if row[-1] < 1:
            _raise(key, f"has the count {row[-1]}, which must be 1 or more")
        total += row[-1]
    if total > _MOST:
        _raise("", f"has counts that add up to more than {_MOST}")
    return rows


def _raise(key: str, what: str) -> NoReturn:
    named = f"the piece {key[:80]!r}" if key else "the file"
    raise FormatError("file-corrupt", f"{named} {what}; take the file from its source again", field=key)


def _lines(rows: Sequence[tuple[str, list[Any]]]) -> RankLines:
    """The pieces as columns, in the order of the file."""
    text = "".join([f"{key} {row[0]}\n" for key, row in rows])
    try:
        # Each key is a line of its own only if it has no line feed, so there are as many.
        lines = scan_lines(text.encode("utf-8", "replace"))
        if len(lines.ranks) != len(rows):
            raise FormatError("file-corrupt", "", line=1)
    except FormatError as error:
        key = rows[min(int(error.facts.get("line", 1)), len(rows)) - 1][0]
        _raise(key, "is not base64, is empty, or has the bytes or the id of an earlier one")
    sizes = np.diff(lines.offsets)
    singles = {lines.blob[at] for at in lines.offsets[:-1][sizes == 1].tolist()}
    missing = [byte for byte in range(256) if byte not in singles]
    if missing:
        message = (
            f"{len(missing)} of the 256 single bytes are no pieces, the first is 0x{missing[0]:02X}: some text could not be "
            "encoded; the file is incomplete, so copy it again"
        )
        raise FormatError("rank-bytes", message, missing=missing)
    return lines


def _scores(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Logarithms of shares. Their last bits are those of the library too, which asks numpy as well."""
    scores: NDArray[np.float64] = np.log(counts.astype(np.float64)) - np.log(float(counts.sum()))
    return scores


def _pieces(lines: RankLines, by_id: NDArray[np.int64], scores: NDArray[np.float64]) -> Pieces:
    """The vocabulary, with the special pieces in front and empty ones where an id is not used."""
    first = len(_SPECIALS)
    size = int(lines.ranks.max()) + 1
    ids = lines.ranks[by_id]
    sizes, kinds, all_scores = np.zeros(size, np.int64), np.full(size, Kind.UNUSED, np.uint8), np.zeros(size)
    sizes[:first] = [len(name) for name in _SPECIALS]
    sizes[ids] = np.diff(lines.offsets)[by_id]
    kinds[:first], kinds[ids], all_scores[ids] = Kind.CONTROL, Kind.NORMAL, scores
    ascending = bool((by_id[1:] > by_id[:-1]).all())
    places = lines.offsets.tolist()
    blob = lines.blob if ascending else b"".join([lines.blob[places[row] : places[row + 1]] for row in by_id.tolist()])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    return Pieces("".join(_SPECIALS).encode() + blob, offsets, all_scores, kinds)


def _origin(
    data: bytes,
    rows: Sequence[tuple[str, list[Any]]],
    lines: RankLines,
    by_id: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> Origin:
    places = lines.offsets.tolist()
    shown = [_shown(lines.blob[start:end]) for start, end in pairwise(places)]
    between = [
        (row[0], json.dumps(row[1:-1])) for (_, row), text in zip(rows, shown, strict=True) if row[1:-1] != [text]
    ]
    ascends = bool((by_id[1:] > by_id[:-1]).all())
    order = b"" if ascends else lines.ranks.astype("<u4").tobytes()
    indent = _INDENT.search(data[:4096])
    tail = data[data.rindex(b"}") + 1 :]
    is_ascii = data.isascii() and not all(text.isascii() for text in shown)
    counted = counts.astype("<i8").tobytes()
    return Origin(counted, order, tuple(between), len(indent[1]) if indent else None, is_ascii, tail)


def _shown(piece: bytes) -> str:
    """How a piece reads: bytes that are no text are left out."""
    return piece.decode("utf-8", "ignore")


def write(spec: Spec, origin: Origin | None = None) -> bytes:
    """The file of ``spec``; with the ``origin`` of the file it came from, as it was there.

    Raises ``FormatError`` (``format-unwritable``) for a Spec that is not such a vocabulary, or whose scores are not the
    logarithms of shares of counts.
    """
    origin = origin or Origin()
    ids = _written_ids(spec)
    counts = dict(zip(ids, _counts(spec.pieces.scores[ids], origin).tolist(), strict=True))
    between = dict(origin.between)
    old = np.frombuffer(origin.order, "<u4").tolist()
    whole = {}
    for id in old if sorted(old) == ids else ids:
        piece = spec.pieces.bytes(id)
        middle = json.loads(between[id]) if id in between else [_shown(piece)]
        whole[b2a_base64(piece, newline=False).decode()] = [id, *middle, counts[id]]
    return json.dumps(whole, indent=origin.indent, ensure_ascii=origin.is_ascii).encode() + origin.tail


def _counts(scores: NDArray[Any], origin: Origin) -> NDArray[np.int64]:
    """Counts that give these scores: those of the file, or others found by trying what the smallest may have been."""
    known = np.frombuffer(origin.counts, "<i8").astype(np.int64)
    if len(known) == len(scores) and (_scores(known) == scores).all():
        return known
    shares = np.exp(scores.astype(np.float64))
    for smallest in range(1, _SMALLEST_COUNTS + 1):
        total = smallest / float(shares.min())
        if total < _MOST:
            tried: NDArray[np.int64] = np.rint(shares * np.rint(total)).astype(np.int64)
            if tried.min() > 0 and (_scores(tried) == scores).all():
                return tried
    _raise_unwritable("scores that are not the logarithms of shares of counts")


def _written_ids(spec: Spec) -> list[int]:
    """The ids of the pieces, if the Spec is one that a file can hold."""
    for name, value in _SETTINGS.items():
        if getattr(spec, name) != value:
            _raise_unwritable(f"{name} other than {value!r}")
    kinds = spec.pieces.kinds
    first = len(_SPECIALS)
    names = tuple(spec.pieces.piece(id) for id in range(min(first, len(kinds))))
    if names != _SPECIALS or (kinds[:first] != Kind.CONTROL).any():
        _raise_unwritable(f"first pieces other than {', '.join(_SPECIALS)}")
    if not np.isin(kinds[first:], [Kind.NORMAL, Kind.UNUSED]).all() or len(spec.added):
        _raise_unwritable("further special pieces or added tokens")
    ids: list[int] = np.flatnonzero(kinds == Kind.NORMAL).tolist()
    return ids


def _raise_unwritable(what: str) -> NoReturn:
    message = f"BytePiece's file has no place for {what}; write .anypiece instead"
    raise FormatError("format-unwritable", message, format="bytepiece")
