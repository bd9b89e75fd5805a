"""Folders as models are given out in: tokenizer.json, vocab.json with merges.txt, or a ``.model``, and the config beside it.

The files beside the vocabulary say which tokens begin, end and fill up a text, and how a conversation becomes a text; that
is kept in the metadata and in the bos, eos and pad ids. A tokenizer.json has its special tokens itself; vocab.json and
merges.txt have none but those that these files name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from ..._core.json_text import is_text, parsed
from ...errors import FormatError, InputError
from ..huggingface import Origin, read
from ..huggingface.fields import boolean, listed, mapping, optional_boolean, refuse, string, unsupported, whole
from .tokens import Said

if TYPE_CHECKING:
    from ...spec import Spec
    from .auto import Remake

__all__ = [
    "CONFIG_FILES",
    "EXTRA",
    "MOST_TEMPLATES",
    "PAIR_OPTIONS",
    "TEMPLATES",
    "Config",
    "ids_of",
    "read_config",
    "read_fields",
    "read_pair",
    "refuse_unknown_tokens",
    "settings_of",
    "with_roles",
]

PAIR_OPTIONS = ("splitter", "specials", "roles", "definition", "dialect")
"""What can be told of a vocab.json with its merges.txt."""

_CONFIG, _MAP, _ADDED = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"
_MODEL = "config.json"
CONFIG_FILES = (_CONFIG, _MAP, _ADDED, _MODEL, "chat_template.json", "chat_template.jinja")
"""The files that ``read_config`` knows, besides those of the folder ``TEMPLATES``."""
TEMPLATES = "additional_chat_templates"
MOST_TEMPLATES = 100

_ROLES = {"bos_token": "bos_id", "eos_token": "eos_id", "pad_token": "pad_id"}
_NAMED = (*_ROLES, "unk_token", "sep_token", "cls_token", "mask_token")
EXTRA = "additional_special_tokens"
"""The special tokens without names, as both transformers 4 and 5 read them."""
_LISTED = (EXTRA, "extra_special_tokens")
_FLAGS = ("lstrip", "rstrip", "single_word", "normalized")
_CLASSES: dict[str, dict[str, Any]] = {"Qwen2Tokenizer": {"splitter": "qwen2", "normalizer": ({"type": "nfc"},)}}
_AS_GPT2 = frozenset([
    "", "GPT2Tokenizer", "RobertaTokenizer", "BartTokenizer", "BlenderbotTokenizer", "CodeGenTokenizer", "DebertaTokenizer",
    "LEDTokenizer", "LongformerTokenizer", "LukeTokenizer", "MarkupLMTokenizer", "MvpTokenizer", "WhisperTokenizer",
])  # fmt: skip
"""Classes that cut text as GPT-2's does; a config may also name none."""
_ROBERTA = ("RobertaTokenizer", "BartTokenizer", "LEDTokenizer", "LongformerTokenizer", "LukeTokenizer",
            "MarkupLMTokenizer", "MvpTokenizer")  # fmt: skip
_AROUND: dict[str, tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]] = {
    **dict.fromkeys(
        _ROBERTA,
        (
            (("cls_token", 0), ("A", 0), ("sep_token", 0)),
            (("cls_token", 0), ("A", 0), ("sep_token", 0), ("sep_token", 0), ("B", 0), ("sep_token", 0)),
        ),
    ),
    "DebertaTokenizer": (
        (("cls_token", 0), ("A", 0), ("sep_token", 0)),
        (("cls_token", 0), ("A", 0), ("sep_token", 0), ("B", 1), ("sep_token", 1)),
    ),
    "BlenderbotTokenizer": ((("A", 0), ("eos_token", 0)), (("A", 0), ("B", 1))),
    "": ((("bos_token", 0), ("A", 0)), (("bos_token", 0), ("A", 0), ("bos_token", 1), ("B", 1))),
}
"""What classes of transformers put around one text and two; the empty name is that of ``add_bos_token``."""
_DEFAULTS = {"DebertaTokenizer": {"cls_token": "[CLS]", "sep_token": "[SEP]"}}
_USUAL = {"cls_token": "<s>", "sep_token": "</s>", "eos_token": "</s>", "bos_token": "<|endoftext|>"}
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


@dataclass(frozen=True)
class Config:
    """What the files beside a vocabulary say."""

    names: dict[str, str] = field(default_factory=dict)
    """The spellings of named tokens, such as ``bos_token``."""
    templates: dict[str, str] = field(default_factory=dict)
    """Chat templates by name."""
    tokens: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Added tokens by their text, as rows of a tokenizer.json; the id of one that is only named is ``None``."""
    kind: str = ""
    """The class of transformers, without ``Fast``: how it cuts text a pair of files does not say."""
    prefixed: bool = False
    """Whether a text that does not begin with a space gets one, which a pair of files does not say either."""
    begun: bool = False
    """Whether bos is put before a text, where the class leaves that to the config."""
    fields: dict[str, Any] = field(default_factory=dict)
    """tokenizer_config.json as it is."""
    model: dict[str, Any] = field(default_factory=dict)
    """config.json as it is; empty where it is no object, since a model may have another file of that name."""
    said: Said = field(default_factory=lambda: Said.of({}, {}, {}))
    """The tokens that the files name."""
    extra: list[str] = field(default_factory=list)
    """The spellings of special tokens without names."""


def read_config(files: Mapping[str, bytes]) -> Config:
    """What the files of these names say. Raises ``FormatError``."""
    fields = read_fields(files, _CONFIG)
    said = read_fields(files, _MAP) | fields
    names = {name: _content(said[name]) for name in _NAMED if said.get(name) is not None}
    kind = fields.get("tokenizer_class")
    named = kind.removesuffix("Fast") if isinstance(kind, str) else ""
    prefixed, begun = (optional_boolean(fields, flag, _CONFIG) for flag in ("add_prefix_space", "add_bos_token"))
    named_in_files = Said.of(fields, read_fields(files, _MAP), read_fields(files, _ADDED))
    return Config(
        names,
        _templates(files, fields),
        _tokens(files, fields, said),
        named,
        prefixed,
        begun,
        fields,
        _model_fields(files),
        named_in_files,
        [_content(token) for token in next((rows for rows in named_in_files.listed() if rows), [])],
    )


_SETTINGS = ("chat_template", "added_tokens_decoder", "auto_map", *_NAMED, *_LISTED)
"""Fields of tokenizer_config.json that are tokens or templates, or name code beside it."""


def settings_of(config: Config) -> dict[str, Any]:
    """What tokenizer_config.json says besides named tokens and templates.

    >>> settings_of(Config(fields={"bos_token": "<s>", "model_max_length": 512, "padding_side": "left"}))
    {'model_max_length': 512, 'padding_side': 'left'}
    """
    found = {name: value for name, value in config.fields.items() if name not in _SETTINGS}
    return found | ({EXTRA: config.extra} if config.extra else {})


def _model_fields(files: Mapping[str, bytes]) -> dict[str, Any]:
    try:
        found = parsed(files.get(_MODEL, b"{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _templates(files: Mapping[str, bytes], fields: dict[str, Any]) -> dict[str, str]:
    """Templates by name. Files of their own go before the config, which has one, or a list of named ones."""
    said = fields.get("chat_template") or read_fields(files, "chat_template.json").get("chat_template")
    found: dict[str, str] = {"default": said} if isinstance(said, str) else {}
    if isinstance(said, list):
        rows = [mapping(row, f"{_CONFIG}: chat_template") for row in said]
        where = f"{_CONFIG}: chat_template"
        found |= {string(row, "name", where): string(row, "template", where) for row in rows}
    elif isinstance(said, dict):
        found |= {name: string(said, name, f"{_CONFIG}: chat_template") for name in said}
    for name, data in files.items():
        if name.endswith(".jinja"):
            key = "default" if name == "chat_template.jinja" else name.rpartition("/")[2].removesuffix(".jinja")
            found[key] = data.decode("utf-8", "replace")
    return found


def _tokens(files: Mapping[str, bytes], fields: dict[str, Any], said: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The added tokens: with ids in the config or in added_tokens.json, and by name alone. Named ones are special."""
    rows: dict[str, dict[str, Any]] = {}
    for id, token in mapping(fields.get("added_tokens_decoder") or {}, f"{_CONFIG}: added_tokens_decoder").items():
        if not id.isascii() or not id.isdigit() or len(id) > 10:
            refuse(f"{_CONFIG}: added_tokens_decoder", f"has {id!r:.40} in the place of an id")
        special = boolean(mapping(token, "added_tokens_decoder"), "special", "added_tokens_decoder", False)
        rows[_content(token)] = _row(token, int(id), special)
    added = read_fields(files, _ADDED)
    for text in added:
        rows.setdefault(text, _row(text, whole(added, text, _ADDED), False))
    for token in [*(said[name] for name in _NAMED if said.get(name) is not None), *_listed_tokens(said)]:
        old = rows.get(_content(token))
        rows[_content(token)] = _row(token, None, True) if old is None else old | {"special": True}
    return {text: row for text, row in rows.items() if text}


def _listed_tokens(said: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    for name in _LISTED:
        value = said.get(name)
        found += value.values() if isinstance(value, dict) else listed(value or [], name)
    return found


def _row(token: Any, id: int | None, special: bool) -> dict[str, Any]:
    given = token if isinstance(token, dict) else {}
    flags = {name: boolean(given, name, _CONFIG, False) for name in _FLAGS}
    return {"id": id, "content": _content(token), "special": special, **flags}


def with_roles(spec: Spec, config: Config) -> Spec:
    """``spec`` with the ids that a config names."""
    names = {role: config.names[name] for name, role in _ROLES.items() if name in config.names}
    ids = ids_of(spec, names.values())
    found = {role: ids[name] for role, name in names.items() if ids[name] is not None}
    return spec.replace(**found)


def refuse_unknown_tokens(spec: Spec, config: Config) -> None:
    """Refuses a config that adds tokens to a vocabulary that cannot have any but its own."""
    ids = ids_of(spec, config.tokens)
    for text, row in config.tokens.items():
        if row["id"] is not None and ids[text] != row["id"]:
            what = f"adds {text!r} as {row['id']}, which is no such piece of the vocabulary"
            remedy = "Use a tokenizer.json, or pass the path of the file itself, which then has no such token."
            unsupported(f"{_CONFIG} or {_ADDED}", what, remedy)


def read_fields(files: Mapping[str, bytes], name: str) -> dict[str, Any]:
    """The JSON object in the file of that name, empty where there is none. Raises ``FormatError``."""
    try:
        return mapping(parsed(files.get(name, b"{}")), name)
    except ValueError as error:
        refuse(name, f"is no JSON that can be read ({error})")


def _content(token: Any) -> str:
    text = token.get("content") if isinstance(token, dict) else token
    if not isinstance(text, str):
        refuse(_CONFIG, "has a token that is no string")
    return text


def ids_of(spec: Spec, names: Iterable[str]) -> dict[str, int | None]:
    """For each name the id of an added token, or else of a piece of that spelling; all are looked up in one pass."""
    wanted = list(names)
    raw = [name.encode() for name in wanted]
    columns = (spec.pieces.blob, spec.pieces.offsets.astype("<u4", copy=False).tobytes())
    ends = np.cumsum([0, *map(len, raw)]).astype("<u4").tobytes()
    numbers = np.frombuffer(_native.numbers_of_strings(columns, (b"".join(raw), ends)), "<u4").tolist()
    pieces = {name: id if id < len(spec.pieces) else None for name, id in zip(wanted, numbers, strict=True)}
    added = {text: id for text, id, _ in [*spec.added][::-1]}
    return {name: added.get(name, id) for name, id in pieces.items()}


def read_pair(
    vocab: bytes,
    merges: bytes,
    config: Config | None = None,
    *,
    splitter: str | None = None,
    specials: Mapping[str, int] | None = None,
    roles: Mapping[str, str] | None = None,
    remake: Remake | None = None,
) -> tuple[Spec, Origin]:
    """The Spec of vocab.json and merges.txt as the class of ``remake`` has them; without one as GPT-2 has them: a byte-level
    vocabulary with the splitter ``gpt2``, the one that is named, or that of Qwen's class. The files say nothing of special
    tokens: those of ``config`` and ``specials`` count, and ``roles`` names tokens or pieces. Raises ``FormatError``.
    """
    if remake is not None:
        return read(_document(vocab, merges, [], False), roles=roles, remake=remake)
    if splitter is None and (config is None or not config.kind):
        _refuse_ends_of_words(merges)
    tokens = _with_ids(config.tokens if config else {}, specials or {}, vocab)
    prefixed = config is not None and config.prefixed
    spec, origin = read(_document(vocab, merges, tokens, prefixed), roles=roles)
    if origin.renumbered:  # tokens whose ids do not follow the vocabulary stand in it, which keeps them
        spec, origin = read(_document(_grown(vocab, tokens), merges, tokens, prefixed), roles=roles)
    changes = {"splitter": splitter} if splitter is not None else _cut(config)
    return spec.replace(**changes, **_around(spec, config)), origin


def _refuse_ends_of_words(merges: bytes) -> None:
    """Refuses merges of words that end in a mark, which are CLIP's or those of GPT-1 and not GPT-2's."""
    lines = merges.split(b"\n")
    marked = sum(line.rstrip(b"\r").endswith(b"</w>") for line in lines)
    if marked * 10 > len(lines):
        message = (
            f"{marked} of the {len(lines)} lines of merges.txt end in </w>, a mark for the end of a word that GPT-2's "
            "vocabulary does not have, and no tokenizer_config.json names the class. "
            'Pass definition="CLIPTokenizer" if it is CLIP\'s; for another model use a tokenizer.json'
        )
        raise FormatError("definition-unknown", message, option="definition")


def _around(spec: Spec, config: Config | None) -> dict[str, Any]:
    """What the class that the config names puts around a text and around two, if all of it is in the vocabulary."""
    kind = "" if config is None else config.kind
    slots = _AROUND.get(kind) if kind else None
    slots = _AROUND[""] if config is not None and config.begun and slots is None else slots
    if config is None or slots is None:
        return {}
    names = _USUAL | _DEFAULTS.get(kind, {}) | config.names
    used = {name: names[name] for pair in slots for name, _ in pair if name in names}
    numbers = ids_of(spec, used.values())
    ids = {name: numbers[text] for name, text in used.items()}
    if None in ids.values():
        return {}
    single, pair = (tuple((ids.get(name, name), type_id) for name, type_id in part) for part in slots)
    return {"single": single, "pair": pair}


def _cut(config: Config | None) -> dict[str, Any]:
    """The fields of the Spec by which the class that the config names cuts text otherwise than GPT-2's."""
    kind = "" if config is None else config.kind
    if kind not in _AS_GPT2 and kind not in _CLASSES:
        remedy = (
            "Use a tokenizer.json, or pass splitter= (gpt2, llama3, qwen2 ...) if you know how the class cuts text."
        )
        unsupported(f"{_CONFIG}: tokenizer_class", f"is {kind!r}, which is not known to cut text as GPT-2's", remedy)
    return _CLASSES.get(kind, {})


def _with_ids(tokens: Mapping[str, dict[str, Any]], specials: Mapping[str, int], vocab: bytes) -> list[dict[str, Any]]:
    """The rows of added tokens in the order of their ids. One that is only named has the id of its piece, or is left out."""
    if not tokens and not specials:
        return []
    if not isinstance(specials, Mapping):
        message = f"specials= must map the texts of tokens to their ids, not {specials!r}"
        raise InputError("argument-value", message, argument="specials", value=repr(specials))
    try:
        known = mapping(parsed(vocab), "vocab.json")
    except ValueError as error:
        refuse("vocab.json", f"is no JSON that can be read ({error})")
    rows = dict(tokens) | {text: _given(text, id, known) for text, id in dict(specials).items()}
    ids = {text: whole(known, text, "vocab.json") if text in known else row["id"] for text, row in rows.items()}
    found = [row | {"id": ids[text]} for text, row in rows.items() if ids[text] is not None]
    return sorted(found, key=lambda row: int(row["id"]))


def _given(text: str, id: int, known: dict[str, Any]) -> dict[str, Any]:
    """The row of a token that the caller named."""
    if not isinstance(text, str) or not text or not is_text(text):
        message = f"a special token is a text with at least one character and no lone surrogates, not {text!r}"
    elif isinstance(id, bool) or not isinstance(id, int) or not 0 <= id < 2 * len(known) + 65536:
        message = f"the id of {text!r} is {id!r}; it must be a number near the vocabulary of {len(known)} pieces"
    elif known.get(text, id) != id or (text not in known and id in known.values()):
        message = (
            f"specials= gives {text!r} the id {id}; in vocab.json it is {known.get(text, 'that of another piece')}"
        )
    else:
        return _row(text, id, True)
    raise InputError("argument-value", message, argument="specials", value=text)


def _document(vocab: bytes, merges: bytes, tokens: list[dict[str, Any]], prefixed: bool) -> bytes:
    """The files as one tokenizer.json."""
    cut = _BYTE_LEVEL | {"add_prefix_space": prefixed}
    lines = merges.decode("utf-8", "replace").split("\n")
    rows = [line.removesuffix("\r") for line in lines if line.strip("\r")]
    sections = {"version": "1.0", "added_tokens": tokens, "pre_tokenizer": cut, "decoder": _BYTE_LEVEL}
    head = json.dumps(sections).encode().removesuffix(b"}")
    written = json.dumps(rows, ensure_ascii=False).encode()
    return head + b', "model": {"type": "BPE", "merges": ' + written + b', "vocab": ' + vocab + b"}}"


def _grown(vocab: bytes, tokens: list[dict[str, Any]]) -> bytes:
    """vocab.json with the tokens as pieces."""
    known = mapping(parsed(vocab), "vocab.json")
    return json.dumps(known | {row["content"]: row["id"] for row in tokens}, ensure_ascii=False).encode()
