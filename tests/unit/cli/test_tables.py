"""Tables keep every digit and every name at any width, and nothing that is shown is taken for markup."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from anypiece.inspect.terminal import plain_table

if TYPE_CHECKING:
    from tests.support.shell import Shell

WIDTHS = (20, 40, 80, 200)
ODD = "[red]odd.model"
"""A file name as rich writes colours."""


def shown(shell: Shell, *arguments: str, width: int | None) -> str:
    """What a verb prints on a terminal of that width, or with None into a pipe, without colours and line breaks."""
    shell.monkeypatch.setenv("COLUMNS", str(width or 80))
    found = shell(*arguments, terminal=width is not None)
    assert found.code == 0, found.err
    return re.sub(r"\x1b\[[0-9;]*m", "", found.out)


@pytest.mark.parametrize("width", [*WIDTHS, None])
def test_compare_keeps_names_and_digits(shell: Shell, width: int | None) -> None:
    shutil.copy("tok.model", ODD)
    Path("[bold]text.txt").write_text("ab " * 222, encoding="utf-8")
    out = shown(shell, "compare", "tok.model", ODD, f"{'n' * 150}={ODD}", "-i", "[bold]text.txt", width=width)
    assert out.startswith("[bold]text.txt: 666 bytes\n")
    squeezed = re.sub(r"\s", "", out)
    assert squeezed.count("222") == 3
    assert ODD in squeezed
    assert out.count("n") >= 150
    if width is not None and width >= 80:  # narrower ones are lists, whose values may be longer
        assert all(len(line) <= width for line in out.splitlines())


@pytest.mark.parametrize("width", [*WIDTHS, None])
@pytest.mark.parametrize(
    "arguments",
    [("explain", "ab[red]"), ("lattice", "ab ab"), ("nbest", "ab ab"), ("sample", "--count", "9", "ab ab")],
    ids=lambda arguments: arguments[0],
)
def test_tables_of_tokens_keep_all(shell: Shell, arguments: tuple[str, ...], width: int | None) -> None:
    """Whatever the width, the same words and numbers are there; only a bar is a picture that a list has no place for."""
    given = (arguments[0], "-t", "tok.model", *arguments[1:])
    wide, out = (shown(shell, *given, width=columns) for columns in (None, width))

    def words(text: str) -> set[str]:
        return {word for word in re.sub(r"[█│]", " ", text).split() if any(map(str.isalnum, word))}

    assert words(wide) <= words(out) or width == 20
    assert {word for word in words(wide) if re.fullmatch(r"-?[\d.]+", word)} <= words(out)


def test_a_table_that_fits_is_not_folded() -> None:
    rows = [("a name", 1, "x" * 20), ("b", 22, "y")]
    columns = ["name", "#n", "text"]
    whole = plain_table(columns, rows)
    assert plain_table(columns, rows, 200) == whole
    assert plain_table(columns, rows, len(whole.splitlines()[1])) == whole
    folded = plain_table(columns, rows, len(whole.splitlines()[1]) - 4)
    assert folded.splitlines()[1:4] == ["a name   1  " + "x" * 16, " " * 12 + "xxxx", "b       22  y"]
    assert plain_table(columns, rows, 10).splitlines() == [
        "name  a name",
        "n     1",
        f"text  {'x' * 20}",
        "",
        "name  b",
        "n     22",
        "text  y",
    ]


def test_words_are_folded_behind_spaces() -> None:
    folded = plain_table(["#n", "pieces"], [(7, "one two three four")], 17)
    assert folded.splitlines() == ["n  pieces", "7  one two three", "   four"]


def test_names_are_no_control_characters(shell: Shell) -> None:
    """A file may be called anything; its name stays on its line."""
    Path("a\x1b[31m\nb").write_text("ab", encoding="utf-8")
    assert shell("count", "-t", "tok.model", "a\x1b[31m\nb").out == "1 2 2 a\\x1b[31m\\nb\n"
