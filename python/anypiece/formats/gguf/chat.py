"""The chat templates of a GGUF file, and what they call tokens: metadata that change no ids."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...metadata import Metadata
from .tokens import text

if TYPE_CHECKING:
    from ...spec import Spec
    from .file import GgufFile

__all__ = ["read_beside", "template_fields"]

_KEY = "tokenizer.chat_template"
_NAMES = "tokenizer.chat_templates"
_ROLES = {"bos_token": "bos_id", "eos_token": "eos_id", "pad_token": "pad_id", "unk_token": "unk_id"}


def read_beside(file: GgufFile, spec: Spec) -> Metadata:
    """The templates by name, the usual one being ``default``, and the spellings of the tokens that templates ask for."""
    keys = {"default": _KEY} | {key.removeprefix(f"{_KEY}."): key for key in file.fields if key.startswith(f"{_KEY}.")}
    found = {name: text(file, key) for name, key in keys.items()}
    templates = {name: template for name, template in found.items() if template is not None}
    return Metadata(chat_template=templates, token_names=_token_names(spec) if templates else {})


def _token_names(spec: Spec) -> dict[str, str]:
    texts = {id: text for text, id, _ in spec.added}
    ids = {name: getattr(spec, role) for name, role in _ROLES.items()}
    spelled = {name: texts.get(id) or spec.pieces.piece(id) for name, id in ids.items() if id is not None}
    return {name: text for name, text in spelled.items() if text}


def template_fields(metadata: Metadata) -> dict[str, tuple[str, Any]]:
    """The fields of a file for templates, under the names that llama.cpp's converter gives them.

    >>> list(template_fields(Metadata(chat_template={"default": "{{ x }}", "tool use": ""})))
    ['tokenizer.chat_template', 'tokenizer.chat_template.tool_use', 'tokenizer.chat_templates']
    """
    templates = dict(metadata.chat_template)
    default = templates.pop("default", None)
    fields: dict[str, tuple[str, Any]] = {} if default is None else {_KEY: ("string", default.encode())}
    named = {re.sub("[^A-Za-z0-9]", "_", name): template for name, template in templates.items()}
    fields |= {f"{_KEY}.{name}": ("string", template.encode()) for name, template in named.items()}
    return fields | ({_NAMES: ("string[]", [name.encode() for name in named])} if named else {})
