"""``python -m scripts.site``: build the site into .cache/site and check it. Exit status 1 if anything is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .check import check
from .navigation import ROOT

CONFIG = Path(__file__).with_name("mkdocs.yml")
SITE = ROOT / ".cache" / "site"


def main() -> int:
    """Do it; return the exit status."""
    command = [sys.executable, "-m", "mkdocs", "--quiet", "build", "--strict", "-f", str(CONFIG)]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # ruff wraps signatures
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PATH": tools}
    if subprocess.run(command, env=environment, check=False).returncode:
        return 1
    failures = check(SITE)
    count = len(list(SITE.rglob("*.html")))
    print("\n".join(failures) or f"{count} pages in {SITE.relative_to(ROOT)}: open index.html", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
