"""Staged documents become shards: first it is decided which are taken and how often, then each shard is written.

Everything random is a function of a document's number, which its place in the plan and the seed give. The number says where
it lies among all shards; a further mix of it whether it is drawn; and a copy lies where the number leads that many golden
sections further. So a shard is a range of numbers, and its documents are one or two stretches of each staged file.
"""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import InputError
from ..sampling import mixed
from .arrangement import ARRANGEMENT, Arrangement, Taken
from .formats.output import placed
from .formats.raw import narrowest
from .manifest import Record, record_path, records_of, task_record, write_records
from .mixture import wanted_tokens
from .shard import Rows, Shard
from .staging import Stage, gathered, in_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from .mixture import Share
    from .plan import Plan

__all__ = ["arrange", "decide"]

_ALL = 2**64
_GOLDEN = 0x9E3779B97F4A7C15
_DRAW = np.uint64(0xD1B54A32D192ED03)
"""What a number is changed by before it says whether a document is drawn."""
_HELD = 32_000_000
"""About how many bytes of ids are shuffled at once."""
_BITS = 16
_REJECTS = 100


class _Sums(NamedTuple):
    documents: NDArray[np.int64]
    tokens: NDArray[np.int64]


class _Groups:
    """Documents by the groups that are drawn from: sources, or all of them together."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names = sorted(set(plan.sources))
        self.of_file = np.array([self.names.index(name) for name in plan.sources], np.int64)
        options = plan.options
        self.is_one = not (options.weights or options.epochs)

    def stages(self, part: str) -> Iterator[Stage]:
        """What all tasks staged for a part."""
        return (Stage.opened(self.plan, number, part) for number in range(len(self.plan.tasks)))

    def sums(self, part: str) -> _Sums:
        """The documents and tokens of each source that are no duplicates."""
        documents = np.zeros(len(self.names), np.int64)
        tokens = np.zeros(len(self.names), np.int64)
        for stage in self.stages(part):
            live = stage.live()
            sources = self.of_file[stage.files[live]]
            np.add.at(documents, sources, 1)
            np.add.at(tokens, sources, stage.lengths[live])
        return _Sums(documents, tokens)

    def below(self, sources: list[int], wanted: int) -> int:
        """The bound on the draws of documents of some sources below which they have at most ``wanted`` tokens in all."""
        shift = np.uint64(64 - _BITS)
        amounts = np.zeros(1 << _BITS, np.int64)
        for draws, lengths in self._draws(sources):
            np.add.at(amounts, (draws >> shift).astype(np.int64), lengths)
        sums = np.cumsum(amounts)
        place = int(np.searchsorted(sums, wanted, side="right"))
        if place == len(sums):
            return _ALL
        left = wanted - int(sums[place - 1] if place else 0)
        near = []
        for draws, lengths in self._draws(sources):
            some = (draws >> shift) == np.uint64(place)
            near.append((draws[some], lengths[some]))
        draws, lengths = (np.concatenate(column) for column in zip(*near, strict=True))
        order = np.argsort(draws, kind="stable")
        first = int(np.searchsorted(np.cumsum(lengths[order]), left, side="right"))
        return int(draws[order[first]])

    def counted(self, sources: list[int], below: int) -> tuple[int, int]:
        """The documents and tokens whose draws are below that."""
        documents = tokens = 0
        for draws, lengths in self._draws(sources):
            marks = _is_below(draws, below)
            documents += int(marks.sum())
            tokens += int(lengths[marks].sum())
        return documents, tokens

    def _draws(self, sources: list[int]) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
        for stage in self.stages(self.plan.parts[0]):
            some = stage.live() & np.isin(self.of_file[stage.files], sources)
            yield drawn(stage.numbers[some]), stage.lengths[some]


def drawn(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The numbers that say whether documents are drawn, which do not go with where they lie."""
    return mixed(numbers ^ _DRAW)


def _is_below(draws: NDArray[np.uint64], below: int) -> NDArray[np.bool_]:
    return np.ones(len(draws), bool) if below == _ALL else draws < np.uint64(below)


def decide(plan: Plan) -> Arrangement:
    """Find out what is written, and put it in its place."""
    groups = _Groups(plan)
    options = plan.options
    sums = groups.sums(plan.parts[0])
    everything = list(range(len(groups.names)))
    divided = [everything] if groups.is_one else [[row] for row in everything]
    have = {("" if groups.is_one else groups.names[rows[0]]): int(sums.tokens[rows].sum()) for rows in divided}
    shares = wanted_tokens(have, options.budget, options.weights, options.epochs)
    taken: dict[str, Taken] = {}
    for rows, share in zip(divided, shares.values(), strict=True):
        below = groups.below(rows, share.tokens) if share.tokens else 0
        for row in rows:
            taken[groups.names[row]] = _taken(groups, sums, row, share, below)
    told = _told(plan)
    written = sum(row.tokens for row in taken.values())
    if not written and told["tokens"]:
        message = "Not one document is left: the budget or a share is smaller than any. Raise it, in a new folder."
        raise InputError("argument-value", message, argument="budget")
    over = int(sums.documents.sum()) - sum(_different(groups, row, taken, sums) for row in everything)
    alive = sum(int(groups.sums(part).documents.sum()) for part in plan.parts)
    left_out = told["left_out"]
    left_out |= {"duplicate": told["documents"] - alive, "over_budget": over}
    held_out = sum(int(groups.sums(part).tokens.sum()) for part in plan.parts[1:])
    shards = max(1, round(len(plan.tasks) * (written + held_out) / max(told["tokens"], 1)))
    each = (written + held_out) * narrowest(plan.largest).itemsize // shards
    arrangement = Arrangement(
        shards,
        max(1, -(-each // _HELD)) if options.shuffle else 1,
        taken,
        {reason: amount for reason, amount in sorted(left_out.items()) if amount},
        told["repaired"],
        told["cut"],
        told["with_specials"],
        told["rejects"],
    )
    placed(plan.folder / ARRANGEMENT, json.dumps(arrangement.to_json(), indent=1).encode() + b"\n")
    return arrangement


def _taken(groups: _Groups, sums: _Sums, row: int, share: Share, below: int) -> Taken:
    documents, tokens = groups.counted([row], below) if below else (0, 0)
    every = int(sums.documents[row]), int(sums.tokens[row])
    return Taken(share.copies, below, share.copies * every[0] + documents, share.copies * every[1] + tokens)


def _different(groups: _Groups, row: int, taken: dict[str, Taken], sums: _Sums) -> int:
    """How many documents of a source are written, copies aside."""
    one = taken[groups.names[row]]
    return int(sums.documents[row]) if one.copies else one.documents


def _told(plan: Plan) -> dict[str, Any]:
    """What all encoding tasks counted."""
    found: dict[str, Any] = {
        "documents": 0, "tokens": 0, "repaired": 0, "cut": 0, "with_specials": 0, "left_out": {}, "rejects": [],
    }  # fmt: skip
    for number in range(len(plan.tasks)):
        for record in records_of(task_record(plan.folder, plan, number)) or []:
            for name in ("documents", "tokens", "repaired", "cut", "with_specials"):
                found[name] += getattr(record, name)
            for reason, amount in record.left_out.items():
                found["left_out"][reason] = found["left_out"].get(reason, 0) + amount
            found["rejects"] += record.rejects[: _REJECTS - len(found["rejects"])]
    return found


class _Some(NamedTuple):
    """Some documents, and what orders them."""

    ids: NDArray[Any]
    lengths: NDArray[np.int64]
    files: NDArray[np.uint32]
    places: NDArray[np.int64]
    columns: list[list[str | None]]
    keys: NDArray[np.uint64]


def arrange(plan: Plan, number: int, folder: Path) -> list[Record]:
    """Write one shard of each part, and the records."""
    token = secrets.token_hex(4)
    shards = [Shard(plan, number, part, folder, token) for part in plan.parts]
    try:
        for shard in shards:
            for some in _documents(plan, number, shard.part):
                _emit(plan, shard, some)
        records = [_record(shard) for shard in shards]
    finally:
        for shard in shards:
            shard.remove()
    write_records(record_path(folder, plan, number), records)
    return records


def _record(shard: Shard) -> Record:
    """The record of a shard; the arrangement has the figures of the input."""
    files = shard.finish()
    said = shard.documents, shard.tokens, shard.dtype.name, shard.largest, shard.first, shard.last
    return Record(shard.stem, shard.part, files, *said, {}, 0, 0, 0, [], shard.packed, shard.padding, shard.inputs())


def _emit(plan: Plan, shard: Shard, some: _Some) -> None:
    """Hand documents to a shard in the order of their keys."""
    order = np.argsort(some.keys, kind="stable")
    starts = np.cumsum(some.lengths) - some.lengths
    for block in in_blocks(some.lengths[order]):
        chosen = order[block]
        first, last = chosen[0], chosen[-1]
        columns = [[column[row] for row in chosen.tolist()] for column in some.columns]
        ids = gathered(some.ids, starts[chosen], some.lengths[chosen])
        file = plan.files[some.files[first]].path
        files = some.files[chosen].astype(np.int64)
        shard.add(Rows(ids, some.lengths[chosen], file, some.places[chosen], columns, files))
        shard.last = {"file": plan.files[some.files[last]].path, "at": int(some.places[last])}


def _documents(plan: Plan, number: int, part: str) -> Iterator[_Some]:
    """The documents of a shard, as many at a time as are put into order together."""
    arrangement = plan.arrangement
    if arrangement is None:
        return
    choice = _Choice(plan, arrangement, part)
    tasks, shards = len(plan.tasks), arrangement.shards
    if not plan.options.shuffle:
        for task in range(tasks * number // shards, tasks * (number + 1) // shards):
            stage = Stage.opened(plan, task, part)
            for some in in_blocks(stage.lengths):
                yield choice.of(stage, some, 0)
        return
    pieces = shards * arrangement.folds
    for piece in range(number * arrangement.folds, (number + 1) * arrangement.folds):
        found = []
        for task in range(tasks):
            stage = Stage.opened(plan, task, part)
            for copy in range(choice.most):
                for some in _stretches(stage.numbers, _ALL * piece // pieces, _ALL * (piece + 1) // pieces, copy):
                    found.append(choice.of(stage, some, copy))
        if found:
            yield _joined(found)


def _stretches(numbers: NDArray[np.uint64], low: int, high: int, copy: int) -> list[slice]:
    """The documents whose copies have numbers in a range."""
    if high - low == _ALL:
        return [slice(0, len(numbers))]
    low, high = (low - copy * _GOLDEN) % _ALL, (high - copy * _GOLDEN) % _ALL
    ends = [(low, high or _ALL)] if low < (high or _ALL) else [(0, high), (low, _ALL)]
    return [slice(_place(numbers, start), _place(numbers, end)) for start, end in ends]


def _place(numbers: NDArray[np.uint64], number: int) -> int:
    return len(numbers) if number == _ALL else int(np.searchsorted(numbers, np.uint64(number)))


class _Choice:
    """Which documents are taken."""

    def __init__(self, plan: Plan, arrangement: Arrangement, part: str) -> None:
        self.is_shuffled = plan.options.shuffle
        rows = [arrangement.taken[name] for name in plan.sources]
        is_held_out = part != plan.parts[0]
        self.copies = np.array([1 if is_held_out else row.copies for row in rows], np.int64)
        self.below = [0 if is_held_out else row.below for row in rows]
        self.most = 1 if is_held_out else max((row.copies + (row.below > 0) for row in rows), default=0)

    def of(self, stage: Stage, some: slice, copy: int) -> _Some:
        """Those of a stretch that have such a copy."""
        numbers, files = np.array(stage.numbers[some]), np.array(stage.files[some])
        times = self.copies[files]
        draws = drawn(numbers)
        for file in np.unique(files).tolist():
            if self.below[file]:
                times += (files == file) & _is_below(draws, self.below[file])
        marks = (times > copy) & stage.live()[some]
        if not marks.any():
            some = slice(some.start, some.start)
            marks, numbers, files = marks[:0], numbers[:0], files[:0]
        lengths = stage.lengths_of(some)
        ids, values = stage.ids(some), stage.values(some)
        if not marks.all():
            ids = ids[np.repeat(marks, lengths)]
            values = [[one for one, mark in zip(column, marks.tolist(), strict=True) if mark] for column in values]
        keys = np.zeros(int(marks.sum()), np.uint64)
        if self.is_shuffled:
            keys = mixed(numbers[marks] + np.uint64(copy * _GOLDEN % _ALL))
        return _Some(ids, lengths[marks], files[marks], np.array(stage.places[some])[marks], values, keys)


def _joined(some: list[_Some]) -> _Some:
    columns = [[value for part in some for value in part.columns[row]] for row in range(len(some[0].columns))]
    ids, lengths, files, places, keys = (np.concatenate([part[place] for part in some]) for place in (0, 1, 2, 3, 5))
    return _Some(ids, lengths, files, places, columns, keys)
