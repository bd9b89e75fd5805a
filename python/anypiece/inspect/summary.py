"""Summary: what a person wants to know of a tokenizer first.

Its format, its stages in words, its special tokens and roles, its chat template, and the library whose results it gives.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .. import formats
from .._core.vocabulary import special_tokens
from ..errors import AnyPieceError
from ..formats import gguf, sentencepiece, tiktoken
from ..formats.wire import protobuf
from ..metadata import metadata_of
from ..spec import Kind
from .terminal import spelled

if TYPE_CHECKING:
    from ..spec import Spec
    from ..tokenizer import Tokenizer

__all__ = ["internals", "summary"]

_FORMATS = {
    "sentencepiece": "SentencePiece .model",
    "tiktoken": "tiktoken ranks",
    "gguf": "GGUF",
    "tekken": "tekken.json",
    "bytepiece": "BytePiece",
    "rwkv": "RWKV vocabulary list",
    "huggingface": "tokenizer.json",
    "wordpiece": "BERT vocab.txt",
}
_LIBRARIES = {
    "tiktoken": "tiktoken 0.14.0",
    "tekken": "mistral-common 1.13.0",
    "bytepiece": "bytepiece 0.6.3",
    "rwkv": "rwkv 0.8.32",
    "huggingface": "tokenizers 0.23.3",
    "wordpiece": "tokenizers 0.23.3",
}
_NORMALIZER = 3
"""The field of a .model file that says how text is normalized; its first field is a name."""


def summary(tokenizer: Tokenizer) -> dict[str, Any]:
    """What matters of a tokenizer, JSON-ready.

    >>> import anypiece
    >>> found = summary(anypiece.load())
    >>> found["format"], found["algorithm"], found["vocab_size"], found["roles"]["eos"]
    ('SentencePiece .model', 'unigram', 64000, {'id': 2, 'token': '</s>'})
    """
    spec, origin = tokenizer.spec, tokenizer._origin
    kinds = {kind.name.lower(): int(np.count_nonzero(spec.pieces.kinds == kind)) for kind in Kind}
    facts: dict[str, Any] = {"format": _format(origin)}
    if (definition := _definition(origin)) is not None:
        facts["definition"] = definition
    return facts | {
        "results": _results(spec, origin),
        "algorithm": _algorithm(spec),
        "vocab_size": tokenizer.vocab_size,
        "kinds": {kind: number for kind, number in kinds.items() if number},
        "unknown_text": _unknown(spec),
        "normalizer": _normalizer(spec, origin),
        "splitter": _splitter(spec),
        "specials": special_tokens(tokenizer),
        "roles": _roles(tokenizer),
        "around_a_text": _around(tokenizer),
        "chat_template": list(metadata_of(origin).chat_template),
        "fingerprint": tokenizer.fingerprint,
    }


def _kind(origin: Any) -> str | None:
    return next((kind for kind in _FORMATS if formats.is_own(origin, kind)), None)


def _format(origin: Any) -> str:
    kind = _kind(origin)
    if isinstance(origin, gguf.Origin):
        return f"GGUF, vocabulary of type {origin.model}"
    return ".anypiece" if kind is None else _FORMATS[kind]


def _definition(origin: Any) -> str | None:
    """The definition of ranks, or the pre-tokenizer of a GGUF file, that was named or recognised."""
    if isinstance(origin, tiktoken.Origin):
        return origin.definition
    return origin.pre if isinstance(origin, gguf.Origin) else None


def _results(spec: Spec, origin: Any) -> str:
    kind = _kind(origin)
    if kind is None:
        return "those of the file that it was made from"
    if kind == "gguf":
        dialect = gguf.reading_options(spec).get("dialect")
        if dialect is None:
            return "llama.cpp"
        if dialect not in sentencepiece.DIALECTS:
            return _LIBRARIES["rwkv" if dialect == "rwkv" else "huggingface"]
    return _LIBRARIES.get(kind) or _sentencepiece(spec)


def _sentencepiece(spec: Spec) -> str:
    """The newest release that has these rules."""
    same = [
        name
        for name in sentencepiece.DIALECTS
        if all(getattr(spec, field) == value for field, value in sentencepiece.rules_of(name, spec.segmenter).items())
    ]
    releases = sorted((name for name in same if "-" in name), key=_release)
    return releases[-1].replace("-", " ") if releases else "sentencepiece"


def _release(name: str) -> list[int]:
    return [int(part) for part in name.rpartition("-")[2].split(".") if part.isdigit()]


def _algorithm(spec: Spec) -> str:
    if spec.segmenter == "bpe":
        unit = "byte-level BPE" if spec.symbols == "bytes" else "BPE"
        if len(spec.merges):
            return f"{unit}, {len(spec.merges):,} merges"
        return f"{unit}, by {'rank' if spec.symbols == 'bytes' else 'score'}"
    if spec.segmenter == "unigram" and spec.symbols == "bytes":
        return "unigram over bytes"
    return {"wordpiece": "WordPiece", "greedy": "greedy, longest piece first"}.get(spec.segmenter, spec.segmenter)


def _unknown(spec: Spec) -> str:
    if spec.symbols == "bytes":
        return "cannot be: pieces are bytes"
    if spec.byte_fallback:
        return "is spelled in bytes"
    return f"becomes {spec.pieces.piece(spec.unk_id)}, id {spec.unk_id}" if spec.unk_id >= 0 else "is left out"


def _normalizer(spec: Spec, origin: Any) -> str:
    if spec.normalizer:
        return ", ".join(map(_told, spec.normalizer))
    parts = []
    if spec.charsmap:
        parts.append(f"{_rule_name(origin) or 'character map'}")
    if spec.add_dummy_prefix and spec.symbols != "bytes" and spec.segmenter != "wordpiece" and not spec.split_rules:
        parts.append("a space behind the text" if spec.whitespace_as_suffix else "a space in front of the text")
    if spec.remove_extra_whitespaces and spec.symbols != "bytes" and not spec.split_rules:
        parts.append("extra spaces removed")
    return ", ".join(parts) or "none"


def _rule_name(origin: Any) -> str | None:
    """What a .model file calls its character map."""
    if not isinstance(origin, sentencepiece.Origin):
        return None
    with suppress(AnyPieceError, UnicodeDecodeError, StopIteration, TypeError):
        raw = next(raw for number, raw, _ in origin.rest if number == _NORMALIZER)
        record = cast("bytes", next(protobuf.fields(raw)).value)
        return (
            next(cast("bytes", field.value).decode() for field in protobuf.fields(record) if field.number == 1) or None
        )
    return None


def _splitter(spec: Spec) -> str:
    if spec.splitter is not None:
        return spec.splitter
    if spec.split_rules:
        return ", ".join(map(_told, spec.split_rules))
    return "none"


def _told(step: dict[str, Any]) -> str:
    """A step or rule by its name, with what it is told."""
    given = {name: value for name, value in step.items() if name != "type" and value is not None}
    told = ", ".join(f"{name}={json.dumps(_plain(value), ensure_ascii=False)}" for name, value in given.items())
    return f"{step['type']}({told})" if told else str(step["type"])


def _plain(value: Any) -> Any:
    """A pattern as its text, whether it is an expression or not."""
    return next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value


def _roles(tokenizer: Tokenizer) -> dict[str, Any]:
    ids = {"bos": tokenizer.bos_id, "eos": tokenizer.eos_id, "pad": tokenizer.pad_id, "unk": tokenizer.unk_id}
    return {role: None if id is None else {"id": id, "token": _piece(tokenizer, id)} for role, id in ids.items()}


def _piece(tokenizer: Tokenizer, id: int) -> str:
    return spelled(tokenizer.id_to_bytes(id))


def _around(tokenizer: Tokenizer) -> str:
    """What ``add_special=True`` makes of a text."""
    spec = tokenizer.spec
    if spec.single is not None:
        parts = ["TEXT" if part == "A" else _piece(tokenizer, int(part)) for part, _ in spec.single]
    else:
        bos = [_piece(tokenizer, spec.bos_id)] if spec.add_bos and spec.bos_id is not None else []
        eos = [_piece(tokenizer, spec.eos_id)] if spec.add_eos and spec.eos_id is not None else []
        parts = [*bos, "TEXT", *eos]
    return " ".join(parts)


def internals(tokenizer: Tokenizer) -> dict[str, Any]:
    """The rest: the settings of the Spec that mean something to its segmenter, sizes, and what a GGUF file says of itself.

    >>> import anypiece
    >>> internals(anypiece.load())["arithmetic"]
    'f32-rebased'
    """
    spec, origin = tokenizer.spec, tokenizer._origin
    changed = spec.changed_fields()
    settings = {
        name: value
        for name, value in spec.config().items()
        if name in changed or name not in _MATTERS or _MATTERS[name](spec)
    }
    facts = {
        "longest_piece_bytes": int(np.diff(spec.pieces.offsets.astype(np.int64)).max()),
        **settings,
        "charsmap_bytes": len(spec.charsmap),
        "denormalizer_bytes": len(spec.denormalizer),
        "samples": len(spec.samples),
    }
    return facts | origin.facts() if isinstance(origin, gguf.Origin) else facts


_MATTERS: dict[str, Any] = {
    **dict.fromkeys(("word_prefix", "continuing_prefix", "max_word_chars"), lambda spec: spec.segmenter == "wordpiece"),
    **dict.fromkeys(("unknown", "symbol_prefix", "end_suffix"), lambda spec: len(spec.merges) > 0),
    "whole_chunks": lambda spec: spec.segmenter == "bpe",
    "arithmetic": lambda spec: spec.segmenter in ("unigram", "bpe") and len(spec.merges) == 0,
    "user_defined_score": lambda spec: spec.segmenter == "unigram",
    "match_kinds": lambda spec: spec.segmenter in ("unigram", "bpe"),
}
"""Settings that mean something to some segmenters only."""
