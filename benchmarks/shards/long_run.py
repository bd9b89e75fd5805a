"""``python -m benchmarks.shards.long_run``: 2 GB and 20 GB to shards; memory, time of processors, and what a kill costs.

The memory of the larger run may not grow with the corpus nor with time, its time of processors may differ by 20 % from a
multiple of the smaller one's, and of a run that is killed halfway and run again all shards that were finished must stay as
they are: what was lost is at most one shard for each worker. One document of 5 GB must be streamed. Exit status 1 if one of
these does not hold. It takes 20 GB of disk for the corpus and up to 14 GB for shards, and removes both.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from anypiece._core.memory import shown, size_of
from benchmarks.harness.places import CACHE, ROOT, data_file
from benchmarks.reports import machine
from benchmarks.shards.corpus import SOURCES
from benchmarks.shards.processes import descendants, held, spent

FILE = 500_000_000
_LINES = (4, 120)
_PAUSE = 0.5
_MORE = 1.1
"""By how much the most memory of two parts or runs may differ, since samples miss peaks."""
_LINEAR = 0.2
_STREAMED = 256_000_000
"""What a process may hold for a document of any length."""


class Run(NamedTuple):
    """What a run, or the part of one before it was killed, took."""

    seconds: float
    spent: float
    """Seconds of processors, all processes together."""
    samples: list[int]
    """Bytes of memory of all its processes, twice a second."""


def corpus(folder: Path, size: int) -> list[Path]:
    """JSON lines, each of consecutive lines of real files; the files of a smaller corpus are the first of a larger one."""
    folder.mkdir(parents=True)
    lines = [_escaped(data_file(f"corpora/{name}.txt")) for name in SOURCES]
    files, number = [], 0
    for place in range(0, size, FILE):
        draw = random.Random(place)
        files.append(folder / f"{place // FILE:02d}.jsonl")
        with files[-1].open("wb", buffering=1 << 20) as file:
            while file.tell() < min(FILE, size - place):
                some = draw.choice(lines)
                start = draw.randrange(len(some))
                text = b"".join(some[start : start + draw.randint(*_LINES)])
                file.write(b'{"id": %d, "text": "Document %x: %b"}\n' % (number, number, text))
                number += 1
    return files


def document(folder: Path, size: int, is_json: bool) -> Path:
    """A file with one document, as a line of JSON or as text of many lines, of which each ends with its number."""
    folder.mkdir(parents=True)
    lines = [line for name in SOURCES for line in _escaped(data_file(f"corpora/{name}.txt"))]
    end = b"%x\\n" if is_json else b"%x\n"
    path, number = folder / ("document.jsonl" if is_json else "document.txt"), 0
    with path.open("wb", buffering=1 << 20) as file:
        file.write(b'{"text": "' if is_json else b"")
        while file.tell() < size:
            file.write(lines[number % len(lines)] + b" " + end % number)
            number += 1
        file.write(b'"}\n' if is_json else b"")
    return path


def _escaped(path: Path) -> list[bytes]:
    return [
        json.dumps(line, ensure_ascii=False)[1:-1].encode()
        for line in path.read_text("utf-8").splitlines(keepends=True)
    ]


def run(arguments: list[str], out: Path, tasks: int | None = None) -> Run:
    """``anypiece shards run``, to its end, or until ``tasks`` tasks are done: then all its processes are killed with -9."""
    command = [sys.executable, "-m", "anypiece", "shards", "run", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    start = time.monotonic()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    samples: list[int] = []
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        samples.append(held(process.pid))
        if tasks is not None and len(list((out / "_anypiece" / "records").glob("*.json"))) >= tasks:
            return _killed(process, start, samples)
        time.sleep(_PAUSE)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:6])} failed with status {process.returncode}")
    return Run(time.monotonic() - start, usage.ru_utime + usage.ru_stime, samples)


def _killed(process: subprocess.Popen[bytes], start: float, samples: list[int]) -> Run:
    """Nobody waits for the children of a killed process, so that the time of each is read before."""
    os.killpg(process.pid, signal.SIGSTOP)
    seconds = sum(spent(pid) for pid in descendants(process.pid))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return Run(time.monotonic() - start, seconds, samples)


def _shards(out: Path) -> list[Any]:
    manifest = json.loads((out / "_anypiece" / "manifest.json").read_text("utf-8"))
    return [(row["shard"], row["files"]) for row in manifest["shards"]]


def _places(out: Path) -> dict[str, tuple[int, int]]:
    """Which file has which name, and when it was written: what is written again has others."""
    found = {path.name: path.stat() for path in out.glob("*.*")}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in found.items()}


class Bench:
    """Runs over one corpus, and what does not hold."""

    def __init__(self, folder: Path, processes: int, shard: int) -> None:
        self.folder, self.processes, self.shard = folder, processes, shard
        self.wrong: list[str] = []

    def plan(self, name: str, files: list[Path]) -> tuple[list[str], Path]:
        out = self.folder / name
        given = ["--to", "megatron", "--shard-size", str(self.shard), "--processes", str(self.processes)]
        return [*given, "-o", str(out), *map(str, files)], out

    def linear(self, small: int, large: int) -> None:
        """A corpus, the beginning of it, and a run of it that is killed."""
        files = corpus(self.folder / "corpus", large)
        few, some = self.undisturbed(files[: small // FILE])
        many, wanted = self.undisturbed(files)
        share = many.spent / few.spent / (large / small)
        print(
            f"{share:.2f} × the time of processors for each byte, {max(many.samples) / max(few.samples):.2f} × the memory"
        )
        self.holds(abs(share - 1) <= _LINEAR, "the time of processors is not linear")
        self.holds(max(many.samples) <= _MORE * max(few.samples), "memory grows with the corpus")
        self.holds(wanted[: len(some)] == some, "other shards of the first files than those of a run of them alone")
        self.killed(files, wanted, many)
        shutil.rmtree(self.folder / "corpus")

    def undisturbed(self, files: list[Path]) -> tuple[Run, list[Any]]:
        """A run of these files, and its shards, which are removed."""
        size = sum(path.stat().st_size for path in files)
        arguments, out = self.plan("undisturbed", files)
        took = run(arguments, out)
        shards = _shards(out)
        shutil.rmtree(out)
        half = len(took.samples) // 2
        tenths = statistics.quantiles(took.samples, n=10)
        print(
            f"{shown(size):8} {len(shards)} shards, {took.seconds:.0f} s, {took.spent:.0f} s of processors, "
            f"{shown(size / took.spent)}/s of one; memory at most {shown(max(took.samples))}, "
            f"{shown(max(took.samples[:half]))} in the first half, {shown(max(took.samples[half:]))} in the second, "
            f"a tenth of the time below {shown(tenths[0])}, a tenth above {shown(tenths[-1])}",
            flush=True,
        )
        self.holds(max(took.samples[half:]) <= _MORE * max(took.samples[:half]), f"memory grows over {shown(size)}")
        return took, shards

    def killed(self, files: list[Path], wanted: list[Any], whole: Run) -> None:
        """A run that is killed halfway and run again, beside the shards of an undisturbed one."""
        arguments, out = self.plan("killed", files)
        first = run(arguments, out, len(wanted) // 2)
        finished = {path.stem for path in (out / "_anypiece" / "records").glob("*.json")}
        places = _places(out)
        lost = {name.split(".")[0] for name in (*os.listdir(out / "_anypiece" / "tmp"), *places)} - finished
        second = run([str(out)], out)
        now = _places(out)
        again = {name.split(".")[0] for name, place in places.items() if now.get(name) != place}
        more = first.spent + second.spent - whole.spent
        print(
            f"killed   after {first.seconds:.0f} s, with {len(finished)} of {len(wanted)} shards done, {len(lost)} begun; "
            f"{len(again & finished)} of those that were done were written again; {second.seconds:.0f} s to the end; "
            f"{more:+.0f} s of processors in all, where a shard takes {whole.spent / len(wanted):.1f} s",
            flush=True,
        )
        self.holds(_shards(out) == wanted, "other shards than those of an undisturbed run")
        self.holds(len(lost) <= self.processes, "more shards were begun than there are workers")
        self.holds(not again & finished, "finished shards were written again")
        verify = [sys.executable, "-m", "anypiece", "shards", "verify", str(out)]
        done = subprocess.run(verify, env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, check=False)
        self.holds(done.returncode == 0, "shards verify")
        shutil.rmtree(out)

    def document(self, size: int, is_json: bool) -> None:
        """One document alone, whose size memory may not show."""
        path = document(self.folder / "document", size, is_json)
        arguments, out = self.plan("one", [path])
        took = run([*([] if is_json else ["--whole"]), *arguments], out)
        manifest = json.loads((out / "_anypiece" / "manifest.json").read_text("utf-8"))
        print(
            f"one document of {shown(path.stat().st_size)} of {'JSON' if is_json else 'text'}: {manifest['tokens']} tokens, "
            f"{took.seconds:.0f} s, {took.spent:.0f} s of processors; memory at most {shown(max(took.samples))}",
            flush=True,
        )
        self.holds(manifest["documents"] == 1, "not one document")
        self.holds(max(took.samples) <= _STREAMED, "the document was held")
        shutil.rmtree(out)
        shutil.rmtree(path.parent)

    def holds(self, is_so: bool, otherwise: str) -> None:
        if not is_so:
            print(f"WRONG: {otherwise}", flush=True)
            self.wrong.append(otherwise)


def main() -> int:
    """Do it; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.shards.long_run", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--small", default="2GB", help="of the corpus, as a file")
    parser.add_argument("--large", default="20GB")
    parser.add_argument("--document", default="5GB", help="one alone, as JSON and as text")
    parser.add_argument("--only", choices=("corpus", "document"))
    parser.add_argument("--shard-size", default="64MB")
    given = parser.parse_args()
    print(", ".join(machine.facts().values()))
    folder = CACHE / "shards" / "long"
    shutil.rmtree(folder, ignore_errors=True)
    bench = Bench(folder, machine.cores(), size_of(given.shard_size))
    try:
        if given.only != "document":
            bench.linear(size_of(given.small), size_of(given.large))
        if given.only != "corpus":
            for is_json in (True, False):
                bench.document(size_of(given.document), is_json)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
