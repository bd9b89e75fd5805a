"""Vocabularies of RWKV and of PLaMo in GGUF files (types ``rwkv`` and ``plamo2``), by llama.cpp's rules.

llama.cpp looks for every token of these in ordinary text, control tokens included: whoever writes a text can end it. Here
control tokens are found only where a call permits it, as in all vocabularies; that is the one departure.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...spec import Added, AddedFlag, Kind, Pieces, Spec
from ..rwkv import SETTINGS
from .tokens import added_of, flag, marks_of, read_pieces, read_roles, refuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .file import GgufFile
    from .tokens import Roles

__all__ = ["read_plamo", "read_rwkv"]

_PLAIN: dict[str, Any] = {
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
    "escape_whitespaces": False,
    "matching": "longest-first",
}
_ESCAPE = re.compile(rb"\\(?:x(..)|(.))", re.DOTALL)
_SIMPLE = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}
_HEX = re.compile(rb"[0-9a-f]{2}")


def read_rwkv(file: GgufFile, dialect: str) -> tuple[Spec, Roles]:
    """A vocabulary of type ``rwkv``: the longest token that the text goes on with."""
    pieces = read_pieces(file)
    roles = read_roles(file, pieces, {})
    if dialect == "rwkv":
        return _listed(file, pieces, roles)
    _refuse_options(file, dialect, "rwkv")
    kinds = _kinds(roles, {Kind.UNKNOWN: Kind.CONTROL, Kind.UNUSED: Kind.NORMAL, Kind.BYTE: Kind.NORMAL})
    roles = replace(roles, kinds=kinds)
    spec = Spec(
        _unescaped(pieces, kinds),
        segmenter="greedy",
        symbols="bytes",
        added=added_of(file, pieces, roles),
        **_PLAIN,
        **marks_of(file, roles, bos=False, eos=False) | {"add_bos": False, "add_eos": False},
    )
    return spec, roles


def _listed(file: GgufFile, pieces: Pieces, roles: Roles) -> tuple[Spec, Roles]:
    """This vocabulary as RWKV's own list has it: what is unused stands for nothing, and all other tokens are special."""
    kinds = np.where(np.isin(pieces.kinds, [Kind.NORMAL, Kind.UNUSED]), pieces.kinds, Kind.CONTROL).astype(np.uint8)
    raw = _unescaped(pieces, kinds)
    named = Pieces.of(
        (b"" if kind == Kind.UNUSED else pieces.bytes(id) if kind == Kind.CONTROL else raw.bytes(id), 0.0, kind)
        for id, kind in enumerate(kinds.tolist())
    )
    special = [(pieces.piece(id), id, AddedFlag.SPECIAL) for id in np.flatnonzero(kinds == Kind.CONTROL).tolist()]
    marks = marks_of(file, roles, bos=False, eos=False, dialect="rwkv")
    return Spec(named, added=Added.of(special), **SETTINGS, **marks), replace(roles, kinds=kinds)


def read_plamo(file: GgufFile, dialect: str) -> tuple[Spec, Roles]:
    """A vocabulary of type ``plamo2``: integer Viterbi, right to left."""
    _refuse_options(file, dialect, "plamo2")
    pieces = read_pieces(file)
    roles = read_roles(file, pieces, {"bos": 1, "eos": 2, "unk": 0, "pad": 3})
    unknown = roles.ids.get("unk")
    if unknown is None or roles.kinds[unknown] not in (Kind.UNKNOWN, Kind.CONTROL):
        refuse("the unknown token is missing, or one that text can become", "unknown_token_id")
    if pieces.kinds[0] == Kind.BYTE:
        refuse("the first token is a byte, which llama.cpp takes for one that is missing", "tokens")
    kinds = _kinds(roles, {Kind.UNKNOWN: Kind.CONTROL, Kind.UNUSED: Kind.NORMAL})
    kinds[unknown] = Kind.UNKNOWN
    roles = replace(roles, kinds=kinds)
    spec = Spec(
        replace(pieces, kinds=kinds),
        segmenter="plamo",
        byte_fallback=True,
        # A text that begins with the mark of byte order loses it, and so does each that stands behind a special token.
        normalizer=({"type": "replace", "pattern": {"regex": r"\A\uFEFF"}, "content": ""},),
        decoder=({"type": "byte-fallback"},),
        added=added_of(file, pieces, roles),
        **_PLAIN,
        **marks_of(file, roles, bos=False, eos=False) | {"add_bos": False, "add_eos": False},
    )
    return spec, roles


def _refuse_options(file: GgufFile, dialect: str, model: str) -> None:
    if dialect != "llama.cpp":
        refuse(f"tokenizer.ggml.model is {model!r}, which is no vocabulary of SentencePiece", "dialect")
    if flag(file, "add_space_prefix", False):
        refuse("a space is taken from the front of decoded text though none is put there", "add_space_prefix")


def _kinds(roles: Roles, changes: dict[Kind, Kind]) -> NDArray[np.uint8]:
    """Kinds as these vocabularies know them: a token that text can become, or a control token."""
    kinds = roles.kinds.copy()
    for old, new in changes.items():
        kinds[roles.kinds == old] = new
    return kinds


def _unescaped(pieces: Pieces, kinds: NDArray[np.uint8]) -> Pieces:
    """The tokens as bytes: the converter wrote them as Python shows bytes."""
    rows = []
    for id in range(len(pieces)):
        spelled = pieces.bytes(id)
        raw = spelled
        if b"\\" in spelled:
            raw = _ESCAPE.sub(partial(_byte, id), spelled)
            if (len(spelled) - len(spelled.rstrip(b"\\"))) % 2:
                refuse(f"token {id} ends within an escape", "tokens")
            if kinds[id] == Kind.USER_DEFINED:
                refuse(
                    f"token {id} is user-defined and has an escape, by which llama.cpp finds it in two ways", "tokens"
                )
        if not raw:
            refuse(f"token {id} is empty", "tokens")
        rows.append(raw)
    offsets = np.concatenate([[0], np.cumsum([len(raw) for raw in rows])]).astype(np.uint32)
    return Pieces(b"".join(rows), offsets, pieces.scores, kinds)


def _byte(id: int, escape: re.Match[bytes]) -> bytes:
    digits, letter = escape[1], escape[2]
    if digits is None and letter != b"x":
        return _SIMPLE.get(letter, letter)
    if digits is None or _HEX.fullmatch(digits) is None:
        refuse(f"token {id} has an escape that is no byte", "tokens")
    return bytes([int(digits, 16)])
