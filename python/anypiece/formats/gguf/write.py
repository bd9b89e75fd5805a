"""GGUF metadata of a vocabulary that came from another file: what llama.cpp's own converter writes for it.

Merges by score become a vocabulary of type ``llama``, unigram ones one of type ``t5``; those of bytes and of words are in
``write_bpe``, ``write_rwkv`` and ``write_wordpiece``. Read again with the dialect of the library it came from, a
file gives the ids that it gave before; llama.cpp gives its own, which differ where ``docs/formats/gguf.md`` says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from ...spec import Kind
from ..sentencepiece import DIALECTS, rules_of
from ..settings import MARKS, lost_fields, raise_unwritable
from . import write_bpe, write_rwkv, write_wordpiece
from .file import Strings, packed
from .pretokenizers import PRES
from .tokens import OWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...spec import Spec

__all__ = ["carried", "dialect_of", "made"]

Fields = dict[str, tuple[str, Any]]

_IDS = {"bos_id": "bos_token_id", "eos_id": "eos_token_id", "pad_id": "padding_token_id"}
_TEXT = {"segmenter", "byte_fallback", "add_dummy_prefix", "remove_extra_whitespaces"}


class _Type(NamedTuple):
    """A kind of vocabulary in GGUF files."""

    name: str
    architecture: str
    carried: set[str]
    fields: Callable[[Spec], Fields]
    """The fields beyond those of every file. Raises ``format-unwritable`` for what these have no place for."""


def dialect_of(spec: Spec) -> str | None:
    """The dialect with which a file that was made of ``spec`` gives it again; None for llama.cpp's own."""
    if spec.segmenter == "greedy":
        return "rwkv" if spec.unk_surface == "" else None
    if spec.symbols == "bytes" or spec.segmenter == "wordpiece":
        is_original = spec.unknown != "omit" and not spec.word_prefix
        return "tokenizers" if is_original else None
    if spec.match_kinds != "text" or len(spec.merges):
        return None
    for name in DIALECTS:
        if all(getattr(spec, key) == value for key, value in rules_of(name, spec.segmenter).items()):
            return name
    return None


def carried(spec: Spec) -> set[str]:
    """The fields of a Spec that a file of its type has a place for."""
    kind = _type_of(spec)
    return kind.carried | MARKS if kind is not None else set()


def made(spec: Spec, more: Fields) -> bytes:
    """The file of ``spec`` with ``more`` fields, without tensors. Raises ``format-unwritable`` for what it has no place
    for."""
    kind = _type_of(spec)
    if kind is None:
        _refuse("such a vocabulary; there are types for merges, unigram scores, words and the longest strings of bytes")
    lost = lost_fields(spec, carried(spec))
    if lost:
        _refuse(", ".join(lost), lost)
    fields = {"model": ("string", kind.name.encode()), **kind.fields(spec), **_marks(spec, kind.name)}
    named = {f"tokenizer.ggml.{name}": value for name, value in fields.items()}
    return packed(
        {"general.architecture": ("string", kind.architecture.encode()), **named, **_own(spec, kind.name), **more}
    )


def _type_of(spec: Spec) -> _Type | None:
    if spec.symbols == "bytes":
        return {"bpe": _BPE, "greedy": _RWKV}.get(spec.segmenter)
    if spec.segmenter == "bpe" and not len(spec.merges):
        return _LLAMA
    return {"unigram": _T5, "wordpiece": _BERT}.get(spec.segmenter)


def _marks(spec: Spec, kind: str) -> Fields:
    """The ids of marks, and those that are put around a text."""
    ids = {name: getattr(spec, role) for role, name in _IDS.items()}
    adds = _adds(spec, kind)
    return {name: ("u32", id) for name, id in ids.items() if id is not None} | {
        f"{name}_token": ("bool", value) for name, value in adds.items()
    }


def _adds(spec: Spec, kind: str) -> dict[str, bool]:
    """What llama.cpp is to put around a text: what ``spec`` says, but no mark that is not there. Most sources say nothing,
    which stands for both marks; then those that programs of models of that kind put there."""
    has_bos, has_eos = spec.bos_id is not None, spec.eos_id is not None
    adds = {"add_bos": spec.add_bos and has_bos, "add_eos": spec.add_eos and has_eos}
    if kind == "bert" or not (spec.add_bos and spec.add_eos):
        return adds
    if kind == "llama":
        return adds | {"add_eos": False}
    if kind == "gpt2":
        name = write_bpe.name_of(spec)
        begins = name is not None and PRES[name].add_bos
        is_whole = has_bos and has_eos
        return {"add_bos": is_whole, "add_eos": is_whole and not begins}
    return adds


def _own(spec: Spec, kind: str) -> Fields:
    """Fields for what ``spec`` says otherwise than llama.cpp is told."""
    return {
        f"{OWN}{name}": ("bool", getattr(spec, name))
        for name, value in _adds(spec, kind).items()
        if value != getattr(spec, name)
    }


def _characters(spec: Spec) -> Fields:
    """What the types of SentencePiece's vocabularies have in common."""
    if dialect_of(spec) is None:
        _refuse("scores that are added as no release of SentencePiece does", ["arithmetic", "user_defined_score"])
    if spec.unk_id < 0:
        _refuse("a vocabulary without an unknown piece", ["unknown"])
    count = np.count_nonzero(spec.pieces.kinds == Kind.BYTE)
    if spec.byte_fallback != (count == 256):
        _refuse("byte pieces that are not used, or not all of them", ["byte_fallback"])
    pieces = spec.pieces
    return {
        "pre": ("string", b"default"),
        "tokens": ("string[]", Strings(pieces.blob, pieces.offsets)),
        "scores": ("f32[]", pieces.scores),
        "token_type": ("i32[]", pieces.kinds),
        "unknown_token_id": ("u32", spec.unk_id),
        "add_space_prefix": ("bool", spec.add_dummy_prefix),
        "remove_extra_whitespaces": ("bool", spec.remove_extra_whitespaces),
    }


def _llama(spec: Spec) -> Fields:
    if not spec.byte_fallback:
        _refuse("merges by score without all 256 bytes", ["byte_fallback"])
    normal = spec.pieces.scores[spec.pieces.kinds == Kind.NORMAL]
    if not np.array_equal(normal, np.round(normal)):
        _refuse("scores that are no ranks")
    return _characters(spec)


def _t5(spec: Spec) -> Fields:
    charsmap: Fields = {"precompiled_charsmap": ("u8[]", np.frombuffer(spec.charsmap, np.uint8))}
    return _characters(spec) | (charsmap if spec.charsmap else {})


def _refuse(what: str, fields: list[str] | None = None) -> NoReturn:
    raise_unwritable("gguf", f"a GGUF file made from another one has no place for {what}", fields=fields or [])


_RULES = {rule for rules in DIALECTS.values() for rule in rules}
_LLAMA = _Type("llama", "llama", _TEXT | _RULES, _llama)
_T5 = _Type("t5", "t5", _TEXT | _RULES | {"charsmap"}, _t5)
_BPE = _Type("gpt2", "gpt2", write_bpe.CARRIED, write_bpe.fields)
_BERT = _Type("bert", "bert", write_wordpiece.CARRIED, write_wordpiece.fields)
_RWKV = _Type("rwkv", "rwkv7", write_rwkv.CARRIED, write_rwkv.fields)
