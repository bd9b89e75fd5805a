"""Vocabularies of words as BERT's own files mean them: what such a file leaves unsaid is filled in by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import FormatError
from ..formats import wordpiece

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["as_vocabulary", "with_marks"]

_NAMED = ("unk_surface", "bos_id", "eos_id", "pad_id", "add_bos", "add_eos", "added", "normalizer")
"""What a vocab.txt says by names alone, or what has no meaning together with a template and a decoder."""


def as_vocabulary(spec: Spec) -> Spec:
    """``spec`` as the vocab.txt of its pieces is read, if that changes nothing but names, marks and the order of tokens."""
    names = [spec.pieces.piece(id) for id in range(len(spec.pieces))]
    try:
        found, _ = wordpiece.read("\n".join(names).encode(), **wordpiece.reading_options(spec))
    except FormatError:
        return spec
    changes = {name: getattr(found, name) for name in _NAMED}
    same_tokens = sorted(spec.added) == sorted(found.added)
    same_steps = list(spec.normalizer) == list(found.normalizer)
    filled = spec.replace(**changes, pieces=found.pieces)
    same_kinds = spec.pieces.kinds.tolist() == found.pieces.kinds.tolist()
    is_same = same_tokens and same_steps and same_kinds and filled == found.replace(samples=spec.samples)
    return filled if is_same else spec


def with_marks(spec: Spec) -> Spec:
    """``spec`` whose bos and eos are the marks of its template, where they have no names: a GGUF file names them."""
    ids = [slot for slot, _ in spec.single or () if isinstance(slot, int)]
    if len(ids) != 2 or spec.bos_id not in (None, ids[0]) or spec.eos_id not in (None, ids[1]):
        return spec
    return spec.replace(bos_id=ids[0], eos_id=ids[1])
