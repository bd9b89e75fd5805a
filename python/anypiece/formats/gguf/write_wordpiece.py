"""Vocabularies of BERT as GGUF metadata (type ``bert``).

llama.cpp has ``▁`` in front of pieces that begin a word and nothing before the others; names in brackets stay as they are.
``dialect="tokenizers"`` turns that back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import FormatError
from ...spec import AddedFlag, Kind
from ..settings import MARKS, raise_unwritable, refuse_other_settings

if TYPE_CHECKING:
    from ...spec import Spec

__all__ = ["CARRIED", "SETTINGS", "fields", "respelled", "spelled", "template"]

SETTINGS: dict[str, Any] = {
    "segmenter": "wordpiece",
    "symbols": "characters",
    "split_rules": ({"type": "bert"},),
    "continuing_prefix": "##",
    "max_word_chars": 100,
    "decoder": ({"type": "wordpiece", "prefix": "##", "cleanup": True},),
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
    "escape_whitespaces": False,
    "unk_surface": "",
}
"""What every such file means in the dialect of tokenizers."""
CARRIED = {*SETTINGS, "normalizer", "added", "single", "pair"}
_MARK = "▁"


def spelled(piece: str) -> str:
    """A piece as llama.cpp has it.

    >>> [spelled(piece) for piece in ("play", "##ing", "[CLS]")]
    ['▁play', 'ing', '[CLS]']
    """
    if piece.startswith("[") and piece.endswith("]"):
        return piece
    return piece.removeprefix("##") if piece.startswith("##") else _MARK + piece


def respelled(token: str, special: bool) -> str:
    """A token of llama.cpp as BERT's own files have it.

    >>> [respelled(token, False) for token in ("▁play", "ing", "[unused1]")]
    ['play', '##ing', '[unused1]']
    """
    if special or (token.startswith("[") and token.endswith("]")):
        return token
    return token.removeprefix(_MARK) if token.startswith(_MARK) else "##" + token


def template(first: int, last: int) -> dict[str, Any]:
    """What stands around one text and around two, by the ids of the two marks."""
    single = ((first, 0), ("A", 0), (last, 0))
    return {"single": single, "pair": (*single, ("B", 1), (last, 1))}


def fields(spec: Spec) -> dict[str, tuple[str, Any]]:
    """The fields of such a vocabulary. Raises ``format-unwritable``."""
    refuse_other_settings(spec, "gguf", "a GGUF file", SETTINGS, {*CARRIED, *MARKS})
    step = _step(spec)
    first, last = _around(spec)
    _refuse_other_marks(spec, first, last)
    if any(flags != AddedFlag.SPECIAL for _, _, flags in spec.added):
        raise_unwritable(
            "gguf", "a GGUF file has no place for added tokens of words that are not special", fields=["added"]
        )
    kinds = spec.pieces.kinds.copy()
    special = [id for _, id, _ in spec.added if id != spec.unk_id]
    kinds[special] = Kind.CONTROL
    names = [spec.pieces.piece(id) for id in range(len(kinds))]
    tokens = [name if kinds[id] in (Kind.CONTROL, Kind.UNKNOWN) else spelled(name) for id, name in enumerate(names)]
    accents = {} if step["strip_accents"] is None else {"normalizer.strip_accents": ("bool", step["strip_accents"])}
    mask = {"mask_token_id": ("u32", names.index("[MASK]"))} if "[MASK]" in names else {}
    return {
        "pre": ("string", b"default"),
        "tokens": ("string[]", [token.encode() for token in tokens]),
        "token_type": ("i32[]", np.asarray(kinds)),
        "normalizer.lowercase": ("bool", step["lowercase"]),
        **accents,
        "unknown_token_id": ("u32", spec.unk_id),
        "cls_token_id": ("u32", first),
        "bos_token_id": ("u32", first),
        "seperator_token_id": ("u32", last),
        **mask,
    }


def _refuse_other_marks(spec: Spec, first: int, last: int) -> None:
    if (spec.bos_id, spec.eos_id) == (first, last):
        return
    bos, eos = spec.pieces.piece(first), spec.pieces.piece(last)
    message = (
        f"a GGUF file of words has the marks of its template as bos and eos: load the source with "
        f'roles={{"bos": {bos!r}, "eos": {eos!r}}} (--role bos={bos} --role eos={eos})'
    )
    raise FormatError("format-unwritable", message, format="gguf", fields=["bos_id", "eos_id"])


def _step(spec: Spec) -> dict[str, Any]:
    plain = {"type": "bert", "clean_text": True, "handle_chinese_chars": True}
    step = spec.normalizer[0] if len(spec.normalizer) == 1 else {}
    if any(step.get(name) != value for name, value in plain.items()):
        raise_unwritable("gguf", "a GGUF file has no place for another normalizer than BERT's", fields=["normalizer"])
    return step


def _around(spec: Spec) -> tuple[int, int]:
    ids = [slot for slot, _ in spec.single or () if isinstance(slot, int)]
    found = {"single": spec.single, "pair": spec.pair}
    if len(ids) != 2 or found != template(ids[0], ids[1]):
        raise_unwritable("gguf", "a GGUF file has no place for another template than BERT's", fields=["single", "pair"])
    return ids[0], ids[1]
