"""``python -m scripts.docs [--check]``: run every example, follow every link, bring generated parts up to date.

With ``--check`` nothing is written and a stale part is an error. Exit status 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from . import chart
from .benchmarks import PAGE, README, with_current_parts
from .examples import check_module, check_page, modules
from .figures import FIGURES, LEARN, drawn
from .help import GUIDE, with_current_help
from .links import broken_links
from .pages import pages, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_GENERATED = (
    (README, with_current_parts, "the chart is not that of the newest record"),
    (PAGE, with_current_parts, "the tables are not those of the newest records"),
    (chart.path("light"), lambda _: chart.current("light"), "the chart is not that of the newest record"),
    (chart.path("dark"), lambda _: chart.current("dark"), "the chart is not that of the newest record"),
    (GUIDE, with_current_help, "a help text is not that of the command"),
)


def main() -> int:
    """Do it; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m scripts.docs", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    failures = bring_up_to_date(write=not parser.parse_args().check)
    for page in pages():
        failures += broken_links(page) + check_page(page)
    for name in modules():
        failures += check_module(name)
    print("\n".join(failures) or f"{len(pages())} pages and {len(modules())} modules are true", file=sys.stderr)
    return 1 if failures else 0


def _figures() -> Iterator[tuple[Path, Callable[[str], str], str]]:
    """The figures of articles, each drawn when its page has been run."""
    for name in dict.fromkeys(figure.page for figure in FIGURES):
        for file, text in drawn(name).items():
            yield LEARN / file, partial(_always, text), "the figure is not that of its page"


def _always(text: str, before: str) -> str:
    return text


def bring_up_to_date(*, write: bool) -> list[str]:
    """Make the generated parts of the documents anew, or say which are stale."""
    stale = []
    for page, made, what in (*_GENERATED, *_figures()):
        before = page.read_text("utf-8") if page.is_file() else ""
        after = made(before)
        if before != after and write:
            page.write_text(after, "utf-8")
        elif before != after:
            stale.append(f"{shown(page)}: {what}; run `make docs`")
    return stale


if __name__ == "__main__":
    sys.exit(main())
