"""What every file of a format means, and the refusal of a Spec that means something else.

A field of a Spec is in one of three places: the file says it, every file of the format means one value of it, or there is no
place for it. A field that is new in ``Spec`` is in the third until a format is told of it, so nothing is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._core.json_text import is_text
from ..errors import AnyPieceError, FormatError, InputError
from ..spec import AddedFlag, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from ..spec import Spec

__all__ = [
    "MARKS",
    "RANKS",
    "ROLES",
    "UNCHANGED",
    "checked_roles",
    "checked_tokens",
    "differing",
    "lost_fields",
    "raise_unwritable",
    "refuse_odd_roles",
    "refuse_odd_specials",
    "refuse_other_settings",
    "refuse_other_tokens",
    "refuse_unequal",
    "role_names",
]

_SCORED = ("unigram", "bpe", "plamo")
ROLES = ("bos", "eos", "pad")
"""The parts that tokens play, as ``roles=`` names them; the field of a Spec has ``_id`` behind it."""

MARKS = frozenset(["bos_id", "eos_id", "pad_id", "add_bos", "add_eos"])
"""The fields of a Spec about marks around a text, without templates."""

UNCHANGED: dict[str, Any] = {
    "byte_fallback": False,
    "charsmap": b"",
    "denormalizer": b"",
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
    "escape_whitespaces": False,
    "whitespace_as_suffix": False,
    "unk_surface": "",
}
"""The settings of SentencePiece where none of them changes the text."""

RANKS: dict[str, Any] = {"segmenter": "bpe", "symbols": "bytes", "whole_chunks": True, **UNCHANGED}
"""What every file of pieces by rank means: byte-level BPE, and no change of the text."""


def lost_fields(spec: Spec, carried: Collection[str]) -> list[str]:
    """The fields of ``spec`` with another value than their default that are not ``carried``; samples change nothing."""
    return [name for name in spec.changed_fields() if name not in carried and name != "samples"]


def refuse_other_settings(
    spec: Spec, format: str, what: str, settings: Mapping[str, Any], carried: Collection[str]
) -> None:
    """Raise ``format-unwritable`` unless ``spec`` means what every such file means, and no more than one can say."""
    for name, value in settings.items():
        if getattr(spec, name) != value:
            raise_unwritable(format, f"{what} has no place for {name} other than {value!r}", fields=[name])
    lost = lost_fields(spec, {*settings, *carried})
    if lost:
        raise_unwritable(format, f"{what} has no place for {', '.join(lost)}", fields=lost)


def refuse_other_tokens(spec: Spec, format: str, what: str) -> None:
    """Raise ``format-unwritable`` unless the control pieces are the added tokens, and all of these are special and plain."""
    for text, id, flags in spec.added:
        if flags != AddedFlag.SPECIAL or spec.pieces.kinds[id] != Kind.CONTROL:
            raise_unwritable(format, f"{what} has no place for an added token that is not special, such as {text!r}")
    names = {id for text, id, _ in spec.added if spec.pieces.bytes(id) == text.encode()}
    for id in (spec.pieces.kinds == Kind.CONTROL).nonzero()[0].tolist():
        if id not in names:
            raise_unwritable(format, f"{what} has no place for a control piece that no text can be ({id})", id=id)


def checked_roles(given: Mapping[str, str] | None) -> dict[str, str]:
    """``roles=`` as a dictionary of texts, or ``argument-value``."""
    rows = {} if given is None else given
    if not isinstance(rows, Mapping) or not all(isinstance(name, str) and is_text(name) for name in rows.values()):
        message = f"roles= must map bos, eos or pad to the text of a token, not {given!r}"
        raise InputError("argument-value", message, argument="roles", value=repr(given))
    return dict(rows)


def checked_tokens(given: Mapping[str, int] | None) -> dict[str, int]:
    """``specials=`` as a dictionary, or ``argument-value``."""
    rows = {} if given is None else given
    if not isinstance(rows, Mapping):
        message = f"specials= must map the texts of tokens to their ids, such as {{'<|end|>': 9}}, not {given!r:.80}"
        raise InputError("argument-value", message, argument="specials", value=repr(given))
    return dict(rows)


def refuse_odd_specials(given: Mapping[str, int], limit: int) -> None:
    """Raise ``argument-value`` for special tokens that no file can have: of an odd text, or an id beyond ``limit``."""
    for text, id in given.items():
        if not isinstance(text, str) or not text or not is_text(text):
            message = f"a special token is a text with at least one character and no lone surrogates, not {text!r}"
        elif isinstance(id, bool) or not isinstance(id, int) or not 0 <= id <= limit:
            message = f"the id of {text!r} is {id!r}; for this file it must be a number from 0 to {limit}"
        else:
            continue
        raise InputError("argument-value", message, argument="specials", value=text)


def refuse_odd_roles(given: Mapping[str, str], tokens: Collection[str]) -> None:
    """Raise ``argument-value`` for a part that is none, or a token that is none of ``tokens``."""
    for role, name in given.items():
        if role not in ROLES or name not in tokens:
            message = (
                f"roles= names {name!r} as {role!r}; the parts are bos, eos and pad, and each needs a token of the file"
            )
            raise InputError("argument-value", message, argument="roles", value=name)


def role_names(spec: Spec) -> dict[str, str]:
    """The parts that tokens play, each by the spelling of its token."""
    ids = {role: getattr(spec, f"{role}_id") for role in ROLES}
    return {role: _spelling(spec, id) for role, id in ids.items() if id is not None}


def _spelling(spec: Spec, id: int) -> str:
    return next((text for text, other, _ in spec.added if other == id), spec.pieces.piece(id))


def differing(spec: Spec, found: Spec) -> list[str]:
    """The fields in which two Specs differ, as far as that can show: scores count without a list of merges, and an added
    token that is not special is one whatever the kind of its piece, if no text can be left that is spelled so. Ids that
    stand for nothing may have a name.
    """
    other = found.config()
    fields = [name for name, value in spec.config().items() if other[name] != value]
    fields += [name for name in ("charsmap", "denormalizer") if getattr(spec, name) != getattr(found, name)]
    fields += [] if np.array_equal(spec.merges, found.merges) else ["merges"]
    fields += [] if sorted(spec.added) == sorted(found.added) else ["added"]
    return fields + ([] if _same_pieces(spec, found) else ["pieces"])


def _same_pieces(spec: Spec, found: Spec) -> bool:
    one, other = spec.pieces, found.pieces
    kinds = _kinds(spec)
    if len(one) != len(other) or not np.array_equal(kinds, _kinds(found)):
        return False
    found_in_text = np.isin(kinds, [Kind.NORMAL, Kind.UNKNOWN, Kind.BYTE])
    is_scored = not len(spec.merges) and spec.segmenter in _SCORED
    scores = other.scores.astype(one.scores.dtype)  # some floats are no number that a reader of JSON can give exactly
    if is_scored and not np.array_equal(one.scores[found_in_text], scores[found_in_text]):
        return False
    if one.blob == other.blob and np.array_equal(one.offsets, other.offsets):
        return True
    return all(one.bytes(id) == other.bytes(id) for id in np.flatnonzero(kinds != Kind.UNUSED).tolist())


def _kinds(spec: Spec) -> NDArray[np.uint8]:
    kinds = spec.pieces.kinds.copy()
    is_looked_up = spec.segmenter in ("unigram", "wordpiece", "word-level") or spec.whole_chunks
    is_left = AddedFlag.SPECIAL | (AddedFlag.SINGLE_WORD if is_looked_up else AddedFlag(0))
    if not (is_looked_up and (spec.normalizer or spec.charsmap)):
        kinds[[id for _, id, flags in spec.added if not flags & is_left]] = Kind.USER_DEFINED
    return kinds


def refuse_unequal(spec: Spec, read: Callable[[], tuple[Spec, Any]], format: str, what: str) -> None:
    """Raise ``format-unwritable`` where the file that was made of ``spec`` cannot be read, or is read as another one."""
    try:
        found, _ = read()
    except AnyPieceError as error:
        raise_unwritable(format, f"{what} of this Spec could not be read again ({error})")
    fields = differing(spec, found)
    if fields:
        raise_unwritable(format, f"{what} has no place for this value of {', '.join(fields)}", fields=fields)


def raise_unwritable(format: str, what: str, **facts: Any) -> NoReturn:
    """Raise ``format-unwritable`` with the remedy that always holds."""
    raise FormatError("format-unwritable", f"{what}; write .anypiece instead", format=format, **facts)
