"""Vocabularies for words in GGUF files (type ``bert``), by llama.cpp's rules.

The converter rewrote the tokens: those that begin a word have ``▁`` in front, and the others nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...spec import Kind, Pieces, Spec
from .tokens import added_of, decoding_of, field, flag, marks_of, read_pieces, read_roles, refuse
from .write_wordpiece import SETTINGS, respelled, template

if TYPE_CHECKING:
    from .file import GgufFile
    from .tokens import Roles

__all__ = ["read_words"]


def read_words(file: GgufFile, dialect: str) -> tuple[Spec, Roles]:
    """A vocabulary of type ``bert``."""
    pieces = read_pieces(file)
    if dialect != "llama.cpp":
        return _original(file, pieces)
    roles = read_roles(file, pieces, {"bos": 101, "unk": 100, "sep": 102, "pad": 0, "mask": 103})
    unknown = roles.ids.get("unk")
    if unknown is None or "bos" not in roles.ids or "sep" not in roles.ids:
        refuse("the token for unknown words, or one of those around a text, is missing", "unknown_token_id")
    lowercase = flag(file, "normalizer.lowercase", True)
    steps = {"lowercase": lowercase, "strip_accents": flag(file, "normalizer.strip_accents", lowercase)}
    kinds = np.where(roles.kinds == Kind.UNKNOWN, Kind.CONTROL, roles.kinds).astype(np.uint8)
    kinds[unknown] = Kind.UNKNOWN
    roles = replace(roles, kinds=kinds)
    marks = marks_of(file, roles, bos=True, eos=True) | {"eos_id": roles.ids["sep"], "add_bos": True, "add_eos": True}
    spec = Spec(
        replace(pieces, kinds=kinds),
        segmenter="wordpiece",
        normalizer=({"type": "words", **steps},),
        split_rules=({"type": "whitespace-split"},),
        word_prefix="▁",
        continuing_prefix="",
        max_word_chars=None,
        decoding=decoding_of(file),
        clean_spaces=True,
        added=added_of(file, pieces, roles),
        matching="longest-first",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
        **marks,
    )
    return spec, roles


def _original(file: GgufFile, pieces: Pieces) -> tuple[Spec, Roles]:
    """This vocabulary by the rules of tokenizers, which are BERT's own."""
    roles = read_roles(file, pieces, {"unk": 100, "sep": 102})
    unknown, last = roles.ids.get("unk"), roles.ids.get("sep")
    first = field(file, "tokenizer.ggml.cls_token_id", ("u32",))
    first = roles.ids.get("bos") if first is None else first
    if unknown is None or first is None or last is None or first >= len(pieces):
        refuse("the token for unknown words, or one of those around a text, is missing", "unknown_token_id")
    kinds = np.where(pieces.kinds == Kind.UNKNOWN, Kind.CONTROL, pieces.kinds).astype(np.uint8)
    special = [id for part, id in roles.ids.items() if part in ("sep", "pad", "mask")]
    kinds[[first, *special]] = Kind.CONTROL
    kinds[unknown] = Kind.UNKNOWN
    rows = ((respelled(pieces.piece(id), kinds[id] != Kind.NORMAL), 0.0, int(kinds[id])) for id in range(len(pieces)))
    renamed = Pieces.of(rows)
    roles = replace(roles, kinds=kinds)
    lowercase = flag(file, "normalizer.lowercase", True)
    accents = field(file, "tokenizer.ggml.normalizer.strip_accents", ("bool",))
    clean = {"type": "bert", "clean_text": True, "handle_chinese_chars": True}
    step = {**clean, "strip_accents": accents, "lowercase": lowercase}
    marks = marks_of(file, roles, bos=True, eos=True, dialect="tokenizers")
    spec = Spec(
        renamed,
        normalizer=(step,),
        added=added_of(file, renamed, roles),
        **SETTINGS,
        **template(first, last),
        **marks,
    )
    return spec, roles
