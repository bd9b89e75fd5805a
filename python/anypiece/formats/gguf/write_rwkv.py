"""RWKV's vocabulary as GGUF metadata (type ``rwkv``).

Pieces are written as Python shows bytes, as llama.cpp's converter does. Ids that stand for nothing get a name, since a token
needs one; ``dialect="rwkv"`` leaves them without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...spec import Kind
from .. import rwkv
from ..settings import MARKS, raise_unwritable, refuse_other_settings, refuse_other_tokens
from .write_bpe import filler

if TYPE_CHECKING:
    from ...spec import Spec

__all__ = ["CARRIED", "escaped", "fields"]

CARRIED = {*rwkv.CARRIED}


def escaped(piece: bytes) -> bytes:
    """A piece as llama.cpp has it.

    >>> escaped(b"a\\n\\xe4'"), escaped(b"'\\"")
    (b"a\\\\n\\\\xe4'", b'\\\\\\'"')
    """
    return repr(piece)[2:-1].encode()


def fields(spec: Spec) -> dict[str, tuple[str, Any]]:
    """The fields of such a vocabulary. Raises ``format-unwritable``."""
    refuse_other_settings(spec, "gguf", "a GGUF file", rwkv.SETTINGS, {*CARRIED, *MARKS})
    refuse_other_tokens(spec, "gguf", "a GGUF file of RWKV's pieces")
    tokens = []
    for id, (raw, _, kind) in enumerate(spec.pieces):
        tokens.append(escaped(raw) if kind == Kind.NORMAL else raw if kind == Kind.CONTROL else filler(id).encode())
    if len(set(tokens)) < len(tokens):
        raise_unwritable("gguf", "a GGUF file has no place for two tokens of one text", fields=["pieces"])
    return {"pre": ("string", b"default"), "tokens": ("string[]", tokens), "token_type": ("i32[]", spec.pieces.kinds)}
