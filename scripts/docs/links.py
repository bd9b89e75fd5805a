"""Follows the relative links and pictures of a page: the file must be there, and the heading too where one is named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from .pages import shown

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["broken_links"]

_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)|<(?:img|source)[^>]* (?:src|srcset)=\"(?P<image>[^\"]+)\"")
_FENCED = re.compile(r"^ *```.*?^ *```[ ]*$|`[^`\n]*`", re.M | re.S)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")


def broken_links(page: Path) -> list[str]:
    """One line per link that leads nowhere."""
    text = _FENCED.sub("", page.read_text("utf-8"))
    targets = [match["target"] or match["image"] for match in _LINK.finditer(text)]
    return [f"{shown(page)}: {target}" for target in targets if not _leads_somewhere(page, target)]


def _leads_somewhere(page: Path, target: str) -> bool:
    if _ELSEWHERE.match(target):
        return True
    path, _, heading = unquote(target).partition("#")
    found = (page.parent / path) if path else page
    if not found.exists():
        return False
    return not heading or heading in _headings(found)


def _headings(page: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them: lower case, spaces to hyphens, punctuation gone."""
    titles = re.findall(r"^#+ +(.+?) *$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
