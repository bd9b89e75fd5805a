"""The chart of README and the tables of docs/benchmarks.md: what they show is what the records say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING

import pytest

from benchmarks.reports import training
from benchmarks.reports.rows import Row, by_definition, read_rows, summarize, write_rows
from benchmarks.reports.table import groups_of, newest, newest_records
from scripts.docs import chart
from scripts.docs.benchmarks import PAGE, PARTS, README, with_current_parts
from scripts.docs.chart import Bar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"


def row(engine: str, seconds: float, *, definition: str = "t5-english/novels", differing: int = 0) -> Row:
    return Row(definition, "array", 1, "slow", engine, "1", 0, "cold", seconds, seconds, 0, 9, 9, 9, differing)


def test_a_bar_has_the_nearest_right_peer() -> None:
    rows = [row("slow", 8.0), row("anypiece", 1.0), row("wrong", 0.5, differing=1), row("a", 4.0), row("b", 2.0)]
    assert chart.bar("T5", rows) == Bar("T5", "slow", 8.0, "b", 4.0)
    assert chart.bar("T5", rows[:3]) == Bar("T5", "slow", 8.0)
    assert chart.bar("T5", [row("slow", 8.0), row("anypiece", 1.0), row("a", 9.0)]) == Bar("T5", "slow", 8.0)


def test_wrong_ids_have_no_bar() -> None:
    assert chart.bar("T5", [row("slow", 8.0), row("anypiece", 1.0, differing=1)]) is None
    assert chart.bar("T5", [row("slow", 8.0)]) is None


def test_the_chart_has_eight_rows_of_the_newest_records() -> None:
    groups = by_definition(read_rows(newest()))
    bars = chart.bars()
    assert [bar.label for bar in bars] == [*(label for label, _ in chart.ROWS), chart.TRAINING[0]]
    assert len(bars) == 8
    for bar, (_, name) in zip(bars, chart.ROWS, strict=False):
        ours = next(line for line in summarize(groups[name]) if line.engine == "anypiece")
        assert (bar.reference, bar.ratio) == (groups[name][0].reference, ours.ratios["cold"].median)


@pytest.mark.parametrize("theme", chart.THEMES)
def test_the_picture_is_well_formed_and_says_each_ratio(theme: str) -> None:
    drawn = ElementTree.fromstring(chart.draw(chart.bars(), theme))
    texts = [element.text or "" for element in drawn.iter(f"{SVG}text")]
    for bar in chart.bars():
        assert bar.label in texts
        assert any(text.endswith(f"× {bar.reference}") for text in texts)
    widths = [float(element.get("width", "0")) for element in drawn.iter(f"{SVG}rect")]
    assert min(widths) > 0
    assert max(widths) <= chart.PLOT
    assert drawn.get("role") == "img"
    assert drawn.find(f"{SVG}title") is not None


def test_longer_bars_are_faster() -> None:
    bars = [Bar("a", "r", 2.0), Bar("b", "r", 20.0), Bar("c", "r", 1.0)]
    drawn = ElementTree.fromstring(chart.draw(bars, "light"))
    ours = [float(rect.get("width", "0")) for rect in drawn.iter(f"{SVG}rect") if rect.get("class") == "ours"]
    assert ours[2] < ours[0] < ours[1]


def test_the_page_has_every_row_of_the_newest_records() -> None:
    text = PAGE.read_text("utf-8")
    missing = [name for name in groups_of(newest_records()) if f"| {name} |" not in text]
    assert missing == []
    assert all(f"record/{path.parent.name}/{path.name}" in text for path in newest_records())


def test_records_of_some_rows_complete_the_newest_of_all(tmp_path: Path) -> None:
    def written(name: str, seconds: float, definitions: Sequence[str], remarks: dict[str, str]) -> Path:
        path = tmp_path / "machine" / f"{name}.csv"
        rows = [
            row(engine, seconds, definition=definition) for definition in definitions for engine in ("slow", "fast")
        ]
        write_rows(path, rows, {"machine": "m", "python": "3", "date": name} | remarks)
        return path

    written("2026-01-01-0000", 1.0, ["old"], {"only": "old"})
    written("2026-01-02-0000", 2.0, ["a/x", "gone"], {})
    whole = written("2026-01-03-0000", 3.0, ["a/x", "b/x"], {})
    some = written("2026-01-04-0000", 4.0, ["b/x", "ab/x"], {"only": "b/*,ab/*"})
    found = newest_records(tmp_path)
    assert (found, newest(tmp_path)) == ([whole, some], whole)
    groups = {name: rows[0].cpu_seconds for name, rows in groups_of(found).items()}
    assert list(groups.items()) == [("a/x", 3.0), ("ab/x", 4.0), ("b/x", 4.0)]


def test_readme_has_both_themes_and_no_figure_of_its_own() -> None:
    readme = README.read_text("utf-8")
    for theme in chart.THEMES:
        assert f"docs/benchmarks-{theme}.svg" in readme
    parts = re.sub(r"<!-- generated: (\w+) -->\n.*?<!-- end -->", "", readme, flags=re.S)
    assert re.findall(r"\d+(?:\.\d+)? ?×|\d+ times", parts) == []


def test_stale_parts_are_seen() -> None:
    page = "a\n<!-- generated: encoding -->\nold\n<!-- end -->\nb\n"
    fresh = with_current_parts(page)
    assert fresh.startswith("a\n<!-- generated: encoding -->\n| definition |")
    assert fresh.endswith("\n<!-- end -->\nb\n")
    assert with_current_parts(fresh) == fresh
    with pytest.raises(ValueError, match="nothing generates"):
        with_current_parts("<!-- generated: nonsense -->\n<!-- end -->\n")
    both = README.read_text("utf-8") + PAGE.read_text("utf-8")
    assert sorted(re.findall(r"<!-- generated: (\w+) -->", both)) == sorted(PARTS)


def test_of_each_training_case_the_newest_record_counts(tmp_path: Path) -> None:
    head = "case,engine,cpu,wall,peak,tokens,check\n"
    for name, seconds in (("2026-01-01-0000", 4), ("2026-01-02-0000", 2)):
        path = tmp_path / "machine" / "training" / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = f"x,anypiece,{seconds},1,1000000,5,same merges\nx,peer,8,1,2000000,,\n"
        more = "old,anypiece,1,1,1000000,5,+0.010 % tokens\n" if seconds == 4 else ""
        path.write_text(head + lines + more, "utf-8")
    cases = training.newest_cases(tmp_path)
    assert {name: [result.cpu for result in results] for name, results in cases.items()} == {"x": [2, 8], "old": [1]}
    assert training.ratio(cases["x"]) == ("peer", 4.0)
    assert training.ratio(cases["old"]) is None
