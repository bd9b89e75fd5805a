"""A SentencePiece file as the classes of transformers 5 take it: pieces, merges and character map as a tokenizer.json.

They do not run SentencePiece but read its file into a pipeline of tokenizers, so the ids of such a folder are not always
those of the file by itself.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...spec import Kind
from ..huggingface.fields import unsupported
from .classes import DIALECT_REMEDY, Given

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...spec import Spec
    from .auto import Remake

__all__ = ["as_document"]

Scored = list[tuple[str, float]]


def as_document(spec: Spec, remake: Remake) -> tuple[bytes, Remake]:
    """The Spec of a SentencePiece file as a tokenizer.json for the class of ``remake``, and the class told of its tokens."""
    pieces = spec.pieces
    names = [pieces.piece(id) for id in range(len(pieces))]
    kinds = pieces.kinds.tolist()
    rows = [
        {"content": names[id], "special": kind == Kind.CONTROL, "normalized": False}
        for id, kind in enumerate(kinds)
        if kind in (Kind.CONTROL, Kind.USER_DEFINED)
    ]
    said = replace(remake.said, lists=remake.said.lists | {"additional_special_tokens": rows})
    told = replace(remake, said=said, fields=remake.fields | {"unk_id": spec.unk_id})
    charsmap = base64.b64encode(spec.charsmap).decode() if spec.charsmap else None
    model: dict[str, Any] = {"type": remake.rules.model if remake.rules else ""}
    if model["type"] == "BPE":
        ids = {name: id for id, name in enumerate(names)}
        model |= {"vocab": ids, "merges": list(_merges(ids))}
    else:
        rename = _VOCABULARIES.get(remake.name, _as_it_is)
        given = Given(told.fields, charsmap, lambda texts: [None] * len(texts), lambda id: 0.0)
        model["vocab"] = rename(list(zip(names, map(float, pieces.scores.tolist()), strict=True)), given)
        _refuse_twins(remake.name, [name for name, _ in model["vocab"]])
    step = None if charsmap is None else {"type": "Precompiled", "precompiled_charsmap": charsmap}
    document: dict[str, Any] = {"version": "1.0", "added_tokens": [], "normalizer": step, "model": model}
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"), told


def _refuse_twins(name: str, pieces: list[str]) -> None:
    """Refuses a vocabulary that has pieces which the class adds once more."""
    twins = len(pieces) - len(set(pieces))
    if twins:
        what = f"is {name!r}, which adds {twins} pieces that the file has already"
        unsupported(
            "tokenizer_config.json: tokenizer_class",
            what,
            f"If they are T5's, say extra_ids: 0 there. {DIALECT_REMEDY}",
        )


def _merges(ids: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Every way to part a piece into two pieces: in the order of the pieces, and the shorter first parts before."""
    for name in ids:
        for at in range(1, len(name)):
            if name[:at] in ids and name[at:] in ids:
                yield name[:at], name[at:]


def _as_it_is(scored: Scored, given: Given) -> Scored:
    return scored


def _t5(scored: Scored, given: Given) -> Scored:
    count = given.number("extra_ids", 100)
    return [*scored, *((f"<extra_id_{number}>", 0.0) for number in range(count - 1, -1, -1))]


def _xlm_roberta(scored: Scored, given: Given) -> Scored:
    usual = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>"}
    first = [(given.text(f"{name}_token", text), 0.0) for name, text in usual.items()]
    return [*first, *scored[3:], (given.text("mask_token", "<mask>"), 0.0)]


def _camembert(scored: Scored, given: Given) -> Scored:
    first = [("<s>NOTUSED", 0.0), (given.text("pad_token", "<pad>"), 0.0), ("</s>NOTUSED", 0.0)]
    unknown = [(given.text("unk_token", "<unk>"), 0.0), ("<unk>NOTUSED", -100.0)]
    return [*first, *unknown, *scored[1:], (given.text("mask_token", "<mask>"), 0.0)]


def _pegasus(scored: Scored, given: Given) -> Scored:
    usual = {"pad_token": "<pad>", "eos_token": "</s>", "mask_token": "<mask_1>", "mask_token_sent": "<mask_2>"}
    marks = dict.fromkeys(given.text(name, text) for name, text in usual.items())
    reserved = [(f"<unk_{number}>", -100.0) for number in range(2, given.number("offset", 103))]
    return [*((mark, 0.0) for mark in marks), *reserved, *scored[2:]]


_VOCABULARIES: dict[str, Callable[[Scored, Given], Scored]] = {
    "T5Tokenizer": _t5,
    "XLMRobertaTokenizer": _xlm_roberta,
    "CamembertTokenizer": _camembert,
    "PegasusTokenizer": _pegasus,
}
"""Classes that do not take the pieces as they are."""
