"""``python -m tests.property.streams``: the laws of stream decoding over every real file; exit code 1 if one fails."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

from tests.property import linear_time
from tests.property.stream_laws import check_file

if TYPE_CHECKING:
    import anypiece as ap

__all__ = ["main", "opened"]


@lru_cache(maxsize=1)
def opened(name: str) -> ap.Tokenizer:
    """A file's tokenizer."""
    return linear_time.opened(name)


def main() -> int:
    """Check every file, or those that a pattern names."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--files", default="*")
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    failed = 0
    for name in fnmatch.filter(linear_time.files(), options.files):
        try:
            check_file(opened(name), name, options.count)
        except AssertionError as error:
            failed += 1
            print(f"FAILS {name}: {error}", flush=True)
        else:
            print(f"holds {name}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
