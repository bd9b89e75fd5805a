"""The tokens of a GGUF file as llama.cpp takes them: texts, scores, kinds, and which ids play a part.

What the file says of a token is not the last word there: some texts are control tokens, or end a generation, whatever their
type. The tables are llama.cpp's.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import FormatError
from ...spec import Added, AddedFlag, Kind, Pieces
from .file import Strings

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ...spec import Decoding
    from .file import GgufFile

__all__ = [
    "OWN",
    "Roles",
    "added_of",
    "decoding_of",
    "field",
    "flag",
    "marks_of",
    "read_pieces",
    "read_roles",
    "refuse",
    "text",
]

_PREFIX = "tokenizer.ggml."
OWN = "anypiece."
"""What fields begin with that llama.cpp does not know."""

# Texts that end a generation. They are control tokens whatever the file says.
_ENDS = [
    *("<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>"),
    *("<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<eos>"),
    *("<end_of_utterance>", "<turn|>", "<|tool_response>", "<｜end▁of▁sentence｜>", "[e~["),
]
# Parts that a token can play by its text where no field names one: the first that is there becomes a control token.
_PARTS = {
    "fim_pre": [
        *("<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>"),
        *("<PRE>", "▁<PRE>", "<|code_prefix|>", "<|prefix|>"),
    ],
    "fim_suf": [
        *("<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>"),
        *("<SUF>", "▁<SUF>", "<|code_suffix|>", "<|suffix|>"),
    ],
    "fim_mid": [
        *("<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>"),
        *("<MID>", "▁<MID>", "<|code_middle|>", "<|middle|>"),
    ],
    "fim_pad": ["<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"],
    "fim_rep": ["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"],
    "fim_sep": ["<|file_sep|>"],
}
_OLD_NAMES = {"fim_pre": "prefix_token_id", "fim_suf": "suffix_token_id", "fim_mid": "middle_token_id"}
_SHOWN = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"]
_NAMES = frozenset([*_ENDS, *(name for names in _PARTS.values() for name in names), *_SHOWN, "<|plamo:eos|>"])
_LENGTHS = {len(name.encode()) for name in _NAMES}
_SIZES = np.isin(np.arange(max(_LENGTHS) + 2), list(_LENGTHS))
_SECONDS = np.isin(np.arange(256), [name.encode()[1] for name in _NAMES])
_FIRSTS, _LASTS = (np.isin(np.arange(256), list(edge.encode())) for edge in ("<[_\u2581", ">]["))

_FIELDS = {
    "bos": "bos_token_id",
    "eos": "eos_token_id",
    "eot": "eot_token_id",
    "eom": "eom_token_id",
    "unk": "unknown_token_id",
    "sep": "seperator_token_id",
    "pad": "padding_token_id",
    "mask": "mask_token_id",
    **{part: f"{part}_token_id" for part in _PARTS},
}


@dataclass(frozen=True)
class Roles:
    """Which ids play a part, and what ``kinds`` become by it."""

    ids: dict[str, int]
    """By part (bos, eos, eot, eom, unk, sep, pad, mask, fim_...); one that no token plays is left out."""
    ends: tuple[int, ...]
    """What ends a generation."""
    kinds: NDArray[np.uint8]


def field(file: GgufFile, name: str, kinds: tuple[str, ...]) -> Any:
    """The value of a field, ``None`` where there is none; ``gguf-field`` if it is of another type."""
    found = file.fields.get(name)
    if found is None:
        return None
    if found.type not in kinds:
        _raise_field(name, f"is of type {found.type} and must be {' or '.join(kinds)}")
    return found.value


def text(file: GgufFile, name: str) -> str | None:
    """A field that is a string."""
    value = field(file, name, ("string",))
    return None if value is None else value.decode("utf-8", "replace")


def flag(file: GgufFile, name: str, default: bool) -> bool:
    """A field of the tokenizer that is true or false."""
    value = field(file, _PREFIX + name, ("bool",))
    return default if value is None else bool(value)


def refuse(what: str, feature: str) -> NoReturn:
    """Raise ``gguf-unsupported``."""
    message = f"{what}. Use the tokenizer file that the GGUF was made from"
    raise FormatError("gguf-unsupported", message, feature=feature)


def _raise_field(name: str, what: str) -> NoReturn:
    message = f"the field {name} {what}; the file cannot be used, convert it again with llama.cpp's converter"
    raise FormatError("gguf-field", message, field=name)


def read_pieces(file: GgufFile) -> Pieces:
    """The tokens with their scores, and their kinds as the file has them."""
    strings = field(file, f"{_PREFIX}tokens", ("string[]",))
    if strings is None:
        _raise_field(f"{_PREFIX}tokens", "is missing")
    count = len(strings)
    scores = _column(file, "scores", ("f32[]", "i32[]"), count)
    types = _column(file, "token_type", ("i32[]",), count)
    named = np.zeros(count, np.float32) if scores is None else scores.astype(np.float32)
    kinds = np.full(count, Kind.NORMAL, np.uint8) if types is None else _kinds(types)
    blob, offsets = _without_empty(strings)
    pieces = Pieces(blob, offsets, named, kinds)
    _refuse_twice(pieces)
    return pieces


def _refuse_twice(pieces: Pieces) -> None:
    """llama.cpp stops at a token that is there twice. Those that text can match the kernel compares; here the others."""
    other = np.flatnonzero(pieces.kinds != Kind.NORMAL)
    if not len(other):
        return
    blob, places = np.frombuffer(pieces.blob, np.uint8), pieces.offsets.astype(np.intp)
    starts, ends = places[:-1], places[1:]
    # By three bytes and the length, in as many bits as a table can have.
    sign = (ends - starts).astype(np.uint16) * np.uint16(0x27D5)
    for at, factor in ((starts, 0x9E37), (ends - 1, 0x85EB), ((starts + ends) // 2, 0xC2B3)):
        sign ^= blob.take(at).astype(np.uint16) * np.uint16(factor)
    among = np.zeros(1 << 16, np.bool_)
    among[sign[other]] = True
    seen: dict[bytes, int] = {}
    for id in np.flatnonzero(among.take(sign)).tolist():
        text = pieces.bytes(id)
        if seen.setdefault(text, id) != id:
            _raise_field(f"{_PREFIX}tokens", f"has {text.decode(errors='replace')!r} twice: {seen[text]} and {id}")


def _column(file: GgufFile, name: str, kinds: tuple[str, ...], count: int) -> NDArray[Any] | None:
    """One value for each token; more than that are left alone, as llama.cpp does."""
    values: NDArray[Any] | None = field(file, _PREFIX + name, kinds)
    if values is not None and len(values) < count:
        _raise_field(_PREFIX + name, f"has {len(values)} values for {count} tokens")
    return None if values is None else values[:count]


def _kinds(types: NDArray[Any]) -> NDArray[np.uint8]:
    """A token of a type that does not exist prints nothing, like an unused one."""
    known = (types >= Kind.NORMAL) & (types <= Kind.BYTE)
    return np.where(known, types, Kind.UNUSED).astype(np.uint8)


def _without_empty(strings: Strings) -> Strings:
    """An empty token gets a text that says so."""
    empty = np.flatnonzero(strings.offsets[1:] == strings.offsets[:-1])
    if not len(empty):
        return strings
    ends = strings.offsets.tolist()
    texts = [strings.blob[start:end] for start, end in pairwise(ends)]
    for index in empty.tolist():
        texts[index] = f"[EMPTY_{index}]".encode()
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.uint32)
    return Strings(b"".join(texts), offsets)


def read_roles(file: GgufFile, pieces: Pieces, defaults: dict[str, int]) -> Roles:
    """The parts that tokens play, by the file's fields, by ``defaults`` of the kind of vocabulary, and by their texts."""
    size = len(pieces)
    named = _named(pieces)
    ids = {part: id for part, id in defaults.items() if id < size}
    for part, name in _FIELDS.items():
        for key in (name, _OLD_NAMES.get(part)):
            value = field(file, _PREFIX + key, ("u32",)) if key else None
            if value is not None and value < size:
                ids[part] = value
    kinds = pieces.kinds.copy()
    for part, names in _PARTS.items():
        if part not in ids and (found := [named[name] for name in names if name in named]):
            ids[part] = min(found)
            kinds[ids[part]] = Kind.CONTROL
    ends = {ids[part] for part in ("fim_pad", "fim_rep", "fim_sep") if part in ids}
    by_text = [named[name] for name in _ENDS if name in named]
    kinds[by_text] = Kind.CONTROL
    ends.update(by_text)
    kinds[[named[name] for name in _SHOWN if name in named]] = Kind.USER_DEFINED
    ends.update(ids[part] for part in ("eos", "eot", "eom") if part in ids)
    return Roles(ids, tuple(sorted(_settle_ends(ends, named, kinds))), kinds)


def _settle_ends(ends: set[int], named: dict[str, int], kinds: NDArray[np.uint8]) -> set[int]:
    """Two texts end nothing where others are there that do."""
    has = {name for name, id in named.items() if id in ends}
    calls = {"<|call|>", "<|calls|>"} & has
    if calls and "<|end|>" in has and {"<|return|>", "<|flush|>"} & has:
        ends = ends - {named["<|end|>"]}
        kinds[named["<|end|>"]] = Kind.USER_DEFINED
    if "</s>" in has and {"<|tool_response>", "<|plamo:eos|>"} & has:
        ends = ends - {named["</s>"]}
        kinds[named["</s>"]] = Kind.NORMAL
    return ends


def _named(pieces: Pieces) -> dict[str, int]:
    """The ids of the texts that matter here. Only what begins and ends as they do is made into strings."""
    text = np.frombuffer(pieces.blob, np.uint8)
    places = pieces.offsets.astype(np.intp)
    starts, ends = places[:-1], places[1:]
    likely = np.flatnonzero(_LASTS.take(text.take(ends - 1))) if len(text) else np.zeros(0, np.int64)
    starts, ends = starts[likely], ends[likely]
    sizes = np.minimum(ends - starts, len(_SIZES) - 1)
    likely = likely[_SIZES[sizes] & _FIRSTS[text[starts]] & _SECONDS[text[np.minimum(starts + 1, ends - 1)]]]
    found = {pieces.piece(index): index for index in likely.tolist()}
    return {name: index for name, index in found.items() if name in _NAMES}


def added_of(file: GgufFile, pieces: Pieces, roles: Roles) -> Added:
    """The tokens that part a text: control and unknown ones where a call permits it, user-defined ones always."""
    flags = {Kind.CONTROL: AddedFlag.SPECIAL, Kind.UNKNOWN: AddedFlag.SPECIAL, Kind.USER_DEFINED: AddedFlag(0)}
    found = np.flatnonzero(np.isin(roles.kinds, list(flags))).tolist()
    strips = _strips(file)
    rows = ((pieces.piece(id), id, flags[Kind(int(roles.kinds[id]))]) for id in found)
    return Added.of((name, id, kind | strips(name)) for name, id, kind in rows)


def _strips(file: GgufFile) -> Callable[[str], AddedFlag]:
    """Which tokens take white space around them. The file does not say; llama.cpp goes by what the model is called."""
    pre, kind = text(file, f"{_PREFIX}pre") or "", text(file, "general.architecture") or ""
    name = (text(file, "general.name") or "").lower()
    jina = any(part in pre for part in ("jina-v2-de", "jina-v2-es", "jina-v2-code"))
    if jina or any(part in kind for part in ("nomic-bert-moe", "jina-bert-v3")):
        return lambda token: AddedFlag.LSTRIP if token == "<mask>" else AddedFlag(0)
    if "phi-3" in name or "phi3" in name:
        return lambda token: AddedFlag(0) if token in ("<unk>", "<s>", "<|endoftext|>") else AddedFlag.RSTRIP
    if "modern-bert" in name:
        return lambda token: AddedFlag.LSTRIP if token == "[MASK]" else AddedFlag(0)
    return lambda token: AddedFlag(0)


def decoding_of(file: GgufFile) -> Decoding:
    """Where no space is put in front of a text, one can still be taken from the front of decoded text."""
    return "unspaced" if flag(file, "add_space_prefix", False) else "literal"


def marks_of(file: GgufFile, roles: Roles, *, bos: bool, eos: bool, dialect: str = "llama.cpp") -> dict[str, Any]:
    """The tokens around a text, and which of them ``add_special=True`` puts there: in the dialect of another library than
    llama.cpp those that a field of our own names, if there is one."""
    ids = {f"{part}_id": roles.ids.get(part) for part in ("bos", "eos", "pad")}
    adds = {"add_bos": flag(file, "add_bos_token", bos), "add_eos": flag(file, "add_eos_token", eos)}
    own = {} if dialect == "llama.cpp" else {name: field(file, f"{OWN}{name}", ("bool",)) for name in adds}
    return ids | adds | {name: bool(value) for name, value in own.items() if value is not None}
