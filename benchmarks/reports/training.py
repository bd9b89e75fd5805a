"""Records of training: of each case the newest, and all of them as a Markdown table."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.places import RECORDS
from benchmarks.reports.rows import OURS

NAMES = {"english": "English", "mixed": "seven languages and code", "small": "English, 2 MB"}
KINDS = {"unigram": "unigram", "byte-bpe": "byte-level BPE", "bpe": "score BPE"}


@dataclass(frozen=True)
class Result:
    """One engine in one case: CPU seconds, peak memory in bytes, and what comparing the results said."""

    engine: str
    cpu: float
    peak: int
    check: str


def newest_cases(records: Path = RECORDS) -> dict[str, list[Result]]:
    """Return the results of each case from the newest record that has it."""
    cases: dict[str, list[Result]] = {}
    for path in sorted(records.glob("*/training/*.csv"), key=lambda path: path.name):
        found: dict[str, list[Result]] = {}
        for row in csv.DictReader(path.read_text("utf-8").splitlines()):
            result = Result(row["engine"], float(row["cpu"]), int(row["peak"]), row["check"])
            found.setdefault(row["case"], []).append(result)
        cases |= found
    return cases


def ratio(results: Sequence[Result]) -> tuple[str, float] | None:
    """Return the first peer of a case, and how many times faster this project trained."""
    ours = [result for result in results if result.engine == OURS]
    peers = [result for result in results if result.engine != OURS]
    return (peers[0].engine, peers[0].cpu / ours[0].cpu) if ours and peers else None


def render(cases: dict[str, list[Result]]) -> str:
    """Return the cases as a Markdown table, vocabularies of one kind together."""
    head = ["| vocabulary | corpus | anypiece | result | peers |", "|---|---|---|---|---|"]
    kinds = list(KINDS)
    order = sorted(cases, key=lambda name: (kinds.index(split_name(name)[0]), split_name(name)[2], split_name(name)[1]))
    return "\n".join([*head, *(table_row(name, cases[name]) for name in order)])


def table_row(name: str, results: Sequence[Result]) -> str:
    """Return one case's row."""
    kind, size, corpus = split_name(name)
    ours = next(result for result in results if result.engine == OURS)
    peers = "; ".join(f"{one.engine} {cost(one)}" for one in results if one.engine != OURS)
    return f"| {KINDS[kind]}, {size:,} | {NAMES[corpus]} | {cost(ours)} | {ours.check} | {peers} |"


def split_name(name: str) -> tuple[str, int, str]:
    """Return kind, size and corpus of a case.

    >>> split_name("byte-bpe-8k-english")
    ('byte-bpe', 8000, 'english')
    """
    kind, size, corpus = name.rsplit("-", 2)
    return kind, 1000 * int(size.removesuffix("k")), corpus


def cost(result: Result) -> str:
    """Return time and memory."""
    return f"{result.cpu:.2f} s, {result.peak / 1e6:.0f} MB"
