"""Every example of every page and docstring is executed; every relative link is followed; nothing is rewritten."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scripts.docs.__main__ import bring_up_to_date
from scripts.docs.examples import check_module, check_page, modules
from scripts.docs.figures import FIGURES
from scripts.docs.links import broken_links
from scripts.docs.pages import ROOT, Block, blocks, pages, shown


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_examples_of_page(page: Path) -> None:
    assert check_page(page) == []


@pytest.mark.parametrize("name", modules())
def test_examples_of_module(name: str) -> None:
    assert check_module(name) == []


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_links_of_page(page: Path) -> None:
    assert broken_links(page) == []


def test_every_page_is_listed() -> None:
    listed = (ROOT / "docs" / "README.md").read_text("utf-8")
    found = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert [name for name in found if name != "README.md" and f"({name})" not in listed] == []


def test_every_folder_has_its_place_on_the_map() -> None:
    """ARCHITECTURE.md names each folder of the kernel and of the package, by its path within them or by its own name."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = {name.removeprefix("python/anypiece/").rstrip("/") for name in re.findall(r"`([a-z_0-9/.]+)`", text)}
    for source in (ROOT / "crates" / "core" / "src", ROOT / "python" / "anypiece"):
        folders = [path for path in source.rglob("*") if path.is_dir() and path.name != "__pycache__"]
        assert len(folders) > 10
        missing = [path for path in folders if not {path.relative_to(source).as_posix(), path.name} & named]
        assert missing == []


DECISION_WORDS = 500
REGISTERS = {"dependencies.md"}
"""Decisions with a list to which lines are added; these may be longer than a page."""


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "decisions").glob("*.md")), ids=shown)
def test_a_decision_has_context_decision_and_consequences(page: Path) -> None:
    text = page.read_text("utf-8")
    assert re.findall(r"^## (.+)$", text, re.M)[:3] == ["Context", "Decision", "Consequences"]
    assert page.name in REGISTERS or len(text.split()) <= DECISION_WORDS


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "notebook").glob("*.md")), ids=shown)
def test_lines_of_the_notebook_are_wrapped(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    assert [line for line in lines if len(line) > 130] == []


PRIVATE_WORDS = (
    "asked for before", "at hand", "by chance", "by the book", "by turns", "foretell", "in turns", "lie across",
    "lies across", "passed over", "plain path", "program text", "ready to be drawn", "so many", "stand in a row",
    "stands in a row", "three in a row", "unit table", "whole numbers",
)  # fmt: skip
"""Circumlocutions for which the field has a term: prefetched, current, at random, naive, interleaved, unpredictable, …"""
PRIVATE_WORD = re.compile(rf"\b(?:{'|'.join(PRIVATE_WORDS)})\b".replace(" ", "[ _]"))
SOURCES = ("benchmarks", "crates", "python", "scripts", "tests")


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_words_are_those_of_the_field(page: Path) -> None:
    assert PRIVATE_WORD.findall(" ".join(page.read_text("utf-8").split())) == []


@pytest.mark.parametrize("folder", SOURCES)
def test_words_of_the_source_are_those_of_the_field(folder: str) -> None:
    """Names, comments, docstrings and help texts."""
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".rs", ".py", ".pyi", ".toml")]
    assert files
    found = {shown(path): PRIVATE_WORD.findall(path.read_text("utf-8")) for path in files if path != Path(__file__)}
    assert {path: words for path, words in found.items() if words} == {}


def test_generated_parts_are_current() -> None:
    assert bring_up_to_date(write=False) == []


ARTICLES = sorted((ROOT / "docs" / "learn").glob("*.md"))
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
NAMES = re.compile(r"`[^`\n]*`|\]\([^)]*\)|\bUTF-8|\bGPT-\d|\bT5|\b(?:32|64) bits|\bof 64\b|\b256 bytes|^\d\. ", re.M)
"""What has digits and is no figure: code, links, names, sizes of numbers, and lists."""


@pytest.mark.parametrize("page", ARTICLES, ids=shown)
def test_numbers_of_an_article_are_those_of_its_examples(page: Path) -> None:
    text = page.read_text("utf-8")
    computed = set(re.findall(r"\d+", " ".join(FENCED.findall(text))))
    said = re.findall(r"\d+", NAMES.sub("", FENCED.sub("", text)))
    assert [number for number in said if number not in computed] == []


@pytest.mark.parametrize("page", ARTICLES, ids=shown)
def test_an_article_is_read_in_ten_minutes(page: Path) -> None:
    text = page.read_text("utf-8")
    assert 900 <= len(text.split()) <= 1800


def test_figures_of_articles_are_whole_and_shown() -> None:
    shown_there = "".join(page.read_text("utf-8") for page in ARTICLES)
    files = sorted((ROOT / "docs" / "learn").glob("*.svg"))
    assert [path.name for path in files] == sorted(f"{figure.name}.svg" for figure in FIGURES)
    for path in files:
        root = ElementTree.fromstring(path.read_text("utf-8"))
        assert [child.tag.rpartition("}")[2] for child in root][:2] == ["title", "desc"]
        assert f"({path.name})" in shown_there


README_WORDS = 700


def test_readme_is_short_and_has_an_example() -> None:
    """The length is that of ``wc -w``; the example has six lines of code."""
    readme = ROOT / "README.md"
    assert len(readme.read_text("utf-8").split()) <= README_WORDS
    examples = [block for block in blocks(readme) if block.language == "python"]
    assert [sum(map(bool, block.text.splitlines())) for block in examples] == [6]


# The checker itself: each kind of rot must be seen.


def _page(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, "utf-8")
    return page


@pytest.fixture
def anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose pages can be checked as if they were in the project."""
    monkeypatch.setattr("scripts.docs.pages.ROOT", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "```python\n1 / 0\n```\n",
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nx = 1\n```\n\n```python\n>>> x\n2\n```\n",
        "```console\n$ echo a\nb\n```\n",
        "1. item\n\n   ```python\n   assert False\n   ```\n",
    ],
)
def test_false_example_is_seen(anywhere: Path, text: str) -> None:
    assert len(check_page(_page(anywhere, text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 1\n```\n\n```python\n>>> x + 1\n2\n```\n",
        "```console\n$ echo one two\none ...\n$ printf 'a\\n\\nb\\n'\na\n\nb\n```\n",
        "```sh\nnot run\n```\n",
    ],
)
def test_true_example_passes(anywhere: Path, text: str) -> None:
    assert check_page(_page(anywhere, text)) == []


def test_broken_links_are_seen(anywhere: Path) -> None:
    text = "# A title\n[a](page.md) [b](gone.md) [c](#a-title) [d](#gone) [e](https://example.org/x) `[f](gone.md)`\n"
    assert broken_links(_page(anywhere, text)) == ["page.md: gone.md", "page.md: #gone"]


def test_broken_pictures_are_seen(anywhere: Path) -> None:
    text = '<picture><source srcset="gone-dark.svg"><img src="page.md" alt=""><img src="gone.svg"></picture>\n'
    assert broken_links(_page(anywhere, text)) == ["page.md: gone-dark.svg", "page.md: gone.svg"]


def test_line_of_a_block(anywhere: Path) -> None:
    page = _page(anywhere, "one\n\n```python\nx\n```\n")
    assert blocks(page) == [Block(page, "python", "x\n", 4)]
