"""Benchmark definitions are a matrix: every cell has a name that records keep, expected values, and tables it refers to."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from benchmarks.harness.definition import Expected, Source, Target, TextPlan
from benchmarks.harness.matrix import load_definitions, read_expected, read_tables, write_expected
from benchmarks.harness.places import DEFINITIONS, RECORDS, ROOT
from benchmarks.reports.rows import by_definition, read_rows
from benchmarks.reports.table import newest

if TYPE_CHECKING:
    from pathlib import Path

ROWS = {definition.name: definition for definition in load_definitions()}


def test_every_row_has_expected_values_and_nothing_else_has() -> None:
    assert sorted(read_expected()) == sorted(ROWS)
    assert [name for name, row in ROWS.items() if not (row.expected.documents and row.expected.digest)] == []


def test_every_table_is_used() -> None:
    tables = read_tables(DEFINITIONS)
    texts = {row.text for row in ROWS.values()}
    files = {row.tokenizer for row in ROWS.values()}
    engines = {entrant.name for row in ROWS.values() for entrant in row.entrants}
    assert [name for name, text in tables.texts.items() if text not in texts] == []
    assert [name for name, vocabulary in tables.vocabularies.items() if vocabulary.files not in files] == []
    assert sorted(tables.versions.keys() - engines) == []


def test_a_record_of_today_is_compared_row_by_row() -> None:
    """``benchmarks.compare`` matches records by the names of rows, their mode, threads and reference."""
    for name, rows in by_definition(read_rows(newest())).items():
        definition = ROWS[name]
        assert {(row.mode, row.threads, row.reference) for row in rows} == {
            (definition.mode, definition.threads, definition.reference)
        }
        assert {row.engine for row in rows} <= {entrant.name for entrant in definition.entrants}


def test_rows_of_older_records_are_still_there() -> None:
    older = {row.definition for path in RECORDS.glob("*/*.csv") for row in read_rows(path)}
    assert sorted(older - ROWS.keys()) == []


def test_a_cell() -> None:
    row = ROWS["short-strings/t5"]
    sources = (Source(3_000_000, "en_novels"), Source(600_000, "en_linux_doc"))
    assert row.text == TextPlan(sources, size=40, unit="chars")
    assert (row.mode, row.warm, row.parts, row.reference) == ("list", "other", 2, "sentencepiece")
    assert [entrant.name for entrant in row.entrants] == [
        "anypiece",
        "sentencepiece",
        "splintr",
        "tokie",
        "tokenizers",
        "gigatoken",
    ]
    assert row.entrant("gigatoken").tokenizer == ROWS["short-strings/llama2"].tokenizer
    assert (row.entrant("tokenizers").rounds, row.entrant("tokie").rounds) == (1, 0)
    assert row.targets == (Target("gigatoken", 1.43, 1.43),)
    assert ROWS["load/xlmr-own"].entrant("anypiece").form == "anypiece"
    assert [entrant.name for entrant in ROWS["t5-sampling/2kb"].entrants][1] == "anypiece_encode"


def test_patterns() -> None:
    assert [row.name for row in load_definitions("xlmr-*/2kb")] == [
        "xlmr-chinese/2kb",
        "xlmr-english/2kb",
        "xlmr-gguf-english/2kb",
        "xlmr-gguf-japanese/2kb",
        "xlmr-japanese/2kb",
    ]
    assert {row.name for row in load_definitions("decode")} == {"decode/t5", "decode/llama2"}


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return shutil.copytree(DEFINITIONS, tmp_path / "definitions")


def test_expected_values_are_written_as_they_are_read(copied: Path) -> None:
    before = (copied / "expected.toml").read_text("utf-8")
    write_expected("decode/t5", ROWS["decode/t5"].expected, copied)
    assert (copied / "expected.toml").read_text("utf-8") == before
    write_expected("decode/t5", Expected(1, 2, "ab"), copied)
    assert read_expected(copied) == {**read_expected(), "decode/t5": Expected(1, 2, "ab")}


CELL = 'question = "?"\nvocabularies = ["t5"]\ntexts = { a = "novels-2mb" }\n'


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f'mode = "array"\n[[matrix]]\nrow = "decode/{{vocabulary}}"\n{CELL}', "rows with the same name: decode/t5"),
        (f'mode = "juggle"\n[[matrix]]\nrow = "new"\n{CELL}', "unknown mode 'juggle'"),
        (f'mode = "array"\n[[matrix]]\nrow = "new"\nspeed = 1\n{CELL}', "speed"),
        (f'mode = "nbest"\nsampling = {{ compare = "taste" }}\n[[matrix]]\nrow = "new"\n{CELL}', "n-best lists"),
        (f'mode = "array"\n[[matrix]]\nrow = "new"\n{CELL}[targets]\nold = {{ cold = 1 }}\n', "not there: old"),
    ],
)
def test_mistakes_are_refused(copied: Path, text: str, error: str) -> None:
    (copied / "kinds" / "new.toml").write_text(text, "utf-8")
    with pytest.raises((ValueError, TypeError), match=error):
        load_definitions(folder=copied)


def test_versions_are_those_that_are_installed() -> None:
    """``make bench`` installs the releases that the definitions pin."""
    lines = [
        line
        for name in ("requirements.txt", "requirements-built.txt")
        for line in (ROOT / "benchmarks" / name).read_text("utf-8").splitlines()
        if "==" in line
    ]
    installed = dict(line.split("==") for line in lines)
    packages = {"splintr": "splintr-rs", "rs_bpe": "rs-bpe"}
    pinned = read_tables(DEFINITIONS).versions
    assert {name: installed[packages.get(name, name)].split()[0] for name in pinned} == pinned
