"""A plan: what is to be done, fixed before any of it is, so that the result depends on nothing else.

It lies in the folder of the shards as ``_anypiece/plan.json``, beside the tokenizer itself. A folder has one plan: making
it again is allowed and changes nothing, another one is refused with what differs.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _native
from ...errors import AnyPieceError, FormatError, InputError
from ...io.paths import checked_path, file_error
from ...io.write import written
from ...loading import load
from ...tokenizer import Tokenizer
from .documents import Tally, blocks
from .formats import FORMATS
from .formats.output import CONTROL, sync_folder
from .inputs import Atom, File, atoms, described, file_of_json, found_files
from .options import Options, frame_of, largest_id, resolved

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Plan", "Slice", "placed", "plan_shards", "read_plan"]

VERSION = 1
PLAN, TOKENIZER = f"{CONTROL}/plan.json", f"{CONTROL}/tokenizer.anypiece"
Slice = tuple[int, int, int]
"""The number of a file, and where a part of it begins and ends."""
_LEAST, _MOST, _SHARDS = 64_000_000, 1_000_000_000, 256


@dataclass(frozen=True)
class Plan:
    """What is to be done in a folder."""

    folder: Path
    options: Options
    fingerprint: str
    """That of the tokenizer."""
    largest: int
    """The largest id that it can emit."""
    before: tuple[int, ...]
    after: tuple[int, ...]
    """The ids that stand around those of a document."""
    files: tuple[File, ...]
    tasks: tuple[tuple[Slice, ...], ...]
    """The parts of files that each task reads, in order."""
    package: str = ""
    """The version of a package that the bytes of the format depend on."""

    def stem(self, number: int) -> str:
        """What the names of the files of a task begin with."""
        return f"{number:0{max(5, len(str(len(self.tasks) - 1)))}d}"

    def weight(self, number: int) -> int:
        """About how many bytes on disk a task reads."""
        total = 0
        for file, start, end in self.tasks[number]:
            is_table = self.files[file].kind in ("parquet", "arrow")
            total += self.files[file].size * (end - start) // self._groups[file] if is_table else end - start
        return total

    @cached_property
    def _groups(self) -> dict[int, int]:
        """How many row groups each table has."""
        groups: dict[int, int] = {}
        for task in self.tasks:
            for file, _, end in task:
                groups[file] = max(groups.get(file, 1), end)
        return groups

    def tokenizer(self) -> Tokenizer:
        """The tokenizer, which lies in the folder."""
        tokenizer = load(self.folder / TOKENIZER, mapped=True)
        if tokenizer.fingerprint != self.fingerprint:
            path = self.folder / TOKENIZER
            raise FormatError(
                "shards-plan", f"{path} is not the tokenizer of the plan. Make a new plan.", path=str(path)
            )
        return tokenizer

    def to_json(self) -> dict[str, Any]:
        """As JSON-ready values, without the folder."""
        return {
            "version": VERSION,
            "tokenizer": {"fingerprint": self.fingerprint, "largest_id": self.largest},
            "before": list(self.before),
            "after": list(self.after),
            "options": self.options.to_json(),
            "package": self.package,
            "files": [list(file) for file in self.files],
            "files_sha256": _digest([list(file) for file in self.files]),
            "tasks": [[list(part) for part in task] for task in self.tasks],
        }

    @property
    def digest(self) -> str:
        """A hash of all of it."""
        return _digest(self.to_json())


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def plan_shards(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    tokenizer: Tokenizer | str | os.PathLike[str] | None,
    out: str | os.PathLike[str],
    **options: Any,
) -> Plan:
    """Plan the shards of a corpus in the folder ``out``; ``options`` are the fields of ``Options``.

    ``sources`` is a path, a glob, a folder or ``@list``, or several of them.

    >>> from pathlib import Path
    >>> _ = Path("lines.txt").write_text("one\\ntwo\\n")
    >>> plan = plan_shards("lines.txt", None, "out", format="megatron")
    >>> len(plan.tasks), plan.options.end_of_text
    (1, 'after')
    """
    tok = tokenizer if isinstance(tokenizer, Tokenizer) else load(tokenizer)
    made = resolved(options, tok)
    paths = found_files([sources] if isinstance(sources, (str, os.PathLike)) else sources)
    folder = checked_path(out)
    inside = folder.absolute()
    files = tuple(described(path, made.input_format) for path in paths if inside not in path.parents)
    if not files:
        raise InputError("argument-value", "All files that were named lie in the folder of the shards. Name others.")
    _check_field(files, made)
    total = sum(file.size for file in files)
    target = made.shard_size or min(max(_LEAST, total // _SHARDS), _MOST)
    before, after = frame_of(made, tok)
    package = FORMATS[made.format].package
    plan = Plan(
        folder,
        made,
        tok.fingerprint,
        largest_id(tok),
        tuple(before),
        tuple(after),
        files,
        _tasks(
            [atom for number, file in enumerate(files) for atom in atoms(number, file, made.field, made.whole, target)],
            target,
        ),
        _version(package),
    )
    return _kept(plan, tok)


def _version(package: str) -> str:
    if not package:
        return ""
    from .formats.rows import pyarrow

    return f"{package} {pyarrow().__version__}"


def _tasks(parts: list[Atom], target: int) -> tuple[tuple[Slice, ...], ...]:
    """Parts in order, put together until they are about as large as they should be."""
    tasks: list[list[Slice]] = []
    held = target
    for part in parts:
        if held >= target or held + part.weight > target * 5 // 4:
            tasks.append([])
            held = 0
        tasks[-1].append((part.file, part.start, part.end))
        held += part.weight
    return tuple(map(tuple, tasks))


def _check_field(files: tuple[File, ...], options: Options) -> None:
    """Refuse JSON and CSV whose first texts cannot be found: the field is likely another one."""
    lenient = Options(options.format, options.field)
    for kind in ("jsonl", "csv"):
        file = next((file for file in files if file.kind == kind and file.size), None)
        if file is None:
            continue
        tally = Tally(lenient)
        with suppress(StopIteration):
            first = next(blocks(file, 0, file.size, tally, lambda amount: None))
            if not first.texts and tally.rejects:
                message = f"None of the first documents of {file.path} has a text: {tally.rejects[0]['reason']}. "
                raise InputError(
                    "argument-value", f"{message}Name the field, or say what the file is with input_format=."
                )


def _kept(plan: Plan, tokenizer: Tokenizer) -> Plan:
    """The plan, in its folder. Several machines may do this at once: the first one's stays."""
    path = plan.folder / PLAN
    if not path.exists():
        _refuse_foreign(plan.folder)
        data = json.dumps(plan.to_json(), indent=1).encode() + b"\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stored = written(tokenizer, "anypiece")
            there = plan.folder / TOKENIZER
            if not there.exists() or there.read_bytes() != stored:  # another, where planning was killed before
                placed(there, stored)
            placed(path, data, replace=False)
        except OSError as error:
            raise file_error("file-unwritable", path, error) from None
    kept = read_plan(plan.folder)
    different = _differences(kept.to_json(), plan.to_json())
    if different:
        message = (
            f"{plan.folder} has another plan: {'; '.join(different[:5])}. Name another folder, or go on with the plan that "
            f"is there: anypiece shards run {plan.folder}"
        )
        raise InputError("shards-differ", message, path=str(plan.folder), differences=different)
    return kept


def _refuse_foreign(folder: Path) -> None:
    """Shards are not mixed with files that are there already; those of another machine come with its plan."""
    is_taken = folder.is_dir() and any(path.name != CONTROL for path in folder.iterdir())
    if is_taken and not (folder / PLAN).exists():
        message = f"{folder} has files and no plan. Name a new or empty folder."
        raise InputError("shards-differ", message, path=str(folder), differences=[])


def _differences(there: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What differs, for people.

    >>> _differences({"options": {"field": "a"}, "before": [1]}, {"options": {"field": "b"}, "before": [1]})
    ["field is 'a' there and 'b' here"]
    """
    found = []
    for part in ("options", "tokenizer"):
        old, others = there.get(part, {}), new.get(part, {})
        found += [
            f"{name} is {old[name]!r} there and {others[name]!r} here" for name in old if old[name] != others.get(name)
        ]
    files = [{row[0]: row[1:] for row in plan.get("files", [])} for plan in (there, new)]
    found += [f"{path} is not in it" for path in files[1] if path not in files[0]]
    found += [f"{path} is in it" for path in files[0] if path not in files[1]]
    found += [f"{path} has changed since" for path in files[0] if path in files[1] and files[0][path] != files[1][path]]
    names = ("version", "before", "after", "package", "tasks", "files")
    return found or [f"{name} differ" for name in names if there.get(name) != new.get(name)]


def read_plan(folder: str | os.PathLike[str]) -> Plan:
    """The plan of a folder."""
    path = checked_path(folder) / PLAN
    try:
        value = json.loads(path.read_bytes())
        if value["version"] != VERSION:
            message = f"{path} is of version {value['version']}, which this release does not read. Update anypiece."
            raise FormatError("file-version", message, path=str(path), version=value["version"])
        return Plan(
            Path(folder),
            Options.from_json(value["options"]),
            value["tokenizer"]["fingerprint"],
            value["tokenizer"]["largest_id"],
            tuple(value["before"]),
            tuple(value["after"]),
            tuple(map(file_of_json, value["files"])),
            tuple(tuple((part[0], part[1], part[2]) for part in task) for task in value["tasks"]),
            value["package"],
        )
    except FileNotFoundError:
        message = f"{folder} has no plan of shards. Make one: anypiece shards plan INPUTS -o {folder}"
        raise FormatError("shards-plan", message, path=str(folder)) from None
    except OSError as error:
        raise file_error("file-unreadable", path, error) from None
    except AnyPieceError:
        raise
    except (ValueError, KeyError, TypeError, IndexError) as error:
        message = f"{path} is damaged: {error}. Make the plan again in a new folder."
        raise FormatError("shards-plan", message, path=str(path)) from None


def placed(path: Path, data: bytes, replace: bool = True) -> None:
    """Write a small file as a whole: beside its place, onto the disk, then under its name; what is there may be kept."""
    new = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with open(new, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if replace or not hasattr(os, "link"):
            os.replace(new, path)
        else:
            with suppress(FileExistsError):
                os.link(new, path)
        sync_folder(path.parent)
    finally:
        new.unlink(missing_ok=True)


def changed_file(plan: Plan, number: int) -> None:
    """Refuse a file that is not what it was when the plan was made."""
    file = plan.files[number]
    try:
        status = os.stat(file.path)
    except OSError as error:
        raise file_error("file-unreadable", Path(file.path), error) from None
    if (status.st_size, status.st_mtime_ns) != (file.size, file.modified):
        message = f"{file.path} has changed since the plan was made. Make a new plan in a new folder, or bring it back."
        raise FormatError("shards-changed", message, path=file.path)


def versions() -> dict[str, str]:
    """What a manifest says of the software."""
    import numpy as np

    return {"anypiece": _native.__version__, "numpy": np.__version__}
