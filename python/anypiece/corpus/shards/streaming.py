"""Encodes a document that is too long to be held, by the streaming encoder, in parts.

Its ids go to a file first: how many there are decides whether the document is kept, and what the tokenizer refuses halfway
leaves nothing behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .long_documents import PART, Scratch, Spooled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from ...tokenizer import Tokenizer
    from .options import Options

__all__ = ["LongIds"]


class LongIds:
    """Ids in a file without a name, as they come; closed by a ``with`` statement."""

    def __init__(self, folder: Path) -> None:
        self.scratch = Scratch(folder)
        self.file = self.scratch.new()
        self.amount = 0

    def __enter__(self) -> LongIds:
        return self

    def __exit__(self, *_: object) -> None:
        self.scratch.close()

    def add(self, ids: list[int]) -> None:
        """Take more."""
        self.file.write(np.array(ids, "<u4").tobytes())
        self.amount += len(ids)

    def parts(self) -> Iterator[NDArray[np.uint32]]:
        """All of them in order."""
        self.file.flush()
        for part in Spooled(self.file, 0, 4 * self.amount).parts(4 * PART):
            yield np.frombuffer(part, "<u4").astype(np.uint32, copy=False)

    def encode(self, text: Spooled, tokenizer: Tokenizer, options: Options) -> None:
        """Take the ids of a text; those above the most tokens that a document may have are not made."""
        specials: Any = options.specials
        stream = tokenizer.stream_encoder(specials=specials)
        for part in text.parts():
            self.add(stream.push(part))
            if options.max_tokens is not None and self.amount > options.max_tokens:
                return
        self.add(stream.flush())
