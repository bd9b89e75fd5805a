"""Finished shards as the input of other shards: another format, length or size, or several folders in one.

The plan reads documents of ids instead of texts, so that the corpus is not needed. All that plans promise holds: tasks can
be killed, repeated and shared, and the result verified as long as the shards that it was made of are there. What stands
around documents is taken off and put around them anew, as the new format wants it.
"""

from __future__ import annotations

import os
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import FormatError, InputError
from ...io.paths import checked_path, file_error
from ...results import Batch
from .inputs import Atom, File
from .manifest import MANIFEST
from .mixture import named_sources
from .options import Options, resolved
from .plan import planned
from .reader import Shards
from .staging import gathered, in_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from .plan import Plan

__all__ = ["Stretch", "merge_shards", "repack_shards", "stretches"]

_OF_TEXTS = (
    "field", "input_format", "whole", "add_special", "specials", "on_bad_utf8", "on_bad_line", "on_bad_file",
    "max_document", "long_documents", "validation", "sample", "sample_method", "sample_nbest", "columns",
)  # fmt: skip
"""Options that say what becomes of texts."""
_OF_SHAPE = ("shard_size", "seed")
"""Options that folders may differ in and be merged."""


class Stretch(NamedTuple):
    """Some documents of finished shards."""

    batch: Batch
    places: NDArray[np.int64]
    is_held_out: bool


def repack_shards(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, Any],
    out: str | os.PathLike[str],
    **options: Any,
) -> Plan:
    """Plan shards that are made of finished ones, by the same tokenizer, in the folder ``out``; then ``run_shards(out)``.

    ``sources`` are folders, which may have names as those of ``plan_shards`` have. ``options`` are the fields of ``Options``
    that say nothing of texts; by default the format is that of the first folder. Documents that were held out stay so.

    >>> from pathlib import Path
    >>> from anypiece.corpus.shards import plan_shards, run_shards
    >>> _ = Path("lines.txt").write_text("Hello world\\nHi\\n")
    >>> _ = plan_shards("lines.txt", None, "ids", format="megatron")
    >>> _ = run_shards("ids")
    >>> _ = repack_shards("ids", "other", format="llmc")
    >>> manifest = run_shards("other")
    >>> Shards("ids")[0].tolist()[-1] == Shards("other")[0].tolist()[0] == Shards("ids").tokenizer.eos_id
    True
    """
    named = [(name, _opened(folder)) for name, folders in named_sources(sources) for folder in folders]
    first = _checked([shards for _, shards in named])
    for name in _OF_TEXTS:
        if name in options and options[name] != getattr(Options("numpy"), name):
            message = f"{name}= is about texts, and these are shards. Plan the corpus anew, or leave it out."
            raise InputError("argument-value", message, argument=name)
    given = {"format": first.plan.options.format, **options, "input_format": "shards"}
    given["validation"] = first.plan.options.validation
    if given["format"] == first.plan.options.format:
        for name in ("end_of_text", "end_of_text_token"):
            given.setdefault(name, getattr(first.plan.options, name))
    given["add_special"] = first.plan.options.add_special
    return planned(
        [(_described(shards), name) for name, shards in named],
        first.tokenizer,
        checked_path(out),
        resolved({name: value for name, value in given.items() if value is not None}, first.tokenizer),
        lambda number, file, target: _atoms(number, named[number][1], target),
    )


def merge_shards(folders: Iterable[str | os.PathLike[str]], out: str | os.PathLike[str]) -> Plan:
    """Plan the shards of several finished folders in one, shard by shard; then ``run_shards(out)``.

    The folders must have the same tokenizer and options.
    """
    opened = [_opened(folder) for folder in folders]
    first = _checked(opened)
    for shards in opened[1:]:
        either = {shards.plan.options.input_format, first.plan.options.input_format}
        free = {*_OF_SHAPE, *(set(_OF_TEXTS) - {"validation"} if "shards" in either else ())}
        for name, value in first.plan.options.to_json().items():
            other = shards.plan.options.to_json()[name]
            if name not in free and other != value:
                message = (
                    f"{shards.folder} and {first.folder} cannot be merged: {name} is {other!r} and {value!r}. "
                    f"Bring both to one form first: anypiece shards repack"
                )
                raise InputError("shards-differ", message, path=str(shards.folder), differences=[name])
    options = first.plan.options
    kept = ("format", "validation", "add_special", "end_of_text", "end_of_text_token", "min_tokens")
    given = {name: value for name in kept if (value := getattr(options, name)) is not None}
    return planned(
        [(_described(shards), "") for shards in opened],
        first.tokenizer,
        checked_path(out),
        resolved({**given, "input_format": "shards"}, first.tokenizer),
        lambda number, file, target: _atoms(number, opened[number], None),
        whole=True,
    )


def _opened(folder: str | os.PathLike[str]) -> Shards:
    return Shards(checked_path(folder))


def _checked(opened: list[Shards]) -> Shards:
    """The first of folders that can be put together."""
    if not opened:
        raise InputError("argument-value", "There are no folders of shards in what was named.", argument="sources")
    first = opened[0]
    for shards in opened:
        plan = shards.plan
        if plan.fingerprint != first.plan.fingerprint:
            message = f"{shards.folder} has another tokenizer than {first.folder}. Encode one of them again."
            raise InputError("shards-differ", message, path=str(shards.folder), differences=["tokenizer"])
        if (plan.before, plan.after, plan.parts) != (first.plan.before, first.plan.after, first.plan.parts):
            message = (
                f"{shards.folder} and {first.folder} put different tokens around documents, or hold out documents in one "
                "alone. Repack one of them first, as the other is."
            )
            raise InputError("shards-differ", message, path=str(shards.folder), differences=["end_of_text"])
        if plan.options.pack:
            message = f"{shards.folder} has sequences of several documents. Repack the shards that they were made of."
            raise InputError("shards-differ", message, path=str(shards.folder), differences=["pack"])
        if plan.options.columns:
            message = f"{shards.folder} has columns beside the ids, which would be lost. Plan the corpus anew."
            raise InputError("shards-differ", message, path=str(shards.folder), differences=["columns"])
    return first


def _described(shards: Shards) -> File:
    """The manifest stands for all of a folder: whoever changes a shard changes its hash there."""
    path = Path(os.path.abspath(shards.folder)) / MANIFEST
    try:
        status = path.stat()
    except OSError as error:
        raise file_error("file-unreadable", path, error) from None
    return File(str(path), status.st_size, status.st_mtime_ns, "shards", "")


def _parts(shards: Shards) -> list[Shards]:
    """The parts of a folder, whose documents are numbered one after the other."""
    return [shards if part == shards.part else Shards(shards.folder, part) for part in shards.plan.parts]  # type: ignore[arg-type]


def _atoms(number: int, shards: Shards, target: int | None) -> list[Atom]:
    """Documents of about ``target`` bytes of ids, or those of a shard."""
    found, start = [], 0
    for part in _parts(shards):
        for record in part.records:
            size = record.tokens * np.dtype(record.dtype).itemsize
            pieces = 1 if target is None else min(max(1, -(-size // target)), record.documents)
            for low, high in pairwise(record.documents * piece // pieces for piece in range(pieces + 1)):
                found.append(Atom(number, start + low, start + high, max(1, size * (high - low) // record.documents)))
            start += record.documents
    return found


def stretches(plan: Plan, number: int, start: int, end: int) -> Iterator[Stretch]:
    """The documents of a slice, without what stands around them."""
    first = Shards(Path(plan.files[number].path).parents[1])
    before, after = first.plan.before, first.plan.after
    offset = 0
    for part in _parts(first):
        ends = [offset, *(offset + amount for amount in accumulate(record.documents for record in part.records))]
        for shard, (low, high) in enumerate(pairwise(ends)):
            if low < end and start < high:
                wanted = slice(max(start, low) - low, min(end, high) - low)
                for some, batch in _bare(part, shard, wanted, before, after):
                    places = np.arange(low + some.start, low + some.stop, dtype=np.int64)
                    yield Stretch(batch, places, part.part == "val")
        offset = ends[-1]


def _bare(
    shards: Shards, number: int, wanted: slice, before: tuple[int, ...], after: tuple[int, ...]
) -> Iterator[tuple[slice, Batch]]:
    """Documents of a shard, some at a time, without the ids around them, which must be there."""
    ids, ends = shards.shard(number)
    bounds = np.asarray(ends).astype(np.int64)
    starts = np.concatenate([[0], bounds[:-1]])
    lengths = bounds - starts
    around = len(before) + len(after)
    for block in in_blocks(lengths[wanted]):
        some = slice(wanted.start + block.start, wanted.start + block.stop)
        at = [(starts[some] + place, id) for place, id in enumerate(before)]
        at += [(bounds[some] - place, id) for place, id in enumerate(reversed(after), 1)]
        if (lengths[some] < around).any() or any((ids[places] != id).any() for places, id in at):
            record = shards.records[number]
            message = f"Shard {record.shard} of {shards.folder} has a document without the tokens around it. Verify it."
            raise FormatError("shards-damaged", message, path=str(shards.folder), shard=record.shard)
        bare = lengths[some] - around
        flat = gathered(ids, starts[some] + len(before), bare).astype(np.uint32)
        yield some, Batch(flat, np.concatenate([[0], np.cumsum(bare)]))
