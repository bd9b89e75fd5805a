"""The fields of two Specs that differ, by name, with what each says. Columns are told in words: a vocabulary is too long."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..spec import Added, Pieces, Spec

__all__ = ["COLUMNS", "Field", "differing_fields"]

COLUMNS = ("pieces", "merges", "added", "charsmap", "denormalizer")
"""Fields that are told in words."""
_NAMED = 3


@dataclass(frozen=True)
class Field:
    """A field of the Spec that two tokenizers have differently. What is no setting is told in words."""

    name: str
    first: Any
    second: Any

    def to_json(self) -> dict[str, Any]:
        """The field as JSON-ready values."""
        return {"field": self.name, "first": self.first, "second": self.second}


def differing_fields(first: Spec, second: Spec) -> tuple[Field, ...]:
    """Every field that can change a result and is not equal.

    >>> import anypiece
    >>> spec = anypiece.load().spec
    >>> differing_fields(spec, spec.replace(add_dummy_prefix=False))
    (Field(name='add_dummy_prefix', first=True, second=False),)
    """
    found = []
    if told := _told_pieces(first.pieces, second.pieces):
        found.append(Field("pieces", *told))
    others = second.config()
    for name in first.__dataclass_fields__:
        if name == "merges" and not np.array_equal(first.merges, second.merges):
            found.append(Field(name, *_told_merges(first, second)))
        elif name == "added" and (told := _told_added(first.added, second.added)):
            found.append(Field(name, *told))
        elif name in ("charsmap", "denormalizer"):
            one, other = getattr(first, name), getattr(second, name)
            if one != other:
                found.append(Field(name, _told_bytes(one), _told_bytes(other)))
        elif name in others and getattr(first, name) != others[name]:
            found.append(Field(name, getattr(first, name), others[name]))
    return tuple(found)


def _told_pieces(one: Pieces, other: Pieces) -> tuple[str, str] | None:
    common = min(len(one), len(other))
    spelled = [i for i in range(common) if one.bytes(i) != other.bytes(i)] if _unlike_names(one, other) else []
    scored = int(np.count_nonzero(one.scores[:common] != other.scores[:common]))
    kinds = int(np.count_nonzero(one.kinds[:common] != other.kinds[:common]))
    if len(one) == len(other) and not (spelled or scored or kinds):
        return None
    parts = [f"{len(other)} pieces"]
    if spelled:
        parts.append(f"{len(spelled)} spelled otherwise, the first of them id {spelled[0]}")
    parts += [f"{scored} with another score"] if scored else []
    parts += [f"{kinds} of another kind"] if kinds else []
    return f"{len(one)} pieces", ", ".join(parts)


def _unlike_names(one: Pieces, other: Pieces) -> bool:
    return one.blob != other.blob or not np.array_equal(one.offsets, other.offsets)


def _told_merges(first: Spec, second: Spec) -> tuple[str, str]:
    common = min(len(first.merges), len(second.merges))
    unlike = np.flatnonzero((first.merges[:common] != second.merges[:common]).any(axis=1))
    more = f", {len(unlike)} others in their places, the first of them number {unlike[0]}" if len(unlike) else ""
    return f"{len(first.merges)} merges", f"{len(second.merges)} merges{more}"


def _told_added(one: Added, other: Added) -> tuple[str, str] | None:
    rows, others = ({(text, id, int(flags)) for text, id, flags in added} for added in (one, other))
    if rows == others and len(one) == len(other):
        return None
    return _told_tokens(one, rows - others), _told_tokens(other, others - rows)


def _told_tokens(added: Added, own: set[tuple[str, int, int]]) -> str:
    """How many tokens there are, and the first that the other does not have with that id and those flags."""
    if not own:
        return f"{len(added)} tokens"
    rows = [f"{text!r} (id {id}, flags {int(flags)})" for text, id, flags in added if (text, id, int(flags)) in own]
    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    return f"{len(added)} tokens, among them {', '.join(rows[:_NAMED])}{more}"


def _told_bytes(blob: bytes) -> str:
    return f"{len(blob)} bytes, sha256 {hashlib.sha256(blob).hexdigest()[:12]}" if blob else "none"
