"""tokenizer.json of Hugging Face's tokenizers: bytes to (Spec, Origin), with the ids of tokenizers 0.23.3.

The sections are read by the files beside this one: ``huggingface_model``, ``_stages``, ``_template`` and ``_decoder``. Here
they are put together with the added tokens. What is not reproduced is refused, never replaced by something near.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._checks import raise_native
from ..beside import Beside, beside_of
from ..errors import FormatError
from ..spec import Added, AddedFlag, Kind, Pieces, Spec
from .huggingface_decoder import read_decoder
from .huggingface_fields import boolean, listed, mapping, refuse, string, unsupported, whole
from .huggingface_model import BYTE_CHARACTERS, Model, Table, Vocabulary, read_model
from .huggingface_stages import read_stages
from .huggingface_template import read_template
from .huggingface_write import CARRIED, written
from .settings import checked_roles, refuse_odd_roles, refuse_unequal, role_names

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BESIDE", "CARRIED", "OPTIONS", "Origin", "looks_like", "read", "reading_options", "write"]

OPTIONS = ("roles",)
"""What ``read`` can be told."""
BESIDE = ("truncation", "padding")
"""What a file has a place for beside a Spec."""

_OFF: dict[str, Any] = {
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
    "escape_whitespaces": False,
    "unk_surface": "",
}
_OBJECT = re.compile(rb"\s*\{")
_FLAGS = {
    "special": AddedFlag.SPECIAL,
    "lstrip": AddedFlag.LSTRIP,
    "rstrip": AddedFlag.RSTRIP,
    "single_word": AddedFlag.SINGLE_WORD,
    "normalized": AddedFlag.NORMALIZED,
}
_MAX_PIECE = 8000


@dataclass(frozen=True)
class Origin:
    """What a tokenizer.json holds beyond its Spec."""

    document: dict[str, Any]
    """The file without its vocabulary and merges."""
    renumbered: dict[str, tuple[int, int]]
    """Added tokens for which the file says another id than the library gives them: both ids."""
    beside: Beside = field(default_factory=Beside)
    """Truncation and padding as the file has them, and the chat templates of its folder."""


def looks_like(data: bytes) -> bool:
    """Whether ``data`` begins as a tokenizer.json does. It may be cut anywhere.

    >>> looks_like(b'{"version": "1.0", "added_tokens": [], "model": {'), looks_like(b'{"the": 1}')
    (True, False)
    """
    if not _OBJECT.match(data):
        return False
    return b'"added_tokens"' in data or (b'"model"' in data and b'"vocab"' in data)


def read(data: bytes, *, roles: Mapping[str, str] | None = None) -> tuple[Spec, Origin]:
    """The Spec of a tokenizer.json, and what must be kept to write it again.

    ``roles`` says which tokens are bos, eos and pad, as a tokenizer_config.json does. Raises ``FormatError``.
    """
    document, vocab, merges = _scanned(data)
    if document.get("version", "1.0") != "1.0":
        unsupported("version", f"is {document['version']!r}", "Only files of version 1.0 are known.")
    stages = read_stages(document.get("normalizer"), document.get("pre_tokenizer"))
    model = read_model(document.get("model"), vocab, merges, stages.byte_level)
    added = _read_added(document.get("added_tokens"), model)
    settings = _roles(checked_roles(roles), model, added)
    spec = Spec(
        _pieces(model, added, stages.byte_level),
        added=Added.of((text, id, flags) for text, (id, flags) in added.items()),
        decoder=read_decoder(document.get("decoder"), stages.byte_level),
        **{"pad_id": _pad_id(document.get("padding")), **settings},
        **model.settings,
        **stages.settings(),
        **read_template(document.get("post_processor")),
        **_OFF,
    )
    said = {row["content"]: whole(row, "id", "added_tokens") for row in document.get("added_tokens") or []}
    renumbered = {text: (said[text], id) for text, (id, _) in added.items() if said[text] != id}
    beside = Beside(truncation=_section(document, "truncation"), padding=_section(document, "padding"))
    return spec, Origin(document, renumbered, beside)


def _section(document: dict[str, Any], name: str) -> dict[str, Any] | None:
    return None if document.get(name) is None else mapping(document[name], name)


def _roles(given: dict[str, str], model: Model, added: dict[str, tuple[int, AddedFlag]]) -> dict[str, Any]:
    """The ids of bos, eos and pad by the names that were given: of added tokens, or else of pieces."""
    known = model.vocabulary.find(list(given.values()))
    marks = {name: id for name, id in zip(given.values(), known, strict=True) if id is not None}
    marks |= {text: id for text, (id, _) in added.items()}
    refuse_odd_roles(given, marks)
    return {f"{role}_id": marks[name] for role, name in given.items()}


def write(spec: Spec, origin: Origin | Beside | None) -> bytes:
    """The bytes of a tokenizer.json. Of ``origin`` only truncation and padding count. Raises ``FormatError`` for what it
    has no place for: sections say many things for some models only, so the file is read again and compared.
    """
    data = written(spec, beside_of(origin))
    refuse_unequal(spec, lambda: read(data, **reading_options(spec)), "huggingface", "a tokenizer.json")
    return data


def reading_options(spec: Spec) -> dict[str, Any]:
    """What ``read`` has to be told of ``spec``, which the file does not say."""
    roles = role_names(spec)
    return {"roles": roles} if roles else {}


def _scanned(data: bytes) -> tuple[dict[str, Any], Table | None, Table | None]:
    """The document without its tables, and the tables."""
    try:
        rest, tables = _native.scan_json(data, ["model/vocab", "model/merges"])
    except _native.NativeError as error:
        raise_native(error)
    try:
        document = json.loads(rest)
    except (ValueError, RecursionError) as error:
        raise FormatError("file-corrupt", f"the JSON cannot be read: {error}; copy the file again") from None
    vocab, merges = (None if table is None else Table(*table) for table in tables)
    return mapping(document, "the document"), vocab, merges


def _pad_id(section: Any) -> int | None:
    return None if section is None else whole(mapping(section, "padding"), "pad_id", "padding")


def _read_added(section: Any, model: Model) -> dict[str, tuple[int, AddedFlag]]:
    """Id and flags of each added token. One that is in the vocabulary has its id there, others come behind it in order,
    whatever ids the file says.
    """
    rows = [mapping(item, "added_tokens") for item in listed([] if section is None else section, "added_tokens")]
    texts = [string(row, "content", "added_tokens") for row in rows]
    added: dict[str, tuple[int, AddedFlag]] = {}
    free = model.size
    for row, text, known in zip(rows, texts, model.vocabulary.find(texts), strict=True):
        if not text:
            continue
        flags = sum(
            (value for name, value in _FLAGS.items() if boolean(row, name, "added_tokens", False)), AddedFlag(0)
        )
        id = added[text][0] if text in added else free if known is None else known
        free += text not in added and known is None
        if len(text.encode()) >= _MAX_PIECE:
            refuse("added_tokens", f"have a text of {len(text)} characters")
        added[text] = (id, flags)
    return added


def _pieces(model: Model, added: dict[str, tuple[int, AddedFlag]], byte_level: bool) -> Pieces:
    """Vocabulary and added tokens as pieces, in bytes where the vocabulary is byte-level."""
    table, behind = _extended(model.vocabulary, added)
    kinds = np.concatenate([model.kinds, np.full(behind, Kind.UNUSED, np.uint8)])
    scores = np.concatenate([model.scores, np.zeros(behind, model.scores.dtype)])
    blob, offsets = table
    if byte_level:
        blob, raw, mapped = _native.strings_unmapped(blob, offsets.tobytes(), BYTE_CHARACTERS)
        offsets = np.frombuffer(raw, "<u4")
        kinds[(kinds == Kind.NORMAL) & (np.frombuffer(mapped, np.uint8) == 0)] = Kind.UNUSED
    for id, flags in added.values():
        if flags & AddedFlag.SPECIAL:
            kinds[id] = Kind.UNKNOWN if kinds[id] == Kind.UNKNOWN else Kind.CONTROL
        elif id >= len(model.kinds):
            kinds[id] = Kind.USER_DEFINED
    return Pieces(blob, offsets, scores, kinds)


def _extended(
    vocabulary: Vocabulary, added: dict[str, tuple[int, AddedFlag]]
) -> tuple[tuple[bytes, np.ndarray[Any, np.dtype[np.uint32]]], int]:
    """The columns with the added tokens that come behind the vocabulary, and how many ids those take."""
    size = len(vocabulary)
    texts = {id: text.encode() for text, (id, _) in added.items() if id >= size}
    behind = max(texts, default=size - 1) + 1 - size
    new = [texts.get(size + place, b"") for place in range(behind)]
    ends = np.cumsum([len(vocabulary.blob), *map(len, new)])[1:]
    offsets = np.concatenate([vocabulary.offsets, ends]).astype(np.uint32)
    return (vocabulary.blob + b"".join(new), offsets), behind
