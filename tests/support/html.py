"""HTML that a package writes: whether it is whole, and loads and runs nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser

__all__ = ["checked"]

VOID = {"meta", "br", "wbr"}
LOADS = {"script", "link", "iframe", "img", "object", "embed", "base", "form", "source"}


class Checker(HTMLParser):
    """Every element that is opened is closed, none loads anything, and no attribute has style or code."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in LOADS
        assert not [name for name, _ in attrs if name in ("style", "src", "href", "srcset") or name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            assert not re.search(r"url\(|@import", data)
        else:
            self.text += data


def checked(html: str) -> str:
    """The text of a page or of a part of one, when all of it is as it should be."""
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker.text
