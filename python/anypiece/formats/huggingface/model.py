"""The section ``model`` of a tokenizer.json: vocabulary, merges and the settings of the segmenter.

Tables come as columns from the native scanner; nothing here costs a Python call per piece.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from ... import _native
from ..._core.checks import raise_native
from ...errors import FormatError
from ...spec import Kind
from .fields import boolean, mapping, optional_boolean, optional_string, refuse, string, unsupported, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["BYTE_CHARACTERS", "Model", "Table", "Vocabulary", "read_model"]

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
BYTE_CHARACTERS = [byte if byte in _PRINTABLE else 0x100 + _OTHERS.index(byte) for byte in range(256)]
"""The character that stands for each byte in a byte-level vocabulary: GPT-2's map."""

_MOST = 1 << 24
_ABSENT = 2**32 - 1


class Table(NamedTuple):
    """A table of strings as the scanner gives it."""

    shape: str
    blob: bytes
    offsets: bytes
    values: bytes


class Vocabulary(NamedTuple):
    """Strings by id; an id that is not used has the empty string."""

    blob: bytes
    offsets: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def name(self, id: int) -> str:
        """The string of an id."""
        return self.blob[int(self.offsets[id]) : int(self.offsets[id + 1])].decode()

    def columns(self) -> tuple[bytes, bytes]:
        """The columns as the native functions take them."""
        return self.blob, self.offsets.astype("<u4", copy=False).tobytes()

    def find(self, names: Sequence[str]) -> list[int | None]:
        """The ids of strings."""
        raw = [name.encode() for name in names]
        ends = np.cumsum([0, *map(len, raw)]).astype("<u4").tobytes()
        found = _native.numbers_of_strings(self.columns(), (b"".join(raw), ends))
        return [None if id == _ABSENT else id for id in np.frombuffer(found, "<u4").tolist()]


@dataclass(frozen=True)
class Model:
    """What the section says."""

    kind: str
    vocabulary: Vocabulary
    size: int
    """How many strings the vocabulary has, the empty one included: where ids of added tokens begin that are not in it."""
    settings: dict[str, Any]
    kinds: NDArray[np.uint8]
    scores: NDArray[np.float32] | NDArray[np.float64]
    has_empty: bool = False
    """Whether the empty string is in the vocabulary. No text becomes it, but it has an id, which decodes to nothing."""


def read_model(section: Any, vocab: Table | None, merges: Table | None, byte_level: bool) -> Model:
    """The model of a section without its tables, and the tables. Raises ``FormatError``."""
    fields = mapping(section, "model")
    kind = _kind(fields, vocab, merges)
    if vocab is None:
        refuse("model.vocab", "is missing")
    wanted = "floats" if kind == "Unigram" else "ints"
    if vocab.shape != wanted and np.frombuffer(vocab.offsets, "<u4").size > 1:
        refuse("model.vocab", f"is not what a vocabulary of type {kind} has")
    if kind == "Unigram":
        return _unigram(fields, vocab, byte_level)
    table = _by_id(vocab)
    kinds = np.where(np.diff(table.offsets.astype(np.int64)) > 0, Kind.NORMAL, Kind.UNUSED).astype(np.uint8)
    has_empty = bool((np.diff(np.frombuffer(vocab.offsets, "<u4")) == 0).any())
    size = int(np.count_nonzero(kinds == Kind.NORMAL)) + has_empty
    make = {"BPE": _bpe, "WordPiece": _wordpiece, "WordLevel": _word_level}[kind]
    settings = make(fields, table, kinds, merges, byte_level)
    return Model(kind, table, size, settings, kinds, np.zeros(len(table), np.float32), has_empty)


def _kind(fields: dict[str, Any], vocab: Table | None, merges: Table | None) -> str:
    """The type; files of old releases do not say it."""
    kind = fields.get("type")
    if kind is None:
        if merges is not None:
            return "BPE"
        if vocab is not None and vocab.shape == "floats":
            return "Unigram"
        return "WordPiece" if "continuing_subword_prefix" in fields else "WordLevel"
    if kind not in ("BPE", "Unigram", "WordPiece", "WordLevel"):
        unsupported("model.type", f"is {kind!r}", "Known are BPE, Unigram, WordPiece and WordLevel.")
    return str(kind)


def _by_id(vocab: Table) -> Vocabulary:
    strings = len(vocab.offsets) // 4 - 1
    try:
        blob, offsets = _native.strings_by_number(
            vocab.blob, vocab.offsets, vocab.values, min(4 * strings + 4096, _MOST)
        )
    except _native.NativeError as error:
        refuse("model.vocab", f"cannot be used: {error.args[1]}", code="file-corrupt")
    return Vocabulary(blob, np.frombuffer(offsets, "<u4"))


def _unknown(fields: dict[str, Any], table: Vocabulary, kinds: NDArray[np.uint8], needed: bool) -> bool:
    """Marks the unknown piece; whether there is one."""
    name = fields.get("unk_token")
    if name is None and not needed:
        return False
    id = table.find([string(fields, "unk_token", "model")])[0]
    if id is None:
        remedy = "The library would fail on the first unknown text. Add the piece, or name another one."
        unsupported("model.unk_token", f"is {name!r}, which is not in the vocabulary", remedy)
    kinds[id] = Kind.UNKNOWN
    return True


def _bpe(
    fields: dict[str, Any], table: Vocabulary, kinds: NDArray[np.uint8], merges: Table | None, byte_level: bool
) -> dict[str, Any]:
    if not isinstance(fields.get("dropout"), (int, float, type(None))):
        refuse("model.dropout", "is no number")
    if fields.get("dropout"):
        unsupported("model.dropout", "makes ids random", "Set it to null; sampling is asked for in the call.")
    prefix, suffix = (
        optional_string(fields, name, "model") for name in ("continuing_subword_prefix", "end_of_word_suffix")
    )
    around = prefix + suffix
    if byte_level and any(not "!" <= character <= "~" for character in around):
        what = f"puts {around!r} around letters that stand for bytes"
        unsupported("model.continuing_subword_prefix", what, "Use characters of ASCII.")
    byte_fallback = optional_boolean(fields, "byte_fallback", "model")
    has_unknown = _unknown(fields, table, kinds, False)
    if byte_fallback and not byte_level:
        _mark_bytes(table, kinds)
    if byte_fallback:
        _refuse_fallback(table, byte_level, prefix, fields.get("end_of_word_suffix") or "")
    rows = _merge_rows(table, merges, len(prefix.encode()))
    if len(rows) == 0:
        unsupported("model.merges", "is empty", "A vocabulary without merges can be written as WordLevel.")
    return {
        "segmenter": "bpe",
        "symbols": "bytes" if byte_level else "characters",
        "merges": rows,
        "unknown": ("fuse" if optional_boolean(fields, "fuse_unk", "model") else "each") if has_unknown else "drop",
        "symbol_prefix": prefix,
        "end_suffix": suffix,
        "byte_fallback": byte_fallback and not byte_level,
        "whole_chunks": optional_boolean(fields, "ignore_merges", "model"),
    }


def _refuse_fallback(table: Vocabulary, byte_level: bool, prefix: str, suffix: str) -> None:
    """Refuses a fallback to bytes that is about more than the bytes of a character. Without byte pieces there is none."""
    if not any(id is not None for id in table.find([f"<0x{byte:02X}>" for byte in range(256)])):
        return
    letters = [chr(character) for character in BYTE_CHARACTERS]
    forms = {front + letter + back for letter in letters for front in ("", prefix) for back in ("", suffix)}
    if byte_level and None in table.find(sorted(forms)):
        what = "is on in a byte-level vocabulary that lacks some of the 256 letters, which it writes in bytes"
        unsupported("model.byte_fallback", what, "Add them, or switch it off.")
    if not byte_level and (prefix or suffix):
        what = f"is on with the affix {prefix or suffix!r}: both are written in bytes, beyond the end of the text"
        unsupported("model.byte_fallback", what, "Switch it off, or leave the affix out.")


def _merge_rows(table: Vocabulary, merges: Table | None, prefix: int) -> NDArray[np.uint32]:
    if merges is None:
        refuse("model.merges", "is missing")
    if merges.shape not in ("strings", "pairs"):
        refuse("model.merges", "has neither strings nor pairs of strings")
    if merges.shape == "strings" and b"#version" in merges.blob:
        merges = _without_comments(merges)
    listing = "pairs" if merges.shape == "pairs" else "one-space"
    try:
        rows, odd = _native.merge_ids(table.columns(), (merges.blob, merges.offsets), listing, prefix)
    except _native.NativeError as error:
        raise_native(error)
    if odd is not None:
        _refuse_merge(table, merges, odd, prefix)
    return np.frombuffer(rows, "<u4").reshape(-1, 3)


def _refuse_merge(table: Vocabulary, merges: Table, row: int, prefix: int) -> NoReturn:
    """Say what is wrong with a merge."""
    ends = np.frombuffer(merges.offsets, "<u4")
    first, last = (2 * row, 2 * row + 2) if merges.shape == "pairs" else (row, row + 1)
    listed = [merges.blob[start:end] for start, end in pairwise(ends[first : last + 1].tolist())]
    sides = listed if merges.shape == "pairs" else listed[0].split(b" ")
    if len(sides) != 2:
        what = f"merge {row} ({listed[0].decode()!r}) is not two pieces with one space between them"
        raise FormatError("file-corrupt", what, merge=row)
    names = [name.decode(errors="replace") for name in (*sides, sides[0] + sides[1][prefix:])]
    piece = next(name for name, id in zip(names, table.find(names), strict=True) if id is None)
    what = f"merge {row} needs the piece {piece!r}, which is not in the vocabulary"
    raise FormatError("file-corrupt", what, merge=row, piece=piece)


def _without_comments(merges: Table) -> Table:
    ends = np.frombuffer(merges.offsets, "<u4").tolist()
    rows = [merges.blob[start:end] for start, end in pairwise(ends)]
    kept = [row for row in rows if not row.startswith(b"#version")]
    offsets = np.cumsum([0, *map(len, kept)]).astype("<u4").tobytes()
    return Table(merges.shape, b"".join(kept), offsets, b"")


def _mark_bytes(table: Vocabulary, kinds: NDArray[np.uint8]) -> int:
    """Marks the pieces that stand for a byte; how many there are."""
    found = [id for id in table.find([f"<0x{byte:02X}>" for byte in range(256)]) if id is not None]
    kinds[[id for id in found if kinds[id] == Kind.NORMAL]] = Kind.BYTE
    return len(found)


def _wordpiece(
    fields: dict[str, Any], table: Vocabulary, kinds: NDArray[np.uint8], merges: Table | None, byte_level: bool
) -> dict[str, Any]:
    _refuse_bytes(byte_level)
    _unknown(fields, table, kinds, True)
    return {
        "segmenter": "wordpiece",
        "continuing_prefix": string(fields, "continuing_subword_prefix", "model", "##"),
        "max_word_chars": whole(fields, "max_input_chars_per_word", "model", 100),
    }


def _word_level(
    fields: dict[str, Any], table: Vocabulary, kinds: NDArray[np.uint8], merges: Table | None, byte_level: bool
) -> dict[str, Any]:
    _refuse_bytes(byte_level)
    _unknown(fields, table, kinds, True)
    return {"segmenter": "word-level"}


def _refuse_bytes(byte_level: bool) -> None:
    if byte_level:
        unsupported("pre_tokenizer", "maps bytes to characters before another model than BPE", "Use BPE for bytes.")


def _unigram(fields: dict[str, Any], vocab: Table, byte_level: bool) -> Model:
    """All pieces match text, the unknown one and byte pieces too."""
    _refuse_bytes(byte_level)
    table = Vocabulary(vocab.blob, np.frombuffer(vocab.offsets, "<u4"))
    kinds = np.full(len(table), Kind.NORMAL, np.uint8)
    if fields.get("unk_id") is None:
        remedy = "The library would fail on the first unknown character. Add a piece for it."
        unsupported("model.unk_id", "is missing", remedy)
    if len(table) == 0:
        refuse("model.vocab", "is empty")
    kinds[whole(fields, "unk_id", "model", limit=len(table) - 1)] = Kind.UNKNOWN
    byte_fallback = boolean(fields, "byte_fallback", "model", False)
    if byte_fallback and _mark_bytes(table, kinds) != 256:
        unsupported("model.byte_fallback", "is on, and not all 256 bytes are pieces", "Add them, or switch it off.")
    settings = {
        "segmenter": "unigram",
        "arithmetic": "f64",
        "match_kinds": "spelled",
        "byte_fallback": byte_fallback,
    }
    scores = np.frombuffer(vocab.values, "<f8")
    if (
        not byte_fallback
        and scores.size
        and scores[kinds == Kind.UNKNOWN][0] < scores[kinds == Kind.NORMAL].min(initial=0)
    ):
        unsupported("model.vocab", "has an unknown piece with the lowest score", "Give it the score 0.")
    return Model("Unigram", table, len(table), settings, kinds, scores)
