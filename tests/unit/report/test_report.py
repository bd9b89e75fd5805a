"""Parts of reports: whole, with nothing to load or run, and all text of strangers as text."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from anypiece.report import (
    STYLE,
    Block,
    Html,
    bars,
    blocks,
    columns,
    details,
    facts,
    fragment,
    lines,
    literal,
    page,
    paragraph,
    pieces,
    section,
    table,
)  # fmt: skip
from anypiece.report.style import BLOCKS, DARK, LIGHT, SCALE
from tests.support.html import checked

HOSTILE = [
    '<script>alert("x")</script>',
    "<img src=x onerror=alert(1)>",
    '" onclick="alert(1)',
    "' style='color:red",
    "</style><b>",
    "&lt;",
    "\u202ereversed",
    "\u2066isolated",
    "a\x00b\x1b[31m",
    "\ud800",
    "\u0301",
    "\u2028",
]


def everything(text: str) -> str:
    """A page that has a text in every place that takes one."""
    return page(
        text,
        text,
        facts({text: text}),
        paragraph(text),
        paragraph(text, note=True),
        section(text, table([text, text], [[text, text], [literal(text), text]], text, [(0, 1)], words=[1], won=[1])),
        pieces([text, (text, text)]),
        blocks([Block(text, text, text)], text),
        bars({text: {text: 1.0, "": 0.5}}, text, intervals={text: {text: (0.9, 1.2)}}),
        columns([(text, 3.0)], text, text),
        lines({text: [(0, 1), (2, 3)], "b": []}, text, text, text),
        details(text, "<p>x</p>"),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_text_everywhere(text: str) -> None:
    html = everything(text)
    said = checked(html)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u2028\ud800-\udfff]", html)
    if text.isascii() and text.isprintable():
        assert said.count(text) > 15
    html.encode()


def test_the_stylesheet_is_the_one_the_policy_names() -> None:
    html = page("t", "l")
    style = re.search("<style>(.*?)</style>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in html
    assert "default-src 'none'" in html
    assert style == STYLE


def test_rules_reach_nothing_outside() -> None:
    """Every selector is below the class of reports, so that a notebook stays as it is."""
    text = re.sub(r"@media \([^)]*\)", "", STYLE)
    selectors = [one.strip("{} \n") for rule in re.findall(r"[^{}]+(?=\{)", text) for one in rule.split(",")]
    assert len(selectors) > 80
    assert [one for one in selectors if one and not re.match(r"(body|div)?\.ap\b", one)] == []


def test_parts_that_have_nothing_are_not_there() -> None:
    assert section("nothing", "", "") == ""
    assert [columns([], "u", "t"), bars({}, "u"), bars({"a": {}}, "u"), lines({}, "x", "y", "t")] == [""] * 4
    assert [lines({"a": []}, "x", "y", "t"), pieces([]), blocks([], "x"), details("t", ""), paragraph("")] == [""] * 5


def test_cells_of_html_stay() -> None:
    html = table(["a", "b"], [["x", Html("<b>1</b>")], ["<i>", "2"]], "c", [(0, 1)])
    assert '<td class="best"><b>1</b></td>' in html
    assert html.count('scope="row"') == html.count('scope="col"') == 2
    assert "<caption>c</caption>" in html


def test_pieces_are_spelled_where_nothing_would_be_seen() -> None:
    assert "\\u202e" in literal("\u202eabc")
    assert "\\U000e0041" in literal("\U000e0041")
    assert literal(b"\xe2\x96") == '<bdi class="piece">\\xe2\\x96</bdi>'
    assert literal("<b>") == '<bdi class="piece">&lt;b&gt;</bdi>'
    assert literal("\u0301") == '<bdi class="piece">\u25cc\u0301</bdi>'


def test_charts_say_in_words_what_they_show() -> None:
    assert 'aria-label="en: a 4.00, b 2.50 bytes"' in bars({"en": {"a": 4.0, "b": 2.5}}, "bytes")
    assert 'aria-label="length: 2 columns from 1 to 9, the highest of 5 pieces"' in columns(
        [("1", 5.0), ("9", 0.0)], "pieces", "length"
    )
    html = lines({"a": [(0, 1), (10, 4)], "b": [(0, 2), (10, float("nan"))]}, "texts", "s", "Time")
    assert "Time: s by texts, a from 1 to 4; b from 2 to 2" in html
    assert checked(html).count("10") >= 2


def test_bars_are_as_long_as_their_figures() -> None:
    found = re.findall(r'<rect[^>]* width="([\d.]+)%"', bars({"g": {"a": 4.0, "b": 1.0, "c": 0.0, "d": -1.0}}, "u"))
    assert [float(one) / float(found[0]) for one in found] == pytest.approx([1, 0.25, 0, 0])
    wide = bars({"g": {"a": 4.0}}, "u", intervals={"g": {"a": (3.0, 8.0)}})
    ends = [float(one) for one in re.findall(r'x[12]="([\d.]+)%"', wide)]
    assert (min(ends), max(ends)) == (30.0, 80.0)


def test_columns_of_many_values_name_few_of_them() -> None:
    html = columns([(str(number), float(number)) for number in range(1000)], "pieces", "length")
    assert html.count("<rect") == 1000
    assert html.count("<text") < 40


@pytest.mark.parametrize("points", [[(0, 0)], [(5, 5)], [(-3, -7), (4, 0.001)], [(1e9, 1e-9)]])
def test_lines_stay_in_their_plot(points: list[tuple[float, float]]) -> None:
    html = lines({"a": points}, "x", "y", "t")
    checked(html)
    numbers = [float(one) for one in re.findall(r"-?[\d.]+", re.search(' d="([^"]*)"', html)[1])]
    assert all(-0.1 <= one <= 1000.1 for one in numbers)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(one * 2 for one in colour[1:])
    channels = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_stand_out(colours: dict[str, str]) -> None:
    for name in ("ink", "soft", "good", "bad"):
        assert _contrast(colours[name], colours["ground"]) >= 4.5
        assert _contrast(colours[name], colours["band"]) >= 4.4
    for number in range(SCALE):
        assert _contrast(colours[f"c{number}"], colours["ground"]) >= 3
    for number in range(BLOCKS):
        assert _contrast(colours["ink"], colours[f"t{number}"]) >= 4.5


def test_a_fragment_stands_by_itself() -> None:
    checked(fragment("<p>a</p>", "", table(["a"], [["1"]])))
