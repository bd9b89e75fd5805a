"""``python -m benchmarks.training``: train with each library in a process of its own, and compare.

Each case names a corpus, a kind and a size. Times are those of the call, without imports, and count only where the results
were compared first: unigram vocabularies by their tokens on text that was held out, lists of merges by equality with those
of tokenizers, scores of BPE by equality with SentencePiece's pieces. ``--memory`` trains on a generated corpus with a limit
and shows the most memory it took.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.harness.places import RECORDS, ROOT
from benchmarks.reports import machine
from benchmarks.training.engines import count_tokens
from benchmarks.training.texts import corpus, generated, held_out


@dataclass(frozen=True)
class Case:
    """One question."""

    name: str
    kind: str
    corpus: str
    size: int
    engines: tuple[str, ...]
    options: dict[str, Any]


BYTES = ("anypiece", "tokenizers", "rustbpe", "bpeasy", "gigatoken")
CASES = [
    *(
        Case(f"unigram-{size // 1000}k-{name}", "unigram", name, size, ("anypiece", "sentencepiece"), {})
        for name in ("small", "english", "mixed")
        for size in (8000, 32000)
        if (name, size) != ("small", 32000)
    ),
    *(
        Case(f"byte-bpe-{size // 1000}k-{name}", "byte-bpe", name, size, BYTES, {"splitter": "gpt2"})
        for name in ("small", "english", "mixed")
        for size in (8000, 32000)
        if (name, size) != ("small", 32000)
    ),
    *(
        Case(f"bpe-{size // 1000}k-{name}", "bpe", name, size, ("anypiece", "sentencepiece"), {})
        for name in ("small", "english", "mixed")
        for size in (8000, 32000)
        if (name, size) != ("small", 32000)
    ),
]


@dataclass(frozen=True)
class Result:
    """One engine in one case."""

    case: str
    engine: str
    cpu: float
    wall: float
    peak: int
    tokens: int | None
    check: str


def run(case: Case, engine: str, folder: Path) -> Result:
    """Train once, and compare."""
    out = str(folder / engine)
    command = [
        sys.executable, "-m", "benchmarks.training.engines",
        engine, case.kind, str(corpus(case.corpus)), str(case.size), out, json.dumps(case.options),
    ]  # fmt: skip
    _, _, peak = measured(command)
    cpu, wall = json.loads(Path(out + ".times").read_text())
    tokens = count_tokens(engine, out, held_out(case.corpus))
    return Result(case.name, engine, cpu, wall, peak, tokens, "")


def measured(command: list[str], **more: Any) -> tuple[float, float, int]:
    """CPU seconds, seconds by the clock and the most memory of a process. It must succeed."""
    environment = {**os.environ, "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages are compiled, and so must ours be
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, **more)
    assert process.stderr is not None
    said = process.stderr.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command[2:5])} failed: {said[-2000:]}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss * 1024


def compared(case: Case, results: list[Result], folder: Path) -> list[Result]:
    """The results with what comparing them says."""
    ours, notes = folder / "anypiece.anypiece", {}
    if case.kind == "byte-bpe":
        notes = {"anypiece": same_merges(ours, folder / "tokenizers.json")}
    elif case.kind == "bpe":
        notes = {"anypiece": same_pieces(ours, folder / "sentencepiece.model")}
    else:
        tokens = {result.engine: result.tokens or 0 for result in results}
        share = 100 * (tokens["anypiece"] / tokens["sentencepiece"] - 1)
        notes = {"anypiece": f"{share:+.3f} % tokens"}
    return [Result(**(asdict(result) | {"check": notes.get(result.engine, "")})) for result in results]


def same_merges(ours: Path, theirs: Path) -> str:
    """How many of tokenizers' merges ours begin with."""
    import anypiece as ap

    model = json.loads(theirs.read_text("utf-8"))["model"]
    wanted = [tuple(merge) if isinstance(merge, list) else tuple(merge.split(" ")) for merge in model["merges"]]
    with tempfile.TemporaryDirectory() as folder:
        ap.convert(ap.load(ours), Path(folder) / "tokenizer.json")
        made = json.loads((Path(folder) / "tokenizer.json").read_text("utf-8"))["model"]["merges"]
    found = [tuple(merge) if isinstance(merge, list) else tuple(merge.split(" ")) for merge in made]
    same = next(
        (at for at, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b), min(len(found), len(wanted))
    )
    return "same merges" if found == wanted else f"{same} of {len(wanted)} merges"


def same_pieces(ours: Path, theirs: Path) -> str:
    """Whether two vocabularies have the same pieces with the same scores."""
    import anypiece as ap

    found, wanted = ap.load(ours).spec.pieces, ap.load(theirs).spec.pieces
    if list(found) == list(wanted):
        return "same pieces"
    shared = len({piece for piece, *_ in found} & {piece for piece, *_ in wanted})
    return f"{shared} of {len(wanted)} pieces"


def memory(size: int, limit: str) -> None:
    """Train on a generated corpus within a limit."""
    path = generated(size)
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "anypiece", "train", "--vocab-size", "32000", "--max-memory", limit,
            "-o", f"{folder}/tok.model", str(path),
        ]  # fmt: skip
        cpu, wall, peak = measured(command)
    print(
        f"{path.stat().st_size / 1e9:.2f} GB, --max-memory {limit}: peak {peak / 1e6:.0f} MB, {cpu:.0f} CPU s, {wall:.0f} s"
    )


def main() -> None:
    """Run the cases asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__)
    parser.add_argument("--only", default="*", metavar="GLOB", help="cases whose name matches")
    parser.add_argument("--record", action="store_true", help="keep the results in benchmarks/record")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="the best of N interleaved runs of each")
    parser.add_argument("--memory", metavar="LIMIT", help="only train on 2 GB within a limit, such as 1GB")
    arguments = parser.parse_args()
    if arguments.memory:
        memory(2_000_000_000, arguments.memory)
        return
    rows: list[Result] = []
    for case in (case for case in CASES if fnmatch.fnmatch(case.name, arguments.only)):
        with tempfile.TemporaryDirectory() as folder:
            runs = [
                [run(case, engine, Path(folder)) for engine in case.engines] for _ in range(max(1, arguments.repeat))
            ]
            best = [min(results, key=lambda result: result.cpu) for results in zip(*runs, strict=True)]
            results = compared(case, best, Path(folder))
        rows += results
        show(results)
    if arguments.record and rows:
        record(rows)


def show(results: list[Result]) -> None:
    """Print one case."""
    print(f"\n{results[0].case}")
    ours = results[0].cpu
    for result in results:
        ratio = f"{result.cpu / ours:6.1f} x"
        tokens = "" if result.tokens is None else f"{result.tokens:>9,} tokens"
        print(
            f"  {result.engine:14} {result.cpu:7.2f} CPU s {ratio} {result.peak / 1e6:6.0f} MB {tokens}  {result.check}",
            flush=True,
        )


def record(rows: list[Result]) -> None:
    """Keep the results as a table."""
    folder = RECORDS / machine.folder_name() / "training"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now(timezone.utc):%Y-%m-%d-%H%M}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(asdict(rows[0])), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)
    print(f"\n{path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
