"""Pieces by their text. Two tables, since a control piece may have the same text as a piece that text can match.

``matched`` holds the pieces that text is segmented into: normal, user-defined and unused, or more if the Spec says so.
``reserved`` holds the unknown piece, control pieces and byte pieces. Where both are asked, ``reserved`` answers first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..spec import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..spec import Spec

__all__ = ["Vocabulary", "segmented"]

_MATCHED = (Kind.NORMAL, Kind.USER_DEFINED, Kind.UNUSED)
_LOOKED_UP = ("bpe", "char", "word")
"""Segmenters that look symbols up by their text."""


def segmented(spec: Spec) -> Iterator[tuple[int, bytes, Kind]]:
    """Ids, names and kinds of the pieces that have to do with segmenting.

    A user-defined piece that is an added token has not: it is found before, or not at all (``Spec.added``).
    """
    added = set() if spec.match_kinds in ("all", "unused") else set(spec.added.ids.tolist())
    for index, (name, _, kind) in enumerate(spec.pieces):
        if kind != Kind.USER_DEFINED or index not in added:
            yield index, name, kind


class Vocabulary:
    """The two tables of a Spec."""

    def __init__(self, spec: Spec) -> None:
        every = spec.match_kinds == "all"
        self.unk_id = -1 if every else spec.unk_id
        self.kinds = [kind for _, _, kind in spec.pieces]
        self.matched: dict[bytes, int] = {}
        self.reserved: dict[bytes, int] = {}
        for index, name, kind in segmented(spec):
            is_spelled = spec.match_kinds == "spelled"
            if kind == Kind.CONTROL:
                continue  # its id is for those whom the caller permits it, whatever the text is
            table = self.matched if every or is_spelled or kind in _MATCHED else self.reserved
            table[name] = index
        self.hides = spec.reserved == "unknown" and spec.match_kinds == "text" and spec.segmenter in _LOOKED_UP

    def id_of(self, name: bytes) -> int:
        """The id of a piece, or that of the unknown piece; -1 where the unknown piece stands for itself."""
        return self.reserved.get(name, self.matched.get(name, self.unk_id))

    def symbol_id(self, name: bytes) -> int:
        """The id of what text was cut into, where the Spec may hide pieces that are no text."""
        if not self.hides:
            return self.id_of(name)
        found = self.matched.get(name, self.unk_id)
        return self.unk_id if self.kinds[found] == Kind.UNUSED else found
