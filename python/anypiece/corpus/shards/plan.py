"""A plan: what is to be done, fixed before any of it is, so that the result depends on nothing else.

It lies in the folder of the shards as ``_anypiece/plan.json``, beside the tokenizer itself. A folder has one plan: making
it again is allowed and changes nothing, another one is refused with what differs.
"""

from __future__ import annotations

import hashlib
import json
import os
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
from . import remote
from .arrangement import ARRANGEMENT, Arrangement, read_arrangement
from .formats import FORMATS
from .formats.output import CONTROL, placed
from .inputs import Atom, File, atoms, described, file_of_json, file_to_json, found_files
from .mixture import check_names, named_sources
from .options import Options, frame_of, largest_id, pad_of, resolved
from .whole_files import check_field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["Plan", "Slice", "plan_shards", "planned", "read_plan"]

VERSION = 1
PLAN, TOKENIZER = f"{CONTROL}/plan.json", f"{CONTROL}/tokenizer.anypiece"
Slice = tuple[int, int, int]
"""The number of a file, and where a part of it begins and ends."""
_LEAST, _MOST, _SHARDS = 64_000_000, 1_000_000_000, 256


@dataclass(frozen=True)
class Plan:
    """The work to be done in a folder."""

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
    sources: tuple[str, ...] = ()
    """The name of the source that each file belongs to, or an empty one."""
    pad: int = 0
    """The id that sequences are filled up with, where documents are packed."""
    arrangement: Arrangement | None = None
    """What becomes of the documents of all tasks, once that is known; nothing where each task writes its own shards."""

    @property
    def amount(self) -> int:
        """The number of shards of each part; 0 while it is not known."""
        if self.options.is_arranged:
            return self.arrangement.shards if self.arrangement else 0
        return len(self.tasks)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of what the documents are divided into, each with shards of its own; one without a name for all."""
        return ("train", "val") if self.options.validation else ("",)

    def stem(self, number: int, part: str = "") -> str:
        """What the names of the files of a task begin with; nanoGPT reads train.bin and val.bin."""
        if part and self.options.format == "nanogpt" and self.amount == 1:
            return part
        digits = f"{number:0{max(5, len(str(self.amount - 1)))}d}"
        between = "-" if FORMATS[self.options.format].made_index is None else "/"
        return f"{part}{between}{digits}" if part else digits

    def weight(self, number: int) -> int:
        """About how many bytes on disk a task reads."""
        total = 0
        for file, start, end in self.tasks[number]:
            is_table = self.files[file].kind in ("parquet", "arrow", "shards")
            total += self.bytes_of(file, end - start) if is_table else end - start
        return total

    def bytes_of(self, file: int, amount: int) -> int:
        """The estimated bytes on disk of ``amount`` rows of a table, or documents of shards."""
        return self._sizes[file] * amount // self._groups[file]

    @cached_property
    def _sizes(self) -> list[int]:
        return [size_on_disk(file) for file in self.files]

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
            "files": [file_to_json(file) for file in self.files],
            "files_sha256": _digest([file_to_json(file) for file in self.files]),
            "tasks": [[list(part) for part in task] for task in self.tasks],
            "sources": list(self.sources),
            "pad": self.pad,
        }

    @property
    def digest(self) -> str:
        """A hash of all of it, with what was found out since it was made."""
        return _digest([self.to_json(), self.arrangement and self.arrangement.to_json()])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def plan_shards(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, Any],
    tokenizer: Tokenizer | str | os.PathLike[str] | None,
    out: str | os.PathLike[str],
    **options: Any,
) -> Plan:
    """Plan the shards of a corpus in the folder ``out``; ``options`` are the fields of ``Options``.

    ``sources`` is a path, a glob, a folder or ``@list``, or several of them. Sources have names where it is a mapping from
    names to such, or a text such as ``web=data/web``.

    >>> from pathlib import Path
    >>> _ = Path("lines.txt").write_text("one\\ntwo\\n")
    >>> plan = plan_shards("lines.txt", None, "out", format="megatron")
    >>> len(plan.tasks), plan.options.end_of_text
    (1, 'after')
    """
    tok = tokenizer if isinstance(tokenizer, Tokenizer) else load(tokenizer)
    made = resolved(options, tok)
    if made.input_format == "shards":
        raise InputError("argument-value", "Shards are no texts: see repack_shards.", argument="input_format")
    folder = _local(out)
    inside = folder.absolute()
    named: dict[str, str] = {}
    for name, items in named_sources(sources):
        for path in found_files(items):
            named.setdefault(path, name)
    paths = [path for path in named if inside not in Path(path).parents]
    files = [(described(path, made.input_format), named[path]) for path in paths]
    if not files:
        raise InputError("argument-value", "All files that were named lie in the folder of the shards. Name others.")
    check_field(tuple(file for file, _ in files), made)
    return planned(files, tok, folder, made, lambda number, file, target: atoms(number, file, made, target))


def _local(out: str | os.PathLike[str]) -> Path:
    if remote.is_url(out):
        message = (
            f"Shards are written to a folder that this machine sees, and not to {out}. Copy them there afterwards."
        )
        raise InputError("argument-value", message, argument="out")
    return checked_path(out)


def planned(
    named: list[tuple[File, str]],
    tok: Tokenizer,
    folder: Path,
    made: Options,
    atoms_of: Callable[[int, File, int], list[Atom]],
    whole: bool = False,
) -> Plan:
    """The plan of files with the names of their sources, in its folder. ``whole`` makes a task of each atom."""
    files, names = tuple(file for file, _ in named), tuple(name for _, name in named)
    check_names(names, made.weights, made.epochs)
    total = sum(size_on_disk(file) for file in files)
    target = made.shard_size or min(max(_LEAST, total // _SHARDS), _MOST)
    before, after = frame_of(made, tok)
    parts = [atom for number, file in enumerate(files) for atom in atoms_of(number, file, target)]
    plan = Plan(
        folder,
        made,
        tok.fingerprint,
        largest_id(tok),
        tuple(before),
        tuple(after),
        files,
        _tasks(parts, 1 if whole else target),
        _version(FORMATS[made.format].package),
        names,
        pad_of(made, tok),
    )
    return _kept(plan, tok)


def size_on_disk(file: File) -> int:
    """The bytes of a file, or of the shards that it is the manifest of."""
    if file.kind != "shards":
        return file.size
    try:
        return max(1, int(json.loads(Path(file.path).read_bytes())["bytes"]))
    except (OSError, ValueError, KeyError, TypeError):
        return file.size


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


def _kept(plan: Plan, tokenizer: Tokenizer) -> Plan:
    """The plan, in its folder. Several machines may do this at once: the first one's stays."""
    path = plan.folder / PLAN
    if not os.path.exists(path):
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
    is_taken = os.path.isdir(folder) and any(path.name != CONTROL for path in folder.iterdir())
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
    names = ("version", "before", "after", "package", "tasks", "files", "sources", "pad")
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
            tuple(map(str, value["sources"])),
            int(value["pad"]),
            read_arrangement(Path(folder) / ARRANGEMENT),
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


def copied(plan: Plan, folder: Path) -> Plan:
    """The plan in another folder, without what was found out since it was made."""
    placed_in = folder / PLAN
    placed_in.parent.mkdir(parents=True, exist_ok=True)
    placed(folder / TOKENIZER, (plan.folder / TOKENIZER).read_bytes())
    placed(placed_in, json.dumps(plan.to_json()).encode())
    return read_plan(folder)


def changed_file(plan: Plan, number: int) -> None:
    """Refuse a file that is not what it was when the plan was made."""
    file = plan.files[number]
    if remote.is_url(file.path):
        is_same = remote.status(file.path) == (file.size, file.tag)
    else:
        try:
            status = os.stat(file.path)
        except OSError as error:
            raise file_error("file-unreadable", Path(file.path), error) from None
        is_same = (status.st_size, status.st_mtime_ns) == (file.size, file.modified)
    if not is_same:
        message = f"{file.path} has changed since the plan was made. Make a new plan in a new folder, or bring it back."
        raise FormatError("shards-changed", message, path=file.path)


def versions() -> dict[str, str]:
    """What a manifest says of the software."""
    import numpy as np

    return {"anypiece": _native.__version__, "numpy": np.__version__}
