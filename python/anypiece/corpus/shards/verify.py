"""Whether shards are what the manifest says: every size and hash, the structure, and on request the ids, made again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import FormatError
from ...io.paths import checked_path, file_error
from .arrangement import ARRANGEMENT
from .formats.output import hashed
from .manifest import MANIFEST, RECORDS, indexes, record_path, records_of
from .phases import phases
from .plan import PLAN, TOKENIZER, copied
from .reader import Shards, stored
from .task import run_task

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from .manifest import Manifest, Record
    from .plan import Plan

__all__ = ["verify_shards"]


def verify_shards(
    folder: str | os.PathLike[str],
    *,
    deep: bool = False,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> Manifest:
    """Check all shards of a folder; the manifest if each is what it says, a ``shards-damaged`` error otherwise.

    Sizes, hashes, the structure of each format, the range of ids, and that nothing else lies in the folder. With ``deep``
    the corpus is encoded again, which needs its files, and must give the same bytes.
    """
    path = checked_path(folder)
    shards = Shards(path)
    plan, manifest = shards.plan, shards.manifest
    damaged = []
    done = 0
    each = len(plan.parts)
    again = _all_again(plan, threads) if deep and plan.options.is_arranged else None
    for number in range(plan.amount):
        records = manifest.shards[number * each : (number + 1) * each]
        faults = [(record.shard, fault) for record in records for fault in _faults(path, plan, record)]
        if not faults and records_of(record_path(path, plan, number)) != records:
            faults = [(records[0].shard, "its record says something else")]
        if not faults and deep and (again[number] if again is not None else _again(plan, number, threads)) != records:
            faults = [(records[0].shard, "encoding the corpus again gives something else")]
        damaged += [f"shard {shard}: {fault}" for shard, fault in faults]
        done += sum(file["bytes"] for record in records for file in record.files)
        progress("shards", done, manifest.bytes)
    for name, content in indexes(plan, manifest.shards).items():
        if not (path / name).is_file() or (path / name).read_bytes() != content:
            damaged.append(f"{name} is not the index of these shards")
    damaged += [f"{name} is no file of theirs" for name in _others(path, plan, manifest)]
    if damaged:
        message = (
            f"{path} is not what its manifest says: {'; '.join(damaged[:5])}"
            f"{f'; and {len(damaged) - 5} more' if len(damaged) > 5 else ''}. Remove what is damaged, and write it again: "
            f"anypiece shards run {path}"
        )
        raise FormatError("shards-damaged", message, path=str(path), damaged=damaged)
    return manifest


def _again(plan: Plan, number: int, threads: int | None) -> list[Record]:
    with tempfile.TemporaryDirectory(prefix="anypiece-") as other:
        return run_task(plan, number, folder=Path(other), threads=threads)


def _all_again(plan: Plan, threads: int | None) -> list[list[Record] | None]:
    """The records of all shards, made again in another folder."""
    with tempfile.TemporaryDirectory(prefix="anypiece-") as other:
        copy = copied(plan, Path(other))
        tokenizer = copy.tokenizer()
        last = copy
        for phase in phases(copy):
            for number in range(phase.amount):
                phase.run(number, tokenizer, threads=threads)
            last = phase.plan
        if last.arrangement != plan.arrangement:
            return [None] * plan.amount
        return [records_of(record_path(last.folder, last, number)) for number in range(plan.amount)]


def _faults(path: Path, plan: Plan, record: Record) -> list[str]:
    for file in record.files:
        try:
            size = (path / file["name"]).stat().st_size
            if size != file["bytes"]:
                return [f"{file['name']} has {size} bytes, not {file['bytes']}"]
            if hashed(path / file["name"]) != file["sha256"]:
                return [f"{file['name']} has another hash"]
        except FileNotFoundError:
            return [f"{file['name']} is missing"]
        except OSError as error:
            raise file_error("file-unreadable", path / file["name"], error) from None
    if record.documents:
        try:
            ids = stored(path, plan.options.format, record).ids
        except FormatError as error:
            return [str(error)]
        if len(ids) and (int(ids.min()) < 0 or int(ids.max()) != record.largest_id):
            return [f"its ids are from {int(ids.min())} to {int(ids.max())}"]
    return []


def _others(path: Path, plan: Plan, manifest: Manifest) -> list[str]:
    """Files in the folder that belong to nothing."""
    known = {PLAN, TOKENIZER, ARRANGEMENT, MANIFEST, *indexes(plan, manifest.shards)}
    known |= {f"{RECORDS}/{plan.stem(number)}.json" for number in range(plan.amount)}
    known |= {file["name"] for record in manifest.shards for file in record.files}
    found = (item.relative_to(path).as_posix() for item in path.rglob("*") if not item.is_dir())
    return sorted(name for name in found if name not in known)
