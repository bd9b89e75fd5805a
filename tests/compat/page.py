"""A page whose examples need libraries that the tests do not: ``python -m tests.compat.page PAGE`` runs its blocks of ``py``
one after the other, in a folder of their own that is taken away again."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.docs.pages import blocks

__all__ = ["main"]


def main() -> None:
    """Run the page that is named."""
    page = Path(sys.argv[1]).resolve()
    found = [block for block in blocks(page) if block.language == "py"]
    if not found:
        raise SystemExit(f"{page.name} has no example to run")
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        for block in found:
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
        os.chdir(page.parent)
    print(f"{page.name}: {len(found)} examples run")


if __name__ == "__main__":
    main()
