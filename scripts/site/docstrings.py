"""An extension of griffe: docstrings as Markdown. ``>>>`` sessions are fenced, and pages that are named become links."""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["Docstrings", "as_markdown"]

_PARAGRAPH = re.compile(r"\n[ ]*\n")
_PAGE = re.compile(r"``docs/([\w/-]+)\.md``")


def as_markdown(text: str) -> str:
    """A docstring as Markdown for a page of the folder ``reference/``.

    >>> as_markdown("See ``docs/formats/tiktoken.md``.")
    'See [formats/tiktoken](../formats/tiktoken.md).'
    """
    return _PAGE.sub(r"[\1](../\1.md)", with_fences(text))


def with_fences(text: str) -> str:
    """``text`` with paragraphs that begin with ``>>>`` between fences; those that follow each other share one.

    >>> print(with_fences("Adds.\\n\\n>>> 1 + 1\\n2\\n\\n>>> 0\\n0"))
    Adds.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    >>> 0
    0
    ```
    """
    made: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        if not paragraph.lstrip().startswith(">>>"):
            made.append(paragraph)
        elif made and made[-1].startswith("```pycon"):
            made[-1] = f"{made[-1].removesuffix('```')}{paragraph.rstrip()}\n```"
        else:
            made.append(f"```pycon\n{paragraph.rstrip()}\n```")
    return "\n\n".join(made)


class Docstrings(griffe.Extension):  # type: ignore[misc]
    """Rewrites each docstring when its object has been read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """griffe calls this for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
