"""What must hold of the built site: links lead somewhere, nothing is asked of another host, no Markdown is left."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DORMANT", "Page", "check"]

_LOADED = {"src", "srcset", "data", "poster"}
"""Attributes whose addresses a browser fetches, on any element."""
_LEFT_OVER = re.compile(r"^ {0,3}(?:[-*] |\d+[.] |#+ |```|\|.*\|$).*|\]\([^)]*\)", re.M)
_BLOCKS = {"p", "li", "td"}
"""Elements in which text that is still Markdown is found: a list without an empty line before it, an unclosed block."""
_ADDRESS = re.compile(r"""https?://[^\s"'`)<>\\]+|(?<=["'`])//\w[^\s"'`)<>\\]+""")
_COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.S | re.M)
_STYLE = re.compile(r"url\(\s*[\"']?(?P<target>[^\"')]+)|@import\s+[\"'](?P<other>[^\"']+)")

DORMANT = (
    "https://unpkg.com/mermaid",  # fetched for elements of the class mermaid, of which there are none
    "https://api.github.com/",  # fetched where repo_url is set
    "https://${",  # GitLab, likewise
    "https://unpkg.com/resize-observer-polyfill",  # fetched by browsers older than 2020
    "https://bit.ly/2s3ChXG",  # in the text of a warning of lunr
    "http://www.w3.org/",  # namespaces
)
"""Addresses that scripts of the theme hold and that no page of ours makes them ask for. Another one is an error."""


class Page(HTMLParser):
    """The anchors of a page, what it links to, what it loads, its classes, and text in which Markdown was left."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.classes: set[str] = set()
        self.left_over: list[str] = []
        self._verbatim = 0
        self._block = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.classes |= set(given.get("class", "").split())
        if tag in ("pre", "code", "script", "style"):
            self._verbatim += 1
        if tag in _BLOCKS:
            self._block = ""
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif "href" in given:
            self.loaded.append(given["href"])
        for name in _LOADED & given.keys():
            parts = given[name].split(",") if name == "srcset" else [given[name]]
            self.loaded += [part.split()[0] for part in parts if part.strip()]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("pre", "code", "script", "style"):
            self._verbatim -= 1
        if tag in _BLOCKS:
            self.left_over += [found.group().strip() for found in _LEFT_OVER.finditer(self._block)]
            self._block = ""

    def handle_data(self, data: str) -> None:
        self._block += "code" * bool(data.strip()) if self._verbatim else data


def check(site: Path) -> list[str]:
    """One line for each thing that is wrong."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    if not pages:
        return [f"{site} has no pages"]
    failures = [failure for path, page in pages.items() for failure in _of_page(site, path, page, pages)]
    for path in sorted([*site.rglob("*.css"), *site.rglob("*.svg")]):
        text = path.read_text("utf-8")
        named = [found["target"] or found["other"] for found in _STYLE.finditer(text)]
        failures += [f"{path.relative_to(site)} loads {target}" for target in named if _is_elsewhere(target)]
    for path in sorted(site.rglob("*.js")):
        if path.name != "search_index.js":
            text = _COMMENT.sub("", path.read_text("utf-8"))
            named = [found.group() for found in _ADDRESS.finditer(text)]
            failures += [
                f"{path.relative_to(site)} names {target}" for target in named if not target.startswith(DORMANT)
            ]
    return failures


def _of_page(site: Path, path: Path, page: Page, pages: dict[Path, Page]) -> list[str]:
    shown = path.relative_to(site)
    failures = [f"{shown} loads {target}" for target in page.loaded if _is_elsewhere(target)]
    inside = [target for target in (*page.links, *page.loaded) if not _is_elsewhere(target) and not _has_scheme(target)]
    failures += [f"{shown} links to {target}" for target in inside if not _leads_somewhere(site, path, target, pages)]
    failures += [f"{shown} shows Markdown: {text}" for text in page.left_over]
    if "mermaid" in page.classes:
        failures.append(f"{shown} has a diagram that is drawn by a script of another host")
    return failures


def _is_elsewhere(target: str) -> bool:
    return target.startswith("//") or urlsplit(target).scheme in ("http", "https")


def _has_scheme(target: str) -> bool:
    return urlsplit(target).scheme in ("mailto", "data", "javascript")


def _leads_somewhere(site: Path, path: Path, target: str, pages: dict[Path, Page]) -> bool:
    address = urlsplit(target)
    if target.startswith("/"):  # works on one server only
        return path.name == "404.html" and (site / unquote(address.path).lstrip("/")).exists()
    found = (path.parent / unquote(address.path)).resolve() if address.path else path
    if found.is_dir():
        return False
    anchor = unquote(address.fragment)
    if not found.is_file() or not found.is_relative_to(site.resolve()):
        return False
    return not anchor or anchor.startswith(("only-", "__")) or found not in pages or anchor in pages[found].anchors
