"""Pictures of lattices: every edge is there, nothing in a piece is markup, labels do not lie on each other.

``python -m tests.unit.lattice.test_svg --update`` draws the picture of the guide anew.
"""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from xml.etree import ElementTree

import pytest

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from tests.support.data import ROOT
from tests.support.small_vocabularies import BYTES, RANKS, UNIGRAM

GUIDE = ROOT / "docs" / "guide" / "lattice.svg"
SVG = "{http://www.w3.org/2000/svg}"
TEXTS = [
    "",
    "a",
    "Hello world",
    "今日はいい天気ですね",
    "السلام عليكم",
    "I ❤️ you 👩‍💻 café",
    "nai\u0308ve e\u0301",
    "\t\x00\x1b\u202e",
]


def labels(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [text for text in root.iter(f"{SVG}text") if text.get("class") == kind]


def number(element: ElementTree.Element, name: str) -> float:
    return float(element.get(name, "nan"))


@pytest.mark.parametrize("text", TEXTS)
def test_every_edge_is_drawn(text: str) -> None:
    lattice = ap.load().lattice(text)
    root = ElementTree.fromstring(lattice.svg())
    arcs = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}path") is not None]
    assert len(arcs) == len(labels(root, "piece")) == len(lattice)
    best = [group for group in arcs if group.get("class") == "best"]
    assert len(best) == len(lattice.viterbi().edges)
    if len(lattice):
        others = set(lattice.runner_up().edges) - set(lattice.viterbi().edges)
        assert len([group for group in arcs if group.get("class") == "second"]) == len(others)
    width, height = number(root, "width"), number(root, "height")
    for label in root.iter(f"{SVG}text"):
        assert 0 <= number(label, "x") <= width
        assert 0 <= number(label, "y") <= height


@pytest.mark.parametrize("text", TEXTS[2:5])
def test_labels_of_a_row_lie_side_by_side(text: str) -> None:
    root = ElementTree.fromstring(ap.load().lattice(text).svg())
    rows: dict[float, list[tuple[float, float]]] = {}
    for label in labels(root, "number"):
        if label.text and "%" in label.text:
            half = 5.6 * len(label.text) / 2
            x = number(label, "x")
            rows.setdefault(number(label, "y"), []).append((x - half, x + half))
    assert rows
    for spans in rows.values():
        assert all(one[1] <= other[0] for one, other in pairwise(sorted(spans)))


def test_pieces_of_strangers_are_text() -> None:
    names = ['<script>alert("1")</script>', "]]>&amp;'", "\x01\x02", "\u202eabc", "\ufffe", "</text><g>"]
    rows = [("<unk>", 0.0, Kind.UNKNOWN), *((name, -1.0, Kind.NORMAL) for name in names)]
    spec = Spec(Pieces.of(rows), add_dummy_prefix=False)
    picture = ap.Tokenizer(spec).lattice("".join(names)).svg()
    root = ElementTree.fromstring(picture)
    shown = [label.text for label in labels(root, "piece")]
    assert {names[0], names[1], names[5], "U+0001U+0002", "U+202Eabc"} <= set(shown)
    assert not list(root.iter(f"{SVG}script"))
    assert re.search(r"[\x00-\x08\x0b-\x1f\u202e\ufffe]", picture) is None


def test_right_to_left() -> None:
    root = ElementTree.fromstring(ap.load().lattice("سلام a").svg())
    ways = {label.text: label.get("direction") for label in labels(root, "piece")}
    assert ways["س"] == "rtl"
    assert ways["a"] is None
    places = [(number(label, "x"), label.text) for label in labels(root, "text")]
    assert [text for _, text in sorted(places, reverse=True)] == list("▁سلام▁a"), "from right to left, as it is read"


@pytest.mark.parametrize(
    ("text", "is_leftward"), [("السلام", True), ("שלום a", True), ("hello م", False), ("12 3", False)]
)
def test_places_go_as_the_text_is_read(text: str, is_leftward: bool) -> None:
    picture = ap.load().lattice(text).svg()
    found = [float(x) for x in re.findall(r'<circle[^>]* cx="([0-9.]+)"', picture)]
    assert found == sorted(found, reverse=is_leftward)
    assert all(0 < x < float(re.search(r'width="([0-9.]+)"', picture)[1]) for x in found)  # type: ignore[index]


def test_combining_characters_stand_on_a_circle() -> None:
    root = ElementTree.fromstring(ap.Tokenizer(BYTES).lattice("e\u0301\ufe0f").svg())
    assert [label.text for label in labels(root, "piece")] == ["▁", "e", "◌\u0301", "U+FE0F"]


def test_bytes() -> None:
    root = ElementTree.fromstring(ap.Tokenizer(RANKS).lattice(" 日").svg())
    assert [label.text for label in labels(root, "piece")] == ["␣", "20 E6", "E6", "E6 97", "97", "日", "A5"]
    assert not any("·" in (label.text or "") for label in labels(root, "number")), "there are no scores"


@pytest.mark.parametrize("alpha", [0, 1e-300, 1e6, 1e300, 1e308, float("inf")])
def test_any_temperature(alpha: float) -> None:
    lattice = ap.Tokenizer(UNIGRAM).lattice("ab ab")
    assert "nan" not in lattice.svg(alpha)
    assert len(lattice.summary(alpha)) < 120
    assert lattice.marginals(alpha).sum() >= 1
    ap.Tokenizer(UNIGRAM).sample("ab ab", alpha, seed=1)


def test_odd_temperatures_and_nothing() -> None:
    tok = ap.Tokenizer(UNIGRAM)
    for alpha in (float("nan"), -1e-300):
        with pytest.raises(ap.InputError, match="alpha must be"):
            tok.lattice("ab").entropy(alpha)
        with pytest.raises(ap.InputError, match="alpha must be"):
            tok.sample("ab", alpha, seed=1)
    assert tok.lattice("ab").log_partition(float("inf")) == tok.lattice("ab").log_partition(1e308) == float("-inf")
    assert tok.lattice("ab").log_partition(1e200) == pytest.approx(-2.5e200)
    nothing = tok.lattice("")
    assert nothing.summary() == "1 path, log partition 0.00, entropy 0.00 nats, 0.00 tokens on average"
    assert [path.score for path in nothing.nbest(3)] == [0.0]
    assert nothing.log_partition(float("inf")) == 0.0


def test_long_texts_are_refused() -> None:
    lattice = ap.Tokenizer(UNIGRAM).lattice("ab " * 200)
    with pytest.raises(ap.InputError, match="raise most") as error:
        lattice.svg()
    assert (error.value.code, error.value.facts["most"]) == ("lattice-too-large", 300)
    ElementTree.fromstring(lattice.svg(most=600))
    with pytest.raises(ap.InputError):
        lattice.svg(most=-1)
    with pytest.raises(ap.InputError):
        lattice.svg(alpha=-1)


def of_the_guide() -> str:
    return ap.load().lattice("Hello world").svg(0.3)


def test_the_guide_shows_the_real_picture() -> None:
    assert GUIDE.read_text("utf-8") == of_the_guide(), "run: python -m tests.unit.lattice.test_svg --update"


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.unit.lattice.test_svg --update")
    GUIDE.write_text(of_the_guide(), "utf-8")


def test_a_very_long_text_is_refused_before_its_edges_are_looked_at() -> None:
    lattice = ap.load().lattice("some words " * 20_000)
    with pytest.raises(ap.InputError, match="220,001 places"):
        lattice.svg()
    assert "_columns" not in vars(lattice)
