"""tokenizer.json of Hugging Face's tokenizers: bytes to (Spec, Origin), with the ids of tokenizers 0.23.3.

The sections are read by the files beside this one: ``model``, ``stages``, ``added``, ``template`` and
``decoder``. Here they are put together. What is not reproduced is refused, never replaced by something near.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from ..._core.checks import raise_native
from ..._core.json_text import parsed
from ...errors import FormatError, InputError
from ...metadata import Metadata, metadata_of
from ...spec import Added, AddedFlag, Kind, Spec
from ..settings import checked_roles, refuse_odd_roles, refuse_unequal, role_names
from .added import OFF, AddedTokens, letter_forms, normalized_forms, read_added, read_pieces, refuse_odd_spaces
from .decoder import read_decoder, refuse_empty
from .fields import mapping, unsupported, whole
from .model import BYTE_CHARACTERS, Model, Table, Vocabulary, read_model
from .stages import read_stages
from .template import read_template
from .write import CARRIED, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..transformers.auto import Remake

__all__ = [
    "CARRIED",
    "DIALECTS",
    "METADATA",
    "OPTIONS",
    "PLACES",
    "Origin",
    "assembled",
    "looks_like",
    "read",
    "reading_options",
    "refuse_dialect",
    "scanned",
    "write",
]

OPTIONS = ("roles", "dialect")
"""What ``read`` can be told."""
DIALECTS = ("transformers", "tokenizers")
"""Whose results a folder must give: AutoTokenizer's of transformers 5, or those of its tokenizer.json by itself."""
PLACES = {
    "": "model.vocab",
    "spec-merges": "model.merges",
    "spec-added": "added_tokens",
    "spec-pattern": "normalizer or pre_tokenizer",
    "spec-charsmap": "normalizer.precompiled_charsmap",
    "spec-decoder": "decoder",
    "spec-special-id": "post_processor",
    "spec-stages": "normalizer or pre_tokenizer",
}
"""Where a file says what a Spec may be refused for, by the code of the error; the first is where it says the rest."""
METADATA = ("truncation", "padding")
"""What a file has a place for besides a Spec."""

_OBJECT = re.compile(rb"\s*\{")


@dataclass(frozen=True)
class Origin:
    """What a tokenizer.json holds beyond its Spec."""

    document: dict[str, Any]
    """The file without its vocabulary and merges."""
    renumbered: dict[str, tuple[int, int]]
    """Added tokens for which the file says another id than the library gives them: both ids."""
    metadata: Metadata = field(default_factory=Metadata)
    """Truncation and padding as the file has them, and the chat templates of its folder."""


def looks_like(data: bytes) -> bool:
    """Whether ``data`` begins as a tokenizer.json does. It may be cut anywhere.

    >>> looks_like(b'{"version": "1.0", "added_tokens": [], "model": {'), looks_like(b'{"the": 1}')
    (True, False)
    """
    if not _OBJECT.match(data):
        return False
    return b'"added_tokens"' in data or (b'"model"' in data and b'"vocab"' in data)


def read(
    data: bytes, *, roles: Mapping[str, str] | None = None, dialect: str = "tokenizers", remake: Remake | None = None
) -> tuple[Spec, Origin]:
    """The Spec of a tokenizer.json, and what must be kept to write it again.

    ``roles`` says which tokens are bos, eos and pad, as a tokenizer_config.json does. A file by itself has one ``dialect``;
    ``remake`` is the class that its folder is loaded with. Raises ``FormatError``.
    """
    refuse_dialect(dialect, alone=remake is None)
    # A class that makes its model anew reads the file by Python.
    nearest = remake is not None and remake.rules is not None
    return assembled(*scanned(data, nearest=nearest), roles=roles, remake=remake)


def assembled(
    document: dict[str, Any],
    vocab: Table | None,
    merges: Table | None,
    *,
    roles: Mapping[str, str] | None = None,
    remake: Remake | None = None,
) -> tuple[Spec, Origin]:
    """Read what ``scanned`` gives: the document without its tables, and the tables."""
    if document.get("version", "1.0") != "1.0":
        unsupported("version", f"is {document['version']!r}", "Only files of version 1.0 are known.")
    if remake is not None:
        document = _remade(document, vocab, remake)
    stages = read_stages(document.get("normalizer"), document.get("pre_tokenizer"))
    model = read_model(document.get("model"), vocab, merges, stages.byte_level)
    added = read_added(document.get("added_tokens"), model, stages.mapped)
    if model.has_empty:
        refuse_empty(document.get("decoder"))
    if model.settings["segmenter"] == "unigram" and model.settings["byte_fallback"]:
        _refuse_spelled_unknown(model, added)
    forms = normalized_forms(added, stages)
    around = document.get("post_processor")
    if remake is not None:
        around = remake.post_processor(document, lambda text: _id_of(text, model, added))
    template = read_template(around)
    if stages.mapped and "trim_spans" in template:
        refuse_odd_spaces(added)
    settings = _roles(checked_roles(roles), model, added)
    pieces = read_pieces(model, added, stages.byte_level, forms)

    def decoded() -> dict[str, str]:
        return letter_forms(pieces, model, added, forms) if stages.byte_level else forms

    decoder = read_decoder(document.get("decoder"), stages.byte_level, decoded)
    spec = Spec(
        pieces,
        added=Added.of((text, id, flags) for text, (id, flags) in added.items()),
        decoder=decoder if remake is None else remake.decoder(decoder, model.kind),
        **{"pad_id": _pad_id(document.get("padding")), **settings},
        **model.settings,
        **stages.settings(),
        **template,
        **OFF,
    )
    rows = [row for row in document.get("added_tokens") or [] if remake is None]
    said = {row["content"]: whole(row, "id", "added_tokens") for row in rows}
    renumbered = {text: (said[text], id) for text, (id, _) in added.items() if said.get(text, id) != id}
    metadata = Metadata(truncation=_section(document, "truncation"), padding=_section(document, "padding"))
    return spec, Origin(document, renumbered, metadata)


def refuse_dialect(dialect: str | None, *, alone: bool) -> None:
    """Refuses a dialect that there is none of, and for a file by itself the one that needs the config of its folder."""
    if dialect is not None and dialect not in DIALECTS:
        message = f"no dialect of a tokenizer.json is called {dialect!r}; known are {', '.join(DIALECTS)}"
        raise InputError("argument-value", message, argument="dialect", value=repr(dialect), known=list(DIALECTS))
    if dialect == "transformers" and alone:
        message = 'dialect="transformers" needs the config beside the file: pass the folder and not the file'
        raise InputError("argument-value", message, argument="dialect", value=dialect, known=list(DIALECTS))


def _remade(document: dict[str, Any], vocab: Table | None, remake: Remake) -> dict[str, Any]:
    def vocabulary() -> Vocabulary:
        blob, offsets = (b"", bytes(4)) if vocab is None else (vocab.blob, vocab.offsets)
        return Vocabulary(blob, np.frombuffer(offsets, "<u4"))

    def score(id: int) -> float:
        return float(np.frombuffer(vocab.values, "<f8")[id]) if vocab is not None else 0.0

    return remake.document(document, vocabulary, score)


def _id_of(text: str, model: Model, added: AddedTokens) -> int | None:
    return added[text][0] if text in added else model.vocabulary.find([text])[0]


def _refuse_spelled_unknown(model: Model, added: AddedTokens) -> None:
    """Refuses an unknown piece that text may spell, with a fallback to bytes: the library writes it in bytes where other
    unknown text touches it. The spelling of a special token is no such text.
    """
    name = model.vocabulary.name(int(np.flatnonzero(model.kinds == Kind.UNKNOWN)[0]))
    if name not in added or not added[name][1] & AddedFlag.SPECIAL:
        what = f"is on, and the unknown piece {name!r} is not a special token: text could spell it"
        unsupported("model.byte_fallback", what, "Add it to added_tokens as a special token.")


def _section(document: dict[str, Any], name: str) -> dict[str, Any] | None:
    return None if document.get(name) is None else mapping(document[name], name)


def _roles(given: dict[str, str], model: Model, added: AddedTokens) -> dict[str, Any]:
    """The ids of bos, eos and pad by the names that were given: of added tokens, or else of pieces."""
    known = model.vocabulary.find(list(given.values()))
    marks = {name: id for name, id in zip(given.values(), known, strict=True) if id is not None}
    marks |= {text: id for text, (id, _) in added.items()}
    refuse_odd_roles(given, marks)
    return {f"{role}_id": marks[name] for role, name in given.items()}


def write(spec: Spec, origin: Origin | Metadata | None) -> bytes:
    """The bytes of a tokenizer.json. Of ``origin`` only truncation and padding count. Raises ``FormatError`` for what it
    has no place for: sections say many things for some models only, so the file is read again and compared.
    """
    data = written(spec, metadata_of(origin))
    refuse_unequal(spec, lambda: read(data, **reading_options(spec)), "huggingface", "a tokenizer.json")
    return data


def reading_options(spec: Spec) -> dict[str, Any]:
    """What ``read`` has to be told of ``spec``, which the file does not say."""
    roles = role_names(spec)
    if spec.symbols == "bytes":  # pieces are named by letters for bytes there
        added = {text for text, _, _ in spec.added}
        letters = {
            role: spec.pieces.bytes(getattr(spec, f"{role}_id")) for role, name in roles.items() if name not in added
        }
        roles |= {role: "".join(chr(BYTE_CHARACTERS[byte]) for byte in raw) for role, raw in letters.items()}
    return {"roles": roles} if roles else {}


def scanned(data: bytes, *, nearest: bool = False) -> tuple[dict[str, Any], Table | None, Table | None]:
    """The document of a tokenizer.json without its tables, and the tables ``model.vocab`` and ``model.merges``. ``nearest``:
    scores are the nearest to what is written; tokenizers reads some of them a step away.
    """
    try:
        rest, tables = _native.scan_json(data, ["model/vocab", "model/merges"], nearest)
    except _native.NativeError as error:
        raise_native(error)
    try:
        document = parsed(rest)
    except ValueError as error:
        raise FormatError("file-corrupt", f"the JSON cannot be read: {error}; copy the file again") from None
    vocab, merges = (None if table is None else Table(*table) for table in tables)
    return mapping(document, "the document"), vocab, merges


def _pad_id(section: Any) -> int | None:
    return None if section is None else whole(mapping(section, "padding"), "pad_id", "padding")
