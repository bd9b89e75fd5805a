"""A tokenizer.json as components, and components as a tokenizer.json."""

from __future__ import annotations

import json
from typing import Any

from ...errors import AnyPieceError
from ...formats.huggingface import scanned
from .component import component_of, dumped
from .decoders import Decoder
from .models import Model, model_of
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .processors import PostProcessor

__all__ = [
    "FAMILIES",
    "Document",
    "padding_json",
    "read_document",
    "read_model_json",
    "read_padding",
    "truncation_json",
]

FAMILIES: dict[str, type] = {
    "normalizer": Normalizer,
    "pre_tokenizer": PreTokenizer,
    "post_processor": PostProcessor,
    "decoder": Decoder,
}
"""The sections of a file that are components, in their order."""


class Document:
    """The sections of a file."""

    def __init__(self, data: bytes, *, nearest: bool = False) -> None:
        try:
            fields, vocab, merges = scanned(data, nearest=nearest)
        except AnyPieceError as error:
            raise Exception(str(error)) from None
        section = fields.get("model")
        if not isinstance(section, dict):
            raise Exception("Model missing.")
        try:
            self.model = model_of(section, vocab, merges)
            self.components = {
                name: None if fields.get(name) is None else component_of(family, fields[name])
                for name, family in FAMILIES.items()
            }
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise Exception(f"A section of the file is not what it must be: {error!r}") from None
        self.added: list[dict[str, Any]] = fields.get("added_tokens") or []
        self.truncation = fields.get("truncation")
        self.padding = fields.get("padding")


def read_document(data: bytes, *, nearest: bool = False) -> Document:
    """The sections of a tokenizer.json. ``nearest``: with the scores of the tokenizer that wrote it, where tokenizers would
    read some of them a step away.
    """
    return Document(data, nearest=nearest)


def read_model_json(data: bytes) -> Model:
    """The model of its section alone."""
    fields, vocab, merges = scanned(b'{"model":' + data + b"}")
    return model_of(fields["model"], vocab, merges)


_STRATEGIES = {"longest_first": "LongestFirst", "only_first": "OnlyFirst", "only_second": "OnlySecond"}


def truncation_json(truncation: dict[str, Any] | None) -> dict[str, Any] | None:
    """Settings of truncation as a file has them."""
    if truncation is None:
        return None
    return {
        "direction": truncation["direction"].capitalize(),
        "max_length": truncation["max_length"],
        "strategy": _STRATEGIES[truncation["strategy"]],
        "stride": truncation["stride"],
    }


def read_truncation(section: dict[str, Any] | None) -> dict[str, Any] | None:
    """Settings of truncation from a file."""
    if section is None:
        return None
    names = {written: name for name, written in _STRATEGIES.items()}
    return {
        "max_length": section["max_length"],
        "stride": section["stride"],
        "strategy": names[section["strategy"]],
        "direction": section.get("direction", "Right").lower(),
    }


def padding_json(padding: dict[str, Any] | None) -> dict[str, Any] | None:
    """Settings of padding as a file has them."""
    if padding is None:
        return None
    return {
        "strategy": "BatchLongest" if padding["length"] is None else {"Fixed": padding["length"]},
        "direction": padding["direction"].capitalize(),
        "pad_to_multiple_of": padding["pad_to_multiple_of"],
        "pad_id": padding["pad_id"],
        "pad_type_id": padding["pad_type_id"],
        "pad_token": padding["pad_token"],
    }


def read_padding(section: dict[str, Any] | None) -> dict[str, Any] | None:
    """Settings of padding from a file."""
    if section is None:
        return None
    strategy = section["strategy"]
    return {
        "length": strategy["Fixed"] if isinstance(strategy, dict) else None,
        "pad_to_multiple_of": section.get("pad_to_multiple_of"),
        "pad_id": section["pad_id"],
        "pad_token": section["pad_token"],
        "pad_type_id": section["pad_type_id"],
        "direction": section["direction"].lower(),
    }


def document_json(sections: dict[str, Any], pretty: bool) -> str:
    """A file from its sections."""
    if pretty:
        return json.dumps(sections, ensure_ascii=False, indent=2)
    return dumped(sections).decode()
