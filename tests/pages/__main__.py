"""``python -m tests.pages``: the pages that the package writes, opened in Chromium and looked at.

Each is shown narrow and wide, light and dark, and must be whole: nothing in the console, nothing wider than the window,
charts that have a size and whose labels lie within them, apart from each other and large enough to read, and text that
stands out from its ground. Pictures of all are left in ``.cache/pages``. Exit code 1 if anything is wrong.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.pages.browser import Browser, found
from tests.pages.samples import written
from tests.support.data import CACHE

CHECKS = Path(__file__).with_name("checks.js").read_text("utf-8")
WIDTHS = (400, 1200)
SCHEMES = ("light", "dark")


def main() -> int:
    """Write the pages, open them, and say what is wrong."""
    program = found()
    if program is None:
        print("There is no Chromium. Install it (Debian: apt-get install chromium), or run `make pages` as root.")
        return 2
    pictures = CACHE / "pages"
    pictures.mkdir(parents=True, exist_ok=True)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, Browser(program) as browser:
        pages = written(Path(folder))
        for path in pages:
            for width in WIDTHS:
                for scheme in SCHEMES:
                    shown = browser.open(path, width, scheme)
                    said = shown.ask(f"({CHECKS})({width}, {json.dumps(scheme == 'dark')})")
                    problems = [*said, *shown.complaints]
                    (pictures / f"{path.stem}-{width}-{scheme}.png").write_bytes(shown.picture())
                    for problem in problems:
                        print(f"{path.stem}, {width} px, {scheme}: {problem}")
                    wrong += len(problems)
        shots = len(pages) * len(WIDTHS) * len(SCHEMES)
    print(f"{len(pages)} pages, {shots} views, {wrong} problems; pictures in {pictures}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
