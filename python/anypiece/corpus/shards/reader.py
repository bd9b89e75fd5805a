"""``Shards``: finished shards as one sequence of documents, mapped, each reached by its number."""

from __future__ import annotations

import bisect
import os
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from ...errors import AnyPieceError, FormatError, InputError
from ...io.paths import checked_path
from .formats import FORMATS
from .manifest import Manifest, read_manifest
from .plan import read_plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...tokenizer import Tokenizer
    from .formats.raw import Stored
    from .manifest import Record

__all__ = ["Shards", "stored"]


class Shards(Sequence["NDArray[Any]"]):
    """The documents of finished shards, in the order of the corpus: ``shards[i]`` is an array of ids.

    The ids are as they are stored, with what was put around each document. Flat formats are mapped, so that a document
    costs no more than its own pages; Parquet is read a shard at a time. ``len(shards)`` is the number of documents,
    ``shards.tokens`` that of tokens. Can be pickled, and shared by processes and threads.

    >>> from pathlib import Path
    >>> import anypiece as ap
    >>> from anypiece.corpus.shards import plan_shards, run_shards
    >>> _ = Path("lines.txt").write_text("Hello world\\nHi\\n")
    >>> _ = plan_shards("lines.txt", None, "out", format="megatron")
    >>> _ = run_shards("out")
    >>> shards = ap.Shards("out")
    >>> len(shards), shards.tokenizer.decode(shards[0], skip_special=True)
    (2, 'Hello world')

    Where documents are held out for validation, these are the others; ``Shards("out", "val")`` has those.
    """

    def __init__(self, folder: str | os.PathLike[str], part: Literal["train", "val"] | None = None) -> None:
        self.folder = checked_path(folder)
        self.plan = read_plan(self.folder)
        manifest = read_manifest(self.folder)
        if manifest is None or manifest.plan != self.plan.digest:
            message = (
                f"The manifest of {self.folder} is not that of its plan. Write it again: anypiece shards run {folder}"
            )
            raise FormatError("shards-unfinished", message, path=str(self.folder))
        self.manifest: Manifest = manifest
        self.part: str = self._checked_part(part)
        self._records = [record for record in manifest.shards if record.documents and record.part == self.part]
        self._ends = list(accumulate(record.documents for record in self._records))
        self._opened: dict[int, Stored] = {}
        self._tokenizer: Tokenizer | None = None

    def _checked_part(self, part: str | None) -> str:
        parts = self.plan.parts
        if part is None:
            return parts[0]
        if part not in parts:
            message = f"{self.folder} has no part {part!r}: plan one with validation=."
            raise InputError("argument-value", message, argument="part")
        return part

    @property
    def records(self) -> list[Record]:
        """What the manifest says of each shard that has documents."""
        return self._records

    @property
    def tokens(self) -> int:
        """How many tokens there are in all."""
        return sum(record.tokens for record in self._records)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the shards were made with."""
        if self._tokenizer is None:
            self._tokenizer = self.plan.tokenizer()
        return self._tokenizer

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, index: slice) -> list[NDArray[Any]]: ...

    def __getitem__(self, index: int | slice) -> NDArray[Any] | list[NDArray[Any]]:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        number = range(len(self))[index]
        shard = bisect.bisect_right(self._ends, number)
        ids, ends = self.shard(shard)
        row = number - (self._ends[shard - 1] if shard else 0)
        return ids[int(ends[row - 1]) if row else 0 : int(ends[row])]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        for number in range(len(self._records)):
            ids, ends = self.shard(number)
            start = 0
            for end in ends.tolist():
                yield ids[start:end]
                start = end

    def shard(self, number: int) -> Stored:
        """All ids of a shard that has documents, and where its documents end."""
        found = self._opened.get(number)
        if found is None:
            found = stored(self.folder, self.manifest.format, self._records[number])
            if not FORMATS[self.manifest.format].is_mapped:
                self._opened.clear()
            self._opened[number] = found
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.folder, self.part or None)

    def __repr__(self) -> str:
        return f"<Shards {self.folder}: {len(self)} documents, {self.tokens} tokens as {self.manifest.format}>"


def stored(folder: Path, format: str, record: Record) -> Stored:
    """The content of a shard, checked against its record."""
    damage = ""
    try:
        found = FORMATS[format].read(folder, record.shard, np.dtype(record.dtype))
        if len(found.ids) != record.tokens or len(found.ends) != record.documents:
            damage = f"{len(found.ends)} documents and {len(found.ids)} tokens"
        elif len(found.ends) and int(found.ends[-1]) != len(found.ids):
            damage = "documents that end elsewhere than its ids"
        else:
            return found
    except AnyPieceError:
        raise
    except (OSError, ValueError, KeyError, EOFError) as error:
        damage = str(error)
    except Exception as error:  # struct.error, and pyarrow's own
        damage = f"{type(error).__name__}: {error}"
    message = (
        f"Shard {record.shard} of {folder} is not what the manifest says: {damage}. Write it again: see shards verify."
    )
    raise FormatError("shards-damaged", message, path=str(folder), shard=record.shard)
