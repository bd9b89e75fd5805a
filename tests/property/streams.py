"""``python -m tests.property.streams``: the laws of stream decoding over every real file; exit code 1 if one fails."""

from __future__ import annotations

import argparse
import fnmatch
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import anypiece as ap
from tests.property.stream_laws import check_file
from tests.support import data

__all__ = ["main", "names", "opened"]

FOREIGN = ("_config.json", "bert_chinese_vocab.txt", "tftext_test_wp_en_vocab.txt")
"""What ends so is no tokenizer file by itself."""


def names() -> list[str]:
    """Every tokenizer file, by its place under ``models``."""
    folder = data.folder() / "models"
    found = {str(path.relative_to(folder)).removesuffix(".gz") for path in folder.glob("*/*")}
    return sorted(name for name in found if not name.endswith(FOREIGN))


@lru_cache(maxsize=1)
def opened(name: str) -> ap.Tokenizer:
    """A file's tokenizer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(data.unpacked(data.folder() / "models" / name))
        return ap.load(path)


def main() -> int:
    """Check every file, or those that a pattern names."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--files", default="*")
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    failed = 0
    for name in fnmatch.filter(names(), options.files):
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
