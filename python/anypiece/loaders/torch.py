"""Batches for the ``DataLoader`` of torch, with other draws of the segmentation in each epoch.

A draw is a function of the seed, the text, its number in the data set and the epoch. ``Numbered`` puts both numbers beside
each example where it is taken out of the data set, and ``Collate`` draws by them: so neither the number of workers, nor
the size or order of batches, nor the number of processes of a distributed run changes a draw. The epoch is in shared
memory, where workers that live on (``persistent_workers=True``) find the one that ``set_epoch`` wrote. torch is imported
when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .._core.checks import checked_count
from ..errors import InputError, InputTypeError, extra_missing
from ..text.encoding import frame_ids
from ..text.sampling import Sampler
from ..tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..results import Encoded

__all__ = ["Collate", "Example", "Numbered"]


class Example(NamedTuple):
    """An example with its number in the data set and the epoch in which it was taken."""

    value: Any
    number: int
    epoch: int


class Numbered:
    """A data set, any object with a length and items, whose examples know their number and the epoch.

    Call ``set_epoch`` before each pass over the loader. Batches that a loader has fetched ahead keep the epoch in which they
    were fetched. A data set without numbers (an ``IterableDataset``) is refused.
    """

    def __init__(self, dataset: Any) -> None:
        if isinstance(dataset, Mapping) or not (hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")):
            kind = type(dataset).__name__
            message = f"Numbered takes a data set with a length and items by number, such as a list, not {kind}."
            raise InputTypeError("input-type", message, type=kind)
        torch = _torch()
        self.dataset = dataset
        self._epoch = torch.zeros(1, dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch: int) -> None:
        """The epoch of all examples that are taken from now on, in workers too."""
        self._epoch[0] = checked_count(epoch, "epoch")

    @property
    def epoch(self) -> int:
        """The epoch."""
        return int(self._epoch[0])

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Example:
        place = range(len(self))[index]
        return Example(self.dataset[place], place, self.epoch)

    def __getitems__(self, indices: Sequence[int]) -> list[Example]:
        epoch, known = self.epoch, range(len(self))
        places = [known[index] for index in indices]
        if hasattr(self.dataset, "__getitems__"):
            values = self.dataset.__getitems__(places)
        else:
            values = [self.dataset[place] for place in places]
        return [Example(value, place, epoch) for value, place in zip(values, places, strict=True)]


@dataclass(frozen=True)
class Collate:
    """The ``collate_fn`` of a loader: texts become rows of one length as ``Tokenizer.pad`` fills them up.

    ``by`` is a ``Sampler``, for draws, or a ``Tokenizer``. An example is a text, or a mapping that has it in ``column``;
    what else is in the mapping stays. A row that is longer than ``max_length`` loses the ids at the end of its text, and
    keeps what ``add_special`` puts around it. With ``labels`` the ids are also the labels, filled up with -100.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> collate = Collate(tok, pad_id=0, return_tensors="np")
    >>> collate([{"text": "Hello world", "label": 1}, {"text": "Hello", "label": 0}]).attention_mask.tolist()
    [[1, 1, 1], [1, 1, 0]]
    >>> drawn = Collate(tok.sampler(0.1, seed=7), pad_id=0, return_tensors="np")([Example("Hello world", 5, 2)])
    >>> drawn.input_ids[0].tolist() == tok.sample("Hello world", 0.1, seed=7, index=5, epoch=2)
    True
    """

    by: Sampler | Tokenizer
    column: str = "text"
    max_length: int | None = None
    pad_id: int | None = None
    pad_to_multiple_of: int | None = None
    labels: bool = False
    add_special: Literal["bos", "eos"] | bool = False
    """For a ``Tokenizer``; a ``Sampler`` has its own."""
    return_tensors: Literal["np", "pt"] = "pt"

    def __post_init__(self) -> None:
        """Refuse what no batch could be made with."""
        if not isinstance(self.by, (Sampler, Tokenizer)):
            kind = type(self.by).__name__
            raise InputTypeError("input-type", f"by must be a Sampler or a Tokenizer, not {kind}.", type=kind)
        if isinstance(self.by, Sampler) and self.add_special is not False:
            message = "A Sampler has its own add_special: tok.sampler(..., add_special=True)."
            raise InputError("argument-value", message, argument="add_special")
        around = sum(map(len, self._around))
        if self.max_length is not None and checked_count(self.max_length, "max_length", 1) < around:
            message = f"max_length={self.max_length} is less than the {around} ids that add_special puts around a text."
            raise InputError("argument-value", message, argument="max_length", value=self.max_length)

    @property
    def _tokenizer(self) -> Tokenizer:
        return self.by.tokenizer if isinstance(self.by, Sampler) else self.by

    @property
    def _around(self) -> tuple[list[int], list[int]]:
        by = self.by
        return frame_ids(self._tokenizer, by.add_special if isinstance(by, Sampler) else self.add_special)

    def __call__(self, examples: Sequence[Any]) -> Encoded:
        """The rows of a batch."""
        rows = list(map(self._row, examples))
        return self._tokenizer.pad(
            rows, pad_id=self.pad_id, pad_to_multiple_of=self.pad_to_multiple_of, return_tensors=self.return_tensors
        )

    def _row(self, example: Any) -> dict[str, Any]:
        value = example.value if isinstance(example, Example) else example
        text = value[self.column] if isinstance(value, Mapping) else value
        more = {name: one for name, one in value.items() if name != self.column} if isinstance(value, Mapping) else {}
        ids = self._cut(self._ids(text, example))
        return {"input_ids": ids, **more, **({"labels": ids} if self.labels else {})}

    def _ids(self, text: str | bytes, example: Any) -> list[int]:
        if isinstance(self.by, Tokenizer):
            return self.by.encode(text, add_special=self.add_special)
        if not isinstance(example, Example):
            message = "Draws need the number of each example: DataLoader(Numbered(dataset), collate_fn=...)."
            raise InputTypeError("input-type", message, type=type(example).__name__)
        return self.by(text, index=example.number, epoch=example.epoch)

    def _cut(self, ids: list[int]) -> list[int]:
        if self.max_length is None or len(ids) <= self.max_length:
            return ids
        behind = len(self._around[1])
        return ids[: self.max_length - behind] + (ids[-behind:] if behind else [])


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError:
        raise extra_missing("A data set for torch", "torch") from None
