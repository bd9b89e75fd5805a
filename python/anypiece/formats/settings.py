"""What every file of a format means, and the refusal of a Spec that means something else.

A field of a Spec is in one of three places: the file says it, every file of the format means one value of it, or there is no
place for it. A field that is new in ``Spec`` is in the third until a format is told of it, so nothing is dropped in silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import FormatError, InputError
from ..spec import AddedFlag, Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..spec import Spec

__all__ = [
    "RANKS",
    "ROLES",
    "lost_fields",
    "raise_unwritable",
    "refuse_odd_roles",
    "refuse_other_settings",
    "refuse_other_tokens",
    "role_names",
]

ROLES = ("bos", "eos", "pad")
"""The parts that tokens play, as ``roles=`` names them; the field of a Spec has ``_id`` behind it."""

RANKS: dict[str, Any] = {
    "segmenter": "bpe",
    "symbols": "bytes",
    "whole_chunks": True,
    "byte_fallback": False,
    "charsmap": b"",
    "denormalizer": b"",
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
    "escape_whitespaces": False,
    "whitespace_as_suffix": False,
    "unk_surface": "",
}
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


def raise_unwritable(format: str, what: str, **facts: Any) -> NoReturn:
    """Raise ``format-unwritable`` with the remedy that always holds."""
    raise FormatError("format-unwritable", f"{what}; write .anypiece instead", format=format, **facts)
