r"""RWKV's vocabulary list: bytes to (Spec, Origin) and back.

One line for each piece: its id, a Python literal of text or of bytes, its length in bytes. Text goes in as UTF-8, the
longest piece that it goes on with is taken, and every byte is a piece. No literal is evaluated: the few escapes that Python
writes are read here. Special tokens are not in the file; ``specials=`` names those of the model, such as that with id 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import FormatError
from ..metadata import Metadata
from ..spec import Added, AddedFlag, Kind, Pieces, Spec
from .settings import UNCHANGED, checked_tokens, refuse_odd_specials, refuse_other_settings, refuse_other_tokens
from .wire.rank_lines import rank_limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["CARRIED", "OPTIONS", "SETTINGS", "Origin", "looks_like", "read", "reading_options", "write"]

OPTIONS = ("specials",)
"""What ``read`` can be told."""

SETTINGS: dict[str, Any] = {
    "segmenter": "greedy",
    "symbols": "bytes",
    "splitter": None,
    "whole_chunks": False,
    "normalizer": (),
    "split_rules": (),
    "decoding": "surface",
    **UNCHANGED,
}
"""What every such list means."""
CARRIED = frozenset([*SETTINGS, "added"])
"""The fields of a Spec that a list means, or that ``reading_options`` name."""

_LINE = re.compile(
    r"""(?P<id>[0-9]{1,9})[ ](?P<literal>(?P<bytes>b?)
    (?:'(?P<one>(?:[^'\\\r\n]|\\.)*)'|"(?P<two>(?:[^"\\\r\n]|\\.)*)"))[ ](?P<size>[0-9]{1,9})\r?\n?""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
_SIMPLE = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
_FIRST_LINES = 4


@dataclass(frozen=True)
class Origin:
    """What a list shows beyond its Spec."""

    crlf: bool = False
    """Whether lines end in CR LF."""
    literals: tuple[tuple[int, str], ...] = ()
    """Ids whose literal is not what this Python writes, with that literal."""
    order: bytes = b""
    """The ids in the order of their lines, as little-endian uint32; empty where they ascend."""
    metadata: Metadata = field(default_factory=Metadata)
    """The chat templates of its folder."""


def looks_like(data: bytes) -> bool:
    """Whether ``data`` begins as such a list does: lines of a number, a literal and its right length in bytes.

    >>> looks_like(b"1 '\\\\x00' 1\\n2 b'\\\\x80' 1\\n"), looks_like(b"1 'a' 2\\n")
    (True, False)
    """
    head = data[:4096].decode("utf-8", "ignore").split("\n")[:_FIRST_LINES]
    lines = head[:-1] if len(head) > 1 and not head[-1] else head
    try:
        found = [_piece(line, number) for number, line in enumerate(lines, 1)]
    except FormatError:
        return False
    return bool(found) and b"\n" in data[:4096]


def read(data: bytes, *, specials: Mapping[str, int] | None = None) -> tuple[Spec, Origin]:
    """The Spec of a list, and what must be kept to write the same file again.

    ``specials`` are special tokens with their ids, which must not be ids of the list. Raises ``FormatError``.
    """
    rows = _rows(data)
    ids = [id for id, _, _ in rows]
    names = {id: piece for id, piece, _ in rows}
    given = checked_tokens(specials)
    _refuse_specials(given, names)
    kinds = dict.fromkeys(names, Kind.NORMAL) | dict.fromkeys(given.values(), Kind.CONTROL)
    names |= {id: text.encode() for text, id in given.items()}
    size = 1 + max(names)
    pieces = Pieces.of((names.get(id, b""), 0.0, kinds.get(id, Kind.UNUSED)) for id in range(size))
    written = [(id, literal) for id, piece, literal in rows if literal != _literal(piece)]
    order = b"" if ids == sorted(ids) else np.array(ids, "<u4").tobytes()
    added = Added.of([(text, id, AddedFlag.SPECIAL) for text, id in given.items()])
    return Spec(pieces, added=added, **SETTINGS), Origin(data.endswith(b"\r\n"), tuple(written), order)


def _rows(data: bytes) -> list[tuple[int, bytes, str]]:
    """Ids, pieces and literals in the order of the lines."""
    if not data.endswith(b"\n"):
        line = data.count(b"\n") + 1
        message = f"line {line}, the last, has no line end: the file is cut off; copy it again, or end the line"
        raise FormatError("file-truncated", message, line=line)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        _raise_line(line, "is not UTF-8")
    crlf = data.endswith(b"\r\n")
    lines = text.split("\r\n" if crlf else "\n")[:-1]
    rows = [_piece(line, number) for number, line in enumerate(lines, 1)]
    limit = rank_limit(len(rows))
    seen_ids: set[int] = set()
    seen: set[bytes] = set()
    for number, (id, piece, _) in enumerate(rows, 1):
        if id > limit:
            _raise_line(number, f"has an id above {limit}, too high for {len(rows)} lines")
        if id in seen_ids or piece in seen:
            _raise_line(number, "has an id or a piece that an earlier line has")
        seen_ids.add(id)
        seen.add(piece)
    missing = [byte for byte in range(256) if bytes([byte]) not in seen]
    if missing:
        message = (
            f"{len(missing)} of the 256 single bytes are no pieces, the first is 0x{missing[0]:02X}: some text could not be "
            "encoded; the file is incomplete, so copy it again"
        )
        raise FormatError("rank-bytes", message, missing=missing)
    return rows


def _piece(line: str, number: int) -> tuple[int, bytes, str]:
    found = _LINE.fullmatch(line)
    if found is None:
        _raise_line(number, "is not an id, a literal of Python and its length")
    body: str = found["one"] if found["one"] is not None else found["two"]
    piece = _unescaped(body, bool(found["bytes"]), number) if "\\" in body or found["bytes"] else body.encode()
    if len(piece) != int(found["size"]) or not piece:
        _raise_line(number, f"has a piece of {len(piece)} bytes and says {found['size']}")
    return int(found["id"]), piece, found["literal"]


def _unescaped(body: str, is_bytes: bool, number: int) -> bytes:
    def character(escape: re.Match[str]) -> str:
        code = escape[1] or escape[2] or escape[3]
        if code is None and escape[4] in _SIMPLE:
            return _SIMPLE[escape[4]]
        if code is None or (is_bytes and not escape[1]) or int(code, 16) > 0x10FFFF:
            _raise_line(number, f"has the escape {escape[0]!r}, which Python does not write there")
        return chr(int(code, 16))

    text = _ESCAPE.sub(character, body)
    try:
        if is_bytes:
            body.encode("ascii")
            return text.encode("latin-1")
        return text.encode()
    except UnicodeEncodeError:
        _raise_line(number, "has a character that cannot stand in such a literal")


def _raise_line(line: int, what: str) -> NoReturn:
    message = f"line {line} {what}; copy the file again, or correct the line"
    raise FormatError("file-corrupt", message, line=line)


def _refuse_specials(given: Mapping[str, int], names: Mapping[int, bytes]) -> None:
    refuse_odd_specials(given, rank_limit(len(names)))
    taken = [text for text, id in given.items() if id in names]
    if taken or len(set(given.values())) < len(given):
        named = ", ".join(repr(text) for text in taken or given)
        message = f"an id of {named} is taken; give every special token an id of its own that is not in the list"
        raise FormatError("rank-special", message, specials=taken or list(given))


def _literal(piece: bytes) -> str:
    """A piece as Python writes it: as text where it is UTF-8."""
    try:
        return repr(piece.decode())
    except UnicodeDecodeError:
        return repr(piece)


def write(spec: Spec, origin: Origin | None = None) -> bytes:
    """The list of ``spec``; with the ``origin`` of the file it came from, as it was there.

    Special tokens are not written: the file has no place for them. Raises ``FormatError`` (``format-unwritable``) for a Spec
    that is not such a vocabulary.
    """
    origin = origin or Origin()
    _refuse_unwritable(spec)
    ids = [id for id, kind in enumerate(spec.pieces.kinds.tolist()) if kind == Kind.NORMAL]
    old = np.frombuffer(origin.order, "<u4").tolist()
    literals = dict(origin.literals)
    end = "\r\n" if origin.crlf else "\n"
    lines = _lines(spec.pieces, old if sorted(old) == ids else ids, literals)
    return "".join([line + end for line in lines]).encode()


def _lines(pieces: Pieces, ids: list[int], literals: Mapping[int, str]) -> Iterator[str]:
    for id in ids:
        piece = pieces.bytes(id)
        literal = literals.get(id, "")
        line = f"{id} {literal} {len(piece)}"
        if not literal or _piece(line, 0)[1] != piece:
            line = f"{id} {_literal(piece)} {len(piece)}"
        yield line


def _refuse_unwritable(spec: Spec) -> None:
    refuse_other_settings(spec, "rwkv", "RWKV's list", SETTINGS, CARRIED)
    refuse_other_tokens(spec, "rwkv", "RWKV's list")


def reading_options(spec: Spec) -> dict[str, Any]:
    """What ``read`` has to be told of ``spec``, which the file does not say."""
    return {"specials": {text: id for text, id, _ in spec.added}}
