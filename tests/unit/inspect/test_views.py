"""Steps as a person reads them: nothing is lost on the way to a narrow terminal, to plain lines or to HTML."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape

import pytest
from rich.console import Console

import anypiece as ap
from anypiece.inspect.draw_view import draw_views
from anypiece.inspect.steps_view import step_views
from anypiece.inspect.views import Grid, Row, View, as_html, as_rich, as_text, figure
from anypiece.report.page import visible
from anypiece.steps import sample_steps
from anypiece.text.sampling import METHODS
from tests.support.html import checked
from tests.support.merge_lists import MERGE_SPECS
from tests.support.small_vocabularies import BPE, BYTES, CHAR, RANKS, SPECIALS, UNIGRAM
from tests.support.vocabularies import BYTE_SPECS, OTHER_SPECS, SPECS

MADE = {"unigram": UNIGRAM, "bytes": BYTES, "specials": SPECIALS, "bpe": BPE, "char": CHAR, "ranks": RANKS}
MADE |= dict(list((SPECS | OTHER_SPECS | BYTE_SPECS | MERGE_SPECS).items())[::3])
TEXTS = ["", "ab  é x🦊 the [SEP]", "aab aab"]


def grids(views: list[View]) -> list[Grid]:
    """All tables of views."""
    found: list[Grid] = []
    for view in views:
        found += [part for part in view.parts if isinstance(part, Grid)]
        found += grids([part for part in view.parts if isinstance(part, View)])
    return found


def printed(views: list[View], width: int) -> str:
    console = Console(width=width, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as captured:
        for line in as_rich(views, width):
            console.print(line)
    return captured.get()


def letters(text: str) -> Counter[str]:
    return Counter("".join(text.split()))


@pytest.mark.parametrize("name", MADE)
def test_no_digit_and_no_name_is_dropped(name: str) -> None:
    tok = ap.Tokenizer(MADE[name])
    for text in TEXTS:
        framed = None not in (tok.bos_id, tok.eos_id)
        views = step_views(tok.explain(text, specials="parse", add_special=framed).steps)
        whole = as_text(views)
        cells = Counter[str]()
        for grid in grids(views):
            for row in grid.rows:
                cells += letters(
                    "".join("".join(map(visible, cell)) if isinstance(cell, tuple) else visible(cell) for cell in row)
                )
        cells -= Counter({" ": cells[" "], "␣": cells["␣"]})
        for width in (20, 40, 80):
            assert not cells - letters(as_text(views, width)), width
            assert not cells - letters(printed(views, width)), width
        assert not cells - letters(whole)
        assert not cells - letters(unescape(checked(as_html(views))))


@pytest.mark.parametrize("method", METHODS)
def test_draws(method: str) -> None:
    tok = ap.Tokenizer(RANKS if method == "dropout" else UNIGRAM)
    text = "the cat" if method == "dropout" else "ab é"
    steps = sample_steps(tok, text, 0.3, seed=5, method=method)
    views = draw_views(steps)
    said = as_text(views)
    assert f"Method {method}" in said
    assert said.endswith("ids: " + " ".join(map(str, steps.ids)))
    numbers = [draw.number for unit in steps.units for draw in unit.draws]
    numbers += [coin.number for unit in steps.units for coin in unit.coins if coin.number is not None]
    numbers += [one.number for unit in steps.units for one in unit.tries]
    assert numbers
    assert [figure(number) for number in numbers if figure(number) not in said] == []
    checked(as_html(views))


def test_the_winner_says_why() -> None:
    said = as_text(step_views(ap.Tokenizer(UNIGRAM).explain("ab").steps))
    rows = [line.split(maxsplit=6) for line in said.splitlines() if re.match(r" +\d", line)]
    assert [(row[0], row[1], row[5], row[6]) for row in rows] == [
        ("1", "▁", "-3", "wins: the only one"),
        ("2", "▁a", "-1", "wins by 5"),
        ("2", "a", "-6", "5 behind"),
        ("3", "▁ab", "-2.5", "wins by 1.5"),
        ("3", "ab", "-5", "2.5 behind"),
        ("3", "b", "-4", "1.5 behind"),
    ]
    assert "Back-trace: 3 ← 0" in said


def test_merges_name_those_that_lost() -> None:
    said = as_text(step_views(ap.Tokenizer(RANKS).explain("the").steps))
    merges = [
        part for part in grids(step_views(ap.Tokenizer(RANKS).explain("the").steps)) if part.columns[0] == "#merge"
    ]
    assert len(merges) == 1
    assert all(row[1] in said and row[6] for row in merges[0].rows)


def test_equal_chunks_are_told_once() -> None:
    views = step_views(ap.Tokenizer(RANKS).explain("a the b the").steps)
    said = as_text(views)
    assert said.count("As in chunk 2.") == 1


def test_byte_fallback_unknowns_and_specials_are_named() -> None:
    tok = ap.Tokenizer(RANKS)
    said = as_text(step_views(tok.explain("a<|end|>", specials="parse").steps))
    assert "byte fallback" in as_text(step_views(ap.load().explain("🦊").steps))
    assert "special token" in said
    assert "unknown" in as_text(step_views(ap.Tokenizer(UNIGRAM).explain("🦊").steps))


@pytest.mark.parametrize(
    ("value", "shown"), [(0.1, "0.1"), (1e-9, "1e-09"), (-2.5, "-2.5"), (123456789.0, "123456789")]
)
def test_figures(value: float, shown: str) -> None:
    assert figure(value) == shown


HOSTILE = [
    "<script>alert(1)</script>",
    "\u202ea",
    "a\x1b[31m",
    "'\" onx=",
    "\u0301",
    "\u2028",
    "</style>",
    "日本",
    "ابجد",
]


def hostile() -> ap.Tokenizer:
    rows = [("<unk>", 0.0, ap.Kind.UNKNOWN), *((piece, -2.0, ap.Kind.NORMAL) for piece in ["▁", "a", *HOSTILE])]
    return ap.Tokenizer(ap.Spec(ap.Pieces.of(rows)))


def test_hostile_vocabularies_are_text() -> None:
    tok = hostile()
    text = "".join(HOSTILE)
    explanation = tok.explain(text)
    for html in (
        explanation.html(tok.sample_steps(text, 0.1, seed=1)),
        explanation._repr_html_(),
        tok.encode_spans(text)._repr_html_(),  # type: ignore[attr-defined]
        tok.lattice(text)._repr_html_(),
    ):
        checked(html)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u2028]", html)
        assert "<script" not in html
    said = as_text(step_views(explanation.steps))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2028]", said)


def test_a_page_is_whole() -> None:
    html = ap.load().explain("Hello wörld 🦊").html()
    said = checked(html)
    for word in ("A text, step by step", "Normalization", "Back-trace", "byte fallback"):
        assert word in said
    assert "Every step" in checked(ap.load().explain("Hello")._repr_html_())


def test_pieces_of_bytes_are_shown_as_they_are() -> None:
    tok = ap.Tokenizer(RANKS)
    found = tok.encode_spans("ü")
    assert "\\xc3" in found._repr_html_()  # type: ignore[attr-defined]
    assert found == list(found)
    assert isinstance(tok.encode_spans("the", add_special=False)[:1], list)


def test_a_wide_lattice_is_told_in_words() -> None:
    html = ap.load().lattice("some words " * 50)._repr_html_()
    assert "<svg" not in html
    assert "too wide to read" in checked(html)


def test_rows_have_their_ids() -> None:
    assert as_text([View("t", [Row("path", (("a b", "5"), ("c", "")))])]) == "\n# t\npath: a␣b (5) c"
