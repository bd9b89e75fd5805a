"""What a run of benchmarks says of its rows: ratios within a round, and promises by the engine that they name."""

from __future__ import annotations

import pytest

from benchmarks.harness.definition import Target
from benchmarks.reports.rows import Row, summarize
from benchmarks.reports.terminal import target_lines


def row(engine: str, number: int, seconds: float, *, phase: str = "cold", differing: int = 0) -> Row:
    return Row(
        definition="made/up",
        mode="array",
        threads=1,
        reference="slow",
        engine=engine,
        version="1",
        round=number,
        phase=phase,
        cpu_seconds=seconds,
        wall_seconds=seconds,
        peak_bytes=0,
        documents=1,
        input_bytes=1,
        tokens=1,
        differing=differing,
    )


SECONDS = {"slow": (8.0, 10.0, 9.0), "anypiece": (1.0, 4.0, 2.0), "peer": (0.6, 2.4, 1.2)}
"""Three rounds, in which the machine was as slow as it pleased while the reference ran."""

ROWS = [row(engine, number, second) for engine, seconds in SECONDS.items() for number, second in enumerate(seconds)]


def test_ratios_are_taken_within_a_round() -> None:
    lines = {line.engine: line.ratios["cold"] for line in summarize(ROWS)}
    assert (lines["anypiece"].median, lines["anypiece"].least, lines["anypiece"].most) == (4.5, 2.5, 8.0)
    assert lines["anypiece"].cost == 2.0
    assert {line.engine: line.ratios["cold"].median for line in summarize(ROWS, "peer")}["anypiece"] == 0.6


@pytest.mark.parametrize(
    ("target", "line"),
    [
        (Target(versus="slow", cold=4.5), "target kept: cold 4.50 × slow, at least 4.5 ×"),
        (Target(versus="slow", cold=5), "target MISSED: cold 4.50 × slow, at least 5 ×"),
        (Target(versus="peer", cold=0.6), "target kept: cold 0.60 × peer, at least 0.6 ×"),
        (Target(versus="peer", cold=0.61), "target MISSED: cold 0.60 × peer, at least 0.61 ×"),
    ],
)
def test_promises(target: Target, line: str) -> None:
    assert target_lines(target, ROWS) == [line]


def test_a_peer_of_one_round() -> None:
    rows = [found for found in ROWS if found.engine != "peer" or found.round == 1]
    assert target_lines(Target(versus="peer", cold=0.5), rows) == ["target kept: cold 0.60 × peer, at least 0.5 ×"]


def test_no_time_without_the_right_ids() -> None:
    wrong = [row("anypiece", 3, 0.1, differing=1), *ROWS]
    assert target_lines(Target(versus="slow", cold=1), wrong) == []
    assert target_lines(Target(versus="absent", cold=1), ROWS) == []
