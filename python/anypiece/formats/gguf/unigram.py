"""Unigram vocabularies in GGUF files (type ``t5``), by llama.cpp's rules or by those of SentencePiece."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...spec import SPACE_MARK, Kind, Spec
from ..sentencepiece import rules_of
from .tokens import added_of, field, flag, marks_of, read_pieces, read_roles, refuse

if TYPE_CHECKING:
    from ...spec import Pieces
    from .file import GgufFile
    from .tokens import Roles

__all__ = ["read_unigram"]

_PREFIX = "tokenizer.ggml."


def read_unigram(file: GgufFile, dialect: str) -> tuple[Spec, Roles]:
    """A vocabulary of type ``t5``."""
    pieces = read_pieces(file)
    roles = read_roles(file, pieces, {"eos": 1, "unk": 2, "pad": 0} if dialect == "llama.cpp" else {"unk": 2})
    charsmap = field(file, f"{_PREFIX}precompiled_charsmap", ("i8[]", "u8[]"))
    common: dict[str, Any] = {
        "segmenter": "unigram",
        "charsmap": b"" if charsmap is None else charsmap.tobytes(),
        "remove_extra_whitespaces": flag(file, "remove_extra_whitespaces", False),
        "add_dummy_prefix": flag(file, "add_space_prefix", False),
        **marks_of(file, roles, bos=False, eos=True, dialect=dialect),
    }
    if dialect != "llama.cpp":
        return _original(pieces, common, dialect), roles
    roles = replace(roles, kinds=_kinds(file, pieces, roles))
    spec = Spec(
        replace(pieces, kinds=_matched(pieces, roles)),
        match_kinds="unused",
        spaces="words",
        decoding="literal",
        added=added_of(file, pieces, roles),
        matching="longest-first",
        arithmetic="f64",
        user_defined_score="zero",
        **common,
    )
    return spec, roles


def _kinds(file: GgufFile, pieces: Pieces, roles: Roles) -> Any:
    """Exactly one token is the unknown one: that which a field or the default names. Others are like control tokens."""
    types = field(file, f"{_PREFIX}token_type", ("i32[]",))
    if types is not None and not ((types >= Kind.NORMAL) & (types <= Kind.BYTE)).all():
        refuse("a token has a type that does not exist", "token_type")
    unknown = roles.ids.get("unk")
    if unknown is None or roles.kinds[unknown] not in (Kind.UNKNOWN, Kind.CONTROL):
        refuse("the unknown token is missing, or one that text can become", "unknown_token_id")
    symbols = b"".join(pieces.bytes(id) for id in np.flatnonzero(roles.kinds == Kind.USER_DEFINED).tolist())
    if not symbols.isascii():
        what = "a user-defined token has characters beyond ASCII, which llama.cpp takes apart"
        refuse(f'{what}. Pass dialect="sentencepiece" (--dialect) for the ids of SentencePiece', "tokens")
    kinds = np.where(roles.kinds == Kind.UNKNOWN, Kind.CONTROL, roles.kinds).astype(np.uint8)
    kinds[unknown] = Kind.UNKNOWN
    return kinds


def _matched(pieces: Pieces, roles: Roles) -> Any:
    """The kinds by which text matches. llama.cpp collects what text can become before it makes control tokens of some by
    their texts: one that the file says is normal or unused still matches, and parts a text where special tokens count.
    """
    changed = np.flatnonzero(pieces.kinds != roles.kinds).tolist()
    kinds = roles.kinds.copy()
    for id in changed:
        was, now = Kind(int(pieces.kinds[id])), Kind(int(roles.kinds[id]))
        if was in (Kind.NORMAL, Kind.UNUSED) and now == Kind.CONTROL and SPACE_MARK not in pieces.piece(id):
            kinds[id] = was
        elif Kind.UNKNOWN not in (was, now):
            what = f"the token {pieces.piece(id)!r} is {was.name}, and llama.cpp takes it for {now.name} in part"
            refuse(what, "token_type")
    return kinds


def _original(pieces: Pieces, common: dict[str, Any], dialect: str) -> Spec:
    """This vocabulary by the rules of SentencePiece; all that they need is in the file."""
    count = np.count_nonzero(pieces.kinds == Kind.BYTE)
    if count not in (0, 256):
        refuse(f"{count} of the 256 bytes are tokens of type BYTE, and SentencePiece has all or none", "dialect")
    return Spec(pieces, byte_fallback=bool(count), **common, **rules_of(dialect, "unigram"))
