"""Links between documents, as the site has them: pages that lie elsewhere there are found, and pictures have both themes."""

from __future__ import annotations

import posixpath
import re

from .navigation import place

__all__ = ["as_page", "rewritten"]

_FENCED = re.compile(r"(^ *```.*?^ *```[ ]*$|`[^`\n]*`)", re.M | re.S)
_LINK = re.compile(r"(?<=\]\()(?P<target>[^)\s]+)(?=\))")
_PICTURE = re.compile(
    r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]+)">\s*'
    r'<img src="(?P<light>[^"]+)" alt="(?P<alt>[^"]*)">\s*</picture>'
)
_THEMES = r"![\g<alt>](\g<light>#only-light)![\g<alt>](\g<dark>#only-dark)"
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#")


def rewritten(text: str, page: str) -> str:
    """The Markdown of ``page`` (a path in the repository) with its links as they are between pages of the site.

    >>> rewritten("[a](docs/guide/cli.md#decode) `[b](c.md)`", "README.md")
    '[a](guide/cli.md#decode) `[b](c.md)`'
    >>> rewritten("[a](../ARCHITECTURE.md)", "docs/start.md")
    '[a](project/architecture.md)'
    """
    parts = _FENCED.split(text)
    parts[::2] = [_PICTURE.sub(_THEMES, part) for part in parts[::2]]
    parts[::2] = [_LINK.sub(lambda found: _moved(found["target"], page), part) for part in parts[::2]]
    return "".join(parts)


def _moved(target: str, page: str) -> str:
    if _ELSEWHERE.match(target):
        return target
    path, mark, heading = target.partition("#")
    found = place(posixpath.normpath(posixpath.join(posixpath.dirname(page), path)))
    return posixpath.relpath(found, posixpath.dirname(place(page)) or ".") + mark + heading


def as_page(text: str, page: str) -> str:
    """What the site has for a file of the repository: Markdown as it is but for its links, other text in a block.

    >>> print(as_page("Licence\\n", "LICENSE"))
    # LICENSE
    <BLANKLINE>
    ```text
    Licence
    ```
    <BLANKLINE>
    """
    if page.endswith(".md"):
        return rewritten(text, page)
    return f"# {page}\n\n```text\n{text.rstrip()}\n```\n"
