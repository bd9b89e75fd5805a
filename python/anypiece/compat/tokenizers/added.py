"""The added tokens of a tokenizer: their ids, and how new ones get theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .models import Model
    from .values import AddedToken

__all__ = ["AddedVocabulary"]


class AddedVocabulary:
    """Added tokens by id and by text."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.tokens: dict[int, AddedToken] = {}
        self.version = 0

    def add(self, tokens: Iterable[AddedToken], model: Model) -> int:
        """Add tokens; how many were new or have changed. One that the model knows keeps its id, others come behind all."""
        size = model._size
        highest = max(self.tokens, default=None)
        free = size if highest is None or (highest < size and size) else highest + 1
        found = 0
        self.version += 1
        for token in tokens:
            known = self.ids.get(token.content)
            if not token.content or (known is not None and self.tokens.get(known) == token):
                continue
            found += 1
            if known is None:
                known = model.token_to_id(token.content)
            if known is None:
                known, free = free, free + 1
            self.ids[token.content] = known
            self.tokens[known] = token
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The tokens as a file lists them."""
        return [{"id": id, **token._json()} for id, token in sorted(self.tokens.items())]
