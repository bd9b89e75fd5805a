"""The site: navigation and pages agree, every public name is in the reference, the check of built pages sees faults.

``make site`` builds it, in an environment of its own.
"""

from __future__ import annotations

import doctest
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import anypiece
from scripts.docs.pages import ROOT, pages, shown
from scripts.site import links, navigation, reference
from scripts.site.check import check

if TYPE_CHECKING:
    from pathlib import Path


def test_every_page_is_in_the_navigation() -> None:
    documents = {shown(page) for page in pages()} | {"benchmarks/README.md", "LICENSE"}
    assert {page for page in navigation.titles() if not page.startswith("reference/")} == documents


def test_pages_of_the_reference_are_in_the_navigation() -> None:
    assert {page for page in navigation.titles() if page.startswith("reference/")} == set(reference.pages())


def test_each_page_has_one_place_and_one_title() -> None:
    places = [navigation.place(page) for page in navigation.titles()]
    assert len(places) == len(set(places))
    listed = [page for tab in navigation.NAVIGATION.values() for entry in tab.values()
              for page in ([entry] if isinstance(entry, str) else entry.values())]  # fmt: skip
    assert len(listed) == len(set(listed)) == len(places)


def test_every_public_name_is_on_one_page_of_the_reference() -> None:
    assert sorted(reference.listed()) == sorted(anypiece.__all__)


@pytest.mark.parametrize("name", reference.GROUPS)
def test_what_a_page_of_the_reference_names_is_there(name: str) -> None:
    group = reference.GROUPS[name]
    for other in group.others:
        module, _, attribute = f"anypiece.{other}".rpartition(".")
        assert hasattr(import_module(module), attribute)
    for module in group.modules:
        assert reference.exported(module) == import_module(f"anypiece.{module}").__all__
    assert set(group.doubles) <= {exported for module in group.modules for exported in reference.exported(module)}


def test_each_surface_of_another_library_is_in_the_reference() -> None:
    folders = {f"compat.{path.name}" for path in (ROOT / "python" / "anypiece" / "compat").iterdir() if path.is_dir()}
    modules = {module for group in reference.GROUPS.values() for module in group.modules}
    assert folders - {"compat.__pycache__"} <= modules


@pytest.mark.parametrize("module", [links, navigation, reference])
def test_examples_of_the_scripts(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_pictures_have_both_themes() -> None:
    text = (
        '<picture>\n<source media="(prefers-color-scheme: dark)" srcset="d.svg">\n<img src="l.svg" alt="A">\n</picture>'
    )
    assert links.rewritten(text, "docs/start.md") == "![A](l.svg#only-light)![A](d.svg#only-dark)"


# The check itself: each kind of fault must be seen.


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A page without a fault, and one that it links to."""
    (tmp_path / "other.html").write_text('<h1 id="there">Other</h1>', "utf-8")
    (tmp_path / "index.html").write_text(
        '<a href="other.html#there">a</a> <a href="https://example.org/">b</a> <p>2 - 1, <code>](x)</code></p>', "utf-8"
    )
    return tmp_path


def test_a_site_without_faults(site: Path) -> None:
    assert check(site) == []


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ('<a href="gone.html">', "index.html links to gone.html"),
        ('<a href="other.html#gone">', "index.html links to other.html#gone"),
        ('<a href="#gone">', "index.html links to #gone"),
        ('<a href="/other.html">', "index.html links to /other.html"),
        ('<a href="../">', "index.html links to ../"),
        ('<img src="https://example.org/a.png">', "index.html loads https://example.org/a.png"),
        ('<link rel="stylesheet" href="//example.org/a.css">', "index.html loads //example.org/a.css"),
        ('<img srcset="other.html 1x, http://example.org/a 2x">', "index.html loads http://example.org/a"),
        ("<p>So:\n- one\n- two</p>", "index.html shows Markdown: - one"),
        ("<li>see [a](b)</li>", "index.html shows Markdown: ](b)"),
        ('<pre class="mermaid"></pre>', "index.html has a diagram"),
    ],
)
def test_faults_of_a_page_are_seen(site: Path, text: str, failure: str) -> None:
    (site / "index.html").write_text(text, "utf-8")
    assert check(site)[0].startswith(failure)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.css", "@import 'https://example.org/a.css';"),
        ("a.css", "a { background: url(//example.org/a.png) }"),
        ("a.js", 'load("https://example.org/a.js")'),
    ],
)
def test_what_styles_and_scripts_load_is_seen(site: Path, name: str, text: str) -> None:
    (site / name).write_text(text, "utf-8")
    assert len(check(site)) == 1


def test_an_empty_folder_is_no_site(tmp_path: Path) -> None:
    assert check(tmp_path) != []
