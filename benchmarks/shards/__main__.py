"""``python -m benchmarks.shards``: from files to shards by the clock, as a share of ``encode_batch`` of the same documents.

All processors, ``anypiece shards run`` from the start of the command to its end, beside ``encode_batch`` in memory with as
many threads in the same round, the rate at which the disk takes as many bytes with fsync, and, with the same tokenizer,
datatrove and a loop over tokenizers with megatron-core's builder. A row of ours has no time unless the ids of every document
are those of ``encode_batch``; whether a peer's are is said beside its time. Exit status 1 if a row of ours is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import anypiece as ap
from anypiece._core.memory import shown, size_of
from benchmarks.harness.places import CACHE, ROOT, data_file
from benchmarks.reports import machine
from benchmarks.shards.corpus import FILES, KINDS, made
from benchmarks.shards.processes import Run, timed

VOCABULARIES = {
    "cl100k": ("models/tiktoken/cl100k_base.tiktoken", "<|endoftext|>"),
    "t5": ("models/hf/t5_small.tokenizer.json", "</s>"),
}
"""The file, and its end-of-text token. Peers read tokenizer.json, which others are converted to."""
WANTED = {"jsonl": 0.5, "parquet": 0.55, "zst jsonl": 0.4}
"""The share of ``encode_batch`` that is aimed at."""
PEERS = {"datatrove": "datatrove", "megatron": "megatron"}
"""The peers, and the environments that ``make readers`` makes for them."""


def engine(name: str, *arguments: object, python: str = sys.executable, path: str = "") -> tuple[dict[str, Any], Run]:
    """Run one engine; what it says, and what it took."""
    paths = os.pathsep.join(filter(None, [path, str(ROOT / "python"), str(ROOT)]))
    environment = {"PYTHONPATH": paths, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    run = timed([python, "-W", "ignore", "-m", "benchmarks.shards.engines", name, *map(str, arguments)], environment)
    said: dict[str, Any] = json.loads(run.out.splitlines()[-1])
    return said, run


class Bench:
    """One vocabulary over one corpus."""

    def __init__(self, name: str, folder: Path, threads: int, work: Path) -> None:
        path, self.end_token = VOCABULARIES[name]
        self.name, self.folder, self.threads, self.work = name, folder, threads, work
        tokenizer = ap.load(data_file(path))
        self.tokenizer = work / f"{name}.anypiece"
        tokenizer.save(self.tokenizer)
        self.end = tokenizer.piece_to_id(self.end_token)
        self.is_wide = tokenizer.vocab_size > 65536
        self.facts = json.loads((folder / "done").read_text())
        self.wanted: dict[str, Any] = {}
        self.rates: dict[str, list[float]] = {}
        self.is_wrong = False

    def rate(self, seconds: float) -> float:
        """Bytes of text in a second."""
        return float(self.facts["bytes"] / seconds)

    def round(self, peers: list[str]) -> None:
        """Ask everything once."""
        said, _ = engine("memory", self.tokenizer, self.folder, self.end, self.threads)
        self.wanted = {name: said[name] for name in ("tokens", "sha256")}
        base = self.rate(said["seconds"])
        self.say("encode_batch in memory", base, f"{self.threads} threads, {said['tokens']} ids")
        written = 0
        for kind, pattern in KINDS.items():
            written = self.ours(kind, pattern, base)
        said, _ = engine("disk", written, self.work)
        rate = said["bytes"] / said["seconds"]
        print(
            f"{'write and fsync of as many bytes':32} {shown(rate)}/s, {said['seconds']:.2f} s of {shown(said['bytes'])}"
        )
        for peer in peers:
            self.peer(peer)

    def ours(self, kind: str, pattern: str, base: float) -> int:
        """Shards of one kind of files; how many bytes they have."""
        out = self.work / "out"
        inputs = sorted(map(str, self.folder.glob(pattern)))
        size = max(1000, sum(Path(name).stat().st_size for name in inputs) // FILES)
        command = [sys.executable, "-m", "anypiece", "shards", "run", "-t", str(self.tokenizer), "--to", "megatron"]
        command += [
            "--min-tokens",
            "0",
            "--end-of-text-token",
            self.end_token,
            "--shard-size",
            str(size),
            "-o",
            str(out),
        ]
        run = timed([*command, *inputs], {"PYTHONPATH": str(ROOT / "python")})
        said, _ = engine("read", out)
        written = sum(path.stat().st_size for path in out.glob("*.*"))
        rate = self.rate(run.seconds)
        is_right = said == self.wanted
        self.is_wrong |= not is_right
        share = f"{rate / base:.2f} of encode_batch, aimed at {WANTED[kind]}; {shown(run.peak)} of memory at most"
        self.say(f"shards from {kind}", rate if is_right else 0, share if is_right else "WRONG ids")
        if is_right:
            self.rates.setdefault(kind, []).append(rate / base)
            self.rates.setdefault("jsonl rate", []).extend([rate] if kind == "jsonl" else [])
        shutil.rmtree(out)
        return written

    def peer(self, name: str) -> None:
        """Documents of JSON lines to shards, by a peer."""
        from tests.support.training_peers import torch_path

        python = CACHE.parent / "readers" / PEERS[name] / "bin" / "python"
        if not python.exists():
            raise SystemExit(f"{name} has no environment: make readers, or leave it out with --peers none")
        foreign = data_file(VOCABULARIES[self.name][0])
        if foreign.suffix != ".json":
            foreign = self.work / f"{self.name}.json"
        if not foreign.exists():
            ap.convert(self.tokenizer, foreign, texts=["a text", "and another"])
        out = self.work / name
        where = {"python": str(python), "path": str(torch_path())}
        lines = self.work / "lines"
        lines.mkdir(exist_ok=True)
        for path in self.folder.glob(KINDS["jsonl"]):
            (lines / path.name).unlink(missing_ok=True)
            (lines / path.name).symlink_to(path)
        if name == "datatrove":
            _, run = engine("datatrove", foreign, lines, self.end, out, self.threads, **where)
            found, _ = engine("read_datatrove", out, 4 if self.is_wide else 2)
        else:
            said, run = engine("megatron", foreign, lines, self.end, out, **where)
            found, _ = engine("read_megatron", out, said["dtype"])
        rate = self.rate(run.seconds)
        times = statistics.median(self.rates.get("jsonl rate", [0])) / rate
        same = "the same ids" if found == self.wanted else f"other ids: {found['tokens']} of them"
        self.say(f"{name}, from jsonl", rate, f"shards from jsonl are {times:.1f} × as fast; {same}")

    def say(self, what: str, rate: float, more: str) -> None:
        """A line of the result."""
        print(f"{what:32} {f'{shown(rate)}/s' if rate else '':12} {more}", flush=True)


def main() -> int:
    """Do it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shards", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", default="1GB", help="of the text; it is generated once")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=VOCABULARIES, help="one vocabulary")
    parser.add_argument("--peers", choices=[*PEERS, "none"], help="default: all")
    given = parser.parse_args()
    peers = list(PEERS) if given.peers is None else [name for name in PEERS if name == given.peers]
    folder = made(size_of(given.size))
    threads = machine.cores()
    print(", ".join(machine.facts().values()))
    is_wrong = False
    for name in [given.only] if given.only else VOCABULARIES:
        with tempfile.TemporaryDirectory(dir=folder.parent) as work:
            bench = Bench(name, folder, threads, Path(work))
            print(
                f"\n{name}: {bench.facts['documents']} documents, {shown(bench.facts['bytes'])} of text in {FILES} files"
            )
            for _ in range(given.rounds):
                bench.round(peers)
            for kind, shares in bench.rates.items():
                if kind in WANTED:
                    middle = statistics.median(shares)
                    print(
                        f"{name} from {kind}: median {middle:.2f} of encode_batch, {min(shares):.2f} to {max(shares):.2f}"
                    )
            is_wrong |= bench.is_wrong
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
