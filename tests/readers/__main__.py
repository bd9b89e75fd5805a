"""``python -m tests.readers [FORMAT]...``: shards of every format, read by the library that the format belongs to.

Every document's ids must be those of ``encode``, and no document may be missing. A line for each folder of shards; exit
status 1 if one is not what it should be.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import anypiece as ap
from anypiece.cli import run
from anypiece.corpus.shards.formats import FORMATS
from anypiece.corpus.shards.manifest import Manifest
from scripts.docs.pages import blocks
from tests.readers.answer import read_answer
from tests.readers.by_plain import plain_files, read_back
from tests.readers.by_tables import tables
from tests.readers.made import Case, cases, documents, made
from tests.support.data import CACHE, ROOT
from tests.support.training_peers import torch_path

LIBRARIES = {"megatron": "megatron", "datatrove": "datatrove", "mds": "streaming", "litdata": "litdata"}
"""The formats that a library of their own reads, and its environment."""
DTYPES = {
    "megatron": ("uint16", "int32"),
    "datatrove": ("uint16", "uint32"),
    "mds": ("uint16", "uint32"),
    "litdata": ("uint16", "int32"),
}
_LIMIT = 600


class Wrong(Exception):
    """A reader has something else than what was written."""


def by_library(case: Case, folder: Path, part: str) -> tuple[list[list[int]], str, list[dict[str, str]] | None]:
    """What the library reads of one part."""
    library = LIBRARIES[case.format]
    in_folders = FORMATS[case.format].made_index is not None
    answer = folder.with_suffix(f".{part or 'all'}.npz")
    source = folder / part if part and in_folders else folder
    if part and not in_folders:
        source = folder.with_suffix(f".{part}")
        source.mkdir()
        for path in folder.glob(f"{part}-*"):
            (source / path.name).symlink_to(path)
    python = CACHE / "readers" / library / "bin" / "python"
    path = os.pathsep.join(map(str, (torch_path(), ROOT)))
    done = subprocess.run(
        [python, "-W", "ignore", "-m", f"tests.readers.by_{library}", source, answer],
        env={**os.environ, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
    )
    if done.returncode:
        raise Wrong(f"{library} failed: {done.stderr.strip()[-2000:]}")
    rows, facts = read_answer(answer)
    if facts["dtypes"] != [DTYPES[case.format][case.is_wide]]:
        raise Wrong(f"ids are {facts['dtypes']}")
    return rows, f"{facts['version']} with numpy {facts['numpy']}", facts.get("columns")


def check_plain(case: Case, folder: Path, manifest: Manifest, wanted: dict[str, list[list[int]]]) -> str:
    """Compare each shard with what plain lines write of its documents."""
    places = dict.fromkeys(wanted, 0)
    for record in manifest.shards:
        start = places[record.part]
        places[record.part] += record.documents
        rows = wanted[record.part][start : start + record.documents]
        files = {file["name"] for file in record.files}
        for name, data in plain_files(case.format, record.shard, rows, case.is_wide).items():
            if rows and name not in files:
                raise Wrong(f"there is no {name}")
            if rows and (folder / name).read_bytes() != data:
                raise Wrong(f"{name} has other bytes than a plain writer gives")
        if rows and read_back(case.format, folder / record.files[0]["name"], case.is_wide) != [
            id for ids in rows for id in ids
        ]:
            raise Wrong(f"{record.shard} is read with other ids")
    if places != {part: len(rows) for part, rows in wanted.items()}:
        raise Wrong(f"shards have {places} documents")
    return "a plain writer, byte for byte"


def in_parts(found: dict[str, list[list[int]]], wanted: list[list[int]]) -> None:
    """Both parts together must have all documents, each part in the order of the corpus."""
    rows = {part: iter(documents) for part, documents in found.items()}
    heads = {part: next(it, None) for part, it in rows.items()}
    for number, ids in enumerate(wanted):
        part = next((part for part, head in heads.items() if head == ids), None)
        if part is None:
            raise Wrong(f"document {number} comes next in no part")
        heads[part] = next(rows[part], None)
    if any(head is not None for head in heads.values()):
        raise Wrong("there are documents more than once")
    if not all(found.values()):
        raise Wrong("a part is empty")


def check_columns(rows: list[dict[str, Any]], ids: list[list[int]], wanted: list[list[int]]) -> None:
    """The column that was carried must name the document whose ids stand beside it."""
    for row, found in zip(rows, ids, strict=True):
        if found != wanted[int(row["id"])]:
            raise Wrong(f"the ids beside document {row['id']} are those of another")


def check(case: Case, folder: Path) -> tuple[str, int]:
    """Make the shards of a case and read them; who read them, and how many ids."""
    manifest, wanted = made(case, folder)
    if len(manifest.shards) < 4:
        raise Wrong(f"only {len(manifest.shards)} shards")
    readers: dict[str, dict[str, list[list[int]]]] = {}
    parts = ("train", "val") if case.validation else ("",)
    if case.format in LIBRARIES:
        for part in parts:
            rows, reader, columns = by_library(case, folder, part)
            readers.setdefault(reader, {})[part] = rows
            if columns is not None:
                check_columns(columns, rows, wanted)
    elif case.format in ("parquet", "arrow"):
        for part in parts:
            for reader, table in tables(case.format, folder, part).items():
                rows = [row["input_ids"] for row in table]
                check_columns(table, rows, wanted)
                readers.setdefault(reader, {})[part] = rows
    else:
        found = {"": wanted}
        if case.validation:
            found = {part: [ids.tolist() for ids in ap.Shards(folder, part)] for part in parts}
        readers[check_plain(case, folder, manifest, found)] = found
    for found in readers.values():
        in_parts(found, wanted)
    return ", ".join(readers), sum(map(len, wanted))


def check_page(folder: Path) -> None:
    """Run the examples of the page about training, those with torch too, in the environment of one of the libraries."""
    page = ROOT / "docs" / "guide" / "pretraining.md"
    names: dict[str, object] = {"__name__": "__main__"}
    found = blocks(page)
    made = next(block for block in found if block.language == "python")
    before = Path.cwd()
    os.chdir(folder)
    try:
        exec(compile(made.text, str(page), "exec"), names)
        for arguments in (
            "train --vocab-size 40 -o small.model data/*.jsonl",
            "shards run -t small.model --to nanogpt --validation 0.05 --shuffle -o gpt data",
        ):
            if run(arguments.split()):
                raise Wrong(f"anypiece {arguments} failed")
        # The examples with torch are one program: workers of a loader import the module that they are started from.
        program = "\n".join(block.text for block in found if block.language == "py")
        Path("program.py").write_text(program, "utf-8")
    finally:
        os.chdir(before)
    done = subprocess.run(
        [CACHE / "readers" / "datatrove" / "bin" / "python", "-W", "ignore", "program.py"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (torch_path(), ROOT / "python")))},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
    )
    if done.returncode or not program:
        raise Wrong(f"{page.name}: {done.stderr.strip()[-2000:]}")


def main() -> int:
    """Do it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.readers", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"default: all, {', '.join(FORMATS)}")
    given = parser.parse_args().formats
    unknown = set(given) - set(FORMATS)
    if unknown:
        parser.error(f"there is no format {', '.join(sorted(unknown))}")
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        if not given:
            try:
                check_page(Path(name))
                print("the page about training: its examples run with torch", flush=True)
            except Wrong as error:
                print(f"the page about training: WRONG: {error}", flush=True)
                wrong += 1
        for number, case in enumerate(cases(given or list(FORMATS))):
            try:
                reader, tokens = check(case, Path(name) / str(number))
                print(
                    f"{case}: {len(documents())} documents, {tokens} ids as encode gives them, by {reader}", flush=True
                )
            except Wrong as error:
                print(f"{case}: WRONG: {error}", flush=True)
                wrong += 1
    print(f"{wrong} wrong" if wrong else "all are read back", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
