"""Records of shards that are done, and the manifest of all of them.

A record is written once its shard is on the disk; that it is there, and its files have their sizes, means that the task is
done. The manifest is written last. Both depend on the plan and the corpus alone, not on who did what when.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import FormatError
from ...io.paths import file_error
from .formats.output import CONTROL, TEMPORARY
from .plan import placed, versions

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["Manifest", "Record", "is_done", "read_manifest", "record_of", "write_manifest", "write_record"]

RECORDS, MANIFEST = f"{CONTROL}/records", f"{CONTROL}/manifest.json"


class Record(NamedTuple):
    """What one task did."""

    shard: str
    files: list[dict[str, Any]]
    """Name, bytes and SHA-256 of each file; none where there was no document."""
    documents: int
    tokens: int
    dtype: str
    largest_id: int
    """The largest id in the shard; -1 where there is none."""
    first: dict[str, Any] | None
    """The file and the place of the first document."""
    last: dict[str, Any] | None
    left_out: dict[str, int]
    """How many documents are not in it, by reason."""
    repaired: int
    with_specials: int
    rejects: list[dict[str, Any]]


class Manifest(NamedTuple):
    """All shards of a folder, and their sums."""

    format: str
    dtype: str
    fingerprint: str
    plan: str
    """The hash of the plan."""
    documents: int
    tokens: int
    bytes: int
    largest_id: int
    left_out: dict[str, int]
    repaired: int
    with_specials: int
    versions: dict[str, str]
    shards: list[Record]


def record_path(folder: Path, plan: Plan, number: int) -> Path:
    """Where the record of a task is."""
    return folder / RECORDS / f"{plan.stem(number)}.json"


def write_record(folder: Path, plan: Plan, number: int, record: Record) -> None:
    """Put a record in its place."""
    path = record_path(folder, plan, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    placed(path, _spelled(record._asdict()))


def _spelled(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode() + b"\n"


def record_of(plan: Plan, number: int) -> Record | None:
    """The record of a task, if there is one that can be read."""
    try:
        value = json.loads(record_path(plan.folder, plan, number).read_bytes())
        return Record(**value)
    except (OSError, ValueError, TypeError):
        return None


def is_done(plan: Plan, number: int) -> bool:
    """Whether a task is done: its record is there, and its files have their sizes."""
    record = record_of(plan, number)
    return record is not None and not any(_is_missing(plan.folder, file) for file in record.files)


def _is_missing(folder: Path, file: dict[str, Any]) -> bool:
    try:
        size: int = (folder / file["name"]).stat().st_size
    except OSError:
        return True
    return size != int(file["bytes"])


def write_manifest(plan: Plan) -> Manifest | None:
    """Put the manifest in its place, if all tasks are done."""
    records = [record_of(plan, number) for number in range(len(plan.tasks))]
    shards = [record for record in records if record is not None]
    if len(shards) < len(records):
        return None
    left_out: dict[str, int] = {}
    for record in shards:
        for reason, amount in record.left_out.items():
            left_out[reason] = left_out.get(reason, 0) + amount
    manifest = Manifest(
        plan.options.format,
        shards[0].dtype if shards else "",
        plan.fingerprint,
        plan.digest,
        sum(record.documents for record in shards),
        sum(record.tokens for record in shards),
        sum(file["bytes"] for record in shards for file in record.files),
        max((record.largest_id for record in shards), default=-1),
        dict(sorted(left_out.items())),
        sum(record.repaired for record in shards),
        sum(record.with_specials for record in shards),
        {**versions(), **({"package": plan.package} if plan.package else {})},
        shards,
    )
    data = {**manifest._asdict(), "shards": [record._asdict() for record in shards]}
    if read_manifest(plan.folder, missing_is_none=True) != manifest:
        placed(plan.folder / MANIFEST, _spelled(data))
    clear(plan)
    return manifest


def clear(plan: Plan, numbers: list[int] | None = None) -> None:
    """Remove what was left half written; only of some tasks, where others may be at work."""
    folder = plan.folder / CONTROL / TEMPORARY
    stems = None if numbers is None else {plan.stem(number) for number in numbers}
    if folder.is_dir():
        for path in folder.iterdir():
            if stems is None or path.name.partition(".")[0] in stems:
                path.unlink(missing_ok=True)
        if stems is None:
            with suppress(OSError):
                folder.rmdir()
    for part in (plan.folder / CONTROL, plan.folder / RECORDS):
        if stems is None and part.is_dir():
            for path in [*part.glob(".*.json.*"), *part.glob(".*.anypiece.*")]:
                path.unlink(missing_ok=True)


def read_manifest(folder: Path, missing_is_none: bool = False) -> Manifest | None:
    """The manifest of a folder."""
    path = folder / MANIFEST
    try:
        value = json.loads(path.read_bytes())
        return Manifest(**{**value, "shards": [Record(**row) for row in value["shards"]]})
    except FileNotFoundError:
        if missing_is_none:
            return None
        message = f"{folder} has no manifest: its shards are not finished. Go on: anypiece shards run {folder}"
        raise FormatError("shards-unfinished", message, path=str(folder)) from None
    except OSError as error:
        raise file_error("file-unreadable", path, error) from None
    except (ValueError, KeyError, TypeError) as error:
        if missing_is_none:
            return None
        message = f"{path} is damaged: {error}. Write it again: anypiece shards run {folder}"
        raise FormatError("shards-unfinished", message, path=str(path)) from None
