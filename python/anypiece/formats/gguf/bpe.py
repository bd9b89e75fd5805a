"""Vocabularies with a list of merges: ``gpt2`` and its relatives in GGUF files.

Token texts are letters for bytes, as GPT-2 writes them, or text with a mark for the space. How text is cut before it is
merged is not in the file; it names a pre-tokenizer, and ``pretokenizers`` has what that means.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..._native import merge_ids
from ...errors import FormatError
from ...spec import SPACE_MARK, Kind, Pieces, Spec
from .pretokenizers import PRES, SPLITTERS, Pre, split_rules
from .tokens import added_of, decoding_of, field, marks_of, read_pieces, read_roles, refuse, text
from .write_bpe import SETTINGS, chunking, filler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .file import GgufFile, Strings
    from .tokens import Roles

__all__ = ["read_bpe", "read_gemma4"]

_PRE = "tokenizer.ggml.pre"
_MERGES = "tokenizer.ggml.merges"


def read_bpe(file: GgufFile, pre: str | None, dialect: str) -> tuple[Spec, Roles]:
    """A vocabulary of type ``gpt2``; ``pre`` stands in for the name in the file."""
    pieces = read_pieces(file)
    name = pre or text(file, _PRE)
    rule = _rule(name, pieces)
    return _spec(file, pieces, rule) if dialect == "llama.cpp" else _original(file, pieces, name or "default")


def _original(file: GgufFile, pieces: Pieces, name: str) -> tuple[Spec, Roles]:
    """This vocabulary by the rules of tokenizers."""
    stages = chunking(name)
    if stages is None:
        refuse(f"how {name!r} cuts text is known of llama.cpp only", "dialect")
    roles = replace(read_roles(file, pieces, {}), kinds=pieces.kinds)
    spec = Spec(
        _without_fillers(_bytes_of(pieces, pieces.kinds)),
        merges=_merges(file, pieces),
        added=added_of(file, pieces, roles),
        **stages,
        **SETTINGS,
        **marks_of(file, roles, bos=PRES[name].add_bos, eos=False, dialect="tokenizers"),
    )
    return spec, roles


def _without_fillers(pieces: Pieces) -> Pieces:
    """Tokens that only fill up ids have names, since a GGUF file must give each id one; here they have none."""
    unused = np.flatnonzero(pieces.kinds == Kind.UNUSED).tolist()
    fillers = [id for id in unused if pieces.bytes(id) == filler(id).encode()]
    if not fillers:
        return pieces
    sizes, parts, done = np.diff(pieces.offsets.astype(np.int64)), [], 0
    for id in fillers:
        parts.append(pieces.blob[done : int(pieces.offsets[id])])
        done, sizes[id] = int(pieces.offsets[id + 1]), 0
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    return replace(pieces, blob=b"".join([*parts, pieces.blob[done:]]), offsets=offsets)


def read_gemma4(file: GgufFile, pre: str | None, dialect: str) -> tuple[Spec, Roles]:
    """A vocabulary of type ``gemma4``, which is cut in one way only."""
    return _spec(file, read_pieces(file), _rule(pre or "gemma4", None))


def _rule(name: str | None, pieces: Pieces | None) -> Pre:
    if name is None:
        if pieces is not None and _is_marked(pieces):
            _raise_pre("the file names no pre-tokenizer, and its tokens have ▁ for a space", None)
        name = "default"
    if name not in PRES:
        _raise_pre(f"no pre-tokenizer is called {name!r}", name)
    return PRES[name]


def _raise_pre(what: str, name: str | None) -> NoReturn:
    known = ", ".join(PRES)
    message = f"{what}; pass pre= with the name of one that cuts text as this model does. Known are: {known}"
    raise FormatError("gguf-pre", message, pre=name, known=list(PRES))


def _is_marked(pieces: Pieces) -> bool:
    """Whether a space is written as the mark: more tokens begin with it than with GPT-2's letter for a space."""
    marked, lettered = (_beginning_with(pieces, mark.encode()) for mark in (SPACE_MARK, "Ġ"))
    return marked > lettered


def _beginning_with(pieces: Pieces, start: bytes) -> int:
    blob = np.frombuffer(pieces.blob + bytes(len(start)), np.uint8)
    places = pieces.offsets[:-1]
    begins = np.diff(pieces.offsets.astype(np.int64)) >= len(start)
    for at, byte in enumerate(start):
        begins &= blob[places + at] == byte
    return int(np.count_nonzero(begins))


def _spec(file: GgufFile, pieces: Pieces, pre: Pre) -> tuple[Spec, Roles]:
    defaults = {"eos": 11} if pre.no_bos else {"bos": 11, "eos": 11}
    roles = read_roles(file, pieces, {} if text(file, "tokenizer.ggml.model") == "gemma4" else defaults)
    merges = _merges(file, pieces)
    common: dict[str, Any] = {
        "segmenter": "bpe",
        "merges": merges,
        "unknown": "omit",
        "whole_chunks": pre.whole_chunks,
        "decoding": decoding_of(file),
        "clean_spaces": pre.clean_spaces,
        "matching": "longest-first",
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
        "escape_whitespaces": pre.space_marks,
        "added": added_of(file, pieces, roles),
        **marks_of(file, roles, bos=pre.add_bos, eos=False),
    }
    if pre.space_marks:
        _refuse_across_lines(pieces, merges)
        marked = Pieces(pieces.blob, pieces.offsets, pieces.scores, roles.kinds)
        common["add_bos"] |= pre.add_bos
        return Spec(marked, byte_fallback=True, **common), roles
    decoded = _bytes_of(pieces, roles.kinds)
    if pre.group in SPLITTERS:
        return Spec(decoded, symbols="bytes", splitter=SPLITTERS[pre.group], **common), roles
    return Spec(decoded, symbols="bytes", split_rules=split_rules(pre.group), **common), roles


def _refuse_across_lines(pieces: Pieces, merges: NDArray[np.uint32]) -> None:
    """Text is cut between newlines and what is none. Where no merge spans such a place that makes no difference."""
    places = np.flatnonzero(np.frombuffer(pieces.blob, np.uint8) == ord("\n"))
    holding, counts = np.unique(np.searchsorted(pieces.offsets, places, side="right") - 1, return_counts=True)
    sizes = pieces.offsets[1:] - pieces.offsets[:-1]
    if not len(holding):
        return
    # Few tokens hold newlines, and most of them are adjacent.
    results = np.ascontiguousarray(merges[:, 2])
    near = merges[np.flatnonzero((results >= holding[0]) & (results <= holding[-1]))]
    if np.isin(near[:, 2], holding[counts != sizes[holding]]).any():
        refuse("a merge joins newlines and other characters", "merges")
    runs = holding[counts == sizes[holding]]
    _refuse_broken_runs(sizes, runs, near[np.isin(near[:, 2], runs)])


def _refuse_broken_runs(sizes: NDArray[np.uint32], runs: NDArray[np.int64], rows: NDArray[np.uint32]) -> None:
    """llama.cpp takes a run of newlines that is a token for that token. It must be what merging leads to as well."""
    ranks = {(int(sizes[left]), int(sizes[right])): rank for rank, (left, right, _) in enumerate(rows.tolist())}
    for length in sizes[runs].tolist():
        parts = [1] * length
        while found := [(ranks[pair], at) for at, pair in enumerate(pairwise(parts)) if pair in ranks]:
            place = min(found)[1]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) > 1:
            refuse(f"the token of {length} newlines is none that merging leads to", "merges")


def _merges(file: GgufFile, pieces: Pieces) -> NDArray[np.uint32]:
    listed: Strings | None = field(file, _MERGES, ("string[]",))
    if listed is None or len(listed) == 0:
        what = "has no field" if listed is None else "has nothing in the field"
        message = f"the file {what} {_MERGES}; convert the model again with llama.cpp's converter"
        raise FormatError("gguf-field", message, field=_MERGES)
    names, strings = (
        (column.blob, np.ascontiguousarray(column.offsets, "<u4").tobytes()) for column in (pieces, listed)
    )
    rows, odd = merge_ids(names, strings, "first-space", keeps_last=False)
    if odd is not None:
        shown = listed.blob[int(listed.offsets[odd]) : int(listed.offsets[odd + 1])].decode("utf-8", "replace")
        refuse(f"merge {odd} ({shown!r}) is not one of two tokens into a token", "merges")
    return np.frombuffer(rows, "<u4").reshape(-1, 3)


@lru_cache
def _letters() -> NDArray[np.int16]:
    """For each character up to U+0143 the byte it stands for, or -1; one more for all others."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = np.full(0x100 + len(others) + 1, -1, np.int16)
    table[printable] = printable
    table[0x100 : 0x100 + len(others)] = others
    return table


def _bytes_of(pieces: Pieces, kinds: NDArray[np.uint8]) -> Pieces:
    """The tokens as the bytes that their letters stand for. Those that are looked for in text stay as they are spelled."""
    try:
        codes = np.frombuffer(pieces.blob.decode().encode("utf-32-le"), "<u4")
    except UnicodeDecodeError:
        refuse("a token is not UTF-8", "tokens")
    table = _letters()
    mapped = table[np.minimum(codes, len(table) - 1)]
    begins = np.concatenate([[0], np.cumsum((np.frombuffer(pieces.blob, np.uint8) & 0xC0) != 0x80)])[pieces.offsets]
    spelled = np.isin(kinds, [Kind.CONTROL, Kind.UNKNOWN, Kind.USER_DEFINED])
    unmapped = np.concatenate([[0], np.cumsum(mapped < 0)])[begins]
    kept = np.flatnonzero(spelled | (np.diff(unmapped) > 0)).tolist()
    letters, parts, sizes = np.maximum(mapped, 0).astype(np.uint8).tobytes(), [], np.diff(begins)
    done = 0
    for id in kept:
        raw = pieces.bytes(id) if spelled[id] else _unreadable(pieces.piece(id))
        parts += [letters[done : begins[id]], raw]
        done, sizes[id] = int(begins[id + 1]), len(raw)
    blob = b"".join([*parts, letters[done:]])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    return Pieces(blob, offsets, pieces.scores, kinds)


def _unreadable(token: str) -> bytes:
    """What llama.cpp prints for a token that holds another character than those letters."""
    table = _letters()
    out = bytearray()
    for character in token:
        byte = int(table[min(ord(character), len(table) - 1)])
        out += bytes([byte]) if byte >= 0 else f"[UNK_BYTE_0x{character.encode().hex()}{token}]".encode()
    return bytes(out)
