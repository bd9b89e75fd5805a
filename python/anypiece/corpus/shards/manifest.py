"""Records of shards that are done, and the manifest of all of them.

A record is written once its shard is on the disk; that it is there, and its files have their sizes, means that the task is
done. The manifest is written last. Both depend on the plan and the corpus alone, not on who did what when.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import FormatError
from ...io.paths import file_error
from .formats import FORMATS, Chunk
from .formats.output import CONTROL, TEMPORARY, placed
from .plan import versions
from .staging import STAGED, staged_stem

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["Manifest", "Record", "is_done", "read_manifest", "records_of", "write_manifest", "write_records"]

_REJECTS = 100
RECORDS, MANIFEST = f"{CONTROL}/records", f"{CONTROL}/manifest.json"


class Record(NamedTuple):
    """A shard. What a task counts of its input is said once, with the first of its shards."""

    shard: str
    part: str
    """``train`` or ``val`` where documents are held out for validation; empty otherwise."""
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
    cut: int
    """How many documents were cut because of their size; each piece is one of ``documents``."""
    with_specials: int
    rejects: list[dict[str, Any]]
    packed: int = 0
    """How many documents, or parts of such, are in the sequences of a fixed length; those are ``documents`` then."""
    padding: int = 0
    """How many of the tokens fill sequences up."""
    inputs: list[list[int]] = []  # noqa: RUF012 - never changed
    """The number in the plan of each file that documents came from, with how many, and their tokens."""


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
    parts: dict[str, dict[str, int]]
    """The documents and tokens of ``train`` and ``val``, where there are such."""
    left_out: dict[str, int]
    repaired: int
    cut: int
    with_specials: int
    rejects: list[dict[str, Any]]
    """The first documents that could not be used."""
    packed: int
    """How many documents are in the sequences, where they are packed."""
    padding: int
    sources: dict[str, dict[str, int]]
    """The documents and tokens of each source, where documents are arranged; those held out aside."""
    versions: dict[str, str]
    shards: list[Record]


def record_path(folder: Path, plan: Plan, number: int) -> Path:
    """Where the record of a task is."""
    return folder / RECORDS / f"{plan.stem(number)}.json"


def task_record(folder: Path, plan: Plan, number: int) -> Path:
    """Where the record of an encoding task is: of shards, or of what it staged."""
    if plan.options.is_arranged:
        return folder / STAGED / f"{staged_stem(number, '')}.json"
    return record_path(folder, plan, number)


def write_records(path: Path, records: list[Record]) -> None:
    """Put the records of a task in their place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    placed(path, _spelled([record._asdict() for record in records]))


def _spelled(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode() + b"\n"


def records_of(path: Path) -> list[Record] | None:
    """The records of a task, one for each of its shards, if there are such and they can be read."""
    try:
        value = json.loads(path.read_bytes())
        return [Record(**row) for row in value]
    except (OSError, ValueError, TypeError):
        return None


def is_done(folder: Path, path: Path) -> bool:
    """Whether a task is done: its records are there, and its files have their sizes."""
    records = records_of(path)
    return records is not None and not any(_is_missing(folder, file) for row in records for file in row.files)


def _is_missing(folder: Path, file: dict[str, Any]) -> bool:
    try:
        size: int = (folder / file["name"]).stat().st_size
    except OSError:
        return True
    return size != int(file["bytes"])


def write_manifest(plan: Plan) -> Manifest | None:
    """Put the manifest in its place, if all tasks are done."""
    shards: list[Record] = []
    if plan.options.is_arranged and plan.arrangement is None:
        return None
    for number in range(plan.amount):
        records = records_of(record_path(plan.folder, plan, number))
        if records is None:
            return None
        shards += records
    arranged = plan.arrangement
    told: list[Any] = [arranged] if arranged else []
    left_out = dict(arranged.left_out) if arranged else {}
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
        {part: _sums([record for record in shards if record.part == part]) for part in plan.parts if part},
        dict(sorted(left_out.items())),
        sum(record.repaired for record in [*shards, *told]),
        sum(record.cut for record in [*shards, *told]),
        sum(record.with_specials for record in [*shards, *told]),
        [reject for record in [*told, *shards] for reject in record.rejects][:_REJECTS],
        sum(record.packed for record in shards),
        sum(record.padding for record in shards),
        arranged.sources if arranged else {},
        {**versions(), **({"package": plan.package} if plan.package else {})},
        shards,
    )
    data = {**manifest._asdict(), "shards": [record._asdict() for record in shards]}
    for name, content in indexes(plan, shards).items():
        path = plan.folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(exist_ok=True)
            placed(path, content)
    if read_manifest(plan.folder, missing_is_none=True) != manifest:
        placed(plan.folder / MANIFEST, _spelled(data))
    clear(plan)
    return manifest


def indexes(plan: Plan, shards: list[Record]) -> dict[str, bytes]:
    """The names of the indexes that the format wants beside the shards, one for each part, and what is in them."""
    format = FORMATS[plan.options.format]
    if format.made_index is None:
        return {}
    found = {}
    for part in plan.parts:
        chunks = [
            Chunk(file["name"].rpartition("/")[2], file["bytes"], file["sha256"], row.documents, row.tokens)
            for row in shards
            if row.part == part
            for file in row.files
        ]
        index = format.made_index(
            chunks, format.dtype(plan.largest), plan.options.columns, plan.options.packing == "fit"
        )
        found[f"{part}/index.json" if part else "index.json"] = json.dumps(index, sort_keys=True).encode()
    return found


def _sums(records: list[Record]) -> dict[str, int]:
    return {"documents": sum(row.documents for row in records), "tokens": sum(row.tokens for row in records)}


def clear(plan: Plan, stems: set[str] | None = None) -> None:
    """Remove what was left half written, and what was staged; only files that begin so, where others may be at work."""
    folder = plan.folder / CONTROL / TEMPORARY
    if stems is None:
        shutil.rmtree(plan.folder / STAGED, ignore_errors=True)
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
    if stems is None and FORMATS[plan.options.format].made_index is not None:
        for name in plan.parts:
            for path in (plan.folder / name).glob(".index.json.*"):
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
