"""Byte-level vocabularies with a list of merges as GGUF metadata (type ``gpt2``).

Pieces are written in GPT-2's letters for bytes. How text is cut is not written but named, so only those ways to cut have a
place that tokenizers and llama.cpp both have: ``ORIGINALS`` pairs them. llama.cpp's is a little different from each, in the
release of Unicode and in case; with ``dialect="tokenizers"`` the original is read again.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...spec import AddedFlag, Kind
from ..huggingface.model import BYTE_CHARACTERS
from ..settings import MARKS, raise_unwritable, refuse_other_settings
from .pretokenizers import PRES

if TYPE_CHECKING:
    from ...spec import Spec

__all__ = ["CARRIED", "ORIGINALS", "SETTINGS", "chunking", "fields", "filler", "name_of"]

SETTINGS: dict[str, Any] = {
    "segmenter": "bpe",
    "symbols": "bytes",
    "unknown": "drop",
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
    "escape_whitespaces": False,
    "unk_surface": "",
}
"""What every such file means in the dialect of tokenizers."""
_STAGES = {"splitter", "split_rules", "whole_chunks"}
CARRIED = {*SETTINGS, *_STAGES, "merges", "added"}

_FALCON: tuple[dict[str, Any], ...] = (
    {"type": "punctuation", "behavior": "contiguous"},
    {"type": "byte-level", "add_prefix_space": False, "use_regex": True},
    {"type": "digits", "individual": False},
    {"type": "split", "pattern": {"regex": "[0-9][0-9][0-9]"}, "behavior": "isolated", "invert": False},
)
ORIGINALS: dict[str, dict[str, Any]] = {
    "gpt-2": {"splitter": "gpt2"},
    "llama3": {"splitter": "llama3"},
    "qwen2": {"splitter": "qwen2"},
    "starcoder": {"splitter": "starcoder"},
    "deepseek-v3": {"splitter": "deepseek-v3"},
    "tekken": {"splitter": "tekken"},
    "gpt-4o": {"splitter": "o200k"},
    "falcon": {"split_rules": _FALCON},
}
"""The ways to cut text that llama.cpp calls by these names (groups), as the library has them that a vocabulary is from."""
_NAMES = ("gpt-2", "llama-bpe", "dbrx", "qwen2", "starcoder", "deepseek-v3", "tekken", "gpt-4o", "falcon")
"""The names that are written; others mean the same."""


def chunking(name: str) -> dict[str, Any] | None:
    """How text is cut by a name, as fields of a Spec in the dialect of tokenizers; None if that has no such way."""
    rule = PRES[name]
    stages = ORIGINALS.get(rule.group)
    return None if stages is None else {**stages, "whole_chunks": rule.whole_chunks}


def name_of(spec: Spec) -> str | None:
    """The name under which text is cut as ``spec`` does; if there is none, one that differs in ``whole_chunks``."""
    wanted = {"splitter": spec.splitter, "split_rules": spec.split_rules, "whole_chunks": spec.whole_chunks}
    blank: dict[str, Any] = {"splitter": None, "split_rules": ()}
    known = {name: blank | (chunking(name) or {}) for name in _NAMES}
    exact = next((name for name, stages in known.items() if stages == wanted), None)
    nearly = {name: {**stages, "whole_chunks": spec.whole_chunks} for name, stages in known.items()}
    return exact or next((name for name, stages in nearly.items() if stages == wanted), None)


def fields(spec: Spec) -> dict[str, tuple[str, Any]]:
    """The fields of such a vocabulary. Raises ``format-unwritable``."""
    refuse_other_settings(spec, "gguf", "a GGUF file", SETTINGS, {*CARRIED, *MARKS})
    name = name_of(spec)
    if name is None or (chunking(name) or {})["whole_chunks"] != spec.whole_chunks:
        raise_unwritable("gguf", "llama.cpp knows no pre-tokenizer that cuts text in this way", fields=sorted(_STAGES))
    if not len(spec.merges):
        raise_unwritable(
            "gguf", "a GGUF file has no place for merges by rank; convert() makes a list", fields=["merges"]
        )
    names = _names(spec)
    merges = spec.merges.tolist()
    unknown: dict[str, tuple[str, Any]] = {} if spec.unk_id < 0 else {"unknown_token_id": ("u32", spec.unk_id)}
    return {
        "pre": ("string", name.encode()),
        "tokens": ("string[]", [text.encode() for text in names]),
        "token_type": ("i32[]", _types(spec)),
        "merges": ("string[]", [f"{names[left]} {names[right]}".encode() for left, right, _ in merges]),
        **unknown,
    }


def filler(id: int) -> str:
    """The name of a token that stands for nothing, as llama.cpp's converter has it.

    >>> filler(7)
    '[PAD7]'
    """
    return f"[PAD{id}]"


def _names(spec: Spec) -> list[str]:
    """The text of each token: bytes as letters, added tokens as they are, and a name for ids that stand for nothing."""
    letters = [chr(character) for character in BYTE_CHARACTERS]
    ends = spec.pieces.offsets.tolist()
    blob = spec.pieces.blob
    names = ["".join([letters[byte] for byte in blob[start:end]]) for start, end in pairwise(ends)]
    for id in np.flatnonzero(spec.pieces.kinds == Kind.UNUSED).tolist():
        names[id] = spec.pieces.piece(id) or filler(id)
    for text, id, _ in spec.added:
        names[id] = text
    if len(set(names)) < len(names):
        raise_unwritable("gguf", "a GGUF file has no place for two tokens of one text", fields=["pieces"])
    return names


def _types(spec: Spec) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The kinds, and those of added tokens by their flags. Flags beyond these have no place."""
    kinds = spec.pieces.kinds.copy()
    for text, id, flags in spec.added:
        if flags & ~AddedFlag.SPECIAL:
            raise_unwritable("gguf", f"a GGUF file has no place for how the token {text!r} is found", fields=["added"])
        if kinds[id] != Kind.UNKNOWN:
            kinds[id] = Kind.CONTROL if flags & AddedFlag.SPECIAL else Kind.USER_DEFINED
    return kinds
