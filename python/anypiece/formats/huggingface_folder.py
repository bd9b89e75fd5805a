"""Folders as models are given out in: tokenizer.json with tokenizer_config.json, or vocab.json with merges.txt.

The config says which tokens begin, end and fill up a text, and how a conversation becomes a text; that is kept beside the
Spec and in its bos, eos and pad ids. Nothing in it changes how a text is segmented.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .huggingface import Origin, read
from .huggingface_fields import mapping, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..spec import Spec

__all__ = ["PAIR_OPTIONS", "completed", "read_pair"]

PAIR_OPTIONS = ("splitter", "roles")
"""What ``read_pair`` can be told."""

_ROLES = {"bos_token": "bos_id", "eos_token": "eos_id", "pad_token": "pad_id"}
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def completed(spec: Spec, origin: Origin, config: bytes, template: bytes | None) -> tuple[Spec, Origin]:
    """``spec`` with the ids that a tokenizer_config.json names, and ``origin`` with the chat template.

    ``template`` is the content of chat_template.jinja, which goes before the one in the config.
    """
    fields = _parsed(config)
    names = {role: _content(fields[token]) for token, role in _ROLES.items() if fields.get(token) is not None}
    ids = {role: _id_of(spec, name) for role, name in names.items()}
    found = {role: id for role, id in ids.items() if id is not None}
    chat = fields.get("chat_template")
    text = template.decode("utf-8", "replace") if template is not None else chat if isinstance(chat, str) else None
    return spec.replace(**found), dataclasses.replace(origin, chat_template=text, roles=names)


def _parsed(config: bytes) -> dict[str, Any]:
    try:
        return mapping(json.loads(config), "tokenizer_config.json")
    except (ValueError, RecursionError):
        refuse("tokenizer_config.json", "is no JSON")


def _content(token: Any) -> str:
    text = token.get("content") if isinstance(token, dict) else token
    if not isinstance(text, str):
        refuse("tokenizer_config.json", "has a token that is no string")
    return text


def _id_of(spec: Spec, name: str) -> int | None:
    """The id of an added token, or else of a piece of that spelling."""
    for text, id, _ in spec.added:
        if text == name:
            return id
    raw = name.encode()
    columns = (spec.pieces.blob, spec.pieces.offsets.astype("<u4", copy=False).tobytes())
    wanted = (raw, np.array([0, len(raw)], "<u4").tobytes())
    id = int(np.frombuffer(_native.numbers_of_strings(columns, wanted), "<u4")[0])
    return id if id < len(spec.pieces) else None


def read_pair(
    vocab: bytes, merges: bytes, splitter: str | None = None, roles: Mapping[str, str] | None = None
) -> tuple[Spec, Origin]:
    """The Spec of vocab.json and merges.txt, as GPT-2 has them: a byte-level vocabulary with the splitter ``gpt2``, or the
    one that is named. The files say nothing of special tokens; ``roles`` names pieces. Raises ``FormatError``.
    """
    lines = merges.decode("utf-8", "replace").split("\n")
    rows = [line.removesuffix("\r") for line in lines if line.strip("\r")]
    sections = {"version": "1.0", "added_tokens": [], "pre_tokenizer": _BYTE_LEVEL, "decoder": _BYTE_LEVEL}
    head = json.dumps(sections).encode().removesuffix(b"}")
    listed = json.dumps(rows, ensure_ascii=False).encode()
    model = b', "model": {"type": "BPE", "merges": ' + listed + b', "vocab": ' + vocab + b"}}"
    spec, origin = read(head + model, roles=roles)
    return (spec if splitter is None else spec.replace(splitter=splitter)), origin
