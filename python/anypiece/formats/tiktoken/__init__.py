"""tiktoken rank files: bytes to (Spec, Origin) and back.

The file is lines of base64 and rank, and nothing else. How text is split and which special tokens there are is not in it:
that is a definition, known by the file's content or named by the caller (``definitions``). Ids are the ranks.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import FormatError, InputError
from ...metadata import Metadata
from ...spec import Added, AddedFlag, Kind, Pieces, Spec
from ..settings import (
    RANKS,
    ROLES,
    checked_roles,
    checked_tokens,
    raise_unwritable,
    refuse_odd_roles,
    refuse_odd_specials,
    refuse_other_settings,
    refuse_other_tokens,
    role_names,
)
from ..wire.rank_lines import RankLines, join_lines, rank_limit, scan_lines
from .definitions import DEFINITIONS, SPLITTERS, Definition, definition_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = [
    "CARRIED",
    "OPTIONS",
    "Origin",
    "looks_like",
    "pattern_of",
    "read",
    "reading_options",
    "refuse_missing_bytes",
    "spec_of",
    "split_by",
    "write",
]

OPTIONS = ("definition", "splitter", "pattern", "specials", "roles")
"""What ``read`` can be told."""

CARRIED = frozenset([*RANKS, "splitter", "split_rules", "added", "bos_id", "eos_id", "pad_id"])
"""The fields of a Spec that a file means, or that ``reading_options`` name."""

_LINE = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==) [0-9]{1,9}\r?\n")
_FIRST_LINES = 8


@dataclass(frozen=True)
class Origin:
    """What a rank file shows beyond its Spec."""

    definition: str | None = None
    """The definition that was used; None where the call gave a splitter for a file that is not known."""
    crlf: bool = False
    """Whether lines end in CR LF."""
    order: bytes = b""
    """The ids in the order of their lines, as little-endian uint32; empty where they ascend."""
    metadata: Metadata = field(default_factory=Metadata)
    """The chat templates of its folder."""


def looks_like(data: bytes) -> bool:
    """Whether ``data`` begins as a rank file does. It may be cut anywhere behind its first line.

    The first lines must all be base64 and a number, and one of them must be filled up with ``=``, as single bytes are: a
    list of words and their counts is not taken for a rank file.

    >>> looks_like(b"IQ== 0\\nIg== 1\\nIw"), looks_like(b"that 10\\nwith 7\\n")
    (True, False)
    """
    position, filled = 0, False
    for _ in range(_FIRST_LINES):
        line = _LINE.match(data, position)
        if line is None:
            return filled and b"\n" not in data[position:]
        position, filled = line.end(), filled or b"= " in line[0]
    return filled


def read(
    data: bytes,
    *,
    definition: str | None = None,
    splitter: str | None = None,
    pattern: str | None = None,
    specials: Mapping[str, int] | None = None,
    roles: Mapping[str, str] | None = None,
) -> tuple[Spec, Origin]:
    """The Spec of a rank file, and what must be kept to write the same file again.

    ``definition`` names one of ``DEFINITIONS``; left out, the content decides. ``splitter`` or ``pattern`` and ``specials``
    change what the definition says, or stand for it where there is none: a special token replaces those of its text and of
    its id. ``pattern`` is a regular expression as tiktoken takes it. ``roles`` says which special tokens are bos, eos and
    pad, beyond what the definition does. Raises ``FormatError``.
    """
    named = None if definition is None else _named(definition)
    crlf = data.endswith(b"\r\n")
    text = data.replace(b"\r\n", b"\n") if crlf and data.count(b"\r\n") == data.count(b"\n") else data
    lines = scan_lines(text)
    refuse_missing_bytes(lines)
    found = named or definition_of(hashlib.sha256(text).hexdigest())
    if splitter is not None and pattern is not None:
        message = "splitter= and pattern= both say how text is cut; leave one of them out"
        raise InputError("argument-value", message, argument="pattern", value=pattern)
    if found is None and splitter is None and pattern is None:
        _raise_unknown("this rank file is none of the known ones")
    if found is not None:
        _refuse_other_ranks(lines.ranks, found)
    tokens = _specials(found, checked_tokens(specials), lines.ranks)
    if found is not None and splitter is None and pattern is None:
        splitter, pattern = found.splitter, found.pattern
    cut = {"splitter": splitter} if pattern is None else split_by(pattern)
    spec = spec_of(lines, tokens, _aliases(found, tokens), **cut, **_roles(found, tokens, checked_roles(roles)))
    return spec, Origin(found.name if found else None, crlf, _order(lines.ranks))


def spec_of(lines: RankLines, specials: Mapping[str, int], aliases: Mapping[str, int], **fields: Any) -> Spec:
    """The Spec of ranks and special tokens, which have ids of their own; ``aliases`` are further names of such ids."""
    added = Added.of((text, id, AddedFlag.SPECIAL) for text, id in {**aliases, **specials}.items())
    return Spec(_pieces(lines, specials), added=added, **fields, **RANKS)


def split_by(pattern: str) -> dict[str, Any]:
    r"""The fields of a Spec whose chunks are the matches of a pattern; what lies between them is left out, as in tiktoken.

    >>> split_by("[a-z]+")["split_rules"]
    ({'type': 'split', 'pattern': {'fancy-regex': '[a-z]+'}, 'behavior': 'removed', 'invert': True},)
    """
    if pattern in SPLITTERS:
        return {"splitter": SPLITTERS[pattern]}
    rule = {"type": "split", "pattern": {"fancy-regex": pattern}, "behavior": "removed", "invert": True}
    return {"split_rules": (rule,)}


def pattern_of(spec: Spec) -> str | None:
    """The pattern that ``split_by`` was given, where it has no splitter."""
    source: str | None = spec.split_rules[0].get("pattern", {}).get("fancy-regex") if spec.split_rules else None
    return source if source is not None and split_by(source).get("split_rules") == spec.split_rules else None


def _named(name: str) -> Definition:
    if not isinstance(name, str) or name not in DEFINITIONS:
        _raise_unknown(f"no definition is called {name!r}")
    return DEFINITIONS[name]


def _raise_unknown(what: str) -> NoReturn:
    known = ", ".join(DEFINITIONS)
    message = (
        f"{what}. Pass definition= with one of {known}; or, for another encoding, "
        "splitter= with the name of its splitter, or pattern= with its expression, and specials= with its special tokens "
        "and their ids"
    )
    raise FormatError("definition-unknown", message, known=list(DEFINITIONS))


def refuse_missing_bytes(lines: RankLines) -> None:
    """Raise ``rank-bytes`` where a byte has no rank."""
    singles = lines.offsets[:-1][np.diff(lines.offsets) == 1]
    missing = sorted(set(range(256)).difference(np.frombuffer(lines.blob, np.uint8)[singles].tolist()))
    if missing:
        message = (
            f"{len(missing)} of the 256 single bytes have no rank, the first is 0x{missing[0]:02X}: some text could not be "
            "encoded; the file is incomplete, so copy it again, or give each byte a rank"
        )
        raise FormatError("rank-bytes", message, missing=missing)


def _refuse_other_ranks(ranks: NDArray[np.int64], definition: Definition) -> None:
    size = 1 + max(int(ranks.max()), *definition.specials.values())
    if len(ranks) != definition.ranks or size != definition.n_vocab:
        message = (
            f"the file has {len(ranks)} ranks, the highest is {ranks.max()}; {definition.name} has {definition.ranks} and "
            f"{definition.n_vocab} ids in all. Name another definition, or pass splitter= and specials= without one"
        )
        raise FormatError("definition-mismatch", message, definition=definition.name, ranks=len(ranks))


def _specials(found: Definition | None, given: Mapping[str, int], ranks: NDArray[np.int64]) -> dict[str, int]:
    """The special tokens of a definition, with those that were given in place of what has their text or id."""
    limit = rank_limit(len(ranks))
    refuse_odd_specials(given, limit)
    ids = set(given.values())
    if len(ids) < len(given):
        _raise_collision(list(given), "two special tokens have it")
    old = found.specials if found else {}
    tokens = {text: id for text, id in old.items() if text not in given and id not in ids} | dict(given)
    is_rank = np.zeros(limit + 1, np.bool_)
    is_rank[ranks] = True
    both = [text for text, id in tokens.items() if is_rank[id]]
    if both:
        _raise_collision(both, "it is a rank of the file")
    return tokens


def _aliases(found: Definition | None, tokens: Mapping[str, int]) -> dict[str, int]:
    """The further names of tokens that are still those of the definition."""
    kept = {id for text, id in tokens.items() if found is not None and found.specials.get(text) == id}
    return {text: id for text, id in (found.aliases if found else {}).items() if id in kept}


def _raise_collision(texts: list[str], why: str) -> NoReturn:
    named = ", ".join(repr(text) for text in texts)
    message = f"an id of {named} is taken: {why}; give every special token an id of its own"
    raise FormatError("rank-special", message, specials=texts)


def _roles(found: Definition | None, tokens: Mapping[str, int], given: Mapping[str, str]) -> dict[str, Any]:
    """The ids of bos, eos and pad: as they were given, or as the definition names them if the token was not replaced."""
    refuse_odd_roles(given, tokens)
    named = {"bos": found.bos, "eos": found.eos, "pad": found.pad} if found is not None else {}
    names = {role: name for role, name in named.items() if name is not None} | dict(given)
    return {f"{role}_id": tokens.get(name) for role, name in names.items()}


def _pieces(lines: RankLines, specials: Mapping[str, int]) -> Pieces:
    """Columns by id: the ranks, the special tokens, and an empty unused piece for each id that is neither."""
    ranks = lines.ranks
    size = 1 + max([int(ranks.max()), *specials.values()])
    sizes = np.zeros(size, np.int64)
    sizes[ranks] = np.diff(lines.offsets)
    kinds = np.full(size, Kind.UNUSED, np.uint8)
    kinds[ranks] = Kind.NORMAL
    scores = np.zeros(size, np.float32)
    scores[ranks] = 0 - ranks
    blob, places = _by_rank(lines), np.cumsum(sizes)
    parts, done = [], 0
    for id, text in sorted((id, text.encode()) for text, id in specials.items()):
        here = int(places[id])
        parts += [blob[done:here], text]
        done, sizes[id], kinds[id] = here, len(text), Kind.CONTROL
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    return Pieces(b"".join([*parts, blob[done:]]), offsets, scores, kinds)


def _ascending(ranks: NDArray[np.int64]) -> bool:
    return bool((ranks[1:] > ranks[:-1]).all())


def _by_rank(lines: RankLines) -> bytes:
    if _ascending(lines.ranks):
        return lines.blob
    starts, ends = lines.offsets[:-1].tolist(), lines.offsets[1:].tolist()
    return b"".join([lines.blob[starts[line] : ends[line]] for line in np.argsort(lines.ranks).tolist()])


def _order(ranks: NDArray[np.int64]) -> bytes:
    return b"" if _ascending(ranks) else ranks.astype("<u4").tobytes()


def write(spec: Spec, origin: Origin | None = None) -> bytes:
    """A rank file of ``spec``; with the ``origin`` of the file it came from, in the same order and with its line ends.

    Neither the splitter nor the special tokens are written: the file has no place for them, and they must be named again
    when it is read. Raises ``FormatError`` (``format-unwritable``) for a Spec that is not byte-level BPE by rank.
    """
    origin = origin or Origin()
    ids = np.flatnonzero(spec.pieces.kinds == Kind.NORMAL)
    _refuse_unwritable(spec, ids)
    old = np.frombuffer(origin.order, "<u4")
    order = old if np.array_equal(np.sort(old), ids) else ids
    rows = [(spec.pieces.bytes(id), id) for id in order.tolist()]
    if len({piece for piece, _ in rows}) < len(rows):
        _raise_unwritable("two pieces with the same bytes")
    return join_lines(rows, b"\r\n" if origin.crlf else b"\n")


def _refuse_unwritable(spec: Spec, ids: NDArray[np.int64]) -> None:
    refuse_other_settings(spec, "tiktoken", "a rank file", RANKS, CARRIED)
    refuse_other_tokens(spec, "tiktoken", "a rank file")
    if spec.split_rules and (spec.splitter is not None or pattern_of(spec) is None):
        _raise_unwritable("split_rules other than one of a pattern, and together with a splitter")
    if spec.splitter is None and not spec.split_rules:
        _raise_unwritable("text that is not split, as reading it needs a splitter or a pattern")
    for role in ROLES:
        id = getattr(spec, f"{role}_id")
        if id is not None and spec.pieces.kinds[id] != Kind.CONTROL:
            _raise_unwritable(f"a {role} piece that is not special", id)
    pieces = spec.pieces
    sizes = np.diff(pieces.offsets.astype(np.int64))
    kinds = pieces.kinds
    odd = ~np.isin(kinds, [Kind.NORMAL, Kind.CONTROL]) & ((kinds != Kind.UNUSED) | (sizes > 0))
    if odd.any():
        _raise_unwritable("a piece that is neither normal nor control, and not an empty unused one", int(odd.argmax()))
    if (sizes[ids] == 0).any():
        _raise_unwritable("an empty piece", int(ids[(sizes[ids] == 0).argmax()]))
    scores = pieces.scores[ids] != -ids
    if scores.any():
        _raise_unwritable("a score that is not the negative of its id", int(ids[scores.argmax()]))
    if len(ids) and ids[-1] > rank_limit(len(ids)):
        _raise_unwritable(f"an id above {rank_limit(len(ids))} with only {len(ids)} normal pieces", int(ids[-1]))
    singles = pieces.offsets[ids[sizes[ids] == 1]]
    if len(np.unique(np.frombuffer(pieces.blob, np.uint8)[singles])) < 256:
        _raise_unwritable("a vocabulary without all 256 single bytes")


def _raise_unwritable(what: str, id: int | None = None) -> NoReturn:
    where = "" if id is None else f" (id {id})"
    raise_unwritable("tiktoken", f"a rank file has no place for {what}{where}", id=id)


def reading_options(spec: Spec) -> dict[str, Any]:
    """What ``read`` has to be told of ``spec``, which the file does not say. A token of two names has that of its piece."""
    specials = {text: id for text, id, _ in spec.added if spec.pieces.bytes(id) == text.encode()}
    roles, pattern = role_names(spec), pattern_of(spec)
    cut = {"splitter": spec.splitter} if pattern is None else {"pattern": pattern}
    return {**cut, "specials": specials} | ({"roles": roles} if roles else {})
