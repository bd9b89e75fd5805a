"""datatrove's ``.ds``: raw ids, ``.ds.index`` with the ends of documents in tokens as uint64, ``.ds.metadata`` as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .raw import Ends, Stored, mapped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from .output import Outputs

__all__ = ["Writer", "read"]


class Writer:
    """Writes the three files."""

    def __init__(self, outputs: Outputs, dtype: np.dtype[Any]) -> None:
        self.ids, self.index, self.about = (outputs.new(f".ds{part}") for part in ("", ".index", ".metadata"))
        self.name = f"{outputs.about['tokenizer']}|{dtype.itemsize}"
        self.ends = Ends()

    def add(self, ids: NDArray[Any], lengths: NDArray[np.int64], *columns: Sequence[str | None]) -> None:
        """Take more documents."""
        self.ids.write(ids)
        self.ends.add(lengths)

    def finish(self) -> None:
        """Write the ends and the metadata: the tokenizer and the size of an id, the number of ids, the same for people."""
        self.index.write(self.ends.array())
        self.about.write(f"{self.name}\n{self.ends.total}\n{_metric(self.ends.total)}".encode())


def _metric(amount: int) -> str:
    """A number of tokens in three digits, as datatrove has it.

    >>> _metric(999), _metric(12345), _metric(1_234_567_890)
    ('999 T', '12.3 kT', '1.23 GT')
    """
    size, unit = float(amount), ""
    for unit in ("", "k", "M", "G", "T", "P"):  # noqa: B007 - the last one is used
        if size < 1000:
            break
        size /= 1000
    return f"{size:.3g} {unit}T"


def read(folder: Path, stem: str, dtype: np.dtype[Any]) -> Stored:
    """A shard, mapped."""
    return Stored(mapped(folder / f"{stem}.ds", dtype), mapped(folder / f"{stem}.ds.index", "<u8"))
