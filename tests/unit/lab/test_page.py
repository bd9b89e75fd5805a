"""The page's files: nothing in them makes markup of text, asks another host, or is too long to read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import anypiece.lab
from anypiece.lab.page_files import PageFiles

FOLDER = Path(anypiece.lab.__file__).parent / "page"
FILES = sorted(FOLDER.iterdir())
FORBIDDEN = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser", "srcdoc",
    "setAttribute('style'", "localStorage", "document.cookie",
)  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files(path: Path) -> None:
    text = path.read_text("utf-8")
    assert [name for name in FORBIDDEN if name in text] == []
    assert set(re.findall(r"https?://[^'\"\s<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert len(text.splitlines()) < 500
    assert PageFiles().get(path.name) is not None


def test_nothing_is_within_the_markup() -> None:
    text = (FOLDER / "index.html").read_text("utf-8")
    assert not re.search(r"\sstyle=|\son\w+=|<style|<script(?![^>]*src=)", text)


def test_every_module_that_is_imported_is_there() -> None:
    names = {path.name for path in FILES}
    for path in FILES:
        if path.suffix == ".js":
            found = set(re.findall(r"from '\./([\w.]+)'", path.read_text("utf-8")))
            assert found <= names, path.name


def test_every_label_is_for_something() -> None:
    text = (FOLDER / "index.html").read_text("utf-8")
    ids = set(re.findall(r'\bid="([\w-]+)"', text))
    used = set(
        re.findall(r"byId\('([\w-]+)'\)", "".join(path.read_text("utf-8") for path in FILES if path.suffix == ".js"))
    )
    made = {"panel-lattice"}
    assert set(re.findall(r'\bfor="([\w-]+)"', text)) <= ids
    assert used - made <= ids
