"""GGUF metadata of a vocabulary that came from another file: what llama.cpp's own converter writes for it.

Merges by score become a vocabulary of type ``llama``. Read again with a dialect of SentencePiece it gives the ids it gave
before; llama.cpp gives its own, which differ where ``docs/formats/gguf.md`` says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import FormatError
from ..spec import Kind
from .gguf_file import Strings, packed
from .sentencepiece import DIALECTS

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["dialect_of", "made"]

_CARRIED = {"segmenter", "byte_fallback", "add_dummy_prefix", "remove_extra_whitespaces", "samples"}
_MARKS = {"bos_id", "eos_id", "pad_id", "add_bos", "add_eos"}
_IDS = {"bos_id": "bos_token_id", "eos_id": "eos_token_id", "pad_id": "padding_token_id"}


def dialect_of(spec: Spec) -> str | None:
    """The dialect of SentencePiece whose rules ``spec`` has."""
    names = (name for name, rules in DIALECTS.items() if all(getattr(spec, key) == rules[key] for key in rules))
    return next(names, None)


def made(spec: Spec) -> bytes:
    """The file of ``spec``, without tensors. Raises ``format-unwritable`` for what it has no place for."""
    dialect = dialect_of(spec)
    rules = DIALECTS[dialect] if dialect else {}
    lost = [name for name in spec.changed_fields() if name not in _CARRIED | _MARKS | set(rules)]
    if lost:
        _refuse(", ".join(lost))
    kinds = spec.pieces.kinds
    if spec.segmenter != "bpe" or np.count_nonzero(kinds == Kind.BYTE) != 256:
        _refuse("a vocabulary other than merges by score with all 256 bytes")
    normal = spec.pieces.scores[kinds == Kind.NORMAL]
    if not np.array_equal(normal, np.round(normal)):
        _refuse("scores that are no ranks")
    return packed({"general.architecture": ("string", b"llama"), **_prefixed(_fields(spec))})


def _fields(spec: Spec) -> dict[str, tuple[str, Any]]:
    pieces = spec.pieces
    fields: dict[str, tuple[str, Any]] = {
        "model": ("string", b"llama"),
        "pre": ("string", b"default"),
        "tokens": ("string[]", Strings(pieces.blob, pieces.offsets)),
        "scores": ("f32[]", pieces.scores),
        "token_type": ("i32[]", pieces.kinds),
        "unknown_token_id": ("u32", spec.unk_id),
        "add_bos_token": ("bool", spec.add_bos),
        "add_eos_token": ("bool", spec.add_eos),
        "add_space_prefix": ("bool", spec.add_dummy_prefix),
        "remove_extra_whitespaces": ("bool", spec.remove_extra_whitespaces),
    }
    return fields | {
        name: ("u32", getattr(spec, role)) for role, name in _IDS.items() if getattr(spec, role) is not None
    }


def _prefixed(fields: dict[str, tuple[str, Any]]) -> dict[str, tuple[str, Any]]:
    return {f"tokenizer.ggml.{name}": value for name, value in fields.items()}


def _refuse(what: str) -> NoReturn:
    message = f"a GGUF file made from another one has no place for {what}; write .anypiece instead"
    raise FormatError("format-unwritable", message, format="gguf")
