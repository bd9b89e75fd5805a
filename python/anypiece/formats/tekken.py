r"""tekken.json, the tokenizer files of Mistral: bytes to (Spec, Origin) and back.

A file holds pieces of bytes by rank, the pattern that cuts text into chunks, and special tokens. The special tokens have the
first ids; the id of a piece is its rank and their number. Of the pieces only as many count as ``default_vocab_size`` leaves
room for. Text is split and merged as with rank files.
"""

from __future__ import annotations

import json
import re
from binascii import b2a_base64
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._core.json_text import is_text, parsed
from ..errors import FormatError
from ..metadata import Metadata
from ..spec import Added, AddedFlag, Kind, Pieces, Spec
from .settings import RANKS, raise_unwritable, refuse_other_settings, refuse_other_tokens
from .tiktoken import pattern_of, split_by
from .tiktoken.definitions import SPLITTERS
from .wire.rank_lines import RankLines, rank_limit, scan_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CARRIED", "OPTIONS", "PLACES", "ROLES", "Origin", "looks_like", "read", "write"]

OPTIONS = ("splitter",)
"""What ``read`` can be told."""
PLACES = {"": "vocab", "spec-pattern": "config.pattern", "spec-added": "special_tokens"}
"""Where a file says what a Spec may be refused for, by the code of the error; the first is where it says the rest."""

CARRIED = frozenset([*RANKS, "splitter", "split_rules", "added", "bos_id", "eos_id", "pad_id"])
"""The fields of a Spec that a file means or says."""

_NO_RULE: dict[str, Any] = {"splitter": None, "split_rules": ()}

_DEFAULT_SPECIALS = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *(
        "[/TOOL_RESULTS]",
        "[TOOL_CALLS]",
        "[IMG]",
        "<pad>",
        "[IMG_BREAK]",
        "[IMG_END]",
        "[PREFIX]",
        "[MIDDLE]",
        "[SUFFIX]",
    ),
    *("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)
"""Those of files up to version 7 that list none."""
_LAST_VERSION_WITHOUT_SPECIALS = 7
_FILLER = "<SPECIAL_{}>"
ROLES = {"bos_id": "<s>", "eos_id": "</s>", "pad_id": "<pad>"}
"""The tokens that are bos, eos and pad in every file."""

_ENTRY = re.compile(rb'\{\s*"rank"\s*:\s*\d+\s*,\s*"token_bytes"\s*:\s*"')
_INDENT = re.compile(rb'\{\n( *)"')
_HEAD = 1 << 20


@dataclass(frozen=True)
class Origin:
    """What a tekken.json shows beyond its Spec."""

    frame: str
    """The file without its pieces, as JSON: an empty list stands where they belong."""
    indent: int | None = None
    """The spaces of a level of indentation."""
    is_ascii: bool = True
    """Whether characters beyond those that are printed in ASCII are escaped."""
    tail: bytes = b""
    """What follows the last brace."""
    unused: RankLines | None = None
    """The pieces that have no id."""
    shown: tuple[tuple[int, str | None], ...] = ()
    """Ranks whose text is not that of their bytes, with that text."""
    metadata: Metadata = field(default_factory=Metadata)
    """The chat templates of its folder."""


def looks_like(data: bytes) -> bool:
    """Whether ``data`` begins as such a file does: an object that has entries of rank and bytes.

    >>> looks_like(b'{"vocab": [{"rank": 0, "token_bytes": "AA=="}]}'), looks_like(b'{"model": {"vocab": {}}}')
    (True, False)
    """
    return data[:64].lstrip().startswith(b"{") and _ENTRY.search(data, 0, _HEAD) is not None


def read(data: bytes, *, splitter: str | None = None) -> tuple[Spec, Origin]:
    """The Spec of a tekken.json, and what must be kept to write the same file again.

    ``splitter`` names a splitter in place of the file's pattern. Raises ``FormatError``.
    """
    whole = _parsed(data)
    config = _field(whole, "config", dict)
    entries = _field(whole, "vocab", list)
    size = _count(config, "default_vocab_size", rank_limit(len(entries)) + len(entries))
    specials = _specials(whole, config, min(size, rank_limit(len(entries))))
    inner = size - len(specials)
    if not 0 < inner <= len(entries):
        _raise("config.default_vocab_size", f"must leave room for 1 to {len(entries)} pieces behind the special tokens")
    lines = _lines(entries)
    cut = {"splitter": splitter} if splitter is not None else split_by(_field(config, "pattern", str))
    added = Added.of([(name, id, AddedFlag.SPECIAL) for id, name in enumerate(specials)])
    spec = Spec(_pieces(lines, inner, specials), added=added, **cut, **RANKS, **_roles(specials))
    return spec, _origin(data, whole, entries, lines, inner)


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        whole = parsed(data)
    except ValueError as error:
        message = f"the file is not JSON ({error}); copy it again"
        raise FormatError("file-corrupt", message, field="") from None
    if not isinstance(whole, dict):
        _raise("", "must be an object")
    return whole


def _field(whole: Mapping[str, Any], name: str, kind: type) -> Any:
    value = whole.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        wanted = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}[kind]
        _raise(name, f"must be {wanted}")
    return value


def _count(config: Mapping[str, Any], name: str, most: int) -> int:
    value: int = _field(config, name, int)
    if not 0 <= value <= most:
        _raise(f"config.{name}", f"is {value}; for this file it must be a number from 0 to {most}")
    return value


def _raise(field: str, what: str) -> NoReturn:
    message = f"{field or 'the file'} {what}; take the file from its source again"
    raise FormatError("file-corrupt", message, field=field)


def _specials(whole: Mapping[str, Any], config: Mapping[str, Any], most: int) -> list[str]:
    """All special tokens, those that the file does not name included."""
    number = _count(config, "default_num_special_tokens", most)
    version = re.fullmatch(r"v([0-9]{1,4})", _field(config, "version", str))
    if version is None:
        _raise("config.version", "is not v and a number")
    if whole.get("special_tokens") is not None:
        names = _names(_field(whole, "special_tokens", list))
    elif int(version[1]) <= _LAST_VERSION_WITHOUT_SPECIALS:
        names = list(_DEFAULT_SPECIALS)
    else:
        _raise("special_tokens", f"must be there in files of version {config['version']}")
    if len(names) > number:
        _raise("special_tokens", f"has {len(names)} of them, and config.default_num_special_tokens is {number}")
    names += [_FILLER.format(id) for id in range(len(names), number)]
    if len(set(names)) < len(names):
        _raise("special_tokens", "has a token twice")
    return names


def _names(tokens: Sequence[Any]) -> list[str]:
    names = []
    for index, token in enumerate(tokens):
        name = token.get("token_str") if isinstance(token, dict) else None
        if not isinstance(name, str) or not name or not is_text(name):
            _raise(f"special_tokens[{index}].token_str", "must be a text")
        if token.get("rank") != index:
            _raise(f"special_tokens[{index}].rank", f"must be {index}, its place")
        names.append(name)
    return names


def _lines(entries: Sequence[Any]) -> RankLines:
    """The pieces as columns; entry ``i`` must have rank ``i``, and the first 256 be the bytes."""
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict) or entry.keys() != {"rank", "token_bytes", "token_str"}:
            _raise(f"vocab[{index}]", "must have rank, token_bytes and token_str")
        if entry["rank"] != index or isinstance(entry["rank"], bool):
            _raise(f"vocab[{index}].rank", f"must be {index}, its place")
        raw = entry["token_bytes"]
        if not isinstance(raw, str) or not raw.isascii() or "\n" in raw:  # each is to be a line
            _raise(f"vocab[{index}].token_bytes", "must be base64")
    text = "".join([f"{entry['token_bytes']} {index}\n" for index, entry in enumerate(entries)])
    try:
        lines = scan_lines(text.encode())
    except FormatError as error:
        place = int(error.facts.get("line", 1)) - 1
        _raise(f"vocab[{place}].token_bytes", "is not base64, is empty, or is that of an earlier piece")
    if lines.blob[:256] != bytes(range(256)) or lines.offsets[256] != 256:
        _raise("vocab", "must begin with the 256 bytes in order")
    return lines


def _pieces(lines: RankLines, inner: int, specials: Sequence[str]) -> Pieces:
    names = [name.encode() for name in specials]
    front = sum(map(len, names))
    sizes = [len(name) for name in names]
    offsets = np.concatenate([np.cumsum([0, *sizes])[:-1], front + lines.offsets[: inner + 1]]).astype(np.uint32)
    blob = b"".join(names) + lines.blob[: int(lines.offsets[inner])]
    scores = np.concatenate([np.zeros(len(names)), -np.arange(inner)]).astype(np.float32)
    kinds = np.repeat(np.array([Kind.CONTROL, Kind.NORMAL], np.uint8), [len(names), inner])
    return Pieces(blob, offsets, scores + 0.0, kinds)


def _roles(specials: Sequence[str]) -> dict[str, Any]:
    ids = {name: id for id, name in enumerate(specials)}
    return {role: ids.get(name) for role, name in ROLES.items()}


def _origin(
    data: bytes, whole: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], lines: RankLines, inner: int
) -> Origin:
    frame = json.dumps({**whole, "vocab": []})
    indent = _INDENT.search(data[:4096])
    texts = _texts(lines)
    shown = [
        (rank, entries[rank]["token_str"]) for rank, text in enumerate(texts) if entries[rank]["token_str"] != text
    ]
    start = int(lines.offsets[inner])
    unused = RankLines(lines.blob[start:], lines.offsets[inner:] - start, lines.ranks[inner:])
    tail = data[data.rindex(b"}") + 1 :]
    is_ascii = data.isascii() and b"\x7f" not in data
    return Origin(frame, len(indent[1]) if indent else None, is_ascii, tail, unused, tuple(shown))


def _texts(lines: RankLines) -> list[str | None]:
    """The pieces as text; None where they are none."""
    return [_text(lines.blob[start:end]) for start, end in pairwise(lines.offsets.tolist())]


def _text(piece: bytes) -> str | None:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


def write(spec: Spec, origin: Origin | None = None) -> bytes:
    """A tekken.json of ``spec``; with the ``origin`` of the file it came from, in its form and with its other contents.

    Raises ``FormatError`` (``format-unwritable``) for a Spec that such a file has no place for.
    """
    names = _written_specials(spec)
    inner = len(spec.pieces) - len(names)
    rows = [spec.pieces.bytes(id) for id in range(len(names), len(spec.pieces))]
    form = origin or Origin("{}", indent=4)
    if form.unused is not None:
        rows += [form.unused.blob[start:end] for start, end in pairwise(form.unused.offsets.tolist())]
    if len(set(rows)) < len(rows):
        rows = rows[:inner]
    frame = _written_frame(json.loads(form.frame), spec, names, len(rows))
    shown = {rank: text for rank, text in form.shown if rank < len(rows)}
    frame["vocab"] = [
        {
            "rank": rank,
            "token_bytes": b2a_base64(piece, newline=False).decode(),
            "token_str": shown.get(rank, _text(piece)),
        }
        for rank, piece in enumerate(rows)
    ]
    return json.dumps(frame, indent=form.indent, ensure_ascii=form.is_ascii).encode() + form.tail


def _written_frame(frame: dict[str, Any], spec: Spec, names: list[str], pieces: int) -> dict[str, Any]:
    """Everything but the pieces: what the file had, changed where the Spec says otherwise."""
    old = frame.get("config", {})
    pattern = old.get("pattern", "")
    if {"splitter": spec.splitter, "split_rules": spec.split_rules} != _NO_RULE | split_by(pattern):
        pattern = _written_pattern(spec)
    config = {
        "pattern": pattern,
        "num_vocab_tokens": pieces,
        "default_vocab_size": len(spec.pieces),
        "default_num_special_tokens": len(names),
        "version": "v7",
    }
    config = old | {name: value for name, value in config.items() if name not in old or name != "version"}
    if not frame or _specials(frame, old, len(names)) != names:
        listed = [{"rank": id, "token_str": name, "is_control": True} for id, name in enumerate(names)]
        return {**frame, "config": config, "vocab": [], "special_tokens": listed}
    return {**frame, "config": config}


def _written_pattern(spec: Spec) -> str:
    """The pattern that cuts text as the Spec does."""
    own = pattern_of(spec)
    if own is None and spec.split_rules:
        _raise_unwritable("split_rules other than one of a pattern")
    known = [pattern for pattern, name in SPLITTERS.items() if name == spec.splitter]
    if own is None and not known:
        _raise_unwritable(f"the splitter {spec.splitter!r}, whose pattern is not known")
    return known[-1] if own is None else own


def _written_specials(spec: Spec) -> list[str]:
    """The special tokens, if the Spec is one that a file can hold."""
    refuse_other_settings(spec, "tekken", "a tekken.json", RANKS, CARRIED)
    refuse_other_tokens(spec, "tekken", "a tekken.json")
    _written_pattern(spec)
    kinds = spec.pieces.kinds
    number = int((kinds == Kind.CONTROL).sum())
    if not ((kinds[:number] == Kind.CONTROL).all() and (kinds[number:] == Kind.NORMAL).all()):
        _raise_unwritable("pieces other than control pieces and then normal ones")
    if (spec.pieces.scores[number:] != -np.arange(len(kinds) - number)).any():
        _raise_unwritable("scores that are not the negatives of ranks")
    first = [spec.pieces.bytes(id) for id in range(number, min(number + 256, len(kinds)))]
    if first != [bytes([byte]) for byte in range(256)]:
        _raise_unwritable("a vocabulary that does not begin with the 256 bytes in order")
    names = [spec.pieces.piece(id) for id in range(number)]
    if {role: getattr(spec, role) for role in ROLES} != _roles(names):
        _raise_unwritable("bos, eos or pad pieces under other names than <s>, </s> and <pad>")
    return names


def _raise_unwritable(what: str) -> NoReturn:
    raise_unwritable("tekken", f"a tekken.json has no place for {what}")
