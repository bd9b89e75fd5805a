"""``python -m benchmarks.instructions``: the instructions of this project's passes, counted by callgrind.

Times on a busy machine differ by several percent, instructions by less than one. A definition is run in one process,
which has callgrind begin after loading, and where a call of ``getppid`` ends each count: of the cold pass, and of the warm
ones. The digest of what the passes returned stands beside the counts; rows with other digests are not compared, but for
draws: another contract of what a seed means is the same work.

``--before CHECKOUT`` counts another checkout of this project as well, with its native module built, by the definitions of
this one. ``--against FILE`` takes the counts of an earlier record for that. Both print ratios and their geometric mean.
``--record`` writes all counts to one JSON file below ``benchmarks/record``.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.engines import engine_class
from benchmarks.harness.definition import Definition
from benchmarks.harness.matrix import load_definitions
from benchmarks.harness.modes import check, run_pass
from benchmarks.harness.places import RECORDS, ROOT
from benchmarks.harness.texts import open_documents, prepare
from benchmarks.reports import machine

ROWS = (
    "t5-english/2kb",
    "cl100k-english/2kb",
    "xlmr-japanese/2kb",
    "o200k-japanese/2kb",
    "llama2-english/2kb",
    "t5-sampling/2kb",
)
DOCUMENTS = 500
WARM = 4
"""Passes over the same documents after the first."""
TOTALS = re.compile(r"^totals: (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """Instructions of the cold pass over a definition's first documents, and the mean of the warm ones."""

    definition: str
    bytes: int
    cold: int
    warm: int
    digest: str

    def compares_with(self, other: Row) -> bool:
        """Tell whether both did the same work."""
        return self.bytes == other.bytes and (self.digest == other.digest or self.is_drawn)

    @property
    def is_drawn(self) -> bool:
        """Whether results depend on what a seed means."""
        return definition_of(self.definition).mode == "sample"


def main() -> None:
    """Parse the command line and count."""
    options = parse()
    if options.once:
        name, checkout = options.once
        run_once(definition_of(name), Path(checkout))
        return
    if shutil.which("valgrind") is None:
        raise SystemExit("instructions are counted by valgrind, which is not installed: apt-get install valgrind")
    definitions = [definition_of(name) for name in options.definitions or ROWS]
    kernels = {"now": kernel(ROOT, definitions)}
    if options.before:
        kernels["before"] = kernel(options.before.resolve(), definitions)
    elif options.against:
        kernels["before"] = read(options.against)
    before = kernels.get("before", {}).get("rows", [])
    print_rows(kernels["now"]["rows"], {row.definition: row for row in before})
    if options.record:
        record(kernels)


def parse() -> argparse.Namespace:
    """Read the options."""
    summary = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=summary)
    parser.add_argument("definitions", nargs="*", help="names of definitions; default: " + " ".join(ROWS))
    parser.add_argument("--record", action="store_true", help="write the counts under benchmarks/record")
    earlier = parser.add_mutually_exclusive_group()
    earlier.add_argument("--before", type=Path, metavar="CHECKOUT", help="count this checkout's kernel too")
    earlier.add_argument("--against", type=Path, metavar="FILE", help="print ratios to this record")
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def definition_of(name: str) -> Definition:
    """Return the definition with this name."""
    found = [definition for definition in load_definitions() if definition.name == name]
    if not found:
        raise SystemExit(f"no definition {name}")
    return found[0]


def run_once(definition: Definition, checkout: Path) -> None:
    """Run the passes with a checkout's package, with a call of ``getppid`` around each count.

    Where nothing is counted, print the bytes of the documents and the digest of the last pass.
    """
    sys.path.insert(0, str(checkout / "python"))  # before this tree's own, which importing ``benchmarks`` puts first
    documents = open_documents(prepare(definition.text)).slice(0, DOCUMENTS)
    kind = engine_class("anypiece")
    engine = kind(kind.file(definition.tokenizer, ""), definition.threads)
    cold, warm = documents.fresh(), documents.fresh()

    def call(texts: Sequence[str]) -> list[Any]:
        return run_pass(engine, definition.mode, texts, definition.sampling).results

    gc.disable()
    counted = "CALLGRIND" in os.environ
    if counted:
        subprocess.run(["callgrind_control", "--instr=on", str(os.getpid())], stdout=subprocess.DEVNULL, check=True)
    os.getppid()
    call(cold)
    os.getppid()
    for _ in range(WARM):
        results = call(warm)
    os.getppid()
    if not counted:
        print(len(documents.blob), check(engine, definition.mode, results, warm, definition.sampling).digest())


def kernel(checkout: Path, definitions: Sequence[Definition]) -> dict[str, Any]:
    """Count a checkout's kernel: its commit and a row for each definition."""
    commit = subprocess.run(["git", "log", "-1", "--format=%h %cs %s"], cwd=checkout, capture_output=True, text=True)
    return {"commit": commit.stdout.strip(), "rows": [counted(checkout, definition.name) for definition in definitions]}


def counted(checkout: Path, name: str) -> Row:
    """Count the instructions of a definition's passes."""
    size, digest = run([], checkout, name, {}).split()
    cold, warm = instructions(checkout, name)
    return Row(name, int(size), cold, warm // WARM, digest)


def instructions(checkout: Path, name: str) -> tuple[int, int]:
    """Count the instructions of one process: those of the cold pass and of all warm ones."""
    with tempfile.TemporaryDirectory() as folder:
        counts = f"{folder}/counts"
        valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--dump-before=getppid"]
        run([*valgrind, f"--callgrind-out-file={counts}"], checkout, name, {"CALLGRIND": "1"})
        return total(Path(f"{counts}.2")), total(Path(f"{counts}.3"))


def total(counts: Path) -> int:
    """Read the number of instructions from callgrind's file."""
    found = TOTALS.search(counts.read_text())
    if found is None:
        raise SystemExit(f"no count in what callgrind wrote: {counts.name}")
    return int(found[1])


def run(prefix: list[str], checkout: Path, name: str, more: dict[str, str]) -> str:
    """Run a process that makes the passes with a checkout's package; return what it prints."""
    command = [*prefix, sys.executable, "-m", "benchmarks.instructions", "--once", name, str(checkout)]
    environment = os.environ | {"PYTHONHASHSEED": "0"} | more
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def print_rows(rows: list[Row], before: dict[str, Row]) -> None:
    """Print instructions per byte, and ratios to an earlier kernel's."""
    print(f"{'definition':<24} {'cold':>10} {'warm':>10}  instructions per byte")
    ratios = []
    for row in rows:
        line = f"{row.definition:<24} {row.cold / row.bytes:>10.2f} {row.warm / row.bytes:>10.2f}"
        old = before.get(row.definition)
        if old and not row.compares_with(old):
            line += "  other results than before"
        elif old:
            pair = (row.cold / old.cold, row.warm / old.warm)
            ratios += pair
            line += f"  {pair[0]:.3f} {pair[1]:.3f} of those before"
        print(line)
    if ratios:
        print(f"geometric mean: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}")


def record(kernels: dict[str, dict[str, Any]]) -> None:
    """Write the counts of all kernels under the machine's name and today's date."""
    path = RECORDS / machine.folder_name() / "instructions" / f"{datetime.datetime.now():%Y-%m-%d-%H%M}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    valgrind = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    facts = machine.facts() | {"valgrind": valgrind}
    plain = {name: {"commit": one["commit"], "rows": list(map(asdict, one["rows"]))} for name, one in kernels.items()}
    path.write_text(json.dumps(facts | plain, indent=1) + "\n")
    print(f"recorded: {path.relative_to(ROOT)}")


def read(path: Path) -> dict[str, Any]:
    """Read the kernel of a record."""
    now = json.loads(path.read_text())["now"]
    return {"commit": now["commit"], "rows": [Row(**row) for row in now["rows"]]}


if __name__ == "__main__":
    main()
